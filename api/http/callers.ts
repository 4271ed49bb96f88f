import type { Context } from 'koa';
import type { Accounts } from '../../data/accounts/accounts.ts';
import { findByKey, findBySession } from '../../data/accounts/find-by-token.ts';
import { MAX_TOKEN_LENGTH } from '../../data/accounts/tokens.ts';
import { ApiError } from '../api-error.ts';
import type { Caller, CredentialWay, Identify } from '../utility/caller.ts';
import { checkOrigin } from '../utility/check-origin.ts';
import { readForm } from './bodies.ts';

/** What identifying works with. */
export interface IdentifyOptions {
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
export function createIdentify({ accounts, sourceOf, ownOrigins, checkSource }: IdentifyOptions): Identify {
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
