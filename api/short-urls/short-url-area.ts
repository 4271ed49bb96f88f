import type { Context, Middleware } from 'koa';
import { ApiError, toApiError } from '../http/errors.ts';

/** Both spellings of the address of reduction and creation. */
export const SHORT_URL_PATHS = ['/openservice/shorturl/v1/', '/openservice/shorturl/v1'] as const;

/**
 * Gives the answers of reduction and creation their own shape: errors are `{code, msg}` with the code as HTTP status. Pages
 * of other origins may read answers of `Action=reduction`, and none else: both actions share one address, so that the query
 * decides, of a preflight too. Belongs outside of whatever allows origins.
 */
export function shortUrlArea(): Middleware {
  const handle: Middleware = async (ctx, next) => {
    const isOpen = isReduction(ctx.querystring);
    try {
      if (ctx.method === 'OPTIONS') answerOptions(ctx, isOpen);
      else {
        await next();
        if (ctx.status >= 400 && ctx.body === undefined) throw describeStatus(ctx.status);
      }
    } catch (error) {
      presentError(ctx, error);
    }
    ctx.set('Cache-Control', 'no-store');
    for (const name of ['Origin', 'Expose-Headers', 'Credentials']) ctx.remove(`Access-Control-Allow-${name}`);
    ctx.remove('Access-Control-Expose-Headers');
    if (!isOpen) return;
    ctx.set('Access-Control-Allow-Origin', '*');
    ctx.set('Access-Control-Expose-Headers', 'Retry-After, X-Request-Id');
  };
  return (ctx, next) => (isHere(ctx.path) ? handle(ctx, next) : next());
}

/** As the router takes them. */
function isHere(path: string): boolean {
  return /^\/openservice\/shorturl\/v1\/*$/i.test(path);
}

function isReduction(querystring: string): boolean {
  const actions = new URLSearchParams(querystring).getAll('Action');
  return actions.length === 1 && actions[0] === 'reduction';
}

function answerOptions(ctx: Context, isOpen: boolean): void {
  ctx.status = 204;
  ctx.set('Allow', 'POST, OPTIONS');
  if (!isOpen) return;
  ctx.set('Access-Control-Allow-Methods', 'POST');
  ctx.set('Access-Control-Allow-Headers', 'Content-Type');
  ctx.set('Access-Control-Max-Age', '86400');
}

function describeStatus(status: number): ApiError {
  return status === 405 || status === 501
    ? new ApiError(status, 'method', 'Only POST is answered here', { expose: true })
    : new ApiError(status, 'not-found', 'Nothing is here');
}

function presentError(ctx: Context, error: unknown): void {
  const known = toApiError(error);
  if (known.status >= 500 && known.status !== 501) ctx.app.emit('error', error, ctx);
  ctx.status = known.status;
  ctx.set({ ...known.headers });
  const msg = known.expose ? known.message : 'Internal error; the server log has the details';
  ctx.body = { code: known.status, msg, ...known.extra };
}
