import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import type { Context } from 'koa';
import { type Build, hasEnded } from '../../data/records/build.ts';
import { phrase } from '../../lib/phrase.ts';
import { LOG_READERS_EACH } from '../../platform/config/limit-settings.ts';
import { ServiceError } from '../../platform/failures/service-error.ts';
import type { Caller } from '../http/callers.ts';
import type { DocbuildContext } from './docbuild-context.ts';

/** Streams at once, over all readers of a kind: strangers shut out no user, and users no operator. */
const PLACES = { stranger: 120, user: 60, operator: 40 };
const WAIT = { 'Retry-After': '10' };
/** Whoever follows a log. */
type Reader = Pick<Caller, 'user' | 'source'>;

const START_POLL_MS = 200;
const ALIVE_MS = 20_000;
/** A reader who takes nothing for so long has left, or wants to hold a place. */
const STALL_MS = 60_000;
/** Id of the last event: whoever has seen it needs no more. */
const END = 'end';

/**
 * Creates the answer that follows a log as server-sent events (WHATWG HTML, 9.2): `data` with each line, its number as id,
 * then `end` with the status. A reader who comes back with `Last-Event-ID` gets what it has not seen. Throws ServiceError 429 for
 * a reader who follows many logs already, and 503 when too many readers do.
 */
export function createLogFollower({
  store,
  queue,
  logs,
  stallMs = STALL_MS,
}: Pick<DocbuildContext, 'store' | 'queue' | 'logs'> & {
  /** How long a reader may take nothing while something is sent; default: 60 s. */
  readonly stallMs?: number;
}): (ctx: Context, build: Build, reader: Reader) => void {
  const takePlace = createPlaces();
  return (ctx, build, reader) => {
    const seen = ctx.get('Last-Event-ID');
    if (seen === END) {
      // The one status that tells browsers not to come back.
      ctx.status = 204;
      return;
    }
    const isHead = ctx.method === 'HEAD';
    const leavePlace = isHead ? () => {} : takePlace(reader);
    ctx.status = 200;
    ctx.set({ 'Content-Type': 'text/event-stream', 'X-Accel-Buffering': 'no' });
    if (isHead) return;
    const stream = new PassThrough();
    ctx.res.setTimeout(stallMs);
    ctx.res.once('close', () => stream.destroy());
    // Who has left before this would never be seen to leave.
    if (ctx.res.destroyed) stream.destroy();
    ctx.body = stream;
    const alive = setInterval(() => stream.write(': still here\n\n'), ALIVE_MS);
    void send(build, stream, /^\d{1,9}$/.test(seen) ? Number(seen) : 0)
      // The reader left, or the log cannot be read: a stream that breaks off is asked for again.
      .catch(() => stream.destroy())
      .finally(() => {
        leavePlace();
        clearInterval(alive);
      });
  };

  async function send(build: Build, stream: PassThrough, seen: number): Promise<void> {
    const left = new AbortController();
    const hasLeft = new Promise<'left'>((resolve) => {
      const leave = (): void => {
        left.abort();
        resolve('left');
      };
      if (stream.destroyed) leave();
      else stream.once('close', leave);
    });
    let sent = seen;
    // A build that is put back goes on with its log when it begins again, which may be over before its first part has been sent.
    for (let isOver = false; !isOver && (await hasStarted(build.id, left.signal)); ) {
      // Asked first: what is written until it ends is read, too.
      const found = await store.builds.find(build.id);
      isOver = found === undefined || hasEnded(found.status) || left.signal.aborted || queue.isStopping();
      let number = 0;
      for await (const line of logs.follow(build.project, build.id, left.signal)) {
        if (++number <= sent) continue;
        sent = number;
        // A reader that is slow is waited for, so that it never costs more than a buffer.
        if (!stream.write(`id: ${number}\ndata: ${line}\n\n`)) await once(stream, 'drain', { signal: left.signal });
      }
      // Its log ends a little before it.
      if (!isOver) await Promise.race([queue.waitFor(build.id), setTimeout(START_POLL_MS), hasLeft]);
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

/** Returns a function that takes a place for a reader and returns how to leave it. */
function createPlaces(): (reader: Reader) => () => void {
  const taken = new Map<string, number>();
  const count = (key: string, by: 1 | -1): void => {
    const now = (taken.get(key) ?? 0) + by;
    if (now > 0) taken.set(key, now);
    else taken.delete(key);
  };
  return ({ user, source }) => {
    const kind = user?.isOperator ? 'operator' : user ? 'user' : 'stranger';
    // Users are not counted by address: strangers may call from the same one.
    const own = user ? `user ${user.uid}` : `source ${source}`;
    if ((taken.get(own) ?? 0) >= LOG_READERS_EACH) {
      const message = user
        ? phrase`You are following ${LOG_READERS_EACH} logs already; close one, or try again later`
        : phrase`Your address is following ${LOG_READERS_EACH} logs already; close one, or try again later`;
      throw new ServiceError('too-many', message, { headers: WAIT, limit: 'log-readers' });
    }
    if ((taken.get(kind) ?? 0) >= PLACES[kind]) {
      const message = user
        ? phrase`Too many clients are following logs; try again later`
        : phrase`Too many clients are following logs; try again later, or log in`;
      throw new ServiceError('overloaded', message, { headers: WAIT });
    }
    for (const key of [kind, own]) count(key, 1);
    return () => {
      for (const key of [kind, own]) count(key, -1);
    };
  };
}
