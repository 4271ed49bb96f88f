import { type IncludeReference, parseIncludeLine } from './include-reference.ts';

const marker = /^[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*(<<<.*|<!--\s*@include:.*|-+8<-+[ \t].*)$/gm;

/**
 * Gives the includes a Markdown text may hold, fast and generously: one that stands in a code block, where the renderer
 * leaves it alone, is found, too.
 */
export function findIncludes(text: string): readonly IncludeReference[] {
  if (!text.includes('<<<') && !text.includes('@include') && !text.includes('8<-')) return [];
  const references: IncludeReference[] = [];
  for (const [, line] of text.matchAll(marker)) {
    const reference = parseIncludeLine(line!);
    if (reference !== undefined) references.push(reference);
  }
  return references;
}
