import { posix } from 'node:path';
import { isAbsoluteUrl } from '../../../lib/url-text.ts';
import type { GeneratorNavigation, NavTarget } from '../../generators/shared/navigation-items.ts';
import { decodeAddress, readSummary, withoutTitle } from '../../generators/shared/summary.ts';
import { isIndexPage, isPageFile } from '../../page-path.ts';
import type { SourceFile } from '../files/walk-tree.ts';
import { findStatedLanguage, type LanguageLayout } from '../languages.ts';

/** The links of a text that is nothing but a list of links. Plain data. */
export interface ContentsLinks {
  /** As written, without those to other sites. */
  readonly links: readonly string[];
  /** The list has neither levels nor groups. */
  readonly isFlat: boolean;
}

/** A file that lists the pages beside it: their table of contents. */
export interface ContentsFile {
  /** Below the source folder. */
  readonly path: string;
  readonly oid: string;
  /** It is the `SUMMARY.md` of a book: what it does not list is not meant for readers. */
  readonly isBook: boolean;
  /** Further tables beside it, of parts or variants, named after it: `TOC-api.md` beside `TOC.md`. */
  readonly others: readonly string[];
  /** The files of pages to which its links lead, below the source folder, by link as written. */
  readonly targets: ReadonlyMap<string, string>;
}

/** Longest text of a table of contents in characters, as for other files with navigation. */
const MAX_LENGTH = 300_000;
const MAX_LINE = 1_000;
const MAX_LINKS = 5_000;
/** Longest title of a group. */
const MAX_GROUP = 120;
/** Words behind a link that describe where it leads, in characters: a navigation would lose them. */
const MAX_REMARK = 30;
/** Lines of other text, by lines of the list. */
const MAX_OTHERS = 0.1;
const MAX_DESCRIBED = 0.2;

