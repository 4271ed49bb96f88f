import { parentPort, threadId } from 'node:worker_threads';
import type { HighlightRequest, HighlightResult } from '../../../../builder/markdown/code/highlight-pool.ts';

/** A small real worker: gives back each block with the number of its thread, and does what some texts say. */
parentPort!.on('message', async ({ id, blocks }: HighlightRequest) => {
  const results: HighlightResult[] = [];
  for (const { language, text } of blocks) {
    if (text === 'throw') throw new Error('Worker threw');
    if (text === 'exit') process.exit(3);
    if (text === 'hang') await new Promise(() => {});
    if (text === 'memory') for (const held: unknown[] = []; ; ) held.push(new Array(1e6).fill({}));
    results.push({ html: language === 'unknown' ? undefined : `${threadId} ${language} ${text.slice(0, 20)}`, ms: 0 });
  }
  parentPort!.postMessage({ id, results });
});
