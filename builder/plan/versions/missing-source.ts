import { countNoun } from '../../../lib/count-noun.ts';
import { BuildError } from '../../build-error.ts';
import { parseLanguageTag } from '../../language-tag.ts';
import type { ObjectReader, TreeEntry, Warning } from '../../model.ts';
import { markOptions } from '../../option-marks.ts';
import { isPageFile } from '../../page-path.ts';
import { findStatedLanguage, type Language } from '../../source/languages.ts';
import type { SourceTree } from '../../source/pages/collect-pages.ts';
import { COMMON_FOLDERS, type SourceCandidate, type SourceFinder } from '../../source/sites/find-source.ts';
import { PROJECT_FILE_NAME } from '../project-file.ts';
import type { MissingSource, Version, VersionSource } from './version-source.ts';

const HINT = `set the folder of the documentation with ${markOptions('sourceDir')} or as "sourceDir" in ${PROJECT_FILE_NAME}`;

/** Returns a description of what was not found in a version. */
export function describeMissing({ folder }: MissingSource): string {
  if (folder !== undefined) return `it has no folder "${folder || '.'}"`;
  return `it has no documentation: no pages in ${COMMON_FOLDERS.join(', ')} or where a generator would have them, and no README`;
}

/**
 * Returns the error for a site whose latest version, or all of whose versions, have no documentation; it names what was
 * found instead.
 */
export async function missingSourceError(options: {
  readonly reader: ObjectReader;
  readonly sources: SourceFinder;
  /** Those without documentation, the one to report first. */
  readonly versions: readonly Version[];
  readonly missing: MissingSource;
  readonly othersHaveIt: boolean;
}): Promise<BuildError> {
  const { reader, sources, versions, missing } = options;
  const { ref, rootTree } = versions[0]!;
  const where = versions.length === 1 ? `ref "${ref.name}"` : `any of the ${versions.length} refs`;
  const other = options.othersHaveIt ? `, or choose a version that has it as latest with ${markOptions('latest')}` : '';
  const found = describeCandidates(await sources.listCandidates(rootTree));
  const { folder } = missing;
  const kind = await findObstacle(reader, rootTree, folder ?? COMMON_FOLDERS[0]!);
  if (folder === undefined && kind === undefined) {
    const message = `No documentation found in ${where}: ${COMMON_FOLDERS.join(', ')} contain no pages, and there is no README${found}; ${HINT}${other}`;
    return new BuildError('no-source', message);
  }
  if (kind !== undefined) {
    const name = folder ?? COMMON_FOLDERS[0];
    return new BuildError('no-source', `"${name}" in ref "${ref.name}" is a ${kind}, not a folder${found}; ${HINT}`);
  }
  return new BuildError('no-source', `Folder "${folder}" does not exist in ${where}${found}; ${HINT}${other}`);
}

/** Returns the folders that contain pages, as the end of a sentence; '' if there are none. */
export function describeCandidates(candidates: readonly SourceCandidate[]): string {
  const list = candidates.map(({ folder, pages }) => `"${withoutSlash(folder)}" (${pages})`);
  return list.length === 0 ? '' : `; there are pages in ${list.join(', ')}`;
}

/** Returns the kind of the entry that is in the way of a folder. */
async function findObstacle(reader: ObjectReader, rootTree: string, folder: string): Promise<string | undefined> {
  let tree = rootTree;
  for (const part of folder.split('/')) {
    const entry: TreeEntry | undefined = (await reader.readTree(tree)).find(({ name }) => name === part);
    if (entry?.kind !== 'folder') return entry?.kind.replace('-', ' ');
    tree = entry.oid;
  }
  return undefined;
}

/** Returns the error for a latest version whose source folder holds no page in any language. */
export function noPagesError(
  source: VersionSource,
  tree: Pick<SourceTree, 'drafts'>,
  languages: readonly Language[],
): BuildError {
  const message = describeNoPages(source, tree, languages);
  const location = { ref: source.version.ref.name };
  return new BuildError('no-pages', message[0]!.toUpperCase() + message.slice(1), { location });
}

/** Returns the warning for another version that is left out since its source folder holds no page in any language. */
export function noPagesWarning(
  source: VersionSource,
  tree: Pick<SourceTree, 'drafts'>,
  languages: readonly Language[],
): Warning {
  const file = withoutSlash(source.sourceFolder);
  const message = `Version skipped: ${describeNoPages(source, tree, languages)}`;
  return { ref: source.version.ref.name, file, line: 0, code: 'skipped-ref', message };
}

function describeNoPages(
  { sourceFolder }: VersionSource,
  { drafts }: Pick<SourceTree, 'drafts'>,
  languages: readonly Language[],
): string {
  const codes = languages.map(({ code }) => code).join(', ');
  const kept = drafts.size === 0 ? '' : `; ${countNoun(drafts.size, 'draft')} not published`;
  return `folder "${withoutSlash(sourceFolder) || '.'}" contains no Markdown page (.md, .markdown, .mdx) in ${codes}${kept}`;
}

function withoutSlash(folder: string): string {
  return folder.replace(/\/$/, '');
}

const MAX_NAMED = 5;

/**
 * Returns what the author should know of the languages of a version: that the default one was guessed, and which pages are left out
 * because their language is not among the declared ones.
 */
export function warnOfLanguages(
  { version, listing, layout }: VersionSource,
  { languages, guessed }: { readonly languages: readonly Language[]; readonly guessed: string | undefined },
): readonly Warning[] {
  const place = { ref: version.ref.name, file: '', line: 0, code: 'language' as const };
  const codes = languages.map(({ code }) => code);
  if (guessed !== undefined) {
    const message = `No language is declared; judging by its script, the text is ${nameLanguage(languages[0]!.tag)} and is published as "${codes[0]}": confirm or change that with ${markOptions('lang')}`;
    return [{ ...place, message }];
  }
  const leftOut = new Map<string, { readonly code: string; pages: number }>();
  for (const { path, isLeftOut } of listing.files) {
    const stated = isPageFile(path) && !isLeftOut ? findStatedLanguage(path, layout) : undefined;
    if (!stated || languages.some(({ key }) => key === stated.key)) continue;
    const known = leftOut.get(stated.key);
    if (known) known.pages++;
    else leftOut.set(stated.key, { code: stated.code, pages: 1 });
  }
  if (leftOut.size === 0) return [];
  const all = [...leftOut.values()].sort((a, b) => b.pages - a.pages);
  const total = all.reduce((sum, { pages }) => sum + pages, 0);
  const named = all.slice(0, MAX_NAMED).map(({ code, pages }) => `${code} (${nameLanguage(code)}, ${pages})`);
  const list = [...named, ...(all.length > MAX_NAMED ? [`${all.length - MAX_NAMED} more`] : [])].join(', ');
  const message = `${countNoun(total, 'page')} left out, whose folder or file name states a language other than ${codes.join(', ')}: ${list}; to publish more languages, name them with ${markOptions('lang')}`;
  return [{ ...place, message }];
}

function nameLanguage(code: string): string {
  const tag = parseLanguageTag(code);
  return (tag && new Intl.DisplayNames('en', { type: 'language' }).of(tag)) ?? code;
}
