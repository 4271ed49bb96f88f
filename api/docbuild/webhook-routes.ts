import { z } from 'zod';
import { readBody } from '../http/bodies.ts';
import { defineRoute, failure, type Route } from '../http/route.ts';
import { acceptedSchema } from './build-schema.ts';
import type { DocbuildContext } from './docbuild-context.ts';
import { getProject } from './get-project.ts';
import { createGithubAppRoute } from './github-app/github-app-route.ts';
import { githubAppExamples, webhookExamples } from './webhook-examples.ts';
import { createWebhookRoute } from './webhooks/webhook-route.ts';

/** Largest body of a webhook: what GitHub sends at most. */
const MAX_BODY_BYTES = 25_000_000;

const nothingSchema = z.object({
  success: z.boolean(),
  message: z.string(),
  ping: z.literal('pong').optional(),
  branch: z.string().optional(),
});

const headers = {
  'X-GitHub-Event': 'GitHub: the event',
  'X-Gitee-Event': 'Gitee: the event',
};
const answers = {
  201: { description: 'A build was requested, or the call joined one that waits', schema: acceptedSchema },
  200: { description: 'Nothing to build: a ping, an event that is ignored, an excluded branch', schema: nothingSchema },
  400: failure('From an unknown service, or not readable'),
  403: failure('The signature is missing or wrong'),
  413: failure('The body has more than 25 MB'),
};

/** POST webhook and github/app: what code hosts call. */
export function webhookRoutes({ store, webhooks: context, githubApp }: DocbuildContext): readonly Route[] {
  const webhook = createWebhookRoute({
    context,
    getProject: (ctx) => getProject(store, (ctx as unknown as { params: { project: string } }).params.project),
    readBody: (ctx) => readBody(ctx.req, MAX_BODY_BYTES),
  });
  const app = createGithubAppRoute({ app: githubApp, readBody: (ctx) => readBody(ctx.req, MAX_BODY_BYTES) });
  const done = async (): Promise<void> => {};
  return [
    defineRoute({
      method: 'post',
      paths: ['/docbuild/github/app'],
      summary: 'Receives events of the GitHub App',
      tag: 'docbuild',
      area: 'docs',
      headers: { 'X-GitHub-Event': headers['X-GitHub-Event'] },
      credentials: { ways: ['github-signature'], isRequired: true },
      body: { 'application/json': {} },
      answers: {
        200: { description: 'Done, or nothing to do', schema: z.object({ success: z.boolean(), message: z.string() }) },
        400: failure('Not readable'),
        403: answers[403],
        413: answers[413],
        503: failure('The App is not set up'),
      },
      examples: githubAppExamples,
      handle: async (ctx) => app(ctx as never, done),
    }),
    defineRoute({
      method: 'post',
      paths: ['/docbuild/webhook/:project', '/docbuild/:project/webhook'],
      summary: 'Receives a webhook of GitHub or Gitee',
      tag: 'docbuild',
      area: 'docs',
      headers,
      // Asked of projects with a secret alone.
      credentials: { ways: ['github-signature', 'gitee-token'], isRequired: false },
      body: { 'application/json': {}, 'application/x-www-form-urlencoded': {} },
      answers: { ...answers, 404: failure('No such project') },
      examples: webhookExamples,
      handle: async (ctx) => webhook(ctx as never, done),
    }),
  ];
}
