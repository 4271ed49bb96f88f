import { parentPort } from 'node:worker_threads';
import { buildSegment, type SegmentInput } from './search-segment.ts';

/** Runs on a worker thread: indexes the segments it is sent, in their order. */
parentPort!.on('message', (segment: SegmentInput) => parentPort!.postMessage(buildSegment(segment)));
