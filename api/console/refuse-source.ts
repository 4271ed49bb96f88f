import type { Context } from 'koa';
import { ApiError } from '../api-error.ts';
import type { Platform } from '../platform.ts';

/** Throws ApiError 403 for a source on the block list, which may look at the console, but use nothing. */
export async function refuseSource(
  ctx: Context,
  { blocks, callers }: Pick<Platform, 'blocks' | 'callers'>,
): Promise<void> {
  if (await blocks.findForSource(callers.sourceOf(ctx))) {
    throw new ApiError(403, 'blocked', 'Your address is blocked; ask the operator');
  }
}
