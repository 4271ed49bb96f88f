import type { MarkdownIt, StateCore } from 'markdown-it';
import type { Heading } from '../../model.ts';
import { getTitle } from '../default-titles.ts';
import { escapeHtml } from '../html/escape-html.ts';
import { getPage } from '../page-state.ts';

/** Adds `[[toc]]` and `[toc]`: the page's headings of levels 2 and 3 in place of a paragraph that says only that. */
export function addTableOfContents(md: MarkdownIt): void {
  md.core.ruler.push('toc', (state: StateCore) => {
    if (!/\[toc\]/i.test(state.src)) return;
    const { tokens } = state;
    for (let i = 0; i + 2 < tokens.length; i++) {
      const inline = tokens[i + 1]!;
      if (tokens[i]!.type !== 'paragraph_open' || !/^(?:\[\[toc\]\]|\[toc\])$/i.test(inline.content)) continue;
      if (inline.children?.some((child) => child.type !== 'text')) continue;
      const toc = new state.Token('toc', 'nav', 0);
      toc.block = true;
      tokens.splice(i, 3, toc);
    }
  });
  md.renderer.rules.toc = (_tokens, _index, _options, env) => {
    const page = getPage(env);
    const headings = page.headings.filter((heading) => heading.level === 2 || heading.level === 3);
    if (headings.length === 0) return '';
    return `<nav class="toc" aria-label="${escapeHtml(getTitle(page.titles, 'toc'))}">${renderList(headings)}</nav>\n`;
  };
}

function renderList(headings: readonly Heading[]): string {
  let html = '<ul>';
  let isNested = false;
  headings.forEach((heading, index) => {
    const nest = heading.level === 3 && index > 0;
    if (nest !== isNested) html += nest ? '<ul>' : '</li></ul></li>';
    else if (index > 0) html += '</li>';
    isNested = nest;
    html += `<li><a href="#${escapeHtml(heading.id)}">${escapeHtml(heading.text)}</a>`;
  });
  return `${html}</li>${isNested ? '</ul></li>' : ''}</ul>`;
}
