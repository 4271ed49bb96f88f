import type { Context, Middleware } from 'koa';
import type { Project } from '../../../data/records/project.ts';
import { handleWebhook } from './handle-webhook.ts';
import type { WebhookContext } from './webhook-context.ts';

/** Creates the route of a project's webhook; finding the project and reading the body within its limit is the router's. */
export function createWebhookRoute(options: {
  readonly context: WebhookContext;
  /** Throws ApiError 404 for an unknown project. */
  readonly getProject: (ctx: Context) => Promise<Project>;
  /** Returns the body as it came. Throws ApiError 413 for a body above the limit. */
  readonly readBody: (ctx: Context) => Promise<Uint8Array>;
}): Middleware {
  const { context, getProject, readBody } = options;
  return async (ctx) => {
    const project = await getProject(ctx);
    const rawBody = await readBody(ctx);
    const { status, body } = await handleWebhook({ project, headers: ctx.headers, rawBody }, context);
    ctx.status = status;
    ctx.body = body;
  };
}
