import type { Build } from '../../data/records/build.ts';
import { sendPage } from '../http/answers.ts';
import { ApiError } from '../http/errors.ts';
import { defineRoute, envelope, failure, type Route } from '../http/route.ts';
import { logExamples, presentedBuildExamples, problemsExamples } from './build-examples.ts';
import { buildSchema, problemsSchema } from './build-schema.ts';
import { createLogFollower } from './create-log-follower.ts';
import type { DocbuildContext } from './docbuild-context.ts';

/** GET builds/<id>, builds/<id>/problems and builds/<id>/log: a build for programs and people, what it found, its log. */
export function buildsRoutes({ store, queue, logs, docsApiUrl }: DocbuildContext): readonly Route[] {
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
          sendPage(ctx, 'build.njk', {
            build,
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
      answers: {
        200: { description: 'The log', media: 'text/plain', otherMedia: ['text/event-stream'] },
        204: { description: 'All events have been read; there will be no more' },
        404: failure('No such build'),
      },
      examples: logExamples,
      async handle(ctx, { params }) {
        const build = await getBuild(params['id']);
        ctx.set('Cache-Control', 'no-cache');
        ctx.vary('Accept');
        if (ctx.accepts('text/plain', 'text/event-stream') === 'text/event-stream') follow(ctx, build);
        else {
          ctx.type = 'text/plain; charset=utf-8';
          // It quotes what repositories hold.
          ctx.set('X-Content-Type-Options', 'nosniff');
          ctx.body = await logs.read(build.project, build.id);
        }
      },
    }),
  ];

  async function getBuild(id: string | undefined): Promise<Build> {
    const build = /^[0-9a-z]{20}$/.test(id ?? '') ? await store.builds.find(id!) : undefined;
    if (!build) throw new ApiError(404, 'not-found', `Build "${(id ?? '').slice(0, 50)}" does not exist`);
    return build;
  }
}

/** Returns a build as programs see it. */
export function presentBuild(build: Build, docsApiUrl: string): object {
  return {
    ...build,
    url: `${docsApiUrl}/docbuild/builds/${build.id}`,
    log: `${docsApiUrl}/docbuild/builds/${build.id}/log`,
    problems: `${docsApiUrl}/docbuild/builds/${build.id}/problems`,
  };
}
