import { comparableUrl } from './comparable-url.ts';
import type { Target } from './parse-target.ts';

/** What a search engine's page holds. */
export interface ResultPage {
  /** Addresses of the results, as they stand there. */
  readonly urls: readonly string[];
  /** The page is a list of results, or says that there are none. */
  readonly isAnswer: boolean;
  /** Why it says nothing about an address that is not among the results; '' = nothing is wrong. */
  readonly problem: string;
}

/** What a search engine says of an address. */
export type Verdict =
  | { readonly state: 'indexed' | 'not-indexed' }
  | { readonly state: 'failed'; readonly reason: string };

export const UNKNOWN_PAGE = 'a page that is not recognised';

/** Returns a page that is no answer. */
export function failedPage(problem: string): ResultPage {
  return { urls: [], isAnswer: false, problem };
}

/** Decides what a page says of an address. What is not known to be an answer never counts as "not indexed". */
export function decide({ urls, isAnswer, problem }: ResultPage, { key }: Target): Verdict {
  if (urls.some((url) => comparableUrl(url) === key)) return { state: 'indexed' };
  if (problem !== '') return { state: 'failed', reason: problem };
  return isAnswer ? { state: 'not-indexed' } : { state: 'failed', reason: UNKNOWN_PAGE };
}
