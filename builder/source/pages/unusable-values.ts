import { countEdits, stripSigns } from '../../../lib/similar-names.ts';
import { isAbsoluteUrl, isWebUrl } from '../../../lib/url-text.ts';
import {
  type Data,
  isFalse,
  isTrue,
  isYamlWord,
  type LineOf,
  map,
  number,
  own,
  readDate,
  text,
} from '../../config/data-values.ts';
import type { FrontMatterRules } from '../../generators/generator.ts';
import type { FrontMatterProblem } from '../text/front-matter.ts';

/** A requirement on a key's value, as words behind "must be", and its check. */
interface Need {
  readonly what: string;
  readonly fits: (value: unknown) => boolean;
}

const TEXT: Need = { what: 'a text', fits: (value) => typeof value !== 'object' };
const NUMBER: Need = { what: 'a number', fits: (value) => number(value) !== undefined };
const TRUTH: Need = { what: 'true or false', fits: isTruth };
const DATE: Need = {
  what: 'a date such as 2024-05-31, true or false',
  fits(value) {
    const date = own(map(value) ?? { date: value }, 'date');
    // Docusaurus' map may name an author only.
    return isTruth(value) || (date === undefined ? map(value) !== undefined : readDate(text(date)) !== undefined);
  },
};
const OUTLINE: Need = {
  what: 'false, "deep", a level from 2 to 6, or a list of two levels',
  fits: (value) => isTruth(value) || value === 'deep' || map(value) !== undefined || isLevels(value),
};
const EDIT: Need = {
  what: 'a URL with a host, true or false',
  fits: (value) => isTruth(value) || isAbsoluteUrl(text(value) ?? ''),
};
const TARGET: Need = {
  what: 'a page or a URL of the web',
  fits: (value) => [value].flat().every((item) => typeof item === 'string' && isRedirectTarget(item)),
};
const URLS: Need = {
  what: 'a URL or a list of URLs',
  fits: (value) => [value].flat().every((item) => typeof item === 'string'),
};

/** Keys that mean the same wherever they are read. Of others, such as `image` or `next`, other tools have other values. */
const NEEDS: ReadonlyMap<string, Need> = new Map([
  ...'title description slug sidebar_label linkTitle nav_title'.split(' ').map((key) => [key, TEXT] as const),
  ...'order sidebar_position nav_order weight'.split(' ').map((key) => [key, NUMBER] as const),
  ...'draft hidden unlisted hide_title nav_exclude search_exclude hide_table_of_contents toc_hide bookHidden pagefind navButton'
    .split(' ')
    .map((key) => [key, TRUTH] as const),
  ...'lastUpdated last_updated last_update lastUpdate lastmod last_modified_at'
    .split(' ')
    .map((key) => [key, DATE] as const),
  ['outline', OUTLINE],
  ['editLink', EDIT],
  ['redirect_to', TARGET],
  ['redirect_from', URLS],
]);

/** Of `date` and the like, tools take dates in many forms; what looks like a day of the calendar must be one. */
const DATE_KEYS = 'date updated publishDate publishdate expiryDate expirydate'.split(' ');
const DAY: Need = { what: 'a day of the calendar', fits: (value) => isPossibleDay(text(value) ?? '') };
const DAYS: ReadonlyMap<string, Need> = new Map(DATE_KEYS.map((key) => [key, DAY]));

const SEARCH: Need = { what: 'true or false', fits: (value) => isTruth(value) || map(value) !== undefined };
const PUBLISHED: Need = {
  what: 'true or false',
  fits: (value) => isTruth(value) || /^\d{4}-\d/.test(text(value) ?? ''),
};
const LAYOUT: Need = {
  what: '"home" for a home page',
  fits: (value) => countEdits(text(value) ?? '', 'home', 1) !== 1,
};
/** Keys of which only pages for no other generator are known to mean what they mean here. */
const OWN_NEEDS: ReadonlyMap<string, Need> = new Map([
  ['search', SEARCH],
  ['published', PUBLISHED],
  ['layout', LAYOUT],
]);

/** Words such as "no" are texts to these. */
const NO_TRUTHS: readonly (Need | undefined)[] = [TEXT, DAY, LAYOUT];

/** Further keys whose value may be true or false, among others. */
const TRUTH_KEYS = 'published search toc sidebar prev next'.split(' ');

const MAX_SHOWN = 60;

/**
 * Returns the values of front matter that do not count, and the words that YAML 1.2 reads as texts. `isOwn`: the page was written
 * for no other generator.
 */
