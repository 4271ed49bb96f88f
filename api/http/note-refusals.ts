import type { Middleware } from 'koa';
import type { Limits } from '../../platform/limits/limits.ts';
import type { Callers } from './callers.ts';
import { LIMIT } from './errors.ts';

/** Longest path that names a limit. */
const MAX_PATH = 60;

/**
 * Notes who is refused by a limit, for operators: by its name, or, where the answer 429 has none, by method and path. Stands around
 * what answers failures.
 */
export function noteRefusals({
  limits,
  callers,
}: {
  readonly limits: Pick<Limits, 'note'>;
  readonly callers: Pick<Callers, 'sourceOf'>;
}): Middleware {
  return async (ctx, next) => {
    await next();
    const limit: unknown = ctx.state[LIMIT];
    if (ctx.status !== 429 && limit === undefined) return;
    const name = typeof limit === 'string' ? limit : `${ctx.method} ${ctx.path.slice(0, MAX_PATH)}`;
    limits.note(name, { caller: callers.sourceOf(ctx), waitS: Number(ctx.response.get('Retry-After')) });
  };
}
