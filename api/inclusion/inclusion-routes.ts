import * as z from 'zod';
import type { Store } from '../../data/store.ts';
import { createHttpClient, type HttpClient } from '../../lib/http-client.ts';
import type { Config } from '../../platform/config/config-schema.ts';
import { createInclusionCache } from '../../platform/inclusion/answer-cache.ts';
import { createInclusionQueries } from '../../platform/inclusion/ask-engines.ts';
import { createBaidu } from '../../platform/inclusion/baidu.ts';
import { createBing } from '../../platform/inclusion/bing.ts';
import type { EngineHealth } from '../../platform/inclusion/engine-health.ts';
import { FORCE, type MethodName, parseInclusionQuery } from '../../platform/inclusion/inclusion-query.ts';
import type { Callers } from '../http/callers.ts';
import type { FailureShape } from '../http/errors.ts';
import { languageOf } from '../http/language.ts';
import { type CredentialWay, defineRoute, EXAMPLE, type Route, type RouteExample } from '../http/route.ts';
import {
  answerInclusionQuery,
  describeQuota,
  inclusionAnswerSchema,
  presentFailure,
  type QueryQuotas,
} from './inclusion-answer.ts';

interface InclusionContext {
  readonly config: Config;
  readonly store: Pick<Store, 'inclusions'>;
  readonly callers: Pick<Callers, 'identify' | 'isFromHere'>;
  readonly quotas: QueryQuotas;
  readonly engineHealth: EngineHealth;
  readonly now: () => Date;
  /** Receives failures to remember an answer. */
  readonly onProblem: (error: unknown) => void;
  /** Queries the search engines; default: a new client. */
  readonly client?: HttpClient;
}

const WAYS: readonly CredentialWay[] = ['url-query', 'header', 'session-header', 'session-cookie'];
/** Result pages have about 100,000 bytes, those of Baidu up to a million. */
const MAX_PAGE_BYTES = 1_500_000;
/** Blocked sources are told so in both shapes. */
const refusedSchema = inclusionAnswerSchema.extend({ message: z.string().optional() });

/**
 * Failures have the fields of every answer. Invalid queries are answered with 200; a request that is refused before its query
 * is parsed also gets the usual `message`.
 */
export const inclusionFailures: FailureShape = {
  covers: (path) => /^\/api\/[a-z]+includedquery$/.test(path),
  present(ctx, { status, message, extra, isOwn }) {
    if (isOwn && status === 400) ctx.status = 200;
    const answer = presentFailure(message, String(extra['url'] ?? ''));
    ctx.body = isOwn && status < 500 ? answer : { ...answer, message };
  },
};

/** Returns the routes that say whether a search engine has a URL. The URL itself is never fetched. */
export function inclusionRoutes(context: InclusionContext): readonly Route[] {
  const { config, store, callers, quotas, engineHealth, now, onProblem } = context;
  const { inclusion, user_agent: userAgent } = config.utility;
  const engines = [createBaidu(config.utility.alpha), createBing(config.utility.beta)];
  const timeoutMs = Math.max(...engines.map((engine) => engine.timeoutMs));
  const maxConnections = Math.max(...engines.map((engine) => engine.concurrency));
  const { client = createHttpClient({ timeoutMs, maxBytes: MAX_PAGE_BYTES, maxConnections }) } = context;
  const { cache_days: maxDays, cache_entries: maxEntries } = inclusion;
  const cache = createInclusionCache({ store: store.inclusions, maxDays, maxEntries, now });
  const queries = createInclusionQueries({ engines, client, cache, engineHealth, userAgent, onProblem });
  return engines.map((engine) => {
    const methods = engine.methods.map(({ name }) => name);
    return defineRoute({
      method: 'get',
      paths: [`/api/${engine.title}IncludedQuery`],
      summary: `Checks whether the search engine ${engine.title} has a URL`,
      tag: 'inclusion',
      area: 'base',
      limit: 'inclusion',
      isCrossOrigin: true,
      examples: inclusionExamples(engine.title),
      query: describeQuery(methods),
      readsQuery: true,
      credentials: { ways: WAYS, isRequired: false },
      answers: {
        200: { description: 'The result, also of invalid queries (`success` is false)', schema: inclusionAnswerSchema },
        401: { description: 'The key is invalid', schema: inclusionAnswerSchema },
        403: { description: 'The source is blocked permanently', schema: refusedSchema },
        429: {
          description: 'The quota is used up, too many queries wait, or the source is blocked; see `Retry-After`',
          schema: refusedSchema,
        },
      },
      async handle(ctx) {
        ctx.set('Cache-Control', 'no-store');
        // Links of other sites would use up their visitors' quota, since browsers send the cookie along.
        const ways = callers.isFromHere(ctx) ? WAYS : WAYS.filter((way) => way !== 'session-cookie');
        const caller = await callers.identify(ctx, ways);
        const query = parseInclusionQuery(ctx.querystring, methods);
        if (ctx.method === 'HEAD') {
          ctx.set(await describeQuota(caller, quotas));
          ctx.body = presentFailure('', query.target.url);
          return;
        }
        const question = { engine, query, caller, language: languageOf(ctx) };
        const { body, headers } = await answerInclusionQuery(question, { queries, quotas });
        ctx.set(headers);
        ctx.body = body;
      },
    });
  });
}

function describeQuery(methods: readonly MethodName[]) {
  return z.object({
    url: z.string().describe('The URL; begins with http:// or https://, at most 2048 characters'),
    method: z
      .enum(methods)
      .optional()
      .describe(`The only method to use; default: ${methods.join(', then ')}`),
    force: z
      .enum([...FORCE.yes, ...FORCE.no])
      .optional()
      .describe('Asks the engine even if the answer is known; always counted'),
    token: z.string().optional().describe('An API key as URL-safe base64'),
  });
}

function inclusionExamples(name: string): readonly RouteExample[] {
  const path = `/api/${name}IncludedQuery`;
  const failure = { Included: false, success: false, deduct: false, url: '' };
  const key = { Authorization: `Token ${EXAMPLE.key}` };
  const inQuery = Buffer.from(EXAMPLE.key).toString('base64url');
  return [
    {
      summary: 'A page that is indexed, checked again with a key',
      path: `${path}?url=https%3A%2F%2Fexample.com%2F&force=1`,
      headers: key,
      status: 200,
      answer: { Included: true, success: true, deduct: true, url: 'https://example.com/', msg: null },
    },
    {
      summary: 'A page that is not indexed, with a key in the query',
      path: `${path}?url=https%3A%2F%2Fexample.com%2Fnothing&token=${inQuery}`,
      status: 200,
      answer: {
        Included: false,
        success: true,
        deduct: true,
        url: 'https://example.com/nothing',
        msg: `Not indexed by ${name}`,
      },
    },
    { summary: 'No URL', path, status: 200, answer: { ...failure, msg: 'Parameter "url" is missing' } },
    {
      summary: 'A URL of another scheme',
      path: `${path}?url=ftp%3A%2F%2Fexample.com%2F`,
      status: 200,
      answer: { ...failure, msg: 'Parameter "url" must begin with http:// or https://' },
    },
    {
      summary: 'An invalid key',
      path: `${path}?url=https%3A%2F%2Fexample.com%2F`,
      headers: { Authorization: 'Token nothing' },
      status: 401,
      answer: { ...failure, msg: 'The token is invalid, expired or disabled' },
    },
  ];
}
