import type { Context } from 'koa';
import type { Session } from '../../data/records/session.ts';
import type { User } from '../../data/records/user.ts';
import { phrase } from '../../lib/phrase.ts';
import { findByKey } from '../../platform/accounts/api-keys.ts';
import { rememberDevice } from '../../platform/accounts/known-devices.ts';
import { findBySession } from '../../platform/accounts/sessions.ts';
import { MAX_TOKEN_LENGTH } from '../../platform/accounts/tokens.ts';
import type { Accounts } from '../../platform/accounts/users.ts';
import type { Actor } from '../../platform/audit/audit.ts';
import type { Settings } from '../../platform/config/settings.ts';
import { ServiceError } from '../../platform/failures/service-error.ts';
import { isAtHost } from './areas.ts';
import { readFields } from './bodies.ts';
import { cookieName, listCookies, setCookie } from './cookies.ts';
import type { CredentialWay } from './route.ts';
import * as sessionCookie from './session-cookie.ts';
import { addressOf, sourceOf } from './trusted-request.ts';

/** Whoever sends a request. */
export interface Caller {
  /** The unit in which callers are counted: an IPv4 address, or an IPv6 /64 network. */
  readonly source: string;
  /** The owner of the key or session; undefined = anonymous. */
  readonly user: User | undefined;
  /** Permission of the key; undefined for a session, which may do everything. */
  readonly permission: 'read' | 'write' | undefined;
}

/** Identifies the caller. Throws ServiceError 401 for an invalid credential and 403 for one that does not permit the request. */
export type IdentifyCaller = (ctx: Context, ways: readonly CredentialWay[]) => Promise<Caller>;

/** Recognises callers under the current configuration. */
export interface Callers {
  readonly identify: IdentifyCaller;
  /** Returns the full IP address of the caller. */
  readonly addressOf: (ctx: Context) => string;
  /** Returns what a caller is counted by. */
  readonly sourceOf: (ctx: Context) => string;
  /** Throws ServiceError 403 for requests from pages of other sites. */
  readonly checkOrigin: (ctx: Context) => void;
  /** Returns false for requests from pages of other sites. */
  readonly isFromHere: (ctx: Context) => boolean;
}

const YEAR_S = 365 * 86_400;

/**
 * Creates what identifies callers. Of several credentials that an endpoint accepts, the header takes precedence over the
 * query, the query over the form; the cookie comes last, because browsers send it without being asked. A credential that is
 * sent must be valid; one that the endpoint does not accept is ignored.
 */
export function createCallers(settings: Settings, accounts: Pick<Accounts, 'store' | 'now'>): Callers {
  const { api } = settings.current();
  const urls = [api.base_url, api.hub_url, api.auth_url, api.docs_api_url]
    .filter((url) => url !== '')
    .map((url) => new URL(url));
  const ownOrigins = new Set(urls.map(({ origin }) => origin));
  const proxies = (): number => settings.current().api.trusted_proxies;
  const callers: Callers = {
    async identify(ctx, ways) {
      const source = callers.sourceOf(ctx);
      const takes = (way: CredentialWay): boolean => ways.includes(way);
      const header = takes('header') || takes('session-header') ? readHeader(ctx) : undefined;
      if (header !== undefined) {
        const found = takes('header') && (await findKey(ctx, header, source));
        return found || (await findSession(takes('session-header') ? header : '', source));
      }
      const key =
        (takes('url-query') ? readQuery(ctx) : undefined) ?? (takes('post-form') ? await readField(ctx) : undefined);
      if (key !== undefined) return (await findKey(ctx, key, source)) ?? refuse();
      const cookie = takes('session-cookie') ? sessionCookie.readSessionCookie(ctx) : undefined;
      if (cookie === undefined) return { source, user: undefined, permission: undefined };
      if (!isReading(ctx)) callers.checkOrigin(ctx);
      return findSession(cookie, source);
    },
    addressOf: ({ req }) => addressOf(req, proxies()),
    sourceOf: ({ req }) => sourceOf(req, proxies()),
    checkOrigin: (ctx) => checkOrigin(ctx, ownOrigins),
    isFromHere: (ctx) => isFromHere(ctx, ownOrigins),
  };
  return callers;

  async function findKey(ctx: Context, raw: string, source: string): Promise<Caller | undefined> {
    const found = await findByKey(accounts, raw);
    if (!found) return undefined;
    const { user, key } = found;
    if (key.permission === 'read' && !isReading(ctx)) {
      throw new ServiceError('read-only', phrase`This key is read-only`);
    }
    return { source, user, permission: key.permission };
  }

  async function findSession(token: string, source: string): Promise<Caller> {
    const user = await findBySession(accounts, token);
    return user ? { source, user, permission: 'write' } : refuse();
  }
}

