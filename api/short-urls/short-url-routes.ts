import { z } from 'zod';
import { ApiError } from '../http/errors.ts';
import { defineRoute, type Route } from '../http/route.ts';
import { redirectRoute } from './redirect-route.ts';
import { createReduce } from './reduce.ts';
import { createServiceHosts } from './service-hosts.ts';
import { SHORT_URL_PATHS } from './short-url-area.ts';
import type { ShortUrlContext } from './short-url-context.ts';
import { shortUrlExamples } from './short-url-examples.ts';
import { createShorten } from './shorten.ts';

const flag = z.enum(['0', '1']);
const reduced = z.object({
  long_url: z.string(),
  shorten: z.string().describe('The code'),
  status: flag.describe('"1" active, "0" disabled'),
  realname: flag.describe('"1": the operator has checked who made it'),
  safe: flag.describe('"0": the operator warns of the host it leads to'),
});
const shortened = z.object({ short_url: z.string(), shorten: z.string().describe('The code') });
const failed = z.object({ code: z.number(), msg: z.string() });
/** Who is blocked is told so in both shapes. */
const refusedSchema = failed.extend({ success: z.literal(false).optional(), message: z.string().optional() });
const form = {
  type: 'object',
  properties: {
    short_url: { type: 'string', description: 'reduction: the short URL, or else `short_string`' },
    short_string: { type: 'string', description: 'reduction: the code' },
    long_url: { type: 'string', maxLength: 2048, description: 'shorten: the long URL, http or https' },
    jid: { type: 'string', maxLength: 64, description: 'shorten: a code of your own choice' },
  },
};

/** POST shorturl/v1 (reduction, creation) and GET t/<code>. `shortUrlArea` belongs to them. */
export function shortUrlRoutes(context: ShortUrlContext): readonly Route[] {
  const hosts = createServiceHosts(context);
  const reduce = createReduce(context, hosts);
  const shorten = createShorten(context, hosts);
  const refused = (description: string) => ({ description, schema: refusedSchema });
  const failure = (description: string) => ({ description, schema: failed });
  const api = defineRoute({
    method: 'post',
    paths: SHORT_URL_PATHS,
    summary: 'Gives the long URL of a short one (`Action=reduction`), or makes a short URL (`Action=shorten`)',
    tag: 'short URLs',
    area: 'base',
    // Those of `reduction` may: `shortUrlArea` lets them.
    isCrossOrigin: false,
    query: z.object({ Action: z.string().optional().describe('`reduction` (anonymous) or `shorten` (login needed)') }),
    // Asked of `shorten` alone.
    credentials: { ways: ['session-header', 'session-cookie'], isRequired: false },
    body: {
      'application/x-www-form-urlencoded': { schema: form },
      'multipart/form-data': { schema: form },
      'application/json': { schema: form },
    },
    examples: shortUrlExamples,
    answers: {
      200: {
        description: 'Done',
        schema: z.object({ code: z.literal(0), msg: z.null(), data: z.union([reduced, shortened]) }),
      },
      400: failure('Bad input: `msg` says what'),
      401: failure('Login is needed'),
      403: refused('The source is blocked for good'),
      404: failure('No such short URL'),
      409: failure('`jid` is taken'),
      410: {
        description: 'Disabled by the operator; a reduction still has its data',
        schema: failed.extend({ data: reduced.optional() }),
      },
      413: failure('The body is too large'),
      414: failure('The query is too long'),
      415: failure('The body has another media type, or a content coding'),
      429: refused('Too many, or the source is blocked; `Retry-After` says for how long'),
      503: failure('It cannot be written now'),
    },
    async handle(ctx, { query: { Action } }) {
      if (Action === 'reduction') return reduce(ctx);
      if (Action === 'shorten') return shorten(ctx);
      throw new ApiError(400, 'bad-request', 'Parameter "Action" must be "reduction" or "shorten"');
    },
  });
  return [api, redirectRoute(context)];
}
