import type { Context, Middleware } from 'koa';
import { ApiError } from '../../http/errors.ts';
import type { GithubApp } from './create-github-app.ts';

/** Creates the route that GitHub calls for the App; answers 503 where the App is not set up. */
export function createGithubAppRoute(options: {
  readonly app: GithubApp | { readonly missing: string };
  /** Returns the body as it came. Throws ApiError 413 for a body above the limit. */
  readonly readBody: (ctx: Context) => Promise<Uint8Array>;
}): Middleware {
  const { app, readBody } = options;
  return async (ctx) => {
    if ('missing' in app) {
      const message = `The GitHub App is not set up on this server: ${app.missing}`;
      throw new ApiError(503, 'not-configured', message, { expose: true });
    }
    const { status, body } = await app.handle({ headers: ctx.headers, rawBody: await readBody(ctx) });
    ctx.status = status;
    ctx.body = body;
  };
}
