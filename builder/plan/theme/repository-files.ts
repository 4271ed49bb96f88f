import { posix } from 'node:path';
import { countNoun } from '../../../lib/count-noun.ts';
import { formatBytes } from '../../../lib/format-bytes.ts';
import { findMeant } from '../../../lib/similar-names.ts';
import { isAbsoluteUrl } from '../../../lib/url-text.ts';
import { nameByContent, type ThemeFile } from '../../compose/theme-files.ts';
import { describeForeign, findForeignHost, NO_RESOURCE } from '../../markdown/html/foreign-hosts.ts';
import type { ObjectReader, WarningCode } from '../../model.ts';
import type { TreePaths } from '../../source/files/tree-paths.ts';
import { isLfsPointer } from '../../source/text/decode-text.ts';

/** Something about the theme that its author should know. */
export interface ThemeProblem {
  readonly code: WarningCode;
  readonly message: string;
  /** The key of the project file that it is about, or the place in a file of the theme. */
  readonly at: readonly PropertyKey[] | { readonly file: string; readonly line: number };
}

/** The files of a version that a theme may name. */
export interface FileSource {
  readonly reader: ObjectReader;
  readonly paths: TreePaths;
  readonly sourceFolder: string;
  readonly allowedHosts: readonly string[];
}

/** A file that the project file names, with its use and its place there. */
interface Wanted {
  readonly at: ThemeProblem['at'];
  readonly what: string;
  readonly endings: readonly string[];
  /** In bytes. */
  readonly most: number;
  /** The path is from the root of the repository, and not from the source folder. */
  readonly isExact?: boolean;
}

export interface FoundFile {
  /** From the root of the repository. */
  readonly path: string;
  readonly oid: string;
  readonly bytes: Uint8Array;
}

/** Files of a repository that a theme names, and those that its style sheets refer to. */
export interface RepositoryFiles {
  /** Returns a file by its path from the root or the source folder; undefined where it cannot be used, which is a problem. */
  read(name: string, wanted: Wanted): Promise<FoundFile | undefined>;
  /** Returns a style sheet in which URLs are those of the theme's own files. */
  openSheet(sheet: FoundFile): Promise<Buffer>;
  /** Returns the files that style sheets refer to. */
  listReferred(): readonly ThemeFile[];
}

/** Size limits of one file, in bytes, by what it is. */
export const MAX_BYTES = { image: 1_000_000, styles: 200_000, font: 4_000_000, script: 1_000_000 };

/** Limits of all files that style sheets refer to. */
const MAX_FILES = 200;
const MAX_TOTAL_BYTES = 20_000_000;
/** Files of a folder that a name is compared with. */
const MAX_COMPARED = 5_000;
/** Style sheets may import each other so deep. */
const MAX_DEPTH = 5;

export const IMAGES = ['.svg', '.png', '.jpg', '.jpeg', '.webp', '.gif', '.avif', '.ico'];
export const FONTS = ['.woff2', '.woff', '.ttf', '.otf'];
export const SHEETS = ['.css'];

