import {
  addLikelyRegion,
  type LanguageLikelihood,
  languageDirection,
  languageKey,
  looksLikeLanguage,
  parseLanguageTag,
  rateLanguageCode,
} from '../language-tag.ts';
import { isIndexPage, isPageFile } from '../page-path.ts';
import type { SourceFile } from './files/walk-tree.ts';

/** How one ref stores its languages; keys are those of `languageKey`. */
export interface LanguageLayout {
  /** Language key → name of its folder. */
  readonly folders: ReadonlyMap<string, string>;
  /** Language key → spelling in file suffixes (`guide.zh_CN.md` → `zh_CN`). */
  readonly suffixes: ReadonlyMap<string, string>;
  readonly hasRootPages: boolean;
  /** Code of the language of pages without a stated language, if a generator's configuration names it. */
  readonly defaultCode?: string | undefined;
}

/** The languages in a generator's configuration. */
export interface LanguageHints {
  readonly languages: readonly string[];
  readonly defaultLanguage: string | undefined;
}

/**
 * Determines which folders and suffixes below the source folder are languages. Declared languages always count.
 * Otherwise a folder counts if its name is a language code and something confirms it: a region or script in the name, a
 * page at the same path elsewhere, or no page outside language folders at all; codes with another meaning in software
 * need most of their pages elsewhere, too, or only folders of common languages beside them. Languages in a generator's
 * configuration count as declared.
 */
export function findLanguages(
  files: readonly SourceFile[],
  declared: readonly string[] | undefined,
  hints: LanguageHints = { languages: [], defaultLanguage: undefined },
): LanguageLayout {
  const pages = files.filter((file) => isPageFile(file.path) && !file.isLeftOut).map((file) => file.path);
  const declaredKeys = new Set([...(declared ?? []), ...hints.languages].map(languageKey));
  const folders = findFolders(pages, declaredKeys);
  const outside = pages.filter((page) => !folders.has(languageKey(firstSegment(page))));
  const suffixes = findSuffixes(outside, declaredKeys);
  const hasRootPages = outside.some((page) => !suffixes.has(languageKey(splitSuffix(stemOf(page)).suffix ?? '')));
  return {
    folders,
    suffixes,
    hasRootPages,
    defaultCode:
      hints.defaultLanguage && shortenCode(hints.defaultLanguage, [...folders.values(), ...suffixes.values()]),
  };
}

/** Returns a code in the site's spelling; `en-US` and `ja-JP` are `en` and `ja` unless declared otherwise. */
function shortenCode(code: string, spellings: readonly string[]): string {
  const spelled = spellings.find((other) => languageKey(other) === languageKey(code));
  if (spelled !== undefined) return spelled;
  const [language] = languageKey(code).split('-') as [string];
  const isUsual = language !== 'zh' && language !== 'pt' && addLikelyRegion(language) === languageKey(code);
  return isUsual || language === 'en' ? language : code;
}

interface Candidate {
  readonly folder: string;
  readonly likelihood: LanguageLikelihood;
  readonly pages: Set<string>;
}