export function findUnusableValues(
  data: Data,
  { rules: { hasYamlWords }, isOwn }: { readonly rules: FrontMatterRules; readonly isOwn: boolean },
  lineOf: LineOf,
): readonly FrontMatterProblem[] {
  const problems: FrontMatterProblem[] = [];
  for (const [key, value] of Object.entries(data)) {
    if (value === null || value === undefined || value === '') continue;
    const need = NEEDS.get(key) ?? DAYS.get(key) ?? (isOwn ? OWN_NEEDS.get(key) : undefined);
    const isWord = (need?.fits(true) || TRUTH_KEYS.includes(key)) && !NO_TRUTHS.includes(need) && isYamlWord(value);
    const report = (what: string, outcome: string): void => {
      problems.push({ line: lineOf([key]), message: `"${key}" must be ${what}: ${show(value)} ${outcome}` });
    };
    if (isWord) {
      if (!hasYamlWords) report(need?.what ?? TRUTH.what, `is read as ${isTrue(value)}`);
    } else if (need !== undefined && !need.fits(value)) report(need.what, 'is ignored');
  }
  return problems;
}

/** Returns whether a text begins with a day that exists, `2024-05-31`, `2024-5-31` or `2024/05/31`, or with no such thing at all. */
function isPossibleDay(value: string): boolean {
  const [, year, month, day] =
    /^(\d{4})([-/])(\d{1,2})\2(\d{1,2})(?!\d)/.exec(value)?.filter((_, at) => at !== 2) ?? [];
  if (year === undefined) return true;
  const date = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)));
  return date.getUTCMonth() === Number(month) - 1 && date.getUTCDate() === Number(day);
}

/** Returns whether a redirect may lead to a URL or path that an author wrote. */
export function isRedirectTarget(url: string): boolean {
  return !isAbsoluteUrl(url.trim()) || isWebUrl(url.trim()) || url.trim().startsWith('//');
}

function isTruth(value: unknown): boolean {
  return isTrue(value) || isFalse(value);
}

function isLevels(value: unknown): boolean {
  const levels = [value].flat().map((level) => number(level) ?? 0);
  return levels.length <= 2 && levels.every((level) => Number.isInteger(level) && level >= 1 && level <= 6);
}

function show(value: unknown): string {
  const written = JSON.stringify(value);
  return written.length > MAX_SHOWN ? `${written.slice(0, MAX_SHOWN)}…` : written;
}

/** Keys of other tools that look like mistyped ones. */
const OTHER_KEYS: ReadonlySet<string> = new Set(['editLinks', 'featured', 'tile', 'update']);

/** Of shorter keys, too many others are one letter away. */
const MIN_LENGTH = 4;
/** Longer texts are not keys. */
const MAX_LENGTH = 40;
/** From this length on, two letters may be wrong. */
const MIN_LENGTH_FOR_TWO = 10;
const MAX_PROBLEMS = 10;

/**
 * Returns the keys of front matter that were meant to be one of `known`: with a letter too many, too few, wrong or in
 * another place, or in another spelling (`edit-link`). All other keys may belong to another tool.
 */
export function findMistypedKeys(
  data: Data,
  known: ReadonlySet<string>,
  lineOf: LineOf,
): readonly FrontMatterProblem[] {
  const problems: FrontMatterProblem[] = [];
  let findMeantKey: ReturnType<typeof createKeyFinder> | undefined;
  for (const key of Object.keys(data)) {
    if (known.has(key) || OTHER_KEYS.has(key) || key.length < MIN_LENGTH || key.length > MAX_LENGTH) continue;
    const lower = key.toLowerCase();
    const isReadInLowerCase = known.has(lower) && Object.hasOwn(data, lower);
    findMeantKey ??= createKeyFinder(known);
    const meant = isReadInLowerCase ? undefined : findMeantKey(key);
    if (meant === undefined || Object.hasOwn(data, meant)) continue;
    problems.push({ line: lineOf([key]), message: `Unknown key "${key}": did you mean "${meant}"?` });
    if (problems.length === MAX_PROBLEMS) break;
  }
  return problems;
}

/** Returns what finds the key that an unknown one was meant to be. */
function createKeyFinder(known: ReadonlySet<string>): (key: string) => string | undefined {
  const names = [...known].filter((name) => name.length >= MIN_LENGTH).sort((a, b) => b.length - a.length);
  const byBare = new Map(names.toReversed().map((name) => [stripSigns(name), name]));
  return (key) =>
    byBare.get(stripSigns(key)) ??
    names.find((name) => {
      // Short keys differ in one letter from words that mean something else: `lead`, `text`.
      const isShort = name.length <= 5;
      if (isShort && name[0] !== key[0]) return false;
      // So do plurals: `slugs`, `action`.
      if (name === `${key}s` || key === `${name}s`) return false;
      const most = Math.min(name.length, key.length) >= MIN_LENGTH_FOR_TWO ? 2 : 1;
      return (most > 1 || hasOneGap(name, key)) && countEdits(name, key, most) <= most;
    });
}

/** Returns whether two texts differ in no more than two letters that stand side by side, without which one edit is not enough. */
function hasOneGap(a: string, b: string): boolean {
  let [start, end, otherEnd] = [0, a.length, b.length];
  while (start < end && start < otherEnd && a[start] === b[start]) start++;
  for (; end > start && otherEnd > start && a[end - 1] === b[otherEnd - 1]; end--) otherEnd--;
  return Math.max(end, otherEnd) - start <= 2;
}
