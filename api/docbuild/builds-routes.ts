import { PassThrough } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import type { Context } from 'koa';
import type { Build } from '../../data/records/build.ts';
import { ApiError } from '../api-error.ts';
import { renderPage } from '../pages/render-page.ts';
import type { Platform } from '../platform.ts';
import { defineRoute, type Route } from '../routes/route.ts';
import { failure } from './answers.ts';

/** Streams that follow logs at once, over all readers. */
const MAX_FOLLOWERS = 200;
const START_POLL_MS = 200;

/** GET builds/<id> and builds/<id>/log: a build for programs and people, and its log, also live. */
export function buildsRoutes({ store, queue, logs, docsApiUrl }: Platform): readonly Route[] {
  let followers = 0;
  return [
    defineRoute({
      method: 'get',
      paths: ['/docbuild/builds/:id'],
      summary: 'Describes a build: JSON, or a page for browsers',
      tag: 'docbuild',
      answers: { 200: { description: 'The build' }, 404: failure('No such build') },
      async handle(ctx, { params }) {
        const build = await getBuild(params['id']);
        ctx.set('Cache-Control', 'no-cache');
        ctx.vary('Accept');
        if (ctx.accepts('json', 'html') === 'html') {
          ctx.type = 'html';
          ctx.body = renderPage('build.njk', {
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
      paths: ['/docbuild/builds/:id/log'],
      summary: 'Gives the log of a build; `Accept: text/event-stream` follows it',
      tag: 'docbuild',
      answers: { 200: { description: 'The log', media: 'text/plain' }, 404: failure('No such build') },
      async handle(ctx, { params }) {
        const build = await getBuild(params['id']);
        ctx.set('Cache-Control', 'no-cache');
        ctx.vary('Accept');
        if (ctx.accepts('text/plain', 'text/event-stream') === 'text/event-stream') await follow(ctx, build);
        else {
          ctx.type = 'text/plain; charset=utf-8';
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

  /** There is no log before a build begins. */
  async function waitForStart(id: string, signal: AbortSignal): Promise<void> {
    while (!signal.aborted && (await store.builds.find(id))?.status === 'queued') await setTimeout(START_POLL_MS);
  }

  /** Server-sent events (WHATWG HTML, 9.2): `data` with each line; `end` with the status. */
  async function follow(ctx: Context, build: Build): Promise<void> {
    if (followers >= MAX_FOLLOWERS) throw new ApiError(503, 'busy', 'Too many readers follow logs; try again later');
    followers++;
    const stop = new AbortController();
    const stream = new PassThrough();
    stream.once('close', () => stop.abort());
    ctx.req.once('close', () => stream.destroy());
    ctx.set('Content-Type', 'text/event-stream');
    ctx.set('X-Accel-Buffering', 'no');
    ctx.body = stream;
    const alive = setInterval(() => stream.write(': still here\n\n'), 20_000);
    const send = async (): Promise<void> => {
      await waitForStart(build.id, stop.signal);
      for await (const line of logs.follow(build.project, build.id, stop.signal)) {
        stream.write(`data: ${line}\n\n`);
      }
      const now = await queue.waitFor(build.id);
      stream.end(`event: end\ndata: ${now?.status ?? 'unknown'}\n\n`);
    };
    send()
      .catch(() => stream.destroy())
      .finally(() => {
        followers--;
        clearInterval(alive);
      });
  }
}

/** Gives a build as programs see it. */
export function presentBuild(build: Build, docsApiUrl: string): object {
  return {
    ...build,
    url: `${docsApiUrl}/docbuild/builds/${build.id}`,
    log: `${docsApiUrl}/docbuild/builds/${build.id}/log`,
  };
}
