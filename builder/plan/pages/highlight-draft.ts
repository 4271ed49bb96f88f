import { contentKey } from '../../cache/content-key.ts';
import type { FragmentStore } from '../../cache/fragment-store.ts';
import type { HighlightPool } from '../../markdown/code/highlight-pool.ts';
import { type Draft, finishFragment } from '../../markdown/draft.ts';
import type { CodeBlock } from '../../model.ts';

/** Creates a function that gives a draft's HTML with its code highlighted, by the store or by the pool. */
export function createDraftHighlighter(options: {
  readonly store: FragmentStore;
  readonly pool: HighlightPool;
  readonly engineVersion: string;
}): (draft: Draft) => Promise<string> {
  const { store, pool, engineVersion } = options;
  const blocks = new Map<string, Promise<string | undefined>>();

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
    return finishFragment(draft, (block) => results.get(block)).html;
  }

  /** A block is highlighted once for its language and text, wherever it stands. */
  function highlight(block: CodeBlock): Promise<string | undefined> {
    if (block.language === '') return Promise.resolve(undefined);
    const key = contentKey('code', engineVersion, block.language, block.text);
    let html = blocks.get(key);
    if (!html) {
      const value = store.get(key);
      // The first byte tells highlighted code from code that stays plain.
      html = value
        ? Promise.resolve(value.length > 0 ? value.toString('utf8', 1) : undefined)
        : pool.highlight(block).then((done) => {
            store.set(key, Buffer.from(done === undefined ? '' : `+${done}`));
            // From here on the store has it; what stays here would grow with the site.
            blocks.delete(key);
            return done;
          });
      if (!value) blocks.set(key, html);
    }
    return html;
  }
}
