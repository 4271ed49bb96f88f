import { z } from 'zod';
import type { Config } from '../../data/config/config-schema.ts';
import { createInclusionCache } from '../../data/inclusion/inclusion-cache.ts';
import type { EngineName } from '../../data/records/inclusion.ts';
import type { Store } from '../../data/store.ts';
import type { Identify } from '../http/callers.ts';
import type { FailureShape } from '../http/errors.ts';
import { defineRoute, type Route } from '../http/route.ts';
import { createUpstream, type Upstream } from '../upstream/create-upstream.ts';
import { answerInclusionQuery, type Counts } from './answer-inclusion-query.ts';
import { createEngines } from './create-engines.ts';
import { createInclusionQueries } from './create-inclusion-queries.ts';
import type { EngineMethod } from './engine.ts';
import { inclusionAnswerSchema, presentFailure } from './inclusion-answer.ts';
import { inclusionExamples } from './inclusion-examples.ts';
import { readInclusionQuery } from './read-inclusion-query.ts';

/** What inclusion queries work with. */
export interface InclusionContext {
  readonly config: Config;
  readonly store: Pick<Store, 'inclusions'>;
  readonly identify: Identify;
  readonly quotas: Counts;
  readonly now: () => Date;
  /** Hears of answers that could not be remembered. */
  readonly onProblem: (error: unknown) => void;
  /** Asks the search engines; made here where it is left out. */
  readonly upstream?: Upstream;
}

/** Who is blocked is told so in both shapes. */
const refusedSchema = inclusionAnswerSchema.extend({ message: z.string().optional() });
/** Pages of results have some 100,000 bytes, Alpha's up to a million. */
const MAX_PAGE_BYTES = 1_500_000;
const METHODS: Readonly<Record<EngineName, readonly EngineMethod['name'][]>> = {
  alpha: ['json', 'html'],
  beta: ['rss', 'html'],
};

/** GET AlphaIncludedQuery, BetaIncludedQuery: whether a search engine has an address. The address itself is never fetched. */
export function inclusionRoutes(context: InclusionContext): readonly Route[] {
  const { config, store, identify, quotas, now, onProblem } = context;
  const { alpha, beta, inclusion, user_agent: userAgent } = config.utility;
  const timeoutMs = Math.max(alpha.timeout_s, beta.timeout_s) * 1000;
  const maxConnections = Math.max(alpha.concurrency, beta.concurrency);
  const queries = createInclusionQueries({
    engines: createEngines(config.utility),
    upstream: context.upstream ?? createUpstream({ timeoutMs, maxBytes: MAX_PAGE_BYTES, maxConnections }),
    cache: createInclusionCache({
      store: store.inclusions,
      maxDays: inclusion.cache_days,
      maxEntries: inclusion.cache_entries,
      now,
    }),
    userAgent,
    onProblem,
  });
  const createRoute = (engine: EngineName, name: string): Route =>
    defineRoute({
      method: 'get',
      paths: [`/api/${name}IncludedQuery`],
      summary: `Tells whether the search engine ${name} has an address`,
      tag: 'inclusion',
      area: 'base',
      isCrossOrigin: true,
      examples: inclusionExamples(name),
      query: describeQuery(METHODS[engine]),
      readsQuery: true,
      credentials: { ways: ['url-query', 'header'], isRequired: false },
      answers: {
        200: { description: 'The answer, also to wrong queries (`success` is false)', schema: inclusionAnswerSchema },
        401: { description: 'The key is not valid', schema: inclusionAnswerSchema },
        403: { description: 'The source is blocked for good', schema: refusedSchema },
        429: {
          description: 'The quota is used up, or the source is blocked; see `Retry-After`',
          schema: refusedSchema,
        },
      },
      async handle(ctx) {
        ctx.set('Cache-Control', 'no-store');
        const caller = await identify(ctx, ['url-query', 'header']);
        const query = readInclusionQuery(ctx.querystring, METHODS[engine]);
        const { body, headers } = await answerInclusionQuery({ engine, query, caller }, { queries, quotas });
        ctx.set(headers);
        ctx.body = body;
      },
    });
  return [createRoute('alpha', 'Alpha'), createRoute('beta', 'Beta')];
}

function describeQuery(methods: readonly EngineMethod['name'][]) {
  return z.object({
    url: z.string().describe('The address; begins with http:// or https://, at most 2048 characters'),
    method: z
      .enum(methods)
      .optional()
      .describe(`The only way to ask; without it ${methods.join(', then ')}`),
    force: z.enum(['1', 'true']).optional().describe('Asks the engine although the answer is known; always counted'),
    token: z.string().optional().describe('An API key as URL-safe base64'),
  });
}

/**
 * Failures have the fields of every answer. Invalid queries are answered with 200, and who is refused before the query is
 * read is also told so in the usual shape.
 */
export const inclusionFailures: FailureShape = {
  covers: (path) => /^\/api\/(?:alpha|beta)includedquery$/.test(path),
  present(ctx, { status, message, extra, isOwn }) {
    if (isOwn && status === 400) ctx.status = 200;
    const isQueryFailure = isOwn && status < 500;
    const answer = presentFailure(message, String(extra['url'] ?? ''));
    ctx.body = isQueryFailure ? answer : { ...answer, message };
  },
};
