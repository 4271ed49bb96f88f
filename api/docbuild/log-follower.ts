import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import type { Context } from 'koa';
import { type Build, hasEnded } from '../../data/records/build.ts';
import { ApiError } from '../http/errors.ts';
import type { DocbuildContext } from './docbuild-context.ts';

/** Streams that follow logs at once, over all readers. */
const MAX_FOLLOWERS = 200;
const START_POLL_MS = 200;
const ALIVE_MS = 20_000;
/** Id of the last event: whoever has seen it needs no more. */
const END = 'end';

/**
 * Creates the answer that follows a log as server-sent events (WHATWG HTML, 9.2): `data` with each line, its number as id,
 * then `end` with the status. A reader who comes back with `Last-Event-ID` gets what it has not seen. Throws ApiError 503
 * when too many readers follow.
 */
export function createLogFollower({
  store,
  queue,
  logs,
}: Pick<DocbuildContext, 'store' | 'queue' | 'logs'>): (ctx: Context, build: Build) => void {
  let followers = 0;
  return (ctx, build) => {
    const seen = ctx.get('Last-Event-ID');
    if (seen === END) {
      // The one status that tells browsers not to come back.
      ctx.status = 204;
      return;
    }
    ctx.status = 200;
    ctx.set({ 'Content-Type': 'text/event-stream', 'X-Accel-Buffering': 'no' });
    if (ctx.method === 'HEAD') return;
    if (followers >= MAX_FOLLOWERS)
      throw new ApiError(503, 'busy', 'Too many clients are following logs; try again later');
    followers++;
    const stream = new PassThrough();
    ctx.res.once('close', () => stream.destroy());
    ctx.body = stream;
    const alive = setInterval(() => stream.write(': still here\n\n'), ALIVE_MS);
    void send(build, stream, /^\d{1,9}$/.test(seen) ? Number(seen) : 0)
      // The reader left, or the log cannot be read: a stream that breaks off is asked for again.
      .catch(() => stream.destroy())
      .finally(() => {
        followers--;
        clearInterval(alive);
      });
  };

  async function send(build: Build, stream: PassThrough, seen: number): Promise<void> {
    const left = new AbortController();
    const hasLeft = new Promise<'left'>((resolve) => {
      stream.once('close', () => {
        left.abort();
        resolve('left');
      });
    });
    let sent = seen;
    // A build that is put back goes on with its log when it begins again.
    while (await hasStarted(build.id, left.signal)) {
      let number = 0;
      for await (const line of logs.follow(build.project, build.id, left.signal)) {
        if (++number <= sent) continue;
        sent = number;
        // A reader that is slow is waited for, so that it never costs more than a buffer.
        if (!stream.write(`id: ${number}\ndata: ${line}\n\n`)) await once(stream, 'drain', { signal: left.signal });
      }
      if ((await store.builds.find(build.id))?.status !== 'queued') break;
    }
    const now = await Promise.race([queue.waitFor(build.id), hasLeft]);
    if (now === 'left') return;
    const isOver = now === undefined || hasEnded(now.status);
    stream.end(isOver ? `id: ${END}\nevent: end\ndata: ${now?.status ?? 'unknown'}\n\n` : '');
  }

  /** Waits for a build to begin, since there is no log before; returns whether it has. */
  async function hasStarted(id: string, signal: AbortSignal): Promise<boolean> {
    while ((await store.builds.find(id))?.status === 'queued') {
      if (signal.aborted || queue.isStopping()) return false;
      await setTimeout(START_POLL_MS);
    }
    return true;
  }
}
