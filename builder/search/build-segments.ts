import { Worker } from 'node:worker_threads';
import { BuildError } from '../build-error.ts';
import type { SegmentInput } from './search-segment.ts';

/** Segments that are with the thread at a time: one that it works on, and what it begins with next. */
const IN_HAND = 3;

/** Room for young objects, MB: a segment leaves little garbage behind, and more room would only take longer to be collected. */
const YOUNG_MB = 8;

/**
 * Indexes segments on a worker thread of its own, in their order, which ends after the last one. Neither they nor what they are made into
 * are held: a segment is read when its turn comes, and `keep` takes the result. The promises settle when it has; they reject with
 * BuildError `worker` where the thread fails, and nobody has to wait for them.
 */
export function buildSegments(
  count: number,
  {
    workerUrl,
    read,
    keep,
  }: {
    readonly workerUrl: URL;
    readonly read: (at: number) => SegmentInput;
    readonly keep: (at: number, part: string) => void;
  },
): readonly Promise<void>[] {
  const worker = new Worker(workerUrl, { resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB } });
  const waiting: { readonly resolve: () => void; readonly reject: (error: unknown) => void }[] = [];
  const promises = Array.from(
    { length: count },
    () => new Promise<void>((resolve, reject) => waiting.push({ resolve, reject })),
  );
  let sent = 0;
  let done = 0;
  const fail = (error: unknown): void => {
    for (const { reject } of waiting.slice(done)) reject(error);
    done = count;
    void worker.terminate();
  };
  const attempt = (work: () => void): void => {
    try {
      work();
    } catch (error) {
      fail(error);
    }
  };
  const send = (): void => {
    if (sent < count) worker.postMessage(read(sent++));
  };
  worker.on('message', (part: string) =>
    attempt(() => {
      keep(done, part);
      waiting[done++]?.resolve();
      if (done === count) void worker.terminate();
      else send();
    }),
  );
  const lost = (reason: string, cause?: Error): void =>
    fail(new BuildError('worker', `The thread that indexes pages ${reason}`, { cause }));
  worker.on('error', (error: Error) => lost(`failed: ${error.message}`, error));
  worker.on('exit', (code) => lost(`ended with code ${code}`));
  attempt(() => {
    while (sent < Math.min(IN_HAND, count)) send();
  });
  for (const promise of promises) promise.catch(() => {});
  return promises;
}
