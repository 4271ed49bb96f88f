import type { EngineName } from '../../data/records/inclusion.ts';
import { type Phrase, phrase } from '../../lib/phrase.ts';
import { comparableUrl, type MethodName, type Target } from './inclusion-query.ts';

/** A way to query a search engine. */
export interface EngineMethod {
  readonly name: MethodName;
  /** Returns the URL that answers a query text; undefined where the engine is not configured. */
  readonly urlOf: ((queryText: string) => URL) | undefined;
  /** Parses the answer; `base` is the URL it came from. */
  readonly parse: (text: string, base: URL) => ResultPage;
}

/** A search engine. */
export interface Engine {
  readonly name: EngineName;
  /** Its name for people and in the path of its route. */
  readonly title: string;
  /** In the order in which they are tried. */
  readonly methods: readonly EngineMethod[];
  /** Returns what is searched for. */
  readonly queryText: (target: Target) => string;
  /** Checks whether a redirect from one host to another stays with the engine. */
  readonly isSameService: (from: string, to: string) => boolean;
  /** For one query, including waiting and all methods. */
  readonly timeoutMs: number;
  /** Queries that run at the same time. */
  readonly concurrency: number;
}

/** Contents of a search engine's result page. */
export interface ResultPage {
  /** URLs of the results, as they stand there. */
  readonly urls: readonly string[];
  /** The page is a list of results, or states that there are none. */
  readonly isAnswer: boolean;
  /** Why it proves nothing about a URL that is not among the results; undefined = it does. */
  readonly problem: Phrase | undefined;
}

/** A search engine's answer about a URL. */
export type Verdict = { readonly state: 'indexed' | 'not-indexed' } | FailedVerdict;

/** An engine that has no answer. */
export interface FailedVerdict {
  readonly state: 'failed';
  /** For people, of the engine: "it did not answer in time". */
  readonly reason: Phrase;
  /** Whether the next query can be expected to fail as well, whatever it is about. */
  readonly isOutage?: boolean;
  /** It was not asked, since too many queries of the same caller wait. */
  readonly isGreedy?: boolean;
  /** Whole seconds for which the engine is not asked, at least 1; undefined = it was. */
  readonly retryAfterS?: number;
}

/** Reason for a page that asks for a captcha. */
export const CAPTCHA = phrase`it asks for a captcha`;
export const OVERLOADED = phrase`it reports that it is overloaded`;
export const UNKNOWN_PAGE = phrase`the page is not recognised`;
/** Reason for a page of HTML without its end: the missing part may have held the result. */
export const CUT_OFF = phrase`the page ends in the middle`;
export const BROKEN_LINK = phrase`a link cannot be read`;

/** Returns a result page that does not answer the query. */
export function failedPage(problem: Phrase): ResultPage {
  return { urls: [], isAnswer: false, problem };
}

/** Decides what a result page proves about a URL. What is not recognised as an answer never counts as "not indexed". */
export function decide({ urls, isAnswer, problem }: ResultPage, { key }: Target): Verdict {
  if (urls.some((url) => comparableUrl(url) === key)) return { state: 'indexed' };
  if (problem) return { state: 'failed', reason: problem };
  return isAnswer ? { state: 'not-indexed' } : { state: 'failed', reason: UNKNOWN_PAGE };
}

/** Returns the `urlOf` of a method from its configured form; undefined where the form needs a base URL and there is none. */
export function createUrlOf(base: string, form: string): EngineMethod['urlOf'] {
  if (base === '' && form.includes('{base}')) return undefined;
  return (text) => new URL(form.replaceAll('{base}', () => base).replaceAll('{query}', () => encodeURIComponent(text)));
}
