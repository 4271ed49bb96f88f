import type { MarkdownIt, StateBlock, Token } from 'markdown-it';
import { parseFenceInfo } from '../code/parse-fence-info.ts';
import { getTitle } from '../default-titles.ts';
import { getPage } from '../page-state.ts';
import { setAttributes } from './attributes.ts';
import { findCalloutKind, pushCallout } from './callout.ts';
import { findContainerEnd } from './find-container-end.ts';
import { takeTrailingAttributes } from './parse-attributes.ts';
import { pushTabGroup } from './tabs.ts';

/**
 * Adds containers, `::: tip Title` … `:::`: callouts, `details`, `code-group`, `raw`, `v-pre`. A container of another
 * name becomes a plain `div` when it is closed, and stays text when it is not.
 */
export function addContainers(md: MarkdownIt): void {
  md.block.ruler.before('fence', 'container', parseContainer, {
    alt: ['paragraph', 'reference', 'blockquote', 'list'],
  });
}

function parseContainer(state: StateBlock, startLine: number, endLine: number, silent: boolean): boolean {
  const start = state.bMarks[startLine]! + state.tShift[startLine]!;
  if (state.src.charCodeAt(start) !== 58 /* : */ || state.src.charCodeAt(start + 1) !== 58) return false;
  if (state.sCount[startLine]! - state.blkIndent >= 4) return false;
  const match = /^(:{3,})[ \t]*([A-Za-z][\w-]*)(?:[ \t]+(\S.*)|(\[.*|\{.*))?$/.exec(
    state.src.slice(start, state.eMarks[startLine]!).trimEnd(),
  );
  if (!match) return false;
  const name = match[2]!.toLowerCase();
  const isKnown = name === 'code-group' || name === 'raw' || name === 'v-pre' || findCalloutKind(name) !== undefined;
  if (silent && isKnown) return true;
  const { end, closed } = findContainerEnd(state, startLine, endLine, match[1]!.length);
  if (!isKnown && !closed) return false;
  if (silent) return true;
  const text = (match[3] ?? match[4] ?? '').trim();
  pushContainer(state, name, text, startLine, end);
  state.line = end + (closed ? 1 : 0);
  return true;
}

function pushContainer(state: StateBlock, name: string, text: string, startLine: number, end: number): void {
  const map: [number, number] = [startLine, end];
  const parseContent = () => parseLines(state, startLine + 1, end);
  if (name === 'v-pre') parseContent();
  else if (name === 'code-group') pushCodeGroup(state, map, parseContent);
  else {
    const { rest, attributes } = takeTrailingAttributes(text);
    const open = pushBox(state, { name, title: rest.replace(/^\[(.*)\]$/, '$1') || undefined, map }, parseContent);
    setAttributes(getPage(state.env), open, attributes, startLine);
  }
}

/** A callout, or a plain box where the name is none of a callout. */
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
  parseContent();
  state.push('container_close', 'div', -1);
  return open;
}

function parseLines(state: StateBlock, startLine: number, endLine: number): void {
  const { lineMax, parentType, tight, blkIndent } = state;
  state.parentType = 'container';
  state.lineMax = endLine;
  state.blkIndent = state.sCount[startLine - 1]!;
  state.md.block.tokenize(state, startLine, endLine);
  state.lineMax = lineMax;
  state.parentType = parentType;
  state.tight = tight;
  state.blkIndent = blkIndent;
}

/** Puts the code blocks on a tab each; what else stands in a code group, or in one that is never closed, follows the tabs. */
function pushCodeGroup(state: StateBlock, map: [number, number], parseContent: () => void): void {
  const outer = state.tokens;
  const content: Token[] = [];
  state.tokens = content;
  parseContent();
  state.tokens = outer;
  const outerLevel = state.level;
  const isTab = ({ type, level }: Token): boolean => type === 'fence' && level === outerLevel;
  const group = pushTabGroup(state, map, 'tabs code-group');
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
  state.tokens.push(...content.filter((token) => !isTab(token)));
}
