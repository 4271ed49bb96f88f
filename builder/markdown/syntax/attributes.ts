import type { StateBlock, StateCore, StateInline, Token } from 'markdown-it';
import type { Parser } from '../page/extension.ts';
import { takeAuthorId } from '../page/page-ids.ts';
import { getPage, type PageState } from '../page/page-state.ts';

/**
 * Adds attributes: `# Title {#id}`, `A paragraph. {.class}`, `- item {.class}`, `| cell {.class} |`, `--- {.class}`, and after inline elements
 * `[text](url){target=_self}`, `![](x.png){width=300}`, `**bold**{.class}`, `[text]{.class}`.
 */
export function addAttributes({ md, rules }: Parser): void {
  md.core.ruler.before('inline', 'block_attributes', (state: StateCore) => {
    if (state.src.includes('}')) applyBlockAttributes(getPage(state.env), state.tokens);
  });
  rules.inline('{', parseInlineAttributes);
  rules.inline('[', parseSpan);
  rules.block('-*_', parseRule);
  md.core.ruler.after('footnote_tail', 'inline_attributes', (state: StateCore) => {
    const page = getPage(state.env);
    if (!page.hasAttributes) return;
    let line = 0;
    for (const token of state.tokens) {
      if (token.map) line = token.map[0];
      if (token.children?.length) applyInlineAttributes(page, token.children, line);
    }
  });
}

/**
 * Sets a token's attributes as the author wrote them: classes add up, everything else replaces. Headings' ids are
 * claimed later.
 */
export function setAttributes(page: PageState, token: Token, attributes: readonly SafeAttribute[], line: number): void {
  for (const [key, value] of attributes) {
    if (key === 'id' && token.type !== 'heading_open') token.attrSet(key, takeAuthorId(page, value, line));
    else if (key === 'class') token.attrJoin(key, value);
    else token.attrSet(key, value);
  }
}

const TAKE_ATTRIBUTES = new Set(['paragraph_open', 'th_open', 'td_open', 'dt_open']);

function applyBlockAttributes(page: PageState, tokens: readonly Token[]): void {
  for (let i = 1; i < tokens.length; i++) {
    const inline = tokens[i]!;
    if (inline.type !== 'inline' || !inline.content.endsWith('}')) continue;
    const open = tokens[i - 1]!;
    const { rest, attributes } = takeTrailingAttributes(inline.content);
    if (attributes.length === 0) continue;
    const start = inline.content.lastIndexOf('{');
    const isHeading = open.type === 'heading_open';
    const isApart = /\s/.test(inline.content[start - 1] ?? ' ');
    if (!isApart && !(isHeading && inline.content[start + 1] === '#')) continue;
    if (!isHeading && !TAKE_ATTRIBUTES.has(open.type)) continue;
    const outer = tokens[i - 2];
    const isHidden = open.hidden && (outer?.type === 'list_item_open' || outer?.type === 'dd_open');
    const target = isHidden ? outer! : open;
    if (rest === '' && !isHeading) continue;
    inline.content = rest;
    setAttributes(page, target, attributes, open.map?.[0] ?? 0);
  }
}

function parseInlineAttributes(state: StateInline, silent: boolean): boolean {
  const { src, pos } = state;
  if (pos === 0) return false;
  if (!')]*_`~=^+>'.includes(src[pos - 1]!) || src.charCodeAt(pos + 1) === 123) return false;
  const length = src.slice(pos, Math.min(state.posMax, pos + 1_000)).indexOf('}');
  if (length < 0) return false;
  const end = pos + length;
  const attributes = parseAttributes(src.slice(pos + 1, end));
  if (attributes === undefined) return false;
  if (!silent) {
    const token = state.push('attributes', '', 0);
    token.content = src.slice(pos, end + 1);
    token.meta = { attributes };
    getPage(state.env).hasAttributes = true;
  }
  state.pos = end + 1;
  return true;
}

/** Parses a line across the page with attributes. */
function parseRule(state: StateBlock, startLine: number, _endLine: number, silent: boolean): boolean {
  const start = state.bMarks[startLine]! + state.tShift[startLine]!;
  const line = state.src.slice(start, Math.min(state.eMarks[startLine]!, start + 1_000)).trimEnd();
  if (!line.endsWith('}')) return false;
  const { rest, attributes } = takeTrailingAttributes(line);
  if (attributes.length === 0 || !/^(?:-{3,}|\*{3,}|_{3,})$/.test(rest)) return false;
  if (silent) return true;
  const token = state.push('hr', 'hr', 0);
  token.map = [startLine, startLine + 1];
  setAttributes(getPage(state.env), token, attributes, startLine);
  state.line = startLine + 1;
  return true;
}

/** Not a footnote. */
const SPAN = /\[(?!\^)([^[\]]{1,300})\]\{([^{}\n]{1,200})\}/y;

/** Parses `[text]{.class}` of Pandoc and MyST. */
function parseSpan(state: StateInline, silent: boolean): boolean {
  const { src, pos, posMax } = state;
  SPAN.lastIndex = pos;
  const match = SPAN.exec(src);
  const attributes = match && SPAN.lastIndex <= posMax ? parseAttributes(match[2]!) : undefined;
  if (!match || attributes === undefined) return false;
  const [all, text = ''] = match;
  // A link with attributes, if something defines it.
  if (state.env.references?.[state.md.utils.normalizeReference(text)] !== undefined) return false;
  if (!silent) {
    const page = getPage(state.env);
    setAttributes(page, state.push('span_open', 'span', 1), attributes, page.costs.line);
    state.pos = pos + 1;
    state.posMax = pos + 1 + text.length;
    state.md.inline.tokenize(state);
    state.push('span_close', 'span', -1);
    state.posMax = posMax;
  }
  state.pos = pos + all.length;
  return true;
}

