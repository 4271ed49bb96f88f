import type { Context, Middleware } from 'koa';
import type { Block } from '../../data/records/block.ts';
import { phrase } from '../../lib/phrase.ts';
import type { Blocks } from '../../platform/blocks/blocks.ts';
import { isUtility } from '../../platform/config/service-paths.ts';
import { ERROR_CODES } from '../../platform/failures/error-codes.ts';
import { ServiceError } from '../../platform/failures/service-error.ts';
import type { Callers } from './callers.ts';
import { failure, type Route } from './route.ts';
import { setOriginHeaders } from './router.ts';

const WAYS = ['header', 'session-header', 'url-query', 'post-form', 'session-cookie'] as const;

/**
 * Refuses calls to the utility API from blocked sources before anything else happens: 429 with `Retry-After`, or 403 for a
 * permanent block. Valid keys and sessions pass, since anybody may call from the same address, and so do browsers that follow a
 * short URL and logins with a known device. Calls that are answered with 429 further on count against their source, unless it has only asked too much at once; `onError` receives failures to
 * block it, for which no answer waits.
 */
export function refuseBlocked({
  blocks,
  callers,
  isKnownLogin,
  now,
  onError,
}: {
  readonly blocks: Blocks;
  readonly callers: Pick<Callers, 'identify' | 'sourceOf'>;
  /** Returns whether a request is a login of somebody who has logged in from the same browser before. */
  readonly isKnownLogin: (ctx: Context) => Promise<boolean>;
  readonly now: () => Date;
  readonly onError: (error: unknown) => void;
}): Middleware {
  const isKnown = async (ctx: Context): Promise<boolean> => {
    try {
      return (await isKnownLogin(ctx)) || (await callers.identify(ctx, WAYS)).user !== undefined;
    } catch (error) {
      if (error instanceof ServiceError) return false;
      throw error;
    }
  };
  const handle: Middleware = async (ctx, next) => {
    const source = callers.sourceOf(ctx);
    const block = await blocks.findForSource(source);
    if (block && !isFollowing(ctx) && !(await isKnown(ctx))) {
      // Pages of other origins may read why.
      setOriginHeaders(ctx.res);
      throw createRefusal(block, now().getTime());
    }
    let isRefused = false;
    try {
      await next();
      isRefused = ctx.status === 429;
    } catch (error) {
      isRefused = error instanceof ServiceError && error.status === 429 && !ERROR_CODES[error.code].isBrief;
      throw error;
    } finally {
      if (isRefused) blocks.countRefusal(source).catch(onError);
    }
  };
  return (ctx, next) => (isUtility(ctx.path.toLowerCase()) ? handle(ctx, next) : next());
}

/** Checks whether a browser follows a short URL or shows its QR code: its reader has not asked for anything that is limited. */
function isFollowing(ctx: Context): boolean {
  const isRead = ctx.method === 'GET' || ctx.method === 'HEAD';
  if (!isRead || !/^\/t\/[^/]/i.test(ctx.path)) return false;
  return (/\.svg$/i.test(ctx.path) ? /\bimage\//i : /\btext\/html\b/i).test(ctx.get('Accept'));
}

function createRefusal({ until, reason, by }: Block, nowMs: number): ServiceError {
  const told = reason === '' ? '' : phrase`: ${reason}`;
  const why = by === 'limit' ? phrase`, because it kept calling beyond its limit` : told;
  if (until === '') return new ServiceError('blocked', phrase`This address is blocked${why}`);
  const seconds = Math.max(1, Math.ceil((Date.parse(until) - nowMs) / 1000));
  return new ServiceError('blocked', phrase`This address is blocked for another ${seconds} s${why}`, {
    status: 429,
    headers: { 'Retry-After': String(seconds) },
    limit: 'blocks',
  });
}

/** Describes what blocked sources are answered at a route of the utility API, unless the route does so itself. */
export function describeRefusals(route: Route): Route {
  const refusals = {
    403: failure('The source is blocked permanently'),
    429: failure('The source is blocked; `Retry-After` says for how long'),
  };
  return { ...route, answers: { ...refusals, ...route.answers } };
}

/** Throws ServiceError 403 for a blocked source, for the registration on the console: blocked sources may use it otherwise. */
export async function checkNotBlocked(
  ctx: Context,
  { blocks, callers }: { readonly blocks: Blocks; readonly callers: Callers },
): Promise<void> {
  if (await blocks.findForSource(callers.sourceOf(ctx))) {
    throw new ServiceError('blocked', phrase`Your address is blocked; ask the operator`);
  }
}
