import type { Context } from 'koa';
import * as z from 'zod';
import type { User } from '../../data/records/user.ts';
import { phrase } from '../../lib/phrase.ts';
import type { Settings } from '../../platform/config/settings.ts';
import { ServiceError } from '../../platform/failures/service-error.ts';
import {
  getShortUrl,
  type ListedShortUrl,
  listShortUrls,
  type OwnChange,
  type ShortUrlsContext,
} from '../../platform/short-urls/list-short-urls.ts';
import { parseExpiry } from '../../platform/short-urls/parse-expiry.ts';
import { readForm } from '../http/bodies.ts';
import type { Callers } from '../http/callers.ts';
import { type CredentialWay, defineRoute, EXAMPLE, envelope, failure, type Route } from '../http/route.ts';
import type { ChangeOwn } from './change-own.ts';

export interface OwnShortUrlContext extends ShortUrlsContext {
  readonly settings: Settings;
  readonly baseUrl: string;
  readonly callers: Pick<Callers, 'identify'>;
  readonly changeOwn: ChangeOwn;
}

const LIST = '/api/user/short-urls';
const ONE = `${LIST}/:code`;
const READ_WAYS: readonly CredentialWay[] = ['url-query', 'header', 'session-header', 'session-cookie'];
const WRITE_WAYS: readonly CredentialWay[] = [...READ_WAYS, 'post-form'];
const USUAL_LIMIT = 100;
const MAX_LIMIT = 1000;

const shortUrlSchema = z.object({
  code: z.string(),
  shortUrl: z.string(),
  longUrl: z.string(),
  isCustom: z.boolean().describe('You chose the code'),
  state: z
    .enum(['active', 'disabled', 'disabled-by-owner', 'expired'])
    .describe('`disabled`: by the operator, who alone can enable it again'),
  redirects: z.number().describe('How often it has redirected somebody; programs that say what they are do not count'),
  createdAt: z.string().describe('ISO 8601, UTC'),
  expiresAt: z.string().nullable().describe('ISO 8601, UTC; null: never'),
});
const listSchema = z.object({
  shortUrls: z.array(shortUrlSchema),
  count: z.number().describe('How many you have'),
  next: z.string().nullable().describe('`before` of the next page'),
});
const session = { Authorization: `Token ${EXAMPLE.token}` };
const unauthorized = failure('The credential is missing or invalid');

