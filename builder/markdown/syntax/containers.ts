import type { StateBlock, Token } from 'markdown-it';
import { parseFenceInfo } from '../code/parse-fence-info.ts';
import type { Parser } from '../page/extension.ts';
import { getPage, type PageState, warn, warnOnce } from '../page/page-state.ts';
import { getTitle } from '../page/titles.ts';
import { parseAttributes, type SafeAttribute, setAttributes, takeTrailingAttributes } from './attributes.ts';
import { findCalloutKind, pushCallout } from './callouts.ts';
import { findContainerEnd, followFence } from './container-end.ts';
import { pushTabGroup } from './tabs.ts';

/**
 * Adds containers, `::: tip Title` … `:::`: callouts, `details`, `code-group`, `raw`, `v-pre`, and similar syntax of
 * other generators: `:::note[Title]`, `:::{tip}`, `::: {.callout-note title="Title"}`, `::: tabs`. A closed container of
 * another name becomes a plain `div` with its title line as a paragraph; an unclosed one stays text.
 */
export function addContainers({ rules }: Parser): void {
  rules.block(':', parseContainer);
}

/** The first line of a container. */
interface ContainerHead {
  readonly colons: number;
  /** In lower case. */
  readonly name: string;
  readonly title: string | undefined;
  readonly attributes: readonly SafeAttribute[];
}

function parseContainer(state: StateBlock, startLine: number, endLine: number, silent: boolean): boolean {
  const start = state.bMarks[startLine]! + state.tShift[startLine]!;
  if (state.src.charCodeAt(start + 1) !== 58 /* : */) return false;
  const first = state.src.slice(start, state.eMarks[startLine]!).trimEnd();
  if (/^:{3,}$/.test(first)) return skipMark(state, startLine, silent);
  const head = parseHead(first);
  if (head === undefined) return false;
  const { name } = head;
  const isKnown = name === 'code-group' || name === 'raw' || name === 'v-pre' || findCalloutKind(name) !== undefined;
  if (silent && isKnown) return true;
  const { end, closed } = findContainerEnd(state, startLine, endLine, head.colons);
  if (!isKnown && !closed) {
    if (!silent) warnOfOpen(state, head, startLine);
    return false;
  }
  if (silent) return true;
  if (!closed) warnOfOpen(state, head, startLine);
  pushContainer(state, head, startLine, end);
  state.line = end + (closed ? 1 : 0);
  return true;
}

function warnOfOpen({ env }: StateBlock, { colons, name }: ContainerHead, line: number): void {
  warn(getPage(env), line, 'unclosed', `Container "${':'.repeat(colons)} ${name}" is not closed`);
}

/** A closing mark without a container. */
function skipMark(state: StateBlock, line: number, silent: boolean): boolean {
  if (silent) return true;
  warnOnce(getPage(state.env), line, 'foreign-syntax', '":::" does not close a container and was left out');
  state.line = line + 1;
  return true;
}

