import Router from '@koa/router';
import { ApiError } from '../api-error.ts';
import type { Route } from './route.ts';

/** Longest query string in characters. */
const MAX_QUERY = 8_000;

/** Gives a router for routes; it checks their queries, answers HEAD for GET, and 405 and OPTIONS for what is not there. */
export function createRouter(routes: readonly Route[]): Router {
  const router = new Router();
  for (const route of routes) {
    for (const path of route.paths) {
      router[route.method](path, async (ctx) => {
        await route.handle(ctx as never, {
          params: ctx['params'] as Record<string, string>,
          query: readQuery(route, ctx.querystring),
        });
      });
    }
  }
  return router;
}

function readQuery({ query }: Route, text: string): Record<string, unknown> {
  if (!query) return {};
  if (text.length > MAX_QUERY) throw new ApiError(414, 'too-long', `The query has more than ${MAX_QUERY} characters`);
  const values = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(text)) {
    if (!Object.hasOwn(query.shape, name)) continue;
    if (values.has(name)) throw new ApiError(400, 'bad-request', `Parameter "${name}" is given more than once`);
    values.set(name, value);
  }
  const result = query.safeParse(Object.fromEntries(values));
  if (result.success) return result.data;
  const issue = result.error.issues[0]!;
  throw new ApiError(
    400,
    'bad-request',
    `Parameter "${issue.path.join('.')}": ${issue.message.replace(/^Invalid input: /, '')}`,
  );
}
