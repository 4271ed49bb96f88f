import type { Context, Middleware } from 'koa';

/**
 * Allows pages of other origins to read answers of `Action=reduction`, and no others: both actions share one path, so the
 * query decides, also for preflights. Must surround whatever else sets CORS headers.
 */
export function allowReductionOrigins(): Middleware {
  const handle: Middleware = async (ctx, next) => {
    const isOpen = isReduction(ctx.querystring);
    try {
      if (ctx.method === 'OPTIONS') answerOptions(ctx, isOpen);
      else await next();
    } finally {
      ctx.set('Cache-Control', 'no-store');
      for (const name of ['Allow-Origin', 'Allow-Credentials', 'Expose-Headers']) {
        ctx.remove(`Access-Control-${name}`);
      }
      if (isOpen) {
        ctx.set('Access-Control-Allow-Origin', '*');
        ctx.set('Access-Control-Expose-Headers', 'Retry-After, X-Request-Id');
      }
    }
  };
  // The router ignores case and slashes at the end.
  return (ctx, next) => (/^\/openservice\/shorturl\/v1\/*$/i.test(ctx.path) ? handle(ctx, next) : next());
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
