import * as z from 'zod';
import { WebhookError } from '../../platform/code-hosts/code-host.ts';
import { github } from '../../platform/code-hosts/github.ts';
import { ServiceError } from '../../platform/failures/service-error.ts';
import type { GithubApp } from '../../platform/github-app/github-app.ts';
import type { SecretGuesses } from '../../platform/pushes/secret-guesses.ts';
import type { Callers } from '../http/callers.ts';
import { readBody } from '../http/read-body.ts';
import { defineRoute, failure, type Route } from '../http/route.ts';

/** Largest body of a call: what GitHub sends at most. */
const MAX_BODY_BYTES = 25 * 1024 * 1024;

/** The key under which guesses at the App's secret count; no project has this name. */
const APP = { name: 'github/app', secret: '' };

/** POST github/app: what GitHub calls for the App; 503 where the App is not set up. */
export function githubAppRoute({
  githubApp: app,
  guesses,
  callers,
}: {
  /** Or which settings are missing for it. */
  readonly githubApp: GithubApp | { readonly missing: string };
  readonly guesses: SecretGuesses;
  readonly callers: Pick<Callers, 'sourceOf'>;
}): Route {
  return defineRoute({
    method: 'post',
    paths: ['/docbuild/github/app'],
    summary: 'Receives events of the GitHub App',
    tag: 'docbuild',
    area: 'docs',
    headers: { 'X-GitHub-Event': 'GitHub: the event' },
    credentials: { ways: github.webhooks?.proofs ?? [], isRequired: true },
    body: { 'application/json': {} },
    answers: {
      200: { description: 'Done, or nothing to do', schema: z.object({ success: z.boolean(), message: z.string() }) },
      400: failure('Not readable'),
      403: failure('The signature is missing or wrong'),
      413: failure('The body has more than 25 MiB'),
      429: failure('Too many wrong signatures; `Retry-After` says how long to wait'),
      503: failure('The App is not set up'),
    },
    examples: [
      {
        summary: 'When the App is not set up',
        path: '/docbuild/github/app',
        headers: { 'X-GitHub-Event': 'installation' },
        json: { action: 'created' },
        status: 503,
        answer: {
          success: false,
          message: 'The GitHub App is not set up on this server: "github_app.enabled" is false',
        },
      },
    ],
    async handle(ctx) {
      if ('missing' in app) {
        const message = `The GitHub App is not set up on this server: ${app.missing}`;
        throw new ServiceError('not-configured', message);
      }
      const call = { headers: ctx.headers, rawBody: await readBody(ctx, MAX_BODY_BYTES) };
      const { status, body } = await app.handle(call).catch((error: unknown) => {
        if (error instanceof WebhookError && error.code === 'wrong-signature')
          guesses.accept(APP, { source: callers.sourceOf(ctx), proof: 'wrong' });
        throw error;
      });
      ctx.status = status;
      ctx.body = body;
    },
  });
}
