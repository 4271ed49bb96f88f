import type { StateBlock, Token } from 'markdown-it';
import { escapeHtml } from '../../../lib/html-text.ts';
import { trimCharacters } from '../../../lib/trim-characters.ts';
import { spendWork } from '../page/page-costs.ts';
import { getPage } from '../page/page-state.ts';
import { pushCallout } from '../syntax/callouts.ts';
import { pushTabGroup } from '../syntax/tabs.ts';
import { pushEntry } from './file-tree.ts';
import { renderImage } from './inline-element.ts';
import type { Meaning } from './meaning.ts';

/** The position and content of a block element. */
export interface ElementPlace {
  readonly map: [number, number];
  /** Its content; undefined without a closing tag. */
  readonly inner: InnerText | undefined;
  /** Its syntax says that it contains Markdown, even if an element of its name may contain code. */
  readonly isMarkdown: boolean;
}

/**
 * Adds a block element of another generator. Returns false for an inline element, and for an include, which the caller
 * handles.
 */
export function pushElement(state: StateBlock, meaning: Meaning, place: ElementPlace): boolean {
  const { map, inner } = place;
  const parseInner = () => {
    if (inner !== undefined) parseNested(state, inner);
  };
  switch (meaning.as) {
    case 'nothing':
      return true;
    case 'content':
      parseInner();
      return true;
    case 'callout': {
      const details = meaning.isDetails ? 'closed' : 'no';
      pushCallout(state, { kind: meaning.kind, name: meaning.name, title: meaning.title, details }, map, parseInner);
      return true;
    }
    case 'quote':
      pushHtml(state, '<blockquote>\n', map);
      parseInner();
      pushSource(state, meaning, map);
      pushHtml(state, '</blockquote>\n', map);
      return true;
    case 'tabs':
      pushTabs(state, meaning, map, parseInner);
      return true;
    case 'tab':
      pushTab(state, meaning, place);
      return true;
    case 'box':
      pushBox(state, meaning, place);
      return true;
    case 'entry':
      pushEntry(state, meaning, map, parseInner);
      return true;
    case 'image':
      pushFigure(state, meaning, map);
      parseInner();
      return true;
    case 'link':
      if (!meaning.isBlock) return false;
      pushHtml(state, `<p><a href="${escapeHtml(meaning.href)}">${escapeHtml(meaning.text)}</a></p>\n`, map);
      parseInner();
      return true;
    case 'code':
      pushCode(state, meaning.info, meaning.text ?? unwrapTemplate(inner?.text ?? ''), map);
      return true;
    case 'toc':
      state.push('toc', 'nav', 0).map = map;
      return true;
    default:
      return false;
  }
}

function pushSource(
  state: StateBlock,
  { author, href = '', text }: Extract<Meaning, { as: 'quote' }>,
  map: [number, number],
): void {
  const link = href === '' ? '' : `<a href="${escapeHtml(href)}">${escapeHtml(text || href)}</a>`;
  const words = [escapeHtml(author), link].filter(Boolean).join(' ');
  if (words !== '') pushHtml(state, `<p>— ${words}</p>\n`, map);
}

/** Adds HTML that is parsed as if the author had written it. */
export function pushHtml(state: StateBlock, html: string, map: [number, number]): void {
  const token = state.push('html_block', '', 0);
  token.content = html;
  token.map = map;
}

/** Adds a paragraph of Markdown. */
export function pushText(state: StateBlock, text: string, map: [number, number]): void {
  pushInline(state, 'p', text, map);
}

function pushInline(
  state: StateBlock,
  tag: 'p' | 'figcaption',
  text: string,
  map: [number, number],
  className = '',
): void {
  const name = tag === 'p' ? 'paragraph' : tag;
  const open = state.push(`${name}_open`, tag, 1);
  open.map = map;
  if (className !== '') open.attrs = [['class', className]];
  const inline = state.push('inline', '', 0);
  inline.content = text;
  inline.children = [];
  inline.map = map;
  state.push(`${name}_close`, tag, -1);
}

function pushTabs(
  state: StateBlock,
  { code, syncKey, labels, titles, selected }: Extract<Meaning, { as: 'tabs' }>,
  map: [number, number],
  parseInner: () => void,
): void {
  const { openTabs } = getPage(state.env);
  const group = pushTabGroup(state, map, { classes: 'tabs', syncKey });
  openTabs.push({ group, code, labels, titles, selected, count: 0 });
  parseInner();
  openTabs.pop();
  group.close();
}

function pushTab(
  state: StateBlock,
  tab: Extract<Meaning, { as: 'tab' }>,
  { map, inner, isMarkdown }: ElementPlace,
): void {
  const { openTabs } = getPage(state.env);
  // The content of a tab does not belong to the group around it.
  const outer = openTabs.pop();
  const group = outer?.group ?? pushTabGroup(state, map, { classes: 'tabs' });
  if (tab.isHeading && outer !== undefined && (inner?.text.trim() ?? '') === '') {
    pushInline(state, 'p', tab.title, map, 'tab-heading');
    openTabs.push(outer);
    return;
  }
  const { value } = tab;
  const place = outer ? outer.count++ : 0;
  const given = [tab.title === value && outer?.labels?.get(value), tab.title, outer?.titles?.[place], tab.name];
  const title = given.find((text) => text) as string;
  const isDefault = tab.isDefault || outer?.selected === (value || String(place));
  const close = group.pushTab(state, title, { isMarkdown: tab.isMarkdownTitle, isDefault });
  const isCode = outer?.code !== undefined && !isMarkdown && !tab.isText;
  if (isCode) pushCode(state, tab.language ?? outer.code, inner?.text ?? '', map);
  else if (inner !== undefined) parseNested(state, inner);
  close();
  if (outer === undefined) group.close();
  else openTabs.push(outer);
}

