import { posix } from 'node:path';
import { countNoun } from '../../../lib/count-noun.ts';
import { formatBytes } from '../../../lib/format-bytes.ts';
import { findMeant } from '../../../lib/similar-names.ts';
import { isAbsoluteUrl, isWebUrl } from '../../../lib/url-text.ts';
import { type Cache, defineCacheKind } from '../../cache/cache.ts';
import { type Brand, type BrandScript, THEME_IMAGES, type ThemeImage } from '../../compose/theme.ts';
import { nameByContent, readTokenStyles, type ThemeFile } from '../../compose/theme-files.ts';
import type { Extension } from '../../extension.ts';
import { describeForeign, findForeignHost, NO_RESOURCE } from '../../markdown/html/foreign-hosts.ts';
import type { ObjectReader, WarningCode } from '../../model.ts';
import type { TreePaths } from '../../source/files/tree-paths.ts';
import { isLfsPointer } from '../../source/text/decode-text.ts';
import { readImageSize } from '../image-size.ts';
import { listAnalytics, type ThemeAnalytics } from './analytics.ts';
import type { CodeColours, ThemeColours } from './colours.ts';
import { FONT_USES, type FontFace, type FontUse, type ThemeFace, writeFonts } from './font-faces.ts';
import type { FontFacts } from './fonts.ts';

/** The look as a project file states it, checked by its schema. */
export interface Theme
  extends ThemeColours,
    Readonly<Partial<Record<(typeof THEME_IMAGES)[number], string | undefined>>> {
  readonly styles?: string | readonly string[] | undefined;
  readonly fonts?: { readonly [Use in FontUse]?: readonly ThemeFace[] | undefined } | undefined;
  readonly scripts?: string | readonly string[] | undefined;
  readonly analytics?: ThemeAnalytics | undefined;
}

/** Something about the theme that its author should know. */
export interface ThemeProblem {
  readonly code: WarningCode;
  readonly message: string;
  /** The key of the project file that it is about, or the place in a file of the theme. */
  readonly at: readonly PropertyKey[] | { readonly file: string; readonly line: number };
}

/** The source of a theme: the files of the version that all others look like. */
export interface ThemeSource {
  readonly reader: ObjectReader;
  readonly cache: Pick<Cache, 'memo'>;
  readonly paths: TreePaths;
  readonly sourceFolder: string;
  readonly allowedHosts: readonly string[];
  /** Why scripts are left out, if they are. */
  readonly scripts: 'run' | 'preview' | 'shared-host';
  /** Of an extension. */
  readonly codeTheme: OwnCodeTheme | undefined;
  readonly composer: { createStyle(rules: string): ThemeFile };
}

export interface OwnCodeTheme {
  readonly extension: string;
  readonly themes: NonNullable<Extension['codeTheme']>;
}

/** Size limits of one file, in bytes, by what it is. */
const MAX_BYTES = { image: 1_000_000, styles: 200_000, font: 4_000_000, script: 1_000_000 };

/** Limits of all files that style sheets refer to. */
const MAX_FILES = 200;
const MAX_TOTAL_BYTES = 20_000_000;
/** Files of a folder that a name is compared with. */
const MAX_COMPARED = 5_000;
/** Style sheets may import each other so deep. */
const MAX_DEPTH = 5;

const IMAGES = ['.svg', '.png', '.jpg', '.jpeg', '.webp', '.gif', '.avif', '.ico'];
const FONTS = ['.woff2', '.woff', '.ttf', '.otf'];
const SHEETS = ['.css'];
const SCRIPTS = ['.js', '.mjs'];

