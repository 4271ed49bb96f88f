import type { Context } from 'koa';
import * as z from 'zod';
import type { Build } from '../../data/records/build.ts';
import { phrase } from '../../lib/phrase.ts';
import { LOG_READERS_EACH } from '../../platform/config/limit-settings.ts';
import { ServiceError } from '../../platform/failures/service-error.ts';
import { findCommitUrl } from '../../platform/projects/present-project.ts';
import { buildStatus } from '../http/build-answers.ts';
import type { Caller, Callers } from '../http/callers.ts';
import { sendPage } from '../http/pages.ts';
import { defineRoute, envelope, failure, type Route } from '../http/route.ts';
import { logExamples, presentedBuildExamples, problemsExamples } from './build-examples.ts';

import type { DocbuildContext } from './docbuild-context.ts';
import { createLogFollower } from './log-follower.ts';

/** The schema of a build as programs see it. */
const buildSchema = z.object({
  id: z.string(),
  project: z.string(),
  kind: z.enum(['build', 'remove', 'refresh']),
  ref: z.string().describe('Branch or tag; empty = all of them'),
  cause: z.enum(['command', 'console', 'api', 'webhook', 'restart', 'start', 'poll']),
  status: buildStatus.describe(
    'A running build may be queued again: it takes long, or may, and others could be built quickly',
  ),
  commit: z.string().describe('Empty = unknown'),
  reason: z.string().describe('Why it ended as it did, or is queued again'),
  isScheduled: z.boolean().optional().describe('Requested by the schedule of the project'),
  requests: z.number().describe('Requests that this build answers'),
  retryOf: z.string().describe('The interrupted build that is run again; empty = none'),
  createdAt: z.string(),
  startedAt: z.string().describe('Empty = not yet'),
  finishedAt: z.string().describe('Empty = not yet'),
  result: z
    .object({
      versions: z.number(),
      languages: z.number(),
      pages: z.number(),
      rendered: z.number(),
      reused: z.number(),
      errors: z.number().optional().describe('Pages and versions that could not be published as written'),
      firstError: z.string().optional().describe('The first of them, with file and line'),
      warnings: z.number(),
      bytes: z.number(),
      ms: z.number(),
      fetchMs: z.number(),
    })
    .optional()
    .describe('What was built, once it has passed'),
  url: z.string(),
  log: z.string(),
  problems: z.string().describe('URL of the problems the build found'),
});

/** The schema of what a build found. */
const problemsSchema = z.object({
  errors: z.number().describe('All of them, including those that are not listed'),
  warnings: z.number(),
  problems: z.array(
    z.object({
      severity: z.enum(['error', 'warning']),
      ref: z.string(),
      file: z.string().describe('Empty = the whole version'),
      line: z.number().describe('From 1; 0 = the whole file'),
      code: z.string(),
      message: z.string(),
    }),
  ),
});

/** How those who follow a log may say who they are. */
const WAYS = ['header', 'session-header', 'session-cookie'] as const;

/** GET builds/<id>, builds/<id>/problems and builds/<id>/log: a build for programs and people, what it found, its log. */
export function buildsRoutes({
  store,
  queue,
  logs,
  codeHosts,
  docsApiUrl,
  callers,
}: DocbuildContext & { readonly callers: Pick<Callers, 'identify' | 'sourceOf'> }): readonly Route[] {
  const follow = createLogFollower({ store, queue, logs });
  return [
    defineRoute({
      method: 'get',
      paths: ['/docbuild/builds/:id'],
      summary: 'Describes a build: JSON, or a page for browsers',
      tag: 'docbuild',
      area: 'docs',
      answers: {
        200: { description: 'The build', schema: envelope(buildSchema), otherMedia: ['text/html'] },
        404: failure('No such build'),
      },
      examples: presentedBuildExamples,
      async handle(ctx, { params }) {
        const build = await getBuild(params['id']);
        ctx.set('Cache-Control', 'no-cache');
        ctx.vary('Accept');
        if (ctx.accepts('json', 'html') === 'html') {
          const project = await store.projects.find(build.project);
          sendPage(ctx, 'build.njk', {
            build,
            commitUrl: project ? findCommitUrl(project, build.commit, codeHosts) : '',
            log: await logs.read(build.project, build.id),
            logUrl: `${build.id}/log`,
          });
          return;
        }
        ctx.body = { success: true, message: '', data: presentBuild(build, docsApiUrl) };
      },
    }),
    defineRoute({
      method: 'get',
      paths: ['/docbuild/builds/:id/problems'],
      summary: 'Lists what a build found: the first 500 errors and 500 warnings, by version, file and line',
      tag: 'docbuild',
      area: 'docs',
      answers: {
        200: { description: 'Errors, then warnings', schema: envelope(problemsSchema) },
        404: failure('No such build'),
      },
      examples: problemsExamples,
      async handle(ctx, { params }) {
        const { project, id, result } = await getBuild(params['id']);
        const problems = await logs.readProblems(project, id);
        ctx.set('Cache-Control', 'no-cache');
        const { errors = 0, warnings = 0 } = result ?? {};
        ctx.body = { success: true, message: '', data: { errors, warnings, problems } };
      },
    }),
    defineRoute({
      method: 'get',
      paths: ['/docbuild/builds/:id/log'],
      summary: 'Returns the log of a build; `Accept: text/event-stream` follows it',
      tag: 'docbuild',
      area: 'docs',
      credentials: { ways: WAYS, isRequired: false },
      answers: {
        200: { description: 'The log', media: 'text/plain', otherMedia: ['text/event-stream'] },
        204: { description: 'All events have been read; there will be no more' },
        404: failure('No such build'),
        429: failure(
          `The user, or the address of somebody who is not logged in, follows ${LOG_READERS_EACH} logs; see \`Retry-After\``,
        ),
        503: failure(
          'Too many clients are following logs; `Retry-After` says how long to wait. Users have places of their own',
        ),
      },
      examples: logExamples,
      async handle(ctx, { params }) {
        const build = await getBuild(params['id']);
        ctx.set('Cache-Control', 'no-cache');
        ctx.vary('Accept');
        if (ctx.accepts('text/plain', 'text/event-stream') === 'text/event-stream')
          follow(ctx, build, await identify(ctx));
        else {
          ctx.type = 'text/plain; charset=utf-8';
          // It quotes what repositories hold.
          ctx.set('X-Content-Type-Options', 'nosniff');
          ctx.body = await logs.read(build.project, build.id);
        }
      },
    }),
  ];

  /** Logs are for everybody, so a credential that has expired shuts nobody out. */
  async function identify(ctx: Context): Promise<Pick<Caller, 'user' | 'source'>> {
    try {
      return await callers.identify(ctx, WAYS);
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      return { user: undefined, source: callers.sourceOf(ctx) };
    }
  }

  async function getBuild(id: string | undefined): Promise<Build> {
    const build = /^[0-9a-z]{20}$/.test(id ?? '') ? await store.builds.find(id!) : undefined;
    if (!build) throw new ServiceError('not-found', phrase`Build "${(id ?? '').slice(0, 50)}" does not exist`);
    return build;
  }
}

/** Returns a build as programs see it. */
function presentBuild({ run: _, ...build }: Build, docsApiUrl: string): object {
  return {
    ...build,
    url: `${docsApiUrl}/docbuild/builds/${build.id}`,
    log: `${docsApiUrl}/docbuild/builds/${build.id}/log`,
    problems: `${docsApiUrl}/docbuild/builds/${build.id}/problems`,
  };
}