function findFolders(pages: readonly string[], declared: ReadonlySet<string>): ReadonlyMap<string, string> {
  const candidates = new Map<string, Candidate>();
  const outside = new Set<string>();
  for (const page of pages) {
    const folder = firstSegment(page);
    const key = languageKey(folder);
    const known = candidates.get(key);
    const likelihood =
      known?.likelihood ?? (declared.has(key) ? 'sure' : folder === '' ? 'no' : rateLanguageCode(folder));
    if (likelihood === 'no') {
      outside.add(page);
      continue;
    }
    const candidate = known ?? { folder, likelihood, pages: new Set() };
    candidate.pages.add(page.slice(folder.length + 1));
    candidates.set(key, candidate);
  }
  const isConfirmed = (candidate: Candidate): boolean => {
    if (candidate.likelihood === 'sure') return true;
    const likely = [...candidates.values()].filter((other) => other !== candidate && other.likelihood !== 'possible');
    const mirrored = [...candidate.pages].filter(
      (page) => outside.has(page) || likely.some(({ pages: own }) => own.has(page)),
    );
    const translated = mirrored.filter((page) => !isIndexPage(page));
    // Any folder has an index; beside pages that exist nowhere else it says nothing: `hr/index.md` in a handbook.
    const isMirrored = translated.length > 0 || mirrored.length === candidate.pages.size;
    if (candidate.likelihood === 'likely' && (isMirrored || outside.size === 0)) return true;
    return (
      (translated.length > 0 && mirrored.length * 2 >= candidate.pages.size) ||
      (outside.size === 0 && likely.length > 0)
    );
  };
  const confirmed = new Map<string, string>();
  for (const [key, candidate] of candidates) if (isConfirmed(candidate)) confirmed.set(key, candidate.folder);
  return confirmed;
}

function findSuffixes(pages: readonly string[], declared: ReadonlySet<string>): ReadonlyMap<string, string> {
  const stems = new Set(pages.map(stemOf));
  const spellings = new Map<string, string>();
  /** Pages, each counted once for all its languages. */
  const bases = new Set<string>();
  const basesOf = new Map<string, Set<string>>();
  const keysOf = new Map<string, Set<string>>();
  for (const stem of stems) {
    const { base, suffix } = splitSuffix(stem);
    const key = languageKey(suffix ?? '');
    const isCandidate = suffix !== undefined && (declared.has(key) || looksLikeLanguage(suffix));
    bases.add(isCandidate ? base : stem);
    if (!isCandidate) continue;
    if (!spellings.has(key)) spellings.set(key, suffix);
    addTo(basesOf, key, base);
    addTo(keysOf, base, key);
  }
  const suffixes = new Map<string, string>();
  for (const [key, spelling] of spellings) {
    const translated = [...basesOf.get(key)!].filter((base) => stems.has(base) || keysOf.get(base)!.size > 1);
    const isSure = translated.length > 0 && rateLanguageCode(spelling) !== 'possible';
    const isUsual = translated.length > 1 && translated.length * 2 >= bases.size;
    const isReadme = translated.some((base) => /(?:^|\/)readme$/i.test(base));
    if (declared.has(key) || isSure || isUsual || isReadme) suffixes.set(key, spelling);
  }
  return suffixes;
}

function addTo(sets: Map<string, Set<string>>, key: string, value: string): void {
  const set = sets.get(key);
  if (set) set.add(value);
  else sets.set(key, new Set([value]));
}

function stemOf(page: string): string {
  return page.slice(0, page.lastIndexOf('.'));
}

/** Splits `a/guide.zh_CN` into `a/guide` and `zh_CN`. */
export function splitSuffix(stem: string): { readonly base: string; readonly suffix: string | undefined } {
  const match = /^(.*[^/])\.([A-Za-z][A-Za-z0-9_-]*)$/.exec(stem);
  return match ? { base: match[1]!, suffix: match[2]! } : { base: stem, suffix: undefined };
}

/** Returns the first folder of a path, or '' for a file at the root. */
export function firstSegment(path: string): string {
  const slash = path.indexOf('/');
  return slash < 0 ? '' : path.slice(0, slash);
}

export interface StatedLanguage {
  readonly key: string;
  /** As the path spells it. */
  readonly code: string;
  /** The path without it. */
  readonly path: string;
  readonly fromFolder: boolean;
}

/** Returns the language that a page's folder or file name states; undefined for pages of the default language. */
export function findStatedLanguage(page: string, { folders, suffixes }: LanguageLayout): StatedLanguage | undefined {
  const folder = firstSegment(page);
  const folderKey = languageKey(folder);
  if (folder !== '' && folders.has(folderKey)) {
    return { key: folderKey, code: folder, path: page.slice(folder.length + 1), fromFolder: true };
  }
  const stem = stemOf(page);
  const { base, suffix } = splitSuffix(stem);
  const key = suffix === undefined ? undefined : languageKey(suffix);
  if (key === undefined || !suffixes.has(key)) return undefined;
  return { key, code: suffix!, path: base + page.slice(stem.length), fromFolder: false };
}

