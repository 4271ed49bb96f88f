import { languageKey, looksLikeLanguage } from './language-tag.ts';
import { isIndexPage, isPageFile } from './page-path.ts';
import type { SourceFile } from './walk-tree.ts';

/** How one ref keeps its languages; keys are those of `languageKey`. */
export interface LanguageLayout {
  /** Language key → name of its folder. */
  readonly folders: ReadonlyMap<string, string>;
  /** Language key → spelling in file suffixes (`guide.zh_CN.md` → `zh_CN`). */
  readonly suffixes: ReadonlyMap<string, string>;
  readonly hasRootPages: boolean;
}

/** Codes better known in software for something else (TypeScript, machine learning, …): they need a second sign. */
const AMBIGUOUS = new Set([
  'ts',
  'io',
  'os',
  'ml',
  'cs',
  'vi',
  'my',
  'id',
  'is',
  'as',
  'ar',
  'to',
  'so',
  'sc',
  'tk',
  'ie',
]);

/**
 * Finds out which folders and suffixes below the source folder are languages. Declared languages are taken as they are;
 * otherwise a folder counts when its name is a language code and something confirms it: a region or script in the
 * name, a page at the same path elsewhere, or no page outside language folders at all.
 */
export function findLanguages(files: readonly SourceFile[], declared: readonly string[] | undefined): LanguageLayout {
  const pages = files.filter((file) => isPageFile(file.path)).map((file) => file.path);
  const declaredKeys = declared && new Set(declared.map(languageKey));
  const folders = findFolders(pages, declaredKeys);
  const outside = pages.filter((page) => !folders.has(languageKey(firstSegment(page))));
  const suffixes = findSuffixes(outside, declaredKeys);
  return { folders, suffixes, hasRootPages: outside.length > 0 };
}

function findFolders(pages: readonly string[], declared: ReadonlySet<string> | undefined): ReadonlyMap<string, string> {
  const candidates = new Map<string, { folder: string; pages: Set<string> }>();
  const outside = new Set<string>();
  for (const page of pages) {
    const folder = firstSegment(page);
    const key = languageKey(folder);
    if (folder !== '' && (declared?.has(key) || looksLikeLanguage(folder))) {
      const candidate = candidates.get(key) ?? { folder, pages: new Set() };
      candidate.pages.add(page.slice(folder.length + 1));
      candidates.set(key, candidate);
    } else {
      outside.add(page);
    }
  }
  const confirmed = new Map<string, string>();
  for (const [key, { folder, pages: own }] of candidates) {
    const others = [...candidates].filter(([other]) => other !== key).map(([, candidate]) => candidate.pages);
    const mirrored = [...own].filter((page) => outside.has(page) || others.some((other) => other.has(page)));
    const ambiguous = AMBIGUOUS.has(key);
    const sure =
      declared?.has(key) ||
      /[-_]/.test(folder) ||
      mirrored.some((page) => !isIndexPage(page)) ||
      (!ambiguous && (mirrored.length > 0 || outside.size === 0));
    if (sure) confirmed.set(key, folder);
  }
  return confirmed;
}

function findSuffixes(
  pages: readonly string[],
  declared: ReadonlySet<string> | undefined,
): ReadonlyMap<string, string> {
  const all = new Set(pages.map((page) => page.replace(/\.[^.]*$/, '')));
  const suffixes = new Map<string, string>();
  for (const stem of all) {
    const { base, suffix } = splitSuffix(stem);
    if (suffix === undefined || !all.has(base)) continue;
    const key = languageKey(suffix);
    if ((declared?.has(key) || looksLikeLanguage(suffix)) && !suffixes.has(key)) suffixes.set(key, suffix);
  }
  return suffixes;
}

/** Splits `a/guide.zh_CN` into `a/guide` and `zh_CN`. */
export function splitSuffix(stem: string): { readonly base: string; readonly suffix: string | undefined } {
  const match = /^(.*[^/])\.([A-Za-z][A-Za-z0-9_-]*)$/.exec(stem);
  return match ? { base: match[1]!, suffix: match[2]! } : { base: stem, suffix: undefined };
}

/** Gives the first folder of a path, or '' for a file at the root. */
export function firstSegment(path: string): string {
  const slash = path.indexOf('/');
  return slash < 0 ? '' : path.slice(0, slash);
}