/** Reads what a project file names for the look of its site, from the repository's root or the source folder. What cannot be used is left out. */
export async function readTheme(
  theme: Theme,
  source: ThemeSource,
): Promise<{ readonly brand: Brand; readonly problems: readonly ThemeProblem[] }> {
  const problems: ThemeProblem[] = [];
  const images: { -readonly [Key in (typeof THEME_IMAGES)[number]]?: ThemeImage } = {};
  for (const key of THEME_IMAGES) {
    const name = theme[key];
    if (name === undefined) continue;
    const image = isWebUrl(name) ? { url: name } : await readImage(key, name);
    if (image) images[key] = image;
  }
  const files = new Map<string, ThemeFile>();
  const sheets: ThemeFile[] = [];
  for (const [index, name] of list(theme.styles).entries()) {
    const at = ['theme', 'styles', ...(typeof theme.styles === 'string' ? [] : [index])];
    const found = await readFile(name, { at, what: 'styles', endings: SHEETS, most: MAX_BYTES.styles });
    if (found) sheets.push(nameByContent('styles', '.css', await openSheet(found, [])));
  }
  const fonts = await readFonts();
  const rules = (await readColours()) + fonts.rules;
  const scripts = await readScripts();
  const style = rules === '' ? undefined : source.composer.createStyle(rules);
  const { preloads } = fonts;
  return { brand: { images, style, sheets, preloads, scripts, files: [...files.values(), ...fonts.files] }, problems };

  async function readImage(key: string, name: string): Promise<ThemeImage | undefined> {
    const found = await readFile(name, {
      at: ['theme', key],
      what: 'an image',
      endings: IMAGES,
      most: MAX_BYTES.image,
    });
    if (!found) return undefined;
    const size = await readImageSize(found.path, found.bytes);
    return { ...nameByContent(key, endingOf(found.path), found.bytes), ...(size && { size }) };
  }

  /** Returns a file by its path from the root or the source folder; undefined where it cannot be used, which is a problem. */
  async function readFile(
    name: string,
    { at, what, endings, most, isExact = false }: Wanted,
  ): Promise<FoundFile | undefined> {
    const path = name.replace(/^\.?\/+/, '');
    const first = await source.paths.resolve(path);
    const isElsewhere = 'why' in first && first.kind === 'missing' && !isExact;
    const entry = isElsewhere ? await source.paths.resolve(source.sourceFolder + path) : first;
    const refuse = (why: string): undefined => {
      problems.push({ at, code: 'missing-file', message: `File "${name}" ${why}` });
    };
    if (!endings.includes(endingOf(name))) return refuse(`is not ${what}: its name must end in ${endings.join(', ')}`);
    if ('why' in entry && entry.kind === 'missing') {
      const folders = isExact ? [''] : ['', source.sourceFolder];
      return refuse(`does not exist${await suggestFile(path, { folders, endings })}`);
    }
    if ('why' in entry) return refuse(`cannot be used: ${entry.why}`);
    if (entry.kind !== 'file') return refuse('is a folder');
    const bytes = await source.reader.readBlob(entry.oid);
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
      const entry = await source.paths.find(posix.join(base, folder).replace(/^\.?\/?$|\/$/, ''));
      if (entry?.kind !== 'folder') continue;
      const files = await source.reader.readTree(entry.oid);
      const names = files.filter(({ name, kind }) => kind === 'file' && endings.includes(endingOf(name)));
      const meant = findMeant(
        posix.basename(path),
        names.slice(0, MAX_COMPARED).map(({ name }) => name),
      );
      if (meant !== undefined) return `: did you mean "${posix.join(folder, meant)}"?`;
    }
    return '';
  }

  /** Returns a style sheet in which URLs are those of the theme's own files. `above` are the sheets that import it. */
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
      const host = findForeignHost(url, source.allowedHosts);
      if (host === undefined) return undefined;
      problems.push({
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
      problems.push({ at, code: 'missing-file', message });
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

  /** Reads the fonts; their rules are docbuild's own, since no style sheet of the project need know of them. */
  async function readFonts() {
    const faces: FontFace[] = [];
    for (const use of FONT_USES) {
      for (const [index, face] of (theme.fonts?.[use] ?? []).entries()) {
        const given = typeof face === 'string' ? { file: face } : face;
        const at = ['theme', 'fonts', use, index, 'file'];
        const found = await readFile(given.file, { at, what: 'a font', endings: FONTS, most: MAX_BYTES.font });
        const facts = found && (await readFacts(found));
        if (facts)
          faces.push({ use, facts, given, file: nameByContent(stemOf(found.path), endingOf(found.path), found.bytes) });
        else if (found)
          problems.push({ at, code: 'missing-file', message: `File "${given.file}" is not a font that can be read` });
      }
    }
    return { ...writeFonts(faces), files: faces.map(({ file }) => file) };
  }

  async function readFacts({ oid, bytes }: FoundFile): Promise<FontFacts | undefined> {
    const facts = await source.cache.memo(FACTS, [oid], async () => {
      const { readFont } = await import('./fonts.ts');
      try {
        return { facts: readFont(bytes) };
      } catch {
        return {};
      }
    });
    return facts.facts;
  }

  /** Reads the scripts of the project; where its authors may not run any, they are left out, which they are told. */
  async function readScripts(): Promise<readonly BrandScript[]> {
    const scripts: BrandScript[] = [];
    const refuse = (key: string): void => {
      const message = `"theme.${key}" is left out: scripts of authors run at a host of the site's own only, which it does not have`;
      problems.push({ at: ['theme', key], code: 'project-file', message });
    };
    if (source.scripts === 'shared-host' && theme.scripts !== undefined) refuse('scripts');
    for (const [index, name] of source.scripts === 'shared-host' ? [] : list(theme.scripts).entries()) {
      const at = ['theme', 'scripts', ...(typeof theme.scripts === 'string' ? [] : [index])];
      const found = await readFile(name, { at, what: 'a script', endings: SCRIPTS, most: MAX_BYTES.script });
      if (!found) continue;
      const file = nameByContent(stemOf(found.path), '.js', found.bytes);
      scripts.push({ file, isModule: endingOf(found.path) === '.mjs' });
    }
    if (theme.analytics === undefined) return scripts;
    if (source.scripts === 'shared-host') refuse('analytics');
    return source.scripts === 'run' ? [...scripts, ...listAnalytics(theme.analytics)] : scripts;
  }

  async function readColours(): Promise<string> {
    const { accent, colors } = theme;
    const { codeTheme } = source;
    if (accent === undefined && colors === undefined && codeTheme === undefined) return '';
    const { rules, problems: found } = await source.cache.memo(
      COLOURS,
      [JSON.stringify([accent, colors, ...(codeTheme ? [codeTheme] : [])])],
      async () => {
        const { writeColours } = await import('./colours.ts');
        return writeColours({ accent, colors }, readTokenStyles(), codeTheme && (await readCode(codeTheme)));
      },
    );
    for (const { path, message } of found) {
      problems.push({ at: path.length > 0 ? path : { file: '', line: 0 }, code: 'contrast', message });
    }
    return rules;
  }
}

async function readCode({ extension, themes: { light, dark } }: OwnCodeTheme): Promise<CodeColours> {
  const { readCodeTheme } = await import('./code-theme.ts');
  return { extension, themes: { light: light && readCodeTheme(light), dark: dark && readCodeTheme(dark) } };
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

interface FoundFile {
  /** From the root of the repository. */
  readonly path: string;
  readonly oid: string;
  readonly bytes: Uint8Array;
}

const COLOURS = defineCacheKind<{
  readonly rules: string;
  readonly problems: readonly { readonly path: readonly string[]; readonly message: string }[];
}>('theme-colours');

const FACTS = defineCacheKind<{ readonly facts?: FontFacts }>('theme-font');

const list = (value: string | readonly string[] | undefined): readonly string[] =>
  value === undefined ? [] : typeof value === 'string' ? [value] : value;

const endingOf = (path: string): string => posix.extname(path).toLowerCase();

/** A name that can stand in URLs and style sheets as it is. */
function stemOf(path: string): string {
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
