import { parentPort } from 'node:worker_threads';
import type { HighlightAnswer, HighlightRequest } from './fragments/render-pool.ts';
import { createHighlighter } from './markdown/highlight.ts';

/** Runs on a worker thread: highlights the blocks it is sent, in their order. */
const highlighter = createHighlighter();
parentPort!.on('message', async ({ id, blocks }: HighlightRequest) => {
  const { highlight } = await highlighter;
  const results: (string | undefined)[] = [];
  for (const block of blocks) results.push(await highlight(block));
  parentPort!.postMessage({ id, results } satisfies HighlightAnswer);
});
