import type { Context, Middleware } from 'koa';
import type { Blocks } from '../../data/blocks/create-blocks.ts';
import type { Block } from '../../data/records/block.ts';
import type { Platform } from '../platform.ts';
import { ApiError } from './errors.ts';
import { setOriginHeaders } from './router.ts';

/** What the middleware works with. */
interface BlockedContext {
  readonly blocks: Blocks;
  readonly sourceOf: (ctx: Context) => string;
  readonly now: () => Date;
  /** Hears of failures to put a source on the list; the answer does not wait for it. */
  readonly onError: (error: unknown) => void;
}

/** Where the utility API answers; the router does not tell capitals from small letters. */
const PREFIXES = /^\/(?:api|openservice|t)(?:\/|$)/i;

/**
 * Refuses calls to the utility API from sources on the block list before anything else is done for them: 429 with
 * `Retry-After`, or 403 where the block has no end. Calls that are answered with 429 behind it are counted against
 * their source.
 */
export function refuseBlocked({ blocks, sourceOf, now, onError }: BlockedContext): Middleware {
  const handle: Middleware = async (ctx, next) => {
    const source = sourceOf(ctx);
    const block = await blocks.findForSource(source);
    if (block) {
      // Pages of other origins get to read why.
      setOriginHeaders(ctx.res);
      throw createRefusal(block, now().getTime());
    }
    let status: unknown;
    try {
      await next();
      status = ctx.status;
    } catch (error) {
      status = (error as { status?: unknown }).status;
      throw error;
    } finally {
      if (status === 429) blocks.countRefusal(source).catch(onError);
    }
  };
  return (ctx, next) => (PREFIXES.test(ctx.path) ? handle(ctx, next) : next());
}

function createRefusal({ until, reason, by }: Block, nowMs: number): ApiError {
  const told = reason === '' ? '' : `: ${reason}`;
  const why = by === 'limit' ? ', as it went on calling after its limit' : told;
  if (until === '') return new ApiError(403, 'blocked', `This address is blocked${why}`);
  const seconds = Math.max(1, Math.ceil((Date.parse(until) - nowMs) / 1000));
  return new ApiError(429, 'blocked', `This address is blocked for another ${seconds} s${why}`, {
    headers: { 'Retry-After': String(seconds) },
  });
}

/** Throws ApiError 403 for a source on the block list, which may look at the console, but use nothing. */
export async function refuseSource(
  ctx: Context,
  { blocks, callers }: Pick<Platform, 'blocks' | 'callers'>,
): Promise<void> {
  if (await blocks.findForSource(callers.sourceOf(ctx))) {
    throw new ApiError(403, 'blocked', 'Your address is blocked; ask the operator');
  }
}
