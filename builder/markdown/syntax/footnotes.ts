import type { MarkdownIt, Token } from 'markdown-it';
import footnote from 'markdown-it-footnote';
import { getTitle } from '../default-titles.ts';
import { escapeHtml } from '../html/escape-html.ts';
import { getPage } from '../page-state.ts';

/** Adds footnotes, `[^1]` and `^[inline]`, with names for screen readers. */
export function addFootnotes(md: MarkdownIt): void {
  md.use(footnote);
  const { rules } = md.renderer;
  rules.footnote_ref = (tokens, index, _options, env) => {
    const { number, reference } = getNumbers(tokens[index]!);
    const { ids } = getPage(env);
    ids.add(`fn${number}`).add(`fnref${reference}`);
    return `<sup class="footnote-ref"><a href="#fn${number}" id="fnref${reference}">${number}</a></sup>`;
  };
  rules.footnote_block_open = (_tokens, _index, _options, env) =>
    `<section class="footnotes" aria-label="${escapeHtml(getTitle(getPage(env).titles, 'footnotes'))}">\n<ol>\n`;
  rules.footnote_block_close = () => '</ol>\n</section>\n';
  rules.footnote_open = (tokens, index) => `<li id="fn${getNumbers(tokens[index]!).number}">`;
  rules.footnote_close = () => '</li>\n';
  rules.footnote_anchor = (tokens, index, _options, env) => {
    const label = escapeHtml(getTitle(getPage(env).titles, 'backToText'));
    return ` <a class="footnote-back" href="#fnref${getNumbers(tokens[index]!).reference}" aria-label="${label}">↩</a>`;
  };
}

function getNumbers(token: Token): { number: number; reference: string } {
  const { id, subId } = token.meta as { id: number; subId?: number };
  return { number: id + 1, reference: subId ? `${id + 1}-${subId}` : `${id + 1}` };
}
