import type { Context } from 'koa';
import * as z from 'zod';
import { type Phrase, phrase } from '../../lib/phrase.ts';
import { createTokenBuckets } from '../../lib/token-buckets.ts';
import { hostOf, isWebUrl } from '../../lib/url-text.ts';
import { ServiceError } from '../../platform/failures/service-error.ts';
import { isCode } from '../../platform/short-urls/short-code.ts';
import { findState, type ShortUrlState } from '../../platform/short-urls/short-url-state.ts';
import { MAX_TARGET_LENGTH } from '../../platform/short-urls/shorten-url.ts';
import { readFields } from '../http/bodies.ts';
import type { Callers } from '../http/callers.ts';
import type { FailureShape } from '../http/errors.ts';
import { type CredentialWay, defineRoute, type Route } from '../http/route.ts';
import type { MakeShortUrl } from './make-short-url.ts';
import type { OwnHosts } from './own-hosts.ts';
import { type RedirectContext, redirectRoute } from './redirect-route.ts';
import { shortUrlExamples } from './short-url-examples.ts';

export interface ShortUrlContext extends RedirectContext {
  readonly ownHosts: OwnHosts;
  readonly makeShortUrl: MakeShortUrl;
  readonly callers: Pick<Callers, 'identify' | 'sourceOf'>;
}

/** Bodies with a long URL that is too long get an answer that says so. */
const MAX_BYTES = 200_000;

const flag = z.enum(['0', '1']);
const reducedSchema = z.object({
  long_url: z.string(),
  shorten: z.string().describe('The code'),
  status: flag.describe('"1" active, "0" disabled or expired'),
  realname: flag.describe('"1": the operator has verified its owner'),
  safe: flag.describe('"0": the operator warns about the host of the long URL'),
});
const shortenedSchema = z.object({ short_url: z.string(), shorten: z.string().describe('The code') });
const failedSchema = z.object({ code: z.number(), msg: z.string() });
const formSchema = {
  type: 'object',
  properties: {
    short_url: { type: 'string', description: 'reduction: the short URL, alternatively `short_string`' },
    short_string: { type: 'string', description: 'reduction: the code' },
    long_url: { type: 'string', maxLength: 2048, description: 'shorten: the long URL, http or https' },
    jid: { type: 'string', maxLength: 64, description: 'shorten: a custom code' },
    expires_at: { type: 'string', description: 'shorten: a day, at whose end it expires, or a time (ISO 8601)' },
  },
};

/** Failures are `{code, msg}` with the HTTP status as code. */
export const shortUrlFailures: FailureShape = {
  covers: (path) => /^\/openservice\/shorturl(?:\/|$)/.test(path),
  present(ctx, { status, message, extra }) {
    ctx.body = { code: status, msg: message, ...extra };
  },
};

/** Besides a login: a key that may write. */
const SHORTEN_WAYS: readonly CredentialWay[] = ['header', 'url-query', 'post-form', 'session-header', 'session-cookie'];

/** Returns the routes of reduction, creation and redirection. `allowReductionOrigins` belongs to them. */
export function shortUrlRoutes(context: ShortUrlContext): readonly Route[] {
  const reduce = createReduce(context);
  const shorten = createShorten(context);
  const failure = (description: string) => ({ description, schema: failedSchema });
  const api = defineRoute({
    method: 'post',
    paths: ['/openservice/shorturl/v1/', '/openservice/shorturl/v1'],
    summary: 'Returns the long URL of a short one (`Action=reduction`) or creates a short URL (`Action=shorten`)',
    tag: 'short URLs',
    area: 'base',
    // `allowReductionOrigins` decides.
    query: z.object({
      Action: z.string().optional().describe('`reduction` (anonymous) or `shorten` (login or API key required)'),
    }),
    // Required for `shorten` only.
    credentials: { ways: SHORTEN_WAYS, isRequired: false },
    body: {
      'application/x-www-form-urlencoded': { schema: formSchema },
      'multipart/form-data': { schema: formSchema },
      'application/json': { schema: formSchema },
    },
    examples: shortUrlExamples,
    answers: {
      200: {
        description: 'Done',
        schema: z.object({ code: z.literal(0), msg: z.null(), data: z.union([reducedSchema, shortenedSchema]) }),
      },
      400: failure('Invalid input: `msg` says what'),
      401: failure('Login is required'),
      403: failure('The source is blocked permanently'),
      404: failure('No such short URL'),
      409: failure('`jid` is taken'),
      410: {
        description: 'Disabled or expired; a reduction still contains its data',
        schema: failedSchema.extend({ data: reducedSchema.optional() }),
      },
      413: failure('The body is too large'),
      414: failure('The query is too long'),
      415: failure('The body has another media type or a content coding'),
      429: failure('Too many requests, or the source is blocked; `Retry-After` says for how long'),
      503: failure('It cannot be stored now'),
    },
    async handle(ctx, { query: { Action } }) {
      if (Action === 'reduction') return reduce(ctx);
      if (Action === 'shorten') return shorten(ctx);
      throw new ServiceError('bad-request', phrase`Parameter "Action" must be "reduction" or "shorten"`);
    },
  });
  return [api, redirectRoute(context)];
}

