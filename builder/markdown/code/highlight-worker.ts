import { parentPort } from 'node:worker_threads';
import { createHighlighter } from './highlight.ts';
import type { HighlightAnswer, HighlightRequest } from './highlight-pool.ts';

/** Runs on a worker thread: highlights the blocks it is sent, in their order. */
const highlighter = createHighlighter();
parentPort!.on('message', async ({ id, blocks }: HighlightRequest) => {
  const { highlight } = await highlighter;
  const results: (string | undefined)[] = [];
  for (const block of blocks) results.push(await highlight(block));
  parentPort!.postMessage({ id, results } satisfies HighlightAnswer);
});
