import type { EngineName } from '../../data/records/inclusion.ts';
import type { Waiter } from '../../lib/fair-semaphore.ts';
import { HTTP_FAILURES, type HttpClient, HttpError, type HttpErrorCode } from '../../lib/http-client.ts';
import { type Phrase, phrase } from '../../lib/phrase.ts';
import { decodeBody } from './decode-body.ts';
import {
  CAPTCHA,
  decide,
  type Engine,
  type EngineMethod,
  type FailedVerdict,
  OVERLOADED,
  type Verdict,
} from './engine.ts';
import type { EngineHealth } from './engine-health.ts';
import type { MethodName, Target } from './inclusion-query.ts';

export interface InclusionQuestion {
  readonly engine: EngineName;
  readonly target: Target;
  /** The only method to use; undefined = one after the other until one has an answer. */
  readonly method: MethodName | undefined;
}

/** Asks search engines by those of their methods that work. */
export interface MethodAsker {
  /** Returns why the engine would not be asked now: it is not configured, or failed again and again; undefined = it would be. */
  findOutage(question: InclusionQuestion): FailedVerdict | undefined;
  /** Asks by one method after the other until one has an answer. */
  ask(question: InclusionQuestion, turn: { readonly asker: Waiter; readonly endMs: number }): Promise<Verdict>;
}

/** Share of the remaining time that a method may use when another one can be tried after it. */
const SHARE = 0.6;
/** Share of the time that a method must have had so that its failure is that of the engine. */
const MIN_SHARE = 0.25;

const STATUS_REASONS: ReadonlyMap<number, Phrase> = new Map([
  [403, phrase`it refused the query (403)`],
  [429, phrase`it is asked too often (429)`],
]);
const TRIED_AGAIN = phrase`it is being tried again`;
/** Errors that no single query can cause; others may be due to one URL. */
const OUTAGES: ReadonlySet<HttpErrorCode> = new Set(['timeout', 'aborted', 'unreachable', 'redirect']);
const OUTAGE_PROBLEMS: ReadonlySet<Phrase> = new Set([CAPTCHA, OVERLOADED]);

