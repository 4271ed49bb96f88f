import type { EngineName } from '../../data/records/inclusion.ts';
import { type CircuitBreaker, createCircuitBreaker } from '../../lib/circuit-breaker.ts';
import type { Phrase } from '../../lib/phrase.ts';
import type { EngineState } from '../http/metrics.ts';
import type { MethodName } from './inclusion-query.ts';

/** What is known of how search engines answer, by engine and method. */
export interface EngineHealth {
  /** Returns what decides whether a method of an engine is used now. */
  get(engine: EngineName, method: MethodName): MethodHealth;
  /** Returns the states of all methods that were asked for. */
  list(): readonly EngineState[];
}

/** How one method of an engine does. */
export interface MethodHealth {
  readonly breaker: CircuitBreaker;
  /** Why it failed the last time; undefined = it has not. */
  lastReason: Phrase | undefined;
  /** Users whose queries failed since it answered the last time, by URLs: why they failed may be the URL. */
  readonly suspicions: Map<string, string>;
  /** Queries that it answered, and those that it failed. */
  answered: number;
  failed: number;
}

/** Creates the health of engines that were not asked anything yet; `nowMs` is a clock that never goes back. */
export function createEngineHealth(nowMs: () => number = () => performance.now()): EngineHealth {
  const known = new Map<string, MethodHealth & Pick<EngineState, 'engine' | 'method'>>();
  return {
    get(engine, method) {
      const key = `${engine} ${method}`;
      const found = known.get(key);
      if (found) return found;
      const breaker = createCircuitBreaker(nowMs);
      const created: MethodHealth & Pick<EngineState, 'engine' | 'method'> = {
        engine,
        method,
        breaker,
        lastReason: undefined,
        suspicions: new Map(),
        answered: 0,
        failed: 0,
      };
      known.set(key, created);
      return created;
    },
    list: () =>
      [...known.values()].map(({ engine, method, breaker, answered, failed }) => ({
        ...{ engine, method, answered, failed },
        isPaused: breaker.waitMs() > 0,
      })),
  };
}
