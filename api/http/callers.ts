import type { Context } from 'koa';
import type { Accounts } from '../../data/accounts/accounts.ts';
import { findByKey, findBySession } from '../../data/accounts/find-by-token.ts';
import { MAX_TOKEN_LENGTH } from '../../data/accounts/tokens.ts';
import type { Settings } from '../../data/config/settings.ts';
import type { Session } from '../../data/records/session.ts';
import type { User } from '../../data/records/user.ts';
import { isAtHost } from './areas.ts';
import { readForm } from './bodies.ts';
import { ApiError } from './errors.ts';
import { addressOf, isSecure, sourceOf } from './trusted-request.ts';

/** Who calls the utility API. */
export interface Caller {
  /** The address that calls: an IPv4 address, or an IPv6 /64 network. */
  readonly source: string;
  /** The owner of the key or session; undefined = anonymous. */
  readonly user: User | undefined;
  /** What the key may do; a session may do all. */
  readonly permission: 'read' | 'write' | undefined;
}

/** The ways to pass a credential that an endpoint takes. */
export type CredentialWay = 'url-query' | 'post-form' | 'header' | 'session-header' | 'session-cookie';

/**
 * Finds out who calls. Throws ApiError 401 for a credential that is not valid, 403 for one that may not do this, and 429
 * for a source that is blocked.
 */
export type Identify = (ctx: Context, ways: readonly CredentialWay[]) => Promise<Caller>;

/** What can be told of those who call, by the configuration's rules. */
export interface Callers {
  readonly identify: Identify;
  /** Gives the full address that calls, see `addressOf`. */
  readonly addressOf: (ctx: Context) => string;
  /** Gives what a caller is counted by, see `sourceOf`. */
  readonly sourceOf: (ctx: Context) => string;
  /** Tells whether the caller came by TLS. */
  readonly isSecure: (ctx: Context) => boolean;
  /** Throws ApiError 403 for requests from pages of other sites, see `checkOrigin`. */
  readonly checkOrigin: (ctx: Context) => void;
}

/** Creates it for a configuration; `checkSource` is asked before anybody is identified. */
export function createCallers(
  settings: Settings,
  {
    accounts,
    checkSource,
  }: Pick<IdentifyOptions, 'accounts' | 'checkSource'> & { readonly accounts: Pick<Accounts, 'store' | 'now'> },
): Callers {
  const { api } = settings.current();
  const urls = [api.base_url, api.hub_url, api.auth_url, api.docs_api_url].filter((url) => url !== '');
  const ownOrigins = new Set(urls.map((url) => new URL(url).origin));
  const secure = urls.map((url) => new URL(url)).filter(({ protocol }) => protocol === 'https:');
  const proxies = (): number => settings.current().api.trusted_proxies;
  const source = ({ req }: Context): string => sourceOf(req, proxies());
  return {
    identify: createIdentify({ accounts, sourceOf: source, ownOrigins, ...(checkSource && { checkSource }) }),
    addressOf: ({ req }) => addressOf(req, proxies()),
    sourceOf: source,
    isSecure: (ctx) => isSecure(ctx.req, proxies()) || secure.some((url) => isAtHost(url, ctx.host)),
    checkOrigin: (ctx) => checkOrigin(ctx, ownOrigins),
  };
}

/** What identifying works with. */
interface IdentifyOptions {
  readonly accounts: Pick<Accounts, 'store' | 'now'>;
  /** Gives what a caller is counted by, see `sourceOf`. */
  readonly sourceOf: (ctx: Context) => string;
  /** The service's own origins, whose pages may send requests with the cookie. */
  readonly ownOrigins: ReadonlySet<string>;
  /** Throws ApiError 429 for a source that is blocked. */
  readonly checkSource?: (source: string) => void | Promise<void>;
}

/** The cookie that holds a session's token. */
export const SESSION_COOKIE = 'sessionId';

/**
 * Creates the function that finds out who calls. Of several credentials that an endpoint takes, the header counts before the
 * query, the query before the form, and the cookie last, since browsers send it unasked. One that is given must be valid;
 * one that the endpoint does not take is as good as none.
 */
