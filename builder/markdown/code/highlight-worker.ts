import { parentPort } from 'node:worker_threads';
import type { CodeBlock } from '../../model.ts';
import { createHighlighter, type Highlighter } from './highlight.ts';
import type { HighlightAnswer, HighlightRequest, HighlightResult } from './highlight-pool.ts';

/** Runs on a worker thread: highlights the blocks it is sent, in their order. */
const created = createHighlighter();
parentPort!.on('message', async ({ id, blocks, language }: HighlightRequest) => {
  const highlighter = await created;
  if (language) highlighter.define(language.key, language.grammars);
  const results: HighlightResult[] = [];
  for (const block of blocks) results.push(await highlightTimed(highlighter, block));
  parentPort!.postMessage({ id, results } satisfies HighlightAnswer);
});

async function highlightTimed({ highlight }: Highlighter, block: CodeBlock): Promise<HighlightResult> {
  const startMs = performance.now();
  const takenMs = (): number => performance.now() - startMs;
  try {
    return { html: await highlight(block), ms: takenMs() };
  } catch (error) {
    // A grammar of docbuild's own fails for no text.
    if (block.grammar === undefined) throw error;
    return { failure: (error as Error).message, ms: takenMs() };
  }
}
