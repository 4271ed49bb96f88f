import type { StateCore, Token } from 'markdown-it';
import type { Parser } from '../page/extension.ts';
import { addLinkSlot, addSlot, getPage, type PageState } from '../page/page-state.ts';

/** URLs without anything to encode; parsing them would cost more than the rest of a link. */
const PLAIN_URL = /^(?:https?:\/\/[a-z0-9.-]+(?=[/?#]|$))?[\w./?=&#~+,;-]*$/;

/** Replaces URLs that depend on the page's location with slots, and sets attributes of images and external links. */
export function addLinks({ md }: Parser): void {
  const { normalizeLink } = md;
  md.normalizeLink = (url) => (PLAIN_URL.test(url) ? url : normalizeLink.call(md, url));
  md.core.ruler.push('links', (state: StateCore) => {
    const page = getPage(state.env);
    let line = 0;
    for (const [at, token] of state.tokens.entries()) {
      if (token.map) line = token.map[0];
      if (token.type !== 'inline' || token.children === null) continue;
      const around = state.tokens[at - 1];
      if (around?.type === 'paragraph_open' && isPictures(token.children)) around.attrJoin('class', 'pictures');
      page.currentFile = page.included.get(token);
      resolveInline(page, token.children, line, page.currentFile !== undefined);
    }
    page.currentFile = undefined;
  });
}

/** Checks whether there are pictures, and nothing to read. */
function isPictures(children: readonly Token[]): boolean {
  const isOther = ({ type, content }: Token): boolean =>
    !(type === 'text' ? content.trim() === '' : PICTURES.has(type));
  return children.some(({ type }) => type === 'image') && !children.some(isOther);
}

const PICTURES = new Set(['image', 'link_open', 'link_close', 'softbreak', 'hardbreak']);

function resolveInline(page: PageState, children: readonly Token[], firstLine: number, isFixed: boolean): void {
  let line = firstLine;
  for (let at = 0; at < children.length; at++) {
    const token = children[at]!;
    if (token.type === 'softbreak' || token.type === 'hardbreak') line += isFixed ? 0 : 1;
    else if (token.type === 'link_open') {
      // `[](){ #id }` is a place that links may lead to, and no link.
      if (token.attrGet('href') === '' && token.attrGet('id') !== null && children[at + 1]?.type === 'link_close')
        token.attrs = token.attrs!.filter(([name]) => name !== 'href');
      else resolveLink(page, token, line);
    } else if (token.type === 'image') resolveImage(page, token, line);
  }
}

function resolveLink(page: PageState, token: Token, line: number): void {
  const ids = token.meta?.ids as readonly string[] | undefined;
  if (ids !== undefined) {
    token.attrSet('href', addSlot(page, { kind: 'reference', url: ids.join('\n'), line: page.input.firstLine + line }));
    return;
  }
  const href = String(token.attrGet('href') ?? '');
  const slot = addLinkSlot(page, 'link', href, line);
  if (slot !== undefined) token.attrSet('href', slot);
  else if (/^(?:https?:)?\/\//i.test(href) && token.attrGet('rel') === null) token.attrPush(['rel', 'noreferrer']);
}

function resolveImage(page: PageState, token: Token, line: number): void {
  const slot = addLinkSlot(page, 'image', String(token.attrGet('src') ?? ''), line);
  if (slot !== undefined) token.attrSet('src', slot);
  if (token.attrGet('decoding') === null) token.attrPush(['decoding', 'async']);
  if (token.attrGet('loading') === null) token.attrPush(['loading', 'lazy']);
}