/** Adds attributes to the preceding element; without one they become plain text. */
function applyInlineAttributes(page: PageState, children: Token[], line: number): void {
  for (let i = children.length - 1; i >= 0; i--) {
    const token = children[i]!;
    if (token.type !== 'attributes') continue;
    const target = findTarget(children, i - 1);
    if (target === undefined) {
      token.type = 'text';
      // In kramdown and MkDocs they are never text.
      if (token.content.startsWith('{:') || page.dialect.pymdown) token.content = '';
      continue;
    }
    setAttributes(page, target, (token.meta as { attributes: readonly SafeAttribute[] }).attributes, line);
    token.type = 'text';
    token.content = '';
  }
}

function findTarget(children: Token[], index: number): Token | undefined {
  // Emphasis leaves empty text tokens.
  const before = children[index];
  if (before?.type === 'text' && before.content === '') return findTarget(children, index - 1);
  if (before === undefined) return undefined;
  if (before.type === 'image' || before.type === 'code_inline') return before;
  if (before.nesting !== -1) return undefined;
  for (let i = index - 1, depth = 1; i >= 0; i--) {
    depth -= children[i]!.nesting;
    if (depth === 0) return children[i]!;
  }
  return undefined;
}

/** An attribute's name and value, both safe to write into HTML. */
export type SafeAttribute = readonly [name: string, value: string];

const ALLOWED = new Set(
  (
    'id class title lang dir width height align start role target rel download hreflang type open hidden loading ' +
    'decoding reversed tabindex translate cite colspan rowspan'
  ).split(' '),
);
const BARE = new Set(['open', 'hidden', 'download', 'reversed']);
const PART =
  /[ \t]*(?:#+([^\s{}#"'=<>]+)|\.([^\s{}#."'=<>]+)|([A-Za-z][\w-]*)(?:=(?:"([^"{}]*)"|'([^'{}]*)'|([^\s{}"'=<>]+)))?)(?=[\s.#]|$)/y;

/**
 * Parses the content of `{#id .class key=value}` (or `{: …}`), without forbidden attributes: scripts (`on…`), URLs,
 * styles. Undefined if nothing is left, or if it looks like prose.
 */
export function parseAttributes(text: string): readonly SafeAttribute[] | undefined {
  const source = text.replace(/^:/, '').trim();
  if (source === '' || source.length > 1_000) return undefined;
  const attributes: SafeAttribute[] = [];
  const classes: string[] = [];
  let hasStyle = false;
  for (PART.lastIndex = 0; PART.lastIndex < source.length; ) {
    const match = PART.exec(source);
    if (!match || match[0] === '') return undefined;
    const [, id, className, key] = match;
    const value = match[4] ?? match[5] ?? match[6];
    if (id !== undefined) {
      // Kramdown's `{:#id.class}`; to all others a dot is part of the id.
      const [first = id, ...others] = text.startsWith(':') ? id.split('.').filter(Boolean) : [id];
      attributes.push(['id', first]);
      classes.push(...others);
    } else if (className !== undefined) classes.push(className);
    else if (key === 'class' && value !== undefined) classes.push(value);
    else if (key === 'style' && (match[4] ?? match[5]) !== undefined) {
      hasStyle = true;
      attributes.push(...readSizes(value!));
    } else if (isAllowed(key!.toLowerCase(), value)) attributes.push([key!.toLowerCase(), value ?? '']);
    else if (value === undefined) return undefined;
  }
  if (classes.length > 0) attributes.push(['class', classes.join(' ')]);
  return attributes.length > 0 || hasStyle ? attributes : undefined;
}

/** Returns the sizes that a style sets, of which attributes know the same; the rest is left out. */
function readSizes(style: string): readonly SafeAttribute[] {
  return ['width', 'height'].flatMap((name) => {
    const size = new RegExp(`(?:^|[;\\s])${name}\\s*:\\s*(\\d{1,5}(?:\\.\\d{1,3})?)(px|%)\\s*(?:;|$)`).exec(style);
    return size ? [[name, size[1]! + (size[2] === '%' ? '%' : '')] as const] : [];
  });
}

/** Splits `{…}` with attributes off the end of a text; without them `rest` is the whole text. */
export function takeTrailingAttributes(text: string): { rest: string; attributes: readonly SafeAttribute[] } {
  const nothing = { rest: text, attributes: [] };
  if (!text.endsWith('}')) return nothing;
  const start = text.lastIndexOf('{');
  if (start < 0 || text[start - 1] === '{' || text[start - 1] === '\\') return nothing;
  const attributes = parseAttributes(text.slice(start + 1, -1));
  return attributes === undefined ? nothing : { rest: text.slice(0, start).trimEnd(), attributes };
}

const TARGETS = /^_(?:blank|self|parent|top)$/i;
/** Not `opener`: another site could change the page that led to it. */
const RELATIONS =
  /^(?:(?:alternate|author|bookmark|external|help|license|me|next|nofollow|noopener|noreferrer|prev|search|sponsored|tag|ugc)(?: +|$))+$/i;

function isAllowed(key: string, value: string | undefined): boolean {
  if (value === undefined) return BARE.has(key);
  if (key === 'target') return TARGETS.test(value);
  if (key === 'rel') return RELATIONS.test(value);
  return ALLOWED.has(key) || key.startsWith('data-') || key.startsWith('aria-');
}