const HEADING = /^[ \t]{0,3}#{1,6}(?:[ \t]|$)/;
const ENTRY =
  /^([ \t]*)(?:[-*+]|\d{1,9}[.)])[ \t]+(?:#{1,6}[ \t]+)?[*_]{0,2}(?:\[(?:[^[\]\\]|\\.|\[[^[\]]*\])*\]\(([^()]*(?:\([^()]*\)[^()]*)*)\)(.*)|(\S.*))$/;

/** Returns the links of a page's text if it is nothing but a list of links, perhaps with headings and names of groups. */
export function readContentsLinks(text: string): ContentsLinks | undefined {
  if (text.length > MAX_LENGTH) return undefined;
  const links: string[] = [];
  let [entries, groups, headings, others, described] = [0, 0, 0, 0, 0];
  let indent: number | undefined;
  let isNested = false;
  for (const line of withoutComments(text).split('\n')) {
    if (line.trim() === '' || /^[ \t]*(?:---+|\*\*\*+)[ \t]*$/.test(line)) continue;
    const match = line.length > MAX_LINE ? null : ENTRY.exec(line);
    const [, blank = '', address, remark = '', words = ''] = match ?? [];
    if (address !== undefined) {
      entries++;
      indent ??= blank.length;
      isNested ||= blank.length > indent;
      if (remark.replace(/[*_]{2}|\{[^{}]*\}|<[^<>]*>/g, '').trim().length > MAX_REMARK) described++;
      const target = withoutTitle(address);
      if (target !== '' && !target.startsWith('#') && !isAbsoluteUrl(target)) links.push(target);
    } else if (match && words.length <= MAX_GROUP) groups++;
    else if (HEADING.test(line)) headings++;
    else others++;
    // Other pages are told by their first lines.
    if (others > 3 && others > entries) return undefined;
  }
  const isList = links.length > 0 && links.length <= MAX_LINKS && groups <= entries;
  if (!isList || others > Math.max(1, MAX_OTHERS * entries) || described > MAX_DESCRIBED * entries) return undefined;
  return { links, isFlat: !isNested && groups === 0 && headings < 2 };
}

/** Returns a text without HTML comments, whose lines stay. */
function withoutComments(text: string): string {
  let result = '';
  let from = 0;
  for (let start = text.indexOf('<!--'); start >= 0; start = text.indexOf('<!--', from)) {
    const end = text.indexOf('-->', start + 4);
    if (end < 0) break;
    result += text.slice(from, start) + text.slice(start, end).replace(/[^\n]+/g, '');
    from = end + 3;
  }
  return result + text.slice(from);
}

/** By this name GitBook and others know it, however few pages it lists. */
const SUMMARY = /^summary\.(?:md|markdown)$/i;
/** Usual names of a table of contents: it counts before any other list of pages, such as that of a product's variant. */
const USUAL = /^_?(?:toc|summary|contents|documentation|table[-_ ]?of[-_ ]?contents)\.(?:md|markdown)$/i;
/** Pages that open a site may list others, but are more than a table. */
const OPENING = /^(?:home|readme\b.*|_?index\b.*)\.(?:md|markdown|mdx)$/i;
const MIN_LINKS = 4;
/** Parts of its links that lead to pages, and of the pages that are listed. */
const MIN_ALIVE = 0.5;
const MIN_LISTED = 0.5;

/**
 * Returns the tables of contents of a version by the keys of languages, '' = for pages that state none. Such a file stands in the source folder, or in
 * that of a language, and lists most of the pages below; a `SUMMARY.md` may list any. `contentsOf` returns what is known of a page by its path.
 */
export function findContents(
  files: readonly SourceFile[],
  layout: LanguageLayout,
  contentsOf: (path: string) => ContentsLinks | undefined,
): ReadonlyMap<string, ContentsFile> {
  const found = new Map<string, ContentsFile>();
  const pages = files.filter(({ path, isLeftOut }) => !isLeftOut && isPageFile(path));
  const candidates = pages.filter(({ path }) => contentsOf(path) !== undefined && !OPENING.test(posix.basename(path)));
  if (candidates.length === 0) return found;
  const byStem = new Map(pages.flatMap(({ path }) => listStems(path).map((stem) => [stem, path] as const)).reverse());
  const isCandidate = new Set(candidates.map(({ path }) => path));
  const folders = [...layout.folders].map(([key, name]) => [key, `${name}/`] as const);
  for (const [key, folder] of [['', ''] as const, ...folders]) {
    const isOwn = (path: string): boolean => path.startsWith(folder) && languageOf(path) === key;
    const isCounted = (path: string): boolean => !OPENING.test(path.slice(folder.length)) && !isCandidate.has(path);
    const count = pages.filter(({ path }) => isOwn(path) && isCounted(path)).length;
    const beside = candidates.filter(({ path }) => isOwn(path) && !path.includes('/', folder.length));
    let most = 0;
    for (const { path, oid } of beside) {
      const { links, isFlat } = contentsOf(path)!;
      const targets = new Map(links.flatMap((link) => resolve(link, folder) ?? []));
      const listed = new Set(targets.values()).size;
      const isWhole =
        listed >= MIN_LINKS &&
        listed > MIN_LISTED * count &&
        targets.size >= MIN_ALIVE * new Set(links).size &&
        // In the folders, pages are in better order than in a flat list.
        !(isFlat && [...targets.values()].some((target) => target.slice(folder.length).includes('/')));
      const isBook = SUMMARY.test(posix.basename(path));
      const worth = listed + (USUAL.test(posix.basename(path)) ? pages.length : 0);
      if (listed === 0 || worth <= most || !(isWhole || isBook)) continue;
      most = worth;
      const stem = path.replace(/\.[^./]*$/, '');
      const others = beside
        .map((one) => one.path)
        .filter((one) => one.startsWith(stem) && /^[-_]/.test(one.slice(stem.length)));
      found.set(key, { path, oid, isBook, others, targets });
    }
  }
  return found;

  function languageOf(path: string): string {
    return findStatedLanguage(path, layout)?.key ?? '';
  }

  function resolve(link: string, folder: string): readonly (readonly [string, string])[] | undefined {
    for (const stem of listTargets(link, folder)) {
      const path = byStem.get(stem);
      if (path !== undefined) return [[link, path]];
    }
    return undefined;
  }
}

/** Returns a page's path without its ending, and an index's folder, too. */
function listStems(path: string): readonly string[] {
  const stem = path.replace(/\.[^./]*$/, '');
  return isIndexPage(path) ? [stem, posix.dirname(stem) === '.' ? '' : posix.dirname(stem)] : [stem];
}

/** Parts of a site's own that may stand before the path of a page: `/docs/5.4/mail`. */
const MAX_SITE_PARTS = 3;

/** Returns the paths without endings that a link may mean. */
function listTargets(link: string, folder: string): readonly string[] {
  if (link.length > MAX_LINE) return [];
  // `/docs/{{version}}/a`
  const behind = link.replace(/^.*\}\}\//, '/');
  const path = decodeAddress(behind.replace(/[?#].*/s, '')).replace(/\.(?:md|markdown|mdx|html?)$|(?<!\/)\/+$/i, '');
  const bare = path.replace(/^\/+/, '');
  if (path === '' || bare === '') return [];
  const parts = bare.split('/');
  const shorter = path.startsWith('/')
    ? Array.from({ length: Math.min(MAX_SITE_PARTS, parts.length - 1) }, (_, at) => parts.slice(at + 1).join('/'))
    : [];
  return [bare, ...shorter].flatMap((rest) => [posix.normalize(folder + rest), posix.normalize(rest)]);
}

/** Reads the navigation of a table of contents without front matter; `sourceFolder` is that of the pages, with a final `/`, or ''. */
export function readContents(
  text: string,
  file: string,
  { sourceFolder, targets }: { readonly sourceFolder: string } & Pick<ContentsFile, 'targets'>,
): GeneratorNavigation {
  const findTarget = (address: string): NavTarget | undefined => {
    const target = targets.get(address);
    const anchor = /#.*/s.exec(address)?.[0] ?? '';
    if (target !== undefined) return { kind: 'file', path: sourceFolder + target + anchor };
    if (address === '') return undefined;
    return { kind: 'address', path: address };
  };
  return readSummary(withoutComments(text), file, findTarget);
}
