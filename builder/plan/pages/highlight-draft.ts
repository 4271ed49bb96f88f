import { type Cache, defineCacheKind } from '../../cache/cache.ts';
import type { HighlightPool } from '../../markdown/code/highlight-pool.ts';
import { type Draft, fillCodeSlots } from '../../markdown/draft.ts';
import type { CodeBlock } from '../../model.ts';

/** HTML of a code block; null = its language is not known, so it stays plain. */
const CODE = defineCacheKind<string | null>('code');

/** Creates a function that returns a draft's HTML with its code highlighted, from the cache or by the pool. */
export function createDraftHighlighter({
  cache,
  pool,
}: {
  readonly cache: Cache;
  readonly pool: HighlightPool;
}): (draft: Draft) => Promise<string> {
  return highlightDraft;

  async function highlightDraft(draft: Draft): Promise<string> {
    const results = new Map<CodeBlock, string | undefined>();
    const waiting: Promise<void>[] = [];
    for (const slot of draft.slots) {
      if (slot.kind !== 'code') continue;
      const html = highlight(slot.block);
      waiting.push(html.then((done) => void results.set(slot.block, done)));
    }
    if (waiting.length > 0) await Promise.all(waiting);
    return fillCodeSlots(draft, (block) => results.get(block));
  }

  /** A block is highlighted once per grammar and text, wherever it occurs. */
  async function highlight(block: CodeBlock): Promise<string | undefined> {
    if (block.language === '') return undefined;
    const html = await cache.memo(
      CODE,
      [block.language, block.text, ...(block.grammar === undefined ? [] : [block.grammar])],
      async () => (await pool.highlight(block)) ?? null,
    );
    return html ?? undefined;
  }
}