/** Returns a user as the audit log names them. */
export function actorOf(ctx: Context, user: User, { addressOf }: Pick<Callers, 'addressOf'>): Actor {
  const { account, uid, isOperator } = user;
  return { kind: 'user', name: account, uid, from: addressOf(ctx), isOperator };
}

/** The same answer for unknown, expired and disabled tokens, so that guessing reveals nothing. */
function refuse(): never {
  throw new ServiceError('bad-token', phrase`The token is invalid, expired or disabled`, {
    headers: { 'WWW-Authenticate': 'Token' },
  });
}

function isReading({ method }: Context): boolean {
  return method === 'GET' || method === 'HEAD';
}

/** Returns the session's token in a request, whether valid or not: that of the header, otherwise that of the cookie. */
export function readToken(ctx: Context): string | undefined {
  return readHeader(ctx) ?? sessionCookie.readSessionCookie(ctx);
}

/** Returns the token of `Authorization: Token <token>`; undefined for another scheme. */
function readHeader(ctx: Context): string | undefined {
  const found = /^token(?:[ \t]+(\S.*))?$/i.exec(ctx.get('Authorization').trim());
  return found ? (found[1] ?? '') : undefined;
}

/** Returns the key whose URL-safe base64 is in the query; '' for anything else in its place. */
function readQuery(ctx: Context): string | undefined {
  const [text, second] = new URLSearchParams(ctx.querystring).getAll('token');
  if (second !== undefined) throw new ServiceError('bad-request', phrase`Parameter "token" is given more than once`);
  if (text === undefined) return undefined;
  if (text.length > 2 * MAX_TOKEN_LENGTH || !/^[\w-]*={0,2}$/.test(text)) return '';
  return Buffer.from(text, 'base64url').toString('utf8');
}

async function readField(ctx: Context): Promise<string | undefined> {
  if (isReading(ctx)) return undefined;
  const token = (await readFields(ctx)).get('token') ?? undefined;
  return typeof token === 'string' || token === undefined ? token : '';
}

/** Throws ServiceError 403 for a request that a browser attributes to a page of another site, see `isFromHere`. */
export function checkOrigin(ctx: Context, own: ReadonlySet<string>): void {
  if (isFromHere(ctx, own)) return;
  throw new ServiceError('foreign-origin', phrase`Pages of other sites may not send this request`);
}

/**
 * Returns false for a request that a browser attributes to a page of another site, by `Origin` and `Sec-Fetch-Site`, which
 * pages cannot set; programs send neither. `own` are the service's origins besides the requested host.
 */
function isFromHere(ctx: Context, own: ReadonlySet<string>): boolean {
  const origin = ctx.get('Origin');
  const site = ctx.get('Sec-Fetch-Site').toLowerCase();
  if (own.has(origin)) return true;
  // Sites of projects may be on neighbouring hosts: `same-site` is not enough.
  const isNear = site === '' || site === 'same-origin' || site === 'none';
  return (origin === '' || isFrom(origin, ctx.host)) && isNear;
}

function isFrom(origin: string, host: string): boolean {
  return /^https?:\/\/[^/@]+$/i.test(origin) && URL.canParse(origin) && isAtHost(new URL(origin), host.toLowerCase());
}

/** A session that has just begun. */
export interface BegunSession {
  readonly user: User;
  readonly token: string;
  readonly session: Session;
}

/** Sets the cookie of a session, and another one that makes the browser known for this user's next login. */
export function setSessionCookie(ctx: Context, { user, token, session }: BegunSession): void {
  const seconds = Math.round((Date.parse(session.expiresAt) - Date.parse(session.createdAt)) / 1000);
  sessionCookie.setSessionCookie(ctx, token, seconds);
  setCookie(ctx, cookieName(ctx, 'knownDevice'), { value: rememberDevice(readDevice(ctx), user), seconds: YEAR_S });
}

/** Returns the cookie of a browser that is known for a user, see `findKnownDevice`; of several none is believed. */
export function readDevice(ctx: Context): string | undefined {
  const [device, second] = listCookies(ctx, cookieName(ctx, 'knownDevice'));
  return second === undefined ? device : undefined;
}