/** Returns the routes with which users list and change their own short URLs. */
export function ownShortUrlRoutes(context: OwnShortUrlContext): readonly Route[] {
  const common = { tag: 'short URLs', area: 'auth' } as const;
  const present = createPresent(context.baseUrl);
  const list = defineRoute({
    ...common,
    method: 'get',
    paths: [LIST],
    summary: 'Lists your short URLs, newest first',
    credentials: { ways: READ_WAYS, isRequired: true },
    query: z.object({
      before: z.string().max(100).optional().describe('A code: only those that are older'),
      limit: z.coerce
        .number()
        .int()
        .min(1)
        .max(MAX_LIMIT)
        .default(USUAL_LIMIT)
        .describe(`Short URLs of a page, at most ${MAX_LIMIT}`),
    }),
    answers: {
      200: { description: 'One page of them', schema: envelope(listSchema) },
      400: failure('A parameter is invalid'),
      401: unauthorized,
      404: failure('No short URL of yours has the code `before`'),
    },
    examples: [{ summary: 'The newest one', path: `${LIST}?limit=1`, headers: session, status: 200, varies: ['data'] }],
    async handle(ctx, { query: { before, limit } }) {
      const { uid } = await identify(ctx, READ_WAYS);
      if (before !== undefined) await getShortUrl(context, { code: before, uid });
      const found = await listShortUrls(context, { uid, before, limit: limit + 1 });
      const shown = found.slice(0, limit);
      const next = found.length > limit ? shown.at(-1)!.code : null;
      send(ctx, { shortUrls: shown.map(present), count: await context.store.shortUrls.count({ uid }), next });
    },
  });
  const get = defineRoute({
    ...common,
    method: 'get',
    paths: [ONE],
    summary: 'Returns one of your short URLs',
    credentials: { ways: READ_WAYS, isRequired: true },
    answers: {
      200: { description: 'The short URL', schema: envelope(shortUrlSchema) },
      401: unauthorized,
      404: failure('You have no such short URL'),
    },
    examples: [
      {
        summary: 'A short URL',
        path: `${LIST}/${EXAMPLE.code}`,
        headers: session,
        status: 200,
        answer: {
          success: true,
          message: '',
          data: {
            code: EXAMPLE.code,
            shortUrl: `https://s.example.org/t/${EXAMPLE.code}`,
            longUrl: EXAMPLE.longUrl,
            isCustom: false,
            state: 'active',
            redirects: 42,
            createdAt: '2026-03-01T00:00:00.000Z',
            expiresAt: null,
          },
        },
        varies: ['data.shortUrl', 'data.redirects'],
      },
    ],
    async handle(ctx, { params: { code = '' } }) {
      const { uid } = await identify(ctx, READ_WAYS);
      send(ctx, present(await getShortUrl(context, { code, uid })));
    },
  });
  const properties = {
    disabled: { type: 'string', enum: ['0', '1'], description: '`1` disables it, `0` enables it' },
    expires_at: {
      type: 'string',
      description: 'A day, at whose end it expires, or a time (ISO 8601); empty: it never expires',
    },
  };
  const schema = { type: 'object', properties };
  const change = defineRoute({
    ...common,
    method: 'post',
    paths: [ONE],
    summary: 'Disables or enables one of your short URLs, or sets when it expires',
    credentials: { ways: WRITE_WAYS, isRequired: true },
    body: { 'application/x-www-form-urlencoded': { schema }, 'application/json': { schema } },
    answers: {
      200: { description: 'The short URL as it is now', schema: envelope(shortUrlSchema) },
      400: failure('A field is invalid, or the operator has disabled the short URL that is to be enabled'),
      401: unauthorized,
      403: failure("The key is read-only, or the request comes from another site's page"),
      404: failure('You have no such short URL'),
      429: failure('Too many changes, or the source is blocked; `Retry-After` says how long to wait'),
    },
    examples: [
      {
        summary: 'One that expires with the year',
        path: `${LIST}/${EXAMPLE.unsafeCode}`,
        headers: session,
        form: { expires_at: '2026-12-31' },
        status: 200,
        varies: ['data'],
      },
      {
        summary: 'With a key that is read-only',
        path: `${LIST}/${EXAMPLE.code}`,
        headers: { Authorization: `Token ${EXAMPLE.key}` },
        form: { disabled: '1' },
        status: 403,
        answer: { success: false, message: 'This key is read-only' },
      },
    ],
    async handle(ctx, { params: { code = '' } }) {
      const { uid } = await identify(ctx, WRITE_WAYS);
      const wanted = readChange(await readForm(ctx), { now: context.now(), ...context.settings.current() });
      send(ctx, present(await context.changeOwn({ code, uid }, wanted)));
    },
  });
  return [list, get, change];

  async function identify(ctx: Context, ways: readonly CredentialWay[]): Promise<User> {
    const { user } = await context.callers.identify(ctx, ways);
    if (user) return user;
    throw new ServiceError('login', phrase`A login or an API key is required`, {
      headers: { 'WWW-Authenticate': 'Token' },
    });
  }
}

function readChange(
  form: ReadonlyMap<string, string>,
  clock: { readonly now: Date; readonly timezone: string },
): OwnChange {
  const [disabled, expiresAt] = [form.get('disabled'), form.get('expires_at')];
  if (disabled === undefined && expiresAt === undefined) {
    throw new ServiceError('bad-request', phrase`Field "disabled" or "expires_at" is missing`);
  }
  if (disabled !== undefined && !/^[01]$/.test(disabled)) {
    throw new ServiceError('bad-request', phrase`Field "disabled" must be "0" or "1"`);
  }
  return {
    ...(disabled !== undefined && { isDisabled: disabled === '1' }),
    ...(expiresAt !== undefined && { expiresAt: parseExpiry(expiresAt, clock) ?? null }),
  };
}

function createPresent(baseUrl: string): (one: ListedShortUrl) => z.infer<typeof shortUrlSchema> {
  return ({ code, longUrl, isCustom, state, redirects, createdAt, expiresAt = null }) => ({
    code,
    shortUrl: `${baseUrl}/t/${code}`,
    longUrl,
    isCustom,
    state,
    redirects,
    createdAt,
    expiresAt,
  });
}

function send(ctx: Context, data: object): void {
  ctx.set('Cache-Control', 'no-store');
  ctx.body = { success: true, message: '', data };
}