function createIdentify({ accounts, sourceOf, ownOrigins, checkSource }: IdentifyOptions): Identify {
  return async (ctx, ways) => {
    const source = sourceOf(ctx);
    await checkSource?.(source);
    const takes = (way: CredentialWay): boolean => ways.includes(way);
    const header = takes('header') || takes('session-header') ? readHeader(ctx) : undefined;
    if (header !== undefined) {
      const found = takes('header') && (await findKey(ctx, header, source));
      return found || (await findSession(takes('session-header') ? header : '', source));
    }
    const key =
      (takes('url-query') ? readQuery(ctx) : undefined) ?? (takes('post-form') ? await readField(ctx) : undefined);
    if (key !== undefined) return (await findKey(ctx, key, source)) ?? refuse();
    const cookie = takes('session-cookie') ? readCookie(ctx) : undefined;
    if (cookie === undefined) return { source, user: undefined, permission: undefined };
    if (!isReading(ctx)) checkOrigin(ctx, ownOrigins);
    return findSession(cookie, source);
  };

  async function findKey(ctx: Context, raw: string, source: string): Promise<Caller | undefined> {
    const found = await findByKey(accounts, raw);
    if (!found) return undefined;
    const { user, key } = found;
    if (key.permission === 'read' && !isReading(ctx)) {
      throw new ApiError(403, 'read-only', 'This key may only be used to read');
    }
    return { source, user, permission: key.permission };
  }

  async function findSession(token: string, source: string): Promise<Caller> {
    const user = await findBySession(accounts, token);
    return user ? { source, user, permission: 'write' } : refuse();
  }
}

/** Gives the session's token that a request carries, whether valid or not: the header's, else the cookie's. */
export function readToken(ctx: Context): string | undefined {
  return readHeader(ctx) ?? readCookie(ctx);
}

function readCookie(ctx: Context): string | undefined {
  return ctx.cookies.get(SESSION_COOKIE) || undefined;
}

function isReading({ method }: Context): boolean {
  return method === 'GET' || method === 'HEAD';
}

/** One answer for what is unknown, expired and disabled: whoever tries tokens learns nothing. */
function refuse(): never {
  throw new ApiError(401, 'bad-token', 'The token is not valid, has expired or is disabled', {
    headers: { 'WWW-Authenticate': 'Token' },
  });
}

/** Gives the token of `Authorization: Token <token>`; undefined where the header is for somebody else. */
function readHeader(ctx: Context): string | undefined {
  const found = /^token(?:[ \t]+(\S.*))?$/i.exec(ctx.get('Authorization').trim());
  return found ? (found[1] ?? '') : undefined;
}

/** Gives the key whose URL-safe base64 is in the query; '' for what is none. */
function readQuery(ctx: Context): string | undefined {
  const [text, second] = new URLSearchParams(ctx.querystring).getAll('token');
  if (second !== undefined) throw new ApiError(400, 'bad-request', 'Parameter "token" is given more than once');
  if (text === undefined) return undefined;
  if (text.length > 2 * MAX_TOKEN_LENGTH || !/^[\w-]*={0,2}$/.test(text)) return '';
  return Buffer.from(text, 'base64url').toString('utf8');
}

async function readField(ctx: Context): Promise<string | undefined> {
  return isReading(ctx) ? undefined : (await readForm(ctx)).get('token');
}

/**
 * Throws ApiError 403 for a request that a browser says comes from a page of somebody else: Origin and Sec-Fetch-Site, which
 * pages cannot set. `own` are the service's own origins besides the host that is asked. Programs send neither.
 */
export function checkOrigin(ctx: Context, own: ReadonlySet<string>): void {
  const origin = ctx.get('Origin');
  const site = ctx.get('Sec-Fetch-Site').toLowerCase();
  if (own.has(origin)) return;
  const isHere = origin === '' || isFrom(origin, ctx.host);
  // Sites of projects may be on neighbouring hosts: `same-site` is not enough.
  const isNear = site === '' || site === 'same-origin' || site === 'none';
  if (!isHere || !isNear)
    throw new ApiError(403, 'foreign-origin', 'This may not be asked for by pages of other sites');
}

function isFrom(origin: string, host: string): boolean {
  return /^https?:\/\/[^/@]+$/i.test(origin) && URL.canParse(origin) && isAtHost(new URL(origin), host.toLowerCase());
}

/** Hands a session's token to a browser: for this host alone, out of reach of scripts, not sent by other sites' forms. */
export function setSessionCookie(
  ctx: Context,
  { token, session, isSecure }: { readonly token: string; readonly session: Session; readonly isSecure: boolean },
): void {
  const seconds = Math.round((Date.parse(session.expiresAt) - Date.parse(session.createdAt)) / 1000);
  ctx.append('Set-Cookie', formatCookie(token, seconds, isSecure));
}

/** Takes the token back. */
export function clearSessionCookie(ctx: Context, isSecure: boolean): void {
  ctx.append('Set-Cookie', formatCookie('', 0, isSecure));
}

/** Koa's own refuses `Secure` behind a proxy that it knows nothing of. */
function formatCookie(value: string, seconds: number, isSecure: boolean): string {
  const parts = [`${SESSION_COOKIE}=${value}`, 'Path=/', `Max-Age=${seconds}`, 'HttpOnly', 'SameSite=Lax'];
  return [...parts, ...(isSecure ? ['Secure'] : [])].join('; ');
}
