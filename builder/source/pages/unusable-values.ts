import { isAbsoluteUrl, isWebUrl } from '../../../lib/url-text.ts';
import type { Generator } from '../../model.ts';
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
} from '../text/data-values.ts';
import type { FrontMatterProblem } from '../text/front-matter.ts';

/** What a key needs, as words behind "must be", and whether a value is that. */
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
  ...'draft hidden unlisted hide_title nav_exclude search_exclude hide_table_of_contents toc_hide bookHidden pagefind'
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

/** Further keys whose value may be true or false, among others. */
const TRUTH_KEYS = 'published search toc sidebar prev next'.split(' ');

/** Tools that read YAML 1.1, in which these words are no texts. */
const WITH_WORDS: ReadonlySet<Generator | undefined> = new Set(['jekyll', 'mkdocs']);

const MAX_SHOWN = 60;

/** Returns the values of front matter that do not count, and the words that YAML 1.2 reads as texts. */
export function findUnusableValues(
  data: Data,
  generator: Generator | undefined,
  lineOf: LineOf,
): readonly FrontMatterProblem[] {
  const problems: FrontMatterProblem[] = [];
  for (const [key, value] of Object.entries(data)) {
    if (value === null || value === undefined || value === '') continue;
    const need = NEEDS.get(key);
    const isWord = (need?.fits(true) || TRUTH_KEYS.includes(key)) && need !== TEXT && isYamlWord(value);
    const report = (what: string, outcome: string): void => {
      problems.push({ line: lineOf([key]), message: `"${key}" must be ${what}: ${show(value)} ${outcome}` });
    };
    if (isWord) {
      if (!WITH_WORDS.has(generator)) report(need?.what ?? TRUTH.what, `is read as ${isTrue(value)}`);
    } else if (need !== undefined && !need.fits(value)) report(need.what, 'is ignored');
  }
  return problems;
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