function parseHead(line: string): ContainerHead | undefined {
  // In MDX, a brace alone would begin an expression.
  const written = line.replace(/^(:{3,}[ \t]*[A-Za-z][\w-]*)\\\{/, '$1{');
  const match = /^(:{3,})[ \t]*(?:\{([^{}]+)\}|([A-Za-z][\w-]*)(?:#[\w-]+)?(?=[\s[{]|$))[ \t]*(.*)/s.exec(written);
  if (!match) return undefined;
  const { rest, attributes } = takeTrailingAttributes(match[4]!);
  // Braces after a title in brackets contain attributes, known or not.
  const bracketed = /^\[(.*)\](?:\{[^{}]*\})?$/.exec(rest)?.[1] ?? rest.replace(/^\{[^{}]*\}$/, '');
  const titled = attributes.find(([key]) => key === 'title')?.[1];
  const title = bracketed.trim() || titled || undefined;
  const others = attributes.filter(([key]) => key !== 'title');
  const colons = match[1]!.length;
  if (match[3] !== undefined) return { colons, name: match[3].toLowerCase(), title, attributes: others };
  return parseBraces(match[2]!, { colons, title, attributes: others });
}

/** MyST writes `:::{note} Title`, Pandoc and Quarto `::: {.callout-note title="Title"}`. */
function parseBraces(text: string, head: Omit<ContainerHead, 'name'>): ContainerHead | undefined {
  const word = /^[ \t]*([A-Za-z][\w-]*)[ \t]*$/.exec(text)?.[1];
  if (word !== undefined) return { ...head, name: word.toLowerCase() };
  const own = parseAttributes(text) ?? [];
  const name = own.find(([key]) => key === 'class')?.[1].split(' ', 1)[0];
  if (name === undefined) return undefined;
  const attributes = own.filter(([key]) => key === 'id');
  const title = head.title ?? own.find(([key]) => key === 'title')?.[1];
  return { ...head, name: name.replace(/^callout-/, '').toLowerCase(), title, attributes };
}

function pushContainer(state: StateBlock, head: ContainerHead, startLine: number, end: number): void {
  const { name, title, attributes } = head;
  const map: [number, number] = [startLine, end];
  const page = getPage(state.env);
  const parseContent = () => parseLines(state, startLine + 1, end);
  if (name === 'v-pre') parseVerbatim(state, page, parseContent);
  else if (name === 'code-group') pushCodeGroup(state, map, parseContent);
  else if (name === 'tabs' || name === 'code-tabs') pushMarkedTabs(state, { startLine, end });
  else if (name === 'tab' && page.openTabs.length > 0) pushTab(state, title ?? name, parseContent);
  else {
    const open = pushBox(state, { name, title, map }, parseContent);
    setAttributes(page, open, attributes, startLine);
  }
}

/** A callout, or a plain box if the name is not that of a callout. */
function pushBox(
  state: StateBlock,
  { name, title, map }: { name: string; title: string | undefined; map: [number, number] },
  parseContent: () => void,
): Token {
  const kind = findCalloutKind(name);
  if (kind !== undefined) {
    const details = kind === 'details' ? 'closed' : 'no';
    return pushCallout(state, { kind, name, title, details }, map, parseContent);
  }
  const open = state.push('container_open', 'div', 1);
  open.attrs = [['class', name === 'raw' ? 'raw' : `container ${name}`]];
  open.map = map;
  if (title !== undefined) pushTitle(state, title, map[0]);
  parseContent();
  state.push('container_close', 'div', -1);
  return open;
}

function pushTitle(state: StateBlock, text: string, line: number): void {
  const open = state.push('paragraph_open', 'p', 1);
  open.attrs = [['class', 'container-title']];
  const inline = state.push('inline', '', 0);
  inline.content = text;
  inline.children = [];
  open.map = inline.map = [line, line + 1];
  state.push('paragraph_close', 'p', -1);
}

/** Shows tags of templates as they are written. */
export function parseVerbatim(state: StateBlock, page: PageState, parseContent: () => void): void {
  const from = state.tokens.length;
  const { isVerbatim } = page;
  page.isVerbatim = true;
  parseContent();
  page.isVerbatim = isVerbatim;
  for (let i = from; i < state.tokens.length; i++) {
    const token = state.tokens[i]!;
    if (token.type === 'inline' || token.type === 'fence' || token.type === 'code_block') page.verbatim.add(token);
  }
}

/** `@tab Title` of VuePress, `== Title` of VitePress' plugin. */
const TAB_MARK = /^(?:@tab(?::active)?|==)(?:[ \t](.*))?$/s;

/** Adds tabs whose titles are on their own lines, or in containers. */
function pushMarkedTabs(state: StateBlock, { startLine, end }: { startLine: number; end: number }): void {
  const { openTabs } = getPage(state.env);
  const group = pushTabGroup(state, [startLine, end], { classes: 'tabs' });
  openTabs.push({ group, code: undefined, count: 0 });
  const marks = findTabMarks(state, startLine + 1, end);
  parseLines(state, startLine + 1, marks[0]?.line ?? end, startLine);
  for (const [index, { line, title }] of marks.entries()) {
    const next = marks[index + 1]?.line ?? end;
    pushTab(state, title, () => parseLines(state, line + 1, next, startLine));
  }
  openTabs.pop();
  group.close();
}

function pushTab(state: StateBlock, title: string, parseContent: () => void): void {
  const { openTabs } = getPage(state.env);
  const outer = openTabs.pop()!;
  const close = outer.group.pushTab(state, title);
  parseContent();
  close();
  openTabs.push(outer);
}

function findTabMarks(
  state: StateBlock,
  startLine: number,
  endLine: number,
): readonly { line: number; title: string }[] {
  const marks: { line: number; title: string }[] = [];
  let fence: string | undefined;
  for (let line = startLine; line < endLine; line++) {
    const text = state.src.slice(state.bMarks[line]! + state.tShift[line]!, state.eMarks[line]!);
    if (/^(?:```|~~~)/.test(text)) fence = followFence(text, fence);
    const match = fence === undefined ? TAB_MARK.exec(text) : null;
    if (match) marks.push({ line, title: match[1]?.trim() || 'Tab' });
  }
  return marks;
}

/** Parses lines of a container, indented as the one that opens it. */
function parseLines(state: StateBlock, startLine: number, endLine: number, openLine = startLine - 1): void {
  const { lineMax, parentType, tight, blkIndent } = state;
  state.parentType = 'container';
  state.lineMax = endLine;
  state.blkIndent = state.sCount[openLine]!;
  state.md.block.tokenize(state, startLine, endLine);
  state.lineMax = lineMax;
  state.parentType = parentType;
  state.tight = tight;
  state.blkIndent = blkIndent;
}

/** Puts each code block on its own tab; other content of a code group, even of an unclosed one, follows the tabs. */
export function pushCodeGroup(state: StateBlock, map: [number, number], parseContent: () => void): void {
  const outer = state.tokens;
  const content: Token[] = [];
  state.tokens = content;
  parseContent();
  state.tokens = outer;
  const outerLevel = state.level;
  const isTab = ({ type, level }: Token): boolean => type === 'fence' && level === outerLevel;
  const group = pushTabGroup(state, map, { classes: 'tabs code-group' });
  for (const token of content) {
    if (!isTab(token)) continue;
    const info = parseFenceInfo(token.info);
    const title = token.meta?.tabTitle ?? info.title ?? (info.language || getTitle(getPage(state.env).titles, 'code'));
    const closeTab = group.pushTab(state, String(title));
    token.meta = { ...token.meta, hideTitle: true };
    state.tokens.push(token);
    closeTab();
  }
  group.close();
  for (const token of content) if (!isTab(token)) state.tokens.push(token);
}
