import type { MarkdownIt } from 'markdown-it';

/** Docusaurus' `{/* #id *\/}` and `%{#id}%`, at the end of a heading. */
const foreignId = /[ \t]*(?:\{\/\*\s*#([^\s{}*]+)\s*\*\/\}|%\{#([^\s{}%]+)\}%|\\\{#([^\s{}\\]+)\\?\})[ \t]*$/;

/** Makes `{#id}` of the ids that generators write in headings in their own way, and of one that stands in front. */
export function addHeadingIds(md: MarkdownIt): void {
  md.core.ruler.after('block', 'heading_ids', ({ tokens }) => {
    for (const [index, { type }] of tokens.entries()) {
      const inline = type === 'heading_open' ? tokens[index + 1] : undefined;
      if (inline === undefined || !inline.content.includes('{')) continue;
      inline.content = inline.content
        .replace(/^(\{#[^\s{}]+\})[ \t]+(.+)$/, '$2 $1')
        .replace(foreignId, (_, ...ids: string[]) => ` {#${ids.slice(0, 3).find(Boolean)}}`);
    }
  });
}
