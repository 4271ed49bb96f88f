import type { EngineName } from '../../data/records/inclusion.ts';
import { createFairSemaphore, type FairSemaphore, type Waiter } from '../../lib/fair-semaphore.ts';
import type { HttpClient } from '../../lib/http-client.ts';
import { createSharedWork } from '../../lib/once.ts';
import { phrase } from '../../lib/phrase.ts';
import type { InclusionCache } from './answer-cache.ts';
import { createMethodAsker, failed, type InclusionQuestion } from './ask-methods.ts';
import type { Engine, FailedVerdict, Verdict } from './engine.ts';
import type { EngineHealth } from './engine-health.ts';

/** Asks search engines and remembers which URLs they have. */
export interface InclusionQueries {
  /** Checks whether the engine is known to have the URL, without asking it. */
  isKnown(question: InclusionQuestion): Promise<boolean>;
  /** Returns why the engine would not be asked now: it is not configured, or failed again and again; undefined = it would be. */
  findOutage(question: InclusionQuestion): FailedVerdict | undefined;
  /** Asks the engine when it is the asker's turn. Equal questions that arrive meanwhile share the answer. */
  ask(question: InclusionQuestion, asker: Waiter): Promise<Verdict>;
  /** Returns how many questions of an asker are not answered yet. */
  countOpen(asker: Waiter): number;
}

/** Questions that wait for an engine in a lane, and those of one asker; more fail. */
const MAX_WAITING = 100;
export const MAX_WAITING_EACH = 50;

/** Creates queries to search engines; `onProblem` receives failures to remember an answer. */
export function createInclusionQueries(options: {
  readonly engines: readonly Engine[];
  readonly client: HttpClient;
  readonly cache: InclusionCache;
  readonly engineHealth: EngineHealth;
  readonly userAgent: string;
  readonly onProblem: (error: unknown) => void;
}): InclusionQueries {
  const { engines, cache, onProblem } = options;
  const methods = createMethodAsker(options);
  const byName = new Map<EngineName, { readonly engine: Engine; readonly semaphore: FairSemaphore }>();
  for (const engine of engines) {
    const semaphore = createFairSemaphore({
      permits: engine.concurrency,
      maxWaiting: MAX_WAITING,
      maxWaitingEach: MAX_WAITING_EACH,
    });
    byName.set(engine.name, { engine, semaphore });
  }
  /** Questions that an engine is answering now. */
  const underWay = new Map<string, Promise<Verdict>>();
  /** Those that wait for it, by asker and question. */
  const shareTurn = createSharedWork<string, Verdict>();
  /** Questions that are not answered yet, by asker. */
  const open = new Map<string, number>();

  const askAndRemember = async (
    question: InclusionQuestion,
    turn: { readonly asker: Waiter; readonly endMs: number },
  ): Promise<Verdict> => {
    const verdict = await methods.ask(question, turn);
    const { engine, target } = question;
    try {
      if (verdict.state === 'indexed') await cache.remember(engine, target.key);
      else if (verdict.state === 'not-indexed') await cache.forget(engine, target.key);
    } catch (error) {
      onProblem(error); // the answer is right all the same
    }
    return verdict;
  };

  /** Asks when it is the asker's turn, unless somebody's equal question is under way by then. */
  const askInTurn = async (question: InclusionQuestion, asker: Waiter, key: string): Promise<Verdict> => {
    const { engine, semaphore } = byName.get(question.engine)!;
    const endMs = performance.now() + engine.timeoutMs;
    const permit = await semaphore.acquire(asker, engine.timeoutMs);
    if ('refusal' in permit) {
      return { ...failed(phrase`too many queries are waiting`), isGreedy: permit.refusal === 'greedy' };
    }
    const known = underWay.get(key);
    if (known) {
      permit.release();
      return known;
    }
    const asked = askAndRemember(question, { asker, endMs }).finally(() => {
      underWay.delete(key);
      permit.release();
    });
    underWay.set(key, asked);
    return asked;
  };

  const askOnce = (question: InclusionQuestion, asker: Waiter): Promise<Verdict> => {
    const key = `${question.engine} ${question.method ?? ''} ${question.target.url}`;
    return underWay.get(key) ?? shareTurn(`${nameAsker(asker)} ${key}`, () => askInTurn(question, asker, key));
  };

  return {
    findOutage: methods.findOutage,
    isKnown: ({ engine, target }) => cache.has(engine, target.key),
    countOpen: (asker) => open.get(nameAsker(asker)) ?? 0,
    async ask(question, asker) {
      const name = nameAsker(asker);
      open.set(name, (open.get(name) ?? 0) + 1);
      try {
        return await askOnce(question, asker);
      } finally {
        const left = open.get(name)! - 1;
        if (left > 0) open.set(name, left);
        else open.delete(name);
      }
    },
  };
}

function nameAsker({ lane, owner }: Waiter): string {
  return `${lane} ${owner}`;
}
