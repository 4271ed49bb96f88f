import { Worker } from 'node:worker_threads';
import { BuildError } from '../build-error.ts';
import type { SearchSegment, SegmentInput } from './search-segment.ts';

/**
 * Indexes segments on a worker thread of its own, which ends after the last one. The promises, in the order of the segments,
 * reject with BuildError `worker` where the thread fails; nobody has to wait for them.
 */
export function buildSegments(segments: readonly SegmentInput[], workerUrl: URL): readonly Promise<SearchSegment>[] {
  const worker = new Worker(workerUrl);
  const waiting: { resolve(segment: SearchSegment): void; reject(error: BuildError): void }[] = [];
  const promises = segments.map(
    (segment) =>
      new Promise<SearchSegment>((resolve, reject) => {
        waiting.push({ resolve, reject });
        worker.postMessage(segment);
      }),
  );
  worker.on('message', (segment: SearchSegment) => {
    waiting.shift()!.resolve(segment);
    if (waiting.length === 0) void worker.terminate();
  });
  const fail = (reason: string, cause?: Error): void => {
    const error = new BuildError('worker', `The thread that indexes pages ${reason}`, { cause });
    for (const { reject } of waiting.splice(0)) reject(error);
  };
  worker.on('error', (error) => fail(`failed: ${error.message}`, error));
  worker.on('exit', (code) => fail(`ended with code ${code}`));
  for (const promise of promises) promise.catch(() => {});
  return promises;
}
