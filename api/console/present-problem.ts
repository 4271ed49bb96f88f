import type { Context } from 'koa';
import { toApiError } from '../http/errors.ts';

/**
 * Returns what is wrong with a form that was sent, in words for its sender, and sets status and headers of the answer. Throws
 * what is not theirs to mend, so that it is logged.
 */
export function presentProblem(ctx: Context, error: unknown): string {
  const { status, code, expose, headers, message } = toApiError(error);
  if (!expose || (status >= 500 && code !== 'busy')) throw error;
  ctx.status = status;
  ctx.set({ ...headers });
  return message;
}
