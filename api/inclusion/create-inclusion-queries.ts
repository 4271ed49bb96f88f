import type { InclusionCache } from '../../data/inclusion/inclusion-cache.ts';
import type { EngineName } from '../../data/records/inclusion.ts';
import { createSemaphore, type Semaphore } from '../../lib/semaphore.ts';
import type { Upstream } from '../upstream/create-upstream.ts';
import { askEngine } from './ask-engine.ts';
import type { Engine, EngineMethod } from './engine.ts';
import type { Target } from './parse-target.ts';
import type { Verdict } from './result-page.ts';

/** What a search engine is asked. */
export interface InclusionQuestion {
  readonly engine: EngineName;
  readonly target: Target;
  /** The only method to be used; undefined = one after the other until one gives an answer. */
  readonly method: EngineMethod['name'] | undefined;
}

/** Asks search engines, and remembers what they have. */
export interface InclusionQueries {
  /** Checks whether the engine is known to have the address, without asking it. */
  isKnown(question: InclusionQuestion): Promise<boolean>;
  /** Asks the engine. Equal questions that come meanwhile share the answer. */
  ask(question: InclusionQuestion): Promise<Verdict>;
}

/** Questions that wait for an engine; more are refused. */
const MAX_WAITING = 100;
/** What a method may use of the time that is left when another one can be tried after it. */
const SHARE = 0.6;

/** Creates what asks search engines; `onProblem` hears of answers that could not be remembered. */
export function createInclusionQueries(options: {
  readonly engines: Readonly<Record<EngineName, Engine>>;
  readonly upstream: Upstream;
  readonly cache: InclusionCache;
  readonly userAgent: string;
  readonly onProblem: (error: unknown) => void;
}): InclusionQueries {
  const { engines, upstream, cache, userAgent, onProblem } = options;
  const limit = ({ concurrency }: Engine): Semaphore =>
    createSemaphore({ permits: concurrency, maxWaiting: MAX_WAITING });
  const semaphores = { alpha: limit(engines.alpha), beta: limit(engines.beta) };
  const underWay = new Map<string, Promise<Verdict>>();

  const askByMethods = async ({ engine: name, target, method }: InclusionQuestion): Promise<Verdict> => {
    const engine = engines[name];
    const endMs = performance.now() + engine.timeoutMs;
    const release = await semaphores[name].acquire(engine.timeoutMs);
    if (!release) return { state: 'failed', reason: 'too many questions are waiting' };
    try {
      const methods = engine.methods.filter((one) => method === undefined || one.name === method);
      if (methods.length === 0) return { state: 'failed', reason: 'it is not set up' };
      const reasons: string[] = [];
      for (const [place, one] of methods.entries()) {
        const leftMs = (endMs - performance.now()) * (place < methods.length - 1 ? SHARE : 1);
        const verdict = await withTimeLimit(leftMs, (signal) =>
          askEngine(upstream, { engine, method: one, target, userAgent, signal }),
        );
        if (verdict.state !== 'failed') return verdict;
        reasons.push(`${one.name}: ${verdict.reason}`);
      }
      return { state: 'failed', reason: reasons.join('; ') };
    } finally {
      release();
    }
  };

  const askAndRemember = async (question: InclusionQuestion): Promise<Verdict> => {
    const verdict = await askByMethods(question);
    const { engine, target } = question;
    try {
      if (verdict.state === 'indexed') await cache.remember(engine, target.key);
      else if (verdict.state === 'not-indexed') await cache.forget(engine, target.key);
    } catch (error) {
      onProblem(error); // the answer is right all the same
    }
    return verdict;
  };

  return {
    isKnown: ({ engine, target }) => cache.has(engine, target.key),
    ask(question) {
      const key = `${question.engine} ${question.method ?? ''} ${question.target.url}`;
      const known = underWay.get(key);
      if (known) return known;
      const asked = askAndRemember(question).finally(() => underWay.delete(key));
      underWay.set(key, asked);
      return asked;
    },
  };
}

async function withTimeLimit<T>(ms: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(), Math.max(0, ms));
  try {
    return await work(controller.signal);
  } finally {
    clearTimeout(timer);
  }
}