/** A language of the site: how it is spelled in URLs, and how HTML names it. */
export interface Language {
  readonly key: string;
  /** In the author's spelling, e.g. `zh_CN`; the first part of URLs. */
  readonly code: string;
  readonly tag: string;
  readonly dir: 'ltr' | 'rtl';
}

/** The assumed language of pages without a stated language. */
const FALLBACK_CODE = 'en';

/**
 * Returns the languages of a site, the default one first. Declared languages keep their order, each once. Otherwise the default is
 * the one that the first layout's generator names; else English where it has a folder or where pages stand outside language
 * folders; else the first in the alphabet. `guessed` is the language of pages outside language folders where nothing names it. The spelling is that of the first layout that has the language, so the latest
 * version's should come first.
 */
export function chooseLanguages(
  layouts: readonly LanguageLayout[],
  declared: readonly string[] | undefined,
  guessed?: string,
): readonly Language[] {
  if (declared && declared.length > 0) {
    const unique = new Map<string, string>();
    for (const code of declared) if (!unique.has(languageKey(code))) unique.set(languageKey(code), code);
    return [...unique.values()].map(createLanguage);
  }
  const spellings = new Map<string, string>();
  for (const layout of layouts) {
    for (const [key, code] of [...layout.folders, ...layout.suffixes]) {
      if (!spellings.has(key)) spellings.set(key, code);
    }
  }
  const named = layouts[0]?.defaultCode ?? (guessed && spellLike(guessed, [...spellings.values()]));
  const defaultKey = named === undefined ? undefined : findKey(spellings, named, layouts[0]!.hasRootPages);
  if (defaultKey !== undefined) {
    if (!spellings.has(defaultKey)) spellings.set(defaultKey, named!);
    const others = [...spellings.keys()].filter((key) => key !== defaultKey).sort();
    return [defaultKey, ...others].map((key) => createLanguage(spellings.get(key)!));
  }
  const rootPages = layouts.some((layout) => layout.hasRootPages);
  if (rootPages || spellings.size === 0) {
    const english = [...spellings.keys()].find((key) => key === FALLBACK_CODE || key.startsWith(`${FALLBACK_CODE}-`));
    if (english === undefined) spellings.set(FALLBACK_CODE, FALLBACK_CODE);
  }
  const keys = [...spellings.keys()].sort();
  const first = keys.find((key) => key === FALLBACK_CODE || key.startsWith(`${FALLBACK_CODE}-`)) ?? keys[0]!;
  return [first, ...keys.filter((key) => key !== first)].map((key) => createLanguage(spellings.get(key)!));
}

/** Returns the first of the spellings that means the language in the same script, as `zh_CN` does for `zh`; else the code itself. */
function spellLike(code: string, spellings: readonly string[]): string {
  const describe = (other: string): string => {
    const locale = new Intl.Locale(parseLanguageTag(other) ?? 'und').maximize();
    return `${locale.language}-${locale.script}`;
  };
  return spellings.find((other) => describe(other) === describe(code)) ?? code;
}

/** Returns the key of a default language as folders spell it; undefined where it has neither a folder nor pages. */
function findKey(spellings: ReadonlyMap<string, string>, code: string, hasRootPages: boolean): string | undefined {
  const key = languageKey(code);
  const keys = [...spellings.keys()];
  const found = keys.find((other) => other === key) ?? keys.find((other) => other.split('-')[0] === key.split('-')[0]);
  return hasRootPages ? key : found;
}

function createLanguage(code: string): Language {
  const tag = parseLanguageTag(code) ?? code;
  return { key: languageKey(code), code, tag, dir: languageDirection(tag) };
}