/** Opens the files of a repository; `report` receives what cannot be used, which is left out. */
export function openRepositoryFiles(
  { reader, paths, sourceFolder, allowedHosts }: FileSource,
  report: (problem: ThemeProblem) => void,
): RepositoryFiles {
  const files = new Map<string, ThemeFile>();
  return { read: readFile, openSheet: (sheet) => openSheet(sheet, []), listReferred: () => [...files.values()] };

  async function readFile(
    name: string,
    { at, what, endings, most, isExact = false }: Wanted,
  ): Promise<FoundFile | undefined> {
    const path = name.replace(/^\.?\/+/, '');
    const first = await paths.resolve(path);
    const isElsewhere = 'why' in first && first.kind === 'missing' && !isExact;
    const entry = isElsewhere ? await paths.resolve(sourceFolder + path) : first;
    const refuse = (why: string): undefined => {
      report({ at, code: 'missing-file', message: `File "${name}" ${why}` });
    };
    if (!endings.includes(endingOf(name))) return refuse(`is not ${what}: its name must end in ${endings.join(', ')}`);
    if ('why' in entry && entry.kind === 'missing') {
      const folders = isExact ? [''] : ['', sourceFolder];
      return refuse(`does not exist${await suggestFile(path, { folders, endings })}`);
    }
    if ('why' in entry) return refuse(`cannot be used: ${entry.why}`);
    if (entry.kind !== 'file') return refuse('is a folder');
    const bytes = await reader.readBlob(entry.oid);
    if (isLfsPointer(bytes)) return refuse('is a Git LFS pointer: the file itself is not in the repository');
    if (bytes.length > most)
      return refuse(`has ${formatBytes(bytes.length)}, and must have ${formatBytes(most)} at most`);
    return { path: entry.path, oid: entry.oid, bytes };
  }

  /** Returns the end of a message about a file that is not there: the one beside it that was probably meant, or ''. */
  async function suggestFile(
    path: string,
    { folders, endings }: { readonly folders: readonly string[]; readonly endings: readonly string[] },
  ): Promise<string> {
    const folder = posix.dirname(path);
    for (const base of folders) {
      const entry = await paths.find(posix.join(base, folder).replace(/^\.?\/?$|\/$/, ''));
      if (entry?.kind !== 'folder') continue;
      const files = await reader.readTree(entry.oid);
      const names = files.filter(({ name, kind }) => kind === 'file' && endings.includes(endingOf(name)));
      const meant = findMeant(
        posix.basename(path),
        names.slice(0, MAX_COMPARED).map(({ name }) => name),
      );
      if (meant !== undefined) return `: did you mean "${posix.join(folder, meant)}"?`;
    }
    return '';
  }

  /** `above` are the sheets that import this one. */
  async function openSheet({ path, bytes }: FoundFile, above: readonly string[]): Promise<Buffer> {
    const { createLineCounter, openStyles } = await import('../../markdown/html/open-addresses.ts');
    const text = Buffer.from(bytes).toString('utf8');
    const lineOf = createLineCounter(text);
    const found: { readonly url: string; readonly line: number; readonly isSheet: boolean }[] = [];
    openStyles(text, (_kind, url, at, use) => {
      found.push({ url, line: lineOf(at), isSheet: use === 'style sheet' });
      return undefined;
    });
    const written: (string | undefined)[] = [];
    for (const { url, line, isSheet } of found) {
      const at = { file: path, line };
      if (isAbsoluteUrl(url)) {
        written.push(undefined);
        continue;
      }
      const name = await addFile(url, { at, path, above, isSheet });
      written.push(name === undefined ? NO_RESOURCE : `./${name}`);
    }
    let at = 0;
    const css = openStyles(text, (_kind, url, _position, use) => {
      const { line } = found[at]!;
      const local = written[at++];
      if (local !== undefined || use === undefined) return local;
      const host = findForeignHost(url, allowedHosts);
      if (host === undefined) return undefined;
      report({
        at: { file: path, line },
        code: 'foreign-host',
        message: describeForeign('Style sheet or font', host),
      });
      return NO_RESOURCE;
    });
    return Buffer.from(css);
  }

  /** Takes a file that a style sheet refers to; returns its name among the theme's own. */
  async function addFile(
    url: string,
    {
      at,
      path,
      above,
      isSheet,
    }: {
      readonly at: ThemeProblem['at'];
      readonly path: string;
      readonly above: readonly string[];
      readonly isSheet: boolean;
    },
  ): Promise<string | undefined> {
    const refuse = (message: string): undefined => {
      report({ at, code: 'missing-file', message });
    };
    const [, written, end] = /^([^?#]*)(.*)/s.exec(url) as unknown as [string, string, string];
    const name = decodePath(written);
    // From the folder of the style sheet, or, with a slash before it, from the root of the repository.
    const target = posix.normalize(name.startsWith('/') ? name.slice(1) : posix.join(posix.dirname(path), name));
    if (target.startsWith('../')) return refuse(`File "${url}" is outside of the repository`);
    const found = await readFile(target, {
      at,
      isExact: true,
      ...(isSheet
        ? { what: 'a style sheet', endings: SHEETS, most: MAX_BYTES.styles }
        : {
            what: 'an image or font',
            endings: [...IMAGES, ...FONTS],
            most: MAX_BYTES.image,
          }),
    });
    if (!found) return undefined;
    const chain = [...above, path];
    if (isSheet && chain.includes(found.path)) return refuse(`Style sheet "${found.path}" imports itself`);
    if (isSheet && chain.length > MAX_DEPTH)
      return refuse(`Style sheets import each other more than ${MAX_DEPTH} deep`);
    const bytes = isSheet ? await openSheet(found, chain) : found.bytes;
    const file = nameByContent(stemOf(found.path), endingOf(found.path), bytes);
    const total = [...files.values()].reduce((sum, one) => sum + one.bytes.length, bytes.length);
    if (!files.has(file.name) && (files.size >= MAX_FILES || total > MAX_TOTAL_BYTES)) {
      const most = `${countNoun(MAX_FILES, 'file')} with ${formatBytes(MAX_TOTAL_BYTES)}`;
      return refuse(`File "${url}" is left out: style sheets may refer to ${most} at most`);
    }
    files.set(file.name, file);
    return file.name + end;
  }
}

export const endingOf = (path: string): string => posix.extname(path).toLowerCase();

/** A name that can stand in URLs and style sheets as it is. */
export function stemOf(path: string): string {
  const stem = posix.basename(path, posix.extname(path)).replace(/[^\w-]+/g, '-');
  return stem.slice(0, 60) || 'file';
}

function decodePath(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
