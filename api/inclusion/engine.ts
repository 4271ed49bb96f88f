import type { EngineName } from '../../data/records/inclusion.ts';
import type { Target } from './parse-target.ts';
import type { ResultPage } from './result-page.ts';

/** A way to ask a search engine. */
export interface EngineMethod {
  readonly name: 'json' | 'html' | 'rss';
  /** Returns the address at which the engine is asked. */
  readonly address: (queryText: string) => URL;
  /** Reads the answer; `base` is the address it came from. */
  readonly read: (text: string, base: URL) => ResultPage;
}

/** A search engine, as it is asked. */
export interface Engine {
  readonly name: EngineName;
  /** In the order in which they are tried. */
  readonly methods: readonly EngineMethod[];
  /** Returns what is searched for. */
  readonly queryText: (target: Target) => string;
  /** Checks whether a redirect from one host to another one stays with the engine. */
  readonly isSameService: (from: string, to: string) => boolean;
  /** For one question, waiting and all methods included. */
  readonly timeoutMs: number;
  /** Questions that it is asked at once. */
  readonly concurrency: number;
}