/** Creates what asks engines, and remembers how their methods do. */
export function createMethodAsker(options: {
  readonly engines: readonly Engine[];
  readonly client: HttpClient;
  readonly engineHealth: EngineHealth;
  readonly userAgent: string;
}): MethodAsker {
  const { engines, client, engineHealth, userAgent } = options;
  const byName = new Map(engines.map((engine) => [engine.name, engine]));
  for (const { name, methods } of engines)
    for (const method of methods) if (method.urlOf) engineHealth.get(name, method.name);

  const listMethods = ({ engine, method }: InclusionQuestion): readonly EngineMethod[] =>
    byName.get(engine)!.methods.filter((one) => one.urlOf && (method === undefined || one.name === method));

  const findOutage = (question: InclusionQuestion): FailedVerdict | undefined => {
    const methods = listMethods(question).map(({ name }) => ({
      method: name,
      health: engineHealth.get(question.engine, name),
    }));
    const waitMs = Math.min(...methods.map(({ health }) => health.breaker.waitMs()));
    if (methods.length === 0)
      return failed(phrase`it is not configured; the operator sets "utility.${question.engine}.base_url"`);
    if (waitMs === 0) return undefined;
    const reasons = methods.map(({ method, health }) => ({ method, reason: health.lastReason ?? TRIED_AGAIN }));
    return { ...failed(joinReasons(reasons)), retryAfterS: Math.ceil(waitMs / 1000) };
  };

  /** Asks by one method and remembers how it does; undefined = it is not asked now. */
  const askByMethod = async (
    method: EngineMethod,
    {
      engine,
      target,
      asker,
      leftMs,
    }: { readonly engine: Engine; readonly target: Target; readonly asker: Waiter; readonly leftMs: number },
  ): Promise<Verdict | undefined> => {
    const health = engineHealth.get(engine.name, method.name);
    const leave = health.breaker.enter();
    if (!leave) return undefined;
    try {
      const verdict = await withTimeLimit(leftMs, (signal) =>
        askEngine(client, { engine, method, target, userAgent, signal }),
      );
      if (verdict.state === 'failed') {
        health.failed++;
        health.lastReason = verdict.reason;
        // A query with little time left after waiting here was not given a chance.
        // All callers without accounts count as one user: addresses cost nothing.
        const user = asker.lane === 'users' ? asker.owner : '';
        const isOutage = verdict.isOutage || health.suspicion.add(target.key, user);
        leave(isOutage && leftMs >= engine.timeoutMs * MIN_SHARE ? 'failed' : 'unclear');
      } else {
        health.answered++;
        health.suspicion.clear();
        leave('succeeded');
      }
      return verdict;
    } finally {
      leave('unclear');
    }
  };

  const ask: MethodAsker['ask'] = async (question, { asker, endMs }) => {
    const engine = byName.get(question.engine)!;
    const methods = listMethods(question);
    const failures: MethodFailure[] = [];
    const usable = methods.filter(({ name }) => engineHealth.get(engine.name, name).breaker.waitMs() === 0);
    for (const [place, method] of usable.entries()) {
      const leftMs = (endMs - performance.now()) * (place < usable.length - 1 ? SHARE : 1);
      const verdict = await askByMethod(method, { engine, target: question.target, asker, leftMs });
      if (verdict && verdict.state !== 'failed') return verdict;
      if (verdict) failures.push({ method: method.name, reason: verdict.reason });
    }
    return failures.length > 0 ? failed(joinReasons(failures)) : (findOutage(question) ?? failed(TRIED_AGAIN));
  };

  return { findOutage, ask };
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

/**
 * Asks a search engine by one method. Whatever goes wrong there is a verdict, too: also a redirect that does not lead to the
 * same query of the same service, since captchas and home pages are reached like that.
 */
async function askEngine(
  client: HttpClient,
  options: {
    readonly engine: Engine;
    readonly method: EngineMethod;
    readonly target: Target;
    readonly userAgent: string;
    readonly signal: AbortSignal;
  },
): Promise<Verdict> {
  const { engine, method, target, userAgent, signal } = options;
  const asked = method.urlOf!(engine.queryText(target));
  const headers = { 'user-agent': userAgent, accept: '*/*', 'accept-language': 'zh-CN,zh;q=0.9,en;q=0.8' };
  const mayFollow = (to: URL, from: URL): boolean =>
    engine.isSameService(from.hostname, to.hostname) && isSameQuery(asked, to);
  try {
    const { url, status, headers: answered, body } = await client.send(asked, { headers, signal, mayFollow });
    if (status >= 300 && status < 400) return { ...failed(HTTP_FAILURES.redirect), isOutage: true };
    if (status !== 200) {
      const reason = STATUS_REASONS.get(status) ?? phrase`the answer has status ${status}`;
      return { ...failed(reason), isOutage: status === 429 || status >= 500 };
    }
    const text = decodeBody(body, answered.get('content-type') ?? '');
    if (text.trim() === '') return failed(phrase`the answer is empty`);
    const verdict = decide(method.parse(text, url), target);
    return verdict.state === 'failed' ? { ...verdict, isOutage: OUTAGE_PROBLEMS.has(verdict.reason) } : verdict;
  } catch (error) {
    if (error instanceof HttpError) return { ...failed(HTTP_FAILURES[error.code]), isOutage: OUTAGES.has(error.code) };
    throw error;
  }
}

export function failed(reason: Phrase): FailedVerdict {
  return { state: 'failed', reason };
}

interface MethodFailure {
  readonly method: MethodName;
  readonly reason: Phrase;
}

/** Returns why methods failed: once where it is the same for all, else with their names. */
function joinReasons(failures: readonly MethodFailure[]): Phrase {
  const reasons = new Set(failures.map(({ reason }) => String(reason)));
  if (reasons.size === 1) return failures[0]!.reason;
  return failures
    .map(({ method, reason }) => phrase`${reason} (${method})`)
    .reduce((before, reason) => phrase`${before}; ${reason}`);
}

/** From http to https the port changes, but only where both are default ports; the service may add parameters. */
function isSameQuery(asked: URL, to: URL): boolean {
  const keepsQuery = [...asked.searchParams].every(([name, value]) => to.searchParams.get(name) === value);
  return to.port === asked.port && to.pathname === asked.pathname && keepsQuery;
}