function pushBox(
  state: StateBlock,
  { className, title, isMarkdownTitle, href, text, footer, code }: Extract<Meaning, { as: 'box' }>,
  { map, inner }: ElementPlace,
): void {
  const open = state.push('container_open', 'div', 1);
  open.attrs = [['class', `container ${className}`]];
  open.map = map;
  if (title !== '' && isMarkdownTitle) {
    pushInline(state, 'p', href === '' ? title : `[${title}](<${href}>)`, map, 'container-title');
  } else if (title !== '') {
    const name = escapeHtml(title);
    const linked = href === '' ? name : `<a href="${escapeHtml(href)}">${name}</a>`;
    pushHtml(state, `<p class="container-title">${linked}</p>\n`, map);
  }
  if (text !== '') pushText(state, text, map);
  if (code !== undefined) pushCode(state, code, inner?.text ?? '', map);
  else if (inner !== undefined) parseNested(state, inner);
  if (footer !== '') pushText(state, footer, map);
  state.push('container_close', 'div', -1);
}

/** In JSX, code stands in braces and back ticks, so that nothing of it is taken for markup. */
function unwrapTemplate(text: string): string {
  return /^\s*\{\s*`([^`$\\]*)`\s*\}\s*$/.exec(text)?.[1] ?? text;
}

function pushCode(state: StateBlock, info: string, text: string, map: [number, number]): void {
  const token = state.push('fence', 'code', 0);
  token.info = info;
  token.content = `${trimCharacters(text.replace(/^(?:[ \t]*\n)+/, ''), '\n')}\n`;
  token.map = map;
}

function pushFigure(
  state: StateBlock,
  { attributes, caption }: Extract<Meaning, { as: 'image' }>,
  map: [number, number],
): void {
  const image = renderImage(attributes);
  if (caption === '') {
    pushHtml(state, `<p>${image}</p>\n`, map);
    return;
  }
  state.push('figure_open', 'figure', 1).map = map;
  pushHtml(state, image, map);
  pushInline(state, 'figcaption', caption, map);
  state.push('figure_close', 'figure', -1);
}

/** The lines of an element's content. */
export interface InnerText {
  readonly text: string;
  /** Line of its first line in the text around it, from 0. */
  readonly line: number;
}

/** Parses text as Markdown inside the block being parsed; line numbers continue those of the surrounding text. */
export function parseNested(state: StateBlock, { text, line }: InnerText): void {
  const page = getPage(state.env);
  spendWork(page.costs, text.length);
  const tokens: Token[] = [];
  const inner = new state.md.block.State(text, state.md, state.env, tokens);
  inner.level = state.level;
  page.baseLine += line;
  state.md.block.tokenize(inner, 0, inner.lineMax);
  page.baseLine -= line;
  for (const token of tokens) {
    if (token.map && !page.included.has(token)) token.map = [token.map[0] + line, token.map[1] + line];
    state.tokens.push(token);
  }
}

/**
 * Returns the text between two positions of a block, the first line beginning at `start`: without the common indentation
 * of its lines, or with `keepsIndent` only without that of the block.
 */
export function sliceInner(
  state: StateBlock,
  place: { readonly start: number; readonly startLine: number; readonly end: number; readonly endLine: number },
  keepsIndent = false,
): InnerText {
  const { start, startLine, end, endLine } = place;
  if (startLine === endLine) return { text: state.src.slice(start, end).trim(), line: startLine };
  const first = state.src.slice(start, state.eMarks[startLine]!).trim();
  const lines: string[] = [];
  let indent = Number.POSITIVE_INFINITY;
  for (let line = startLine + 1; line <= endLine; line++) {
    const isLast = line === endLine;
    const text = isLast
      ? state.src.slice(state.bMarks[line]!, end)
      : state.src.slice(state.bMarks[line]!, state.eMarks[line]!);
    if (isLast && text.trim() === '') break;
    lines.push(text);
    if (text.trim() !== '') indent = Math.min(indent, state.sCount[line]!);
  }
  const shared = keepsIndent ? state.blkIndent : indent;
  const dedented = lines.map((text) => removeColumns(text, shared));
  if (first === '') return { text: dedented.join('\n'), line: startLine + 1 };
  return { text: [first, ...dedented].join('\n'), line: startLine };
}

/** Removes up to this many columns of space from a line. */
function removeColumns(text: string, columns: number): string {
  let column = 0;
  let at = 0;
  for (; at < text.length && column < columns; at++) {
    if (text[at] === ' ') column++;
    else if (text[at] === '\t') column += 4 - (column % 4);
    else break;
  }
  return ' '.repeat(Math.max(column - columns, 0)) + text.slice(at);
}
