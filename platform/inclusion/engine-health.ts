import type { EngineName } from '../../data/records/inclusion.ts';
import { type CircuitBreaker, createCircuitBreaker } from '../../lib/circuit-breaker.ts';
import type { Phrase } from '../../lib/phrase.ts';
import type { MethodName } from './inclusion-query.ts';

/** How one way to query a search engine does. */
export interface EngineState {
  readonly engine: string;
  readonly method: string;
  /** Queries that it answered, and those that it failed. */
  readonly answered: number;
  readonly failed: number;
  /** It is not asked now, since it failed again and again. */
  readonly isPaused: boolean;
}

/** Health of search engines, by engine and method. */
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
  readonly suspicion: Suspicion;
  /** Queries that it answered, and those that it failed. */
  answered: number;
  failed: number;
}

/** Tells an engine that refuses everybody from one that has no answer about some URLs. */
interface Suspicion {
  /** Notes a query that failed for a reason which may lie in its URL; returns whether it must lie in the engine by now. */
  add(url: string, user: string): boolean;
  /** The engine has answered a query. */
  clear(): void;
}

/** A failure is the engine's when so many URLs of so many users have failed, and no other was answered in between. */
const SUSPICIOUS_URLS = 5;
const SUSPICIOUS_USERS = 2;
const MAX_URLS = 100;

function createSuspicion(): Suspicion {
  const users = new Map<string, string>();
  return {
    add(url, user) {
      const [oldest] = users.keys();
      if (users.size >= MAX_URLS && oldest !== undefined) users.delete(oldest);
      users.set(url, user);
      return users.size >= SUSPICIOUS_URLS && new Set(users.values()).size >= SUSPICIOUS_USERS;
    },
    clear: () => users.clear(),
  };
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
        suspicion: createSuspicion(),
        answered: 0,
        failed: 0,
      };
      known.set(key, created);
      return created;
    },
    list: () =>
      [...known.values()].map(({ engine, method, breaker, answered, failed }) => ({
        engine,
        method,
        answered,
        failed,
        isPaused: breaker.waitMs() > 0,
      })),
  };
}
