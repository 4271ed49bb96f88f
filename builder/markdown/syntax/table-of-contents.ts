import type { StateCore, Token } from 'markdown-it';
import { escapeHtml } from '../../../lib/html-text.ts';
import type { Heading } from '../../model.ts';
import type { Parser } from '../page/extension.ts';
import { getPage } from '../page/page-state.ts';
import { getTitle } from '../page/titles.ts';

/** Limit of tables of contents on a page, since each lists all headings. */
const MAX_TABLES = 3;

/** Adds `[[toc]]` and `[toc]`: the page's headings of levels 2 and 3 in place of a paragraph that contains only that. */
export function addTableOfContents({ md }: Parser): void {
  md.core.ruler.push('toc', (state: StateCore) => {
    if (!/\[toc\]/i.test(state.src)) return;
    const { tokens } = state;
    const result: Token[] = [];
    for (let i = 0, count = 0; i < tokens.length; i++) {
      if (count >= MAX_TABLES || !isTableMark(tokens, i)) {
        result.push(tokens[i]!);
        continue;
      }
      const toc = new state.Token('toc', 'nav', 0);
      toc.block = true;
      result.push(toc);
      i += 2;
      count++;
    }
    state.tokens = result;
  });
  md.renderer.rules.toc = (_tokens, _index, _options, env) => {
    const page = getPage(env);
    const isListed = ({ level, id, text }: Heading) =>
      (level === 2 || level === 3) && text !== '' && !page.unlisted.has(id);
    const headings = page.headings.filter(isListed);
    if (headings.length === 0) return '';
    return `<nav class="toc" aria-label="${escapeHtml(getTitle(page.titles, 'toc'))}">${renderList(headings)}</nav>\n`;
  };
}

function isTableMark(tokens: readonly Token[], index: number): boolean {
  if (tokens[index]!.type !== 'paragraph_open') return false;
  const inline = tokens[index + 1];
  if (inline === undefined || !/^(?:\[\[toc\]\]|\[toc\])$/i.test(inline.content)) return false;
  return inline.children?.every((child) => child.type === 'text') === true;
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
