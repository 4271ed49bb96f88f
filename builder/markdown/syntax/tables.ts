import type { MarkdownIt, Token } from 'markdown-it';

/** Wraps tables so that they scroll by themselves, and says alignment by class: a strict content policy forbids `style`. */
export function addTables(md: MarkdownIt): void {
  const { rules } = md.renderer;
  rules.table_open = (tokens, index, _options, _env, renderer) =>
    `<div class="table-scroll" tabindex="0"><table${renderer.renderAttrs(tokens[index]!)}>\n`;
  rules.table_close = () => '</table></div>\n';
  rules.th_open = (tokens, index) => `<th${renderAlignment(tokens[index]!)}>`;
  rules.td_open = (tokens, index) => `<td${renderAlignment(tokens[index]!)}>`;
}

function renderAlignment(token: Token): string {
  const style = token.attrGet('style');
  return typeof style === 'string' ? ` class="align-${style.slice('text-align:'.length)}"` : '';
}
