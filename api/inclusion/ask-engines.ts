import type { EngineName } from '../../data/records/inclusion.ts';
import { type HttpClient, HttpError, type HttpErrorCode } from '../../lib/http-client.ts';
import { createSemaphore, type Semaphore } from '../../lib/semaphore.ts';
import { decodeBody } from './decode-body.ts';
import { decide, type Engine, type EngineMethod, type Verdict } from './engine.ts';
import type { InclusionCache } from './inclusion-cache.ts';
import type { MethodName, Target } from './inclusion-query.ts';

/** What a search engine is asked. */
export interface InclusionQuestion {
  readonly engine: EngineName;
  readonly target: Target;
  /** The only method to use; undefined = one after the other until one has an answer. */
  readonly method: MethodName | undefined;
}

/** Asks search engines and remembers which URLs they have. */
export interface InclusionQueries {
  /** Checks whether the engine is known to have the URL, without asking it. */
  isKnown(question: InclusionQuestion): Promise<boolean>;
  /** Asks the engine. Equal questions that arrive meanwhile share the answer. */
  ask(question: InclusionQuestion): Promise<Verdict>;
}

/** Questions that wait for an engine; more fail. */
const MAX_WAITING = 100;
/** Share of the remaining time that a method may use when another one can be tried after it. */
const SHARE = 0.6;

const REASONS: Readonly<Record<HttpErrorCode, string>> = {
  timeout: 'it did not answer in time',
  'too-large': 'the answer is too large',
  unreachable: 'it cannot be reached',
  unreadable: 'the answer cannot be decoded',
  redirect: 'it redirects to another page, such as a captcha',
  aborted: 'it did not answer in time',
};
const STATUS_REASONS: ReadonlyMap<number, string> = new Map([
  [403, 'it refused the query (403)'],
  [429, 'too many queries (429)'],
]);

/** Creates queries to search engines; `onProblem` receives failures to remember an answer. */
export function createInclusionQueries(options: {
  readonly engines: readonly Engine[];
  readonly client: HttpClient;
  readonly cache: InclusionCache;
  readonly userAgent: string;
  readonly onProblem: (error: unknown) => void;
}): InclusionQueries {
  const { engines, client, cache, userAgent, onProblem } = options;
  const byName = new Map<EngineName, { readonly engine: Engine; readonly semaphore: Semaphore }>();
  for (const engine of engines) {
    const semaphore = createSemaphore({ permits: engine.concurrency, maxWaiting: MAX_WAITING });
    byName.set(engine.name, { engine, semaphore });
  }
  const underWay = new Map<string, Promise<Verdict>>();

  const askByMethods = async ({ engine: name, target, method }: InclusionQuestion): Promise<Verdict> => {
    const { engine, semaphore } = byName.get(name)!;
    const endMs = performance.now() + engine.timeoutMs;
    const release = await semaphore.acquire(engine.timeoutMs);
    if (!release) return failed('too many queries are waiting');
    try {
      const methods = engine.methods.filter((one) => one.urlOf && (method === undefined || one.name === method));
      if (methods.length === 0) return failed('it is not configured');
      const reasons: string[] = [];
      for (const [place, one] of methods.entries()) {
        const leftMs = (endMs - performance.now()) * (place < methods.length - 1 ? SHARE : 1);
        const verdict = await withTimeLimit(leftMs, (signal) =>
          askEngine(client, { engine, method: one, target, userAgent, signal }),
        );
        if (verdict.state !== 'failed') return verdict;
        reasons.push(`${one.name}: ${verdict.reason}`);
      }
      return failed(reasons.join('; '));
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
    if (status >= 300 && status < 400) return failed(REASONS.redirect);
    if (status !== 200) return failed(STATUS_REASONS.get(status) ?? `the answer has status ${status}`);
    const text = decodeBody(body, answered.get('content-type') ?? '');
    if (text.trim() === '') return failed('the answer is empty');
    return decide(method.parse(text, url), target);
  } catch (error) {
    if (error instanceof HttpError) return failed(REASONS[error.code]);
    throw error;
  }
}

function failed(reason: string): Verdict {
  return { state: 'failed', reason };
}

/** From http to https the port changes, but only where both are default ports; the service may add parameters. */
function isSameQuery(asked: URL, to: URL): boolean {
  const keepsQuery = [...asked.searchParams].every(([name, value]) => to.searchParams.get(name) === value);
  return to.port === asked.port && to.pathname === asked.pathname && keepsQuery;
}