/** Creates the handler of `Action=reduction`, which returns the long URL of a short one. */
function createReduce(context: ShortUrlContext): (ctx: Context) => Promise<void> {
  const { store, settings, callers, ownHosts, now } = context;
  const buckets = createTokenBuckets(() => settings.current().utility.short_url.reductions_per_minute);
  return async (ctx) => {
    const { source } = await callers.identify(ctx, []);
    const waitS = buckets.take(source, now().getTime());
    if (waitS > 0) {
      const headers = { 'Retry-After': `${waitS}` };
      const message = phrase`Too many reductions; try again in ${waitS} s`;
      throw new ServiceError('limited', message, { headers, limit: 'reductions' });
    }
    const fields = await readTexts(ctx, ['short_url', 'short_string']);
    const code = getCode(fields, (text) => parseShortUrl(text, ctx, ownHosts));
    const found = isCode(code) ? await store.shortUrls.findOwned(code) : undefined;
    if (!found) throw new ServiceError('not-found', phrase`No such short URL`);
    const { longUrl, code: shorten } = found.shortUrl;
    const state = findState(found, now);
    const isBlocked = await context.isHostBlocked(hostOf(new URL(longUrl)));
    const data = {
      long_url: longUrl,
      shorten,
      status: state === 'active' ? '1' : '0',
      realname: found.owner?.isVerified ? '1' : '0',
      safe: isBlocked ? '0' : '1',
    };
    if (state !== 'active') throw new ServiceError('disabled', GONE[state], { extra: { data } });
    ctx.body = { code: 0, msg: null, data };
  };
}

const GONE: Readonly<Record<Exclude<ShortUrlState, 'active'>, Phrase>> = {
  disabled: phrase`The operator has disabled this short URL`,
  'disabled-by-owner': phrase`Its owner has disabled this short URL`,
  expired: phrase`This short URL has expired`,
};

/** Returns the code that a request names, by itself or in a short URL. Throws ServiceError 400 for none and for two. */
function getCode(fields: ReadonlyMap<string, string>, parse: (shortUrl: string) => string): string {
  const text = fields.get('short_string')?.trim() ?? '';
  const shortUrl = fields.get('short_url')?.trim() ?? '';
  const codes = [...(text === '' ? [] : [text]), ...(shortUrl === '' ? [] : [parse(shortUrl)])];
  const [code] = codes;
  if (code === undefined) throw new ServiceError('bad-request', phrase`Field "short_url" or "short_string" is missing`);
  if (codes[1] !== undefined && codes[1].toLowerCase() !== code.toLowerCase()) {
    throw new ServiceError('bad-request', phrase`Fields "short_url" and "short_string" name different short URLs`);
  }
  return code;
}

/** Returns the code in a short URL, which may lack `https://`. Throws ServiceError 400 for a URL of another service. */
function parseShortUrl(text: string, ctx: Context, ownHosts: OwnHosts): string {
  const full = isWebUrl(text) ? text : `${ctx.protocol}://${text}`;
  if (text.length <= MAX_TARGET_LENGTH && URL.canParse(full)) {
    const url = new URL(full);
    // The router ignores case, too.
    const code = decode(/^\/t\/(.*?)\/?$/i.exec(url.pathname)?.[1] ?? '');
    if (code !== '' && !code.includes('/') && ownHosts.isService(url, ctx)) return code;
  }
  throw new ServiceError('bad-request', phrase`Field "short_url" is not a short URL of this service`);
}

/** Decodes like the router. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // no code contains a percent sign
  }
}

/** Creates the handler of `Action=shorten`, which creates a short URL. */
function createShorten({ baseUrl, callers, makeShortUrl }: ShortUrlContext): (ctx: Context) => Promise<void> {
  return async (ctx) => {
    // First, with the limit for this body: a key may be in it.
    const fields = await readTexts(ctx, ['long_url', 'jid', 'expires_at']);
    const { user } = await callers.identify(ctx, SHORTEN_WAYS).catch(refuseForeign);
    if (!user) throw loginRequired(phrase`A login or an API key is required to shorten URLs`);
    const [longUrl, jid, expiresAt] = [fields.get('long_url') ?? '', fields.get('jid'), fields.get('expires_at')];
    const { code } = await makeShortUrl(ctx, { uid: user.uid, longUrl, jid, expiresAt });
    ctx.body = { code: 0, msg: null, data: { short_url: `${baseUrl}/t/${code}`, shorten: code } };
  };
}

function loginRequired(message: Phrase): ServiceError {
  return new ServiceError('login', message, { headers: { 'WWW-Authenticate': 'Token' } });
}

/** Browsers send the cookie with forms of any page and say whose page it is: for another site it counts as no login. */
function refuseForeign(error: unknown): never {
  const isForeign = error instanceof ServiceError && error.code === 'foreign-origin';
  throw isForeign ? loginRequired(phrase`A page of another site cannot use your login`) : error;
}

/** Returns these fields of a body; null counts as missing. Throws ServiceError 400 for a field that is not text. */
async function readTexts(ctx: Context, names: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const fields = await readFields(ctx, MAX_BYTES);
  const texts = new Map<string, string>();
  for (const name of names) {
    const value = fields.get(name) ?? undefined;
    if (typeof value === 'string') texts.set(name, value);
    else if (value !== undefined) throw new ServiceError('bad-request', phrase`Field "${name}" must be text`);
  }
  return texts;
}
