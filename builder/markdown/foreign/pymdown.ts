import type { StateBlock, StateCore, StateInline } from 'markdown-it';
import type { Parser } from '../page/extension.ts';
import { spendWork } from '../page/page-costs.ts';
import { getPage, type PageState, warnOnce } from '../page/page-state.ts';
import { findCalloutKind } from '../syntax/callouts.ts';
import { findIndentedEnd } from '../syntax/indented-block.ts';
import { findMeaning } from './elements.ts';
import { warnLeftOut } from './inline.ts';
import { parseNested, pushElement, sliceInner } from './push-element.ts';

/** Adds what MkDocs' extensions write: icons, keys, marks, `/// blocks`, and objects of mkdocstrings. */
export function addPymdown({ md, rules }: Parser): void {
  md.core.ruler.after('block', 'object_headings', ({ tokens, env }: StateCore) => {
    for (const [index, { type, content }] of tokens.entries()) {
      const name = type === 'inline' && content.startsWith(':::') ? objectHeading.exec(content)?.[1] : undefined;
      if (name === undefined || tokens[index - 1]?.type !== 'heading_open') continue;
      warnAboutObject(getPage(env), tokens[index]!.map?.[0] ?? 0, name);
      tokens[index]!.content = `\`${name}\``;
    }
  });
  rules.block(':', parseObject);
  rules.block('/', parseSlashBlock);
  rules.inline(':', parseIcon);
  rules.inline('+', parseKeys);
  rules.inline('{', parseCritic);
  for (const mark of marks) rules.inline(mark.sign[0]!, createMarkRule(mark));
}

/** The work of looking at a line, see `spendWork`. */
const WORK_OF_LINE = 10;

/** `::: package.Class`, its options indented below. */
const objectLine = /^:::[ \t]+([A-Za-z_][\w-]*(?:[.:]+[A-Za-z_]\w*)*)[ \t]*$/;
const objectHeading = /^:::[ \t]+([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+)$/;

function parseObject(state: StateBlock, startLine: number, endLine: number, silent: boolean): boolean {
  const start = state.bMarks[startLine]! + state.tShift[startLine]!;
  const page = getPage(state.env);
  const name = objectLine.exec(state.src.slice(start, state.eMarks[startLine]!))?.[1];
  // A name with a dot is an object of Python whatever the generator is; others may be containers.
  if (name === undefined || !(name.includes('.') || (page.dialect.pymdown && findCalloutKind(name) === undefined)))
    return false;
  if (silent) return true;
  const map: [number, number] = [startLine, findIndentedEnd(state, startLine + 1, endLine)];
  warnAboutObject(page, startLine, name);
  state.push('paragraph_open', 'p', 1).map = map;
  const inline = state.push('inline', '', 0);
  inline.content = `\`${name}\``;
  inline.children = [];
  inline.map = map;
  state.push('paragraph_close', 'p', -1);
  state.line = map[1];
  return true;
}

function warnAboutObject(page: PageState, line: number, name: string): void {
  const message = `The documentation of "${name}" is made by another generator; its name stands here`;
  warnOnce(page, line, 'foreign-syntax', message);
}

/** `/// note | Title`, its options indented below, closed by as many slashes. */
const slashLine = /^(\/{3,})[ \t]*([A-Za-z][\w-]*)[ \t]*(?:\|[ \t]*(.*))?$/;

function parseSlashBlock(state: StateBlock, startLine: number, endLine: number, silent: boolean): boolean {
  const start = state.bMarks[startLine]! + state.tShift[startLine]!;
  const match = slashLine.exec(state.src.slice(start, state.eMarks[startLine]!).trimEnd());
  if (!match) return false;
  const [, slashes = '', name = '', title] = match;
  const end = findSlashEnd(state, { startLine, endLine, slashes });
  if (end === undefined) return false;
  if (silent) return true;
  const { first, options } = readOptions(state, startLine + 1, end);
  const named = new Map(options);
  if (title?.trim()) named.set('title', title.trim());
  const meaning = findMeaning({ syntax: 'component', name, named, positional: [], isPaired: true });
  const opening = { start: state.eMarks[first - 1]!, startLine: first - 1, end: state.bMarks[end]!, endLine: end };
  const inner = sliceInner(state, opening);
  const place = { map: [startLine, end + 1] as [number, number], inner, isMarkdown: true };
  if (meaning === undefined || !pushElement(state, meaning, place)) parseNested(state, inner);
  state.line = end + 1;
  return true;
}

function findSlashEnd(
  state: StateBlock,
  { startLine, endLine, slashes }: { readonly startLine: number; readonly endLine: number; readonly slashes: string },
): number | undefined {
  const { costs } = getPage(state.env);
  for (let line = startLine + 1; line < endLine; line++) {
    spendWork(costs, WORK_OF_LINE);
    const start = state.bMarks[line]! + state.tShift[line]!;
    if (state.src.charCodeAt(start) !== 47 /* / */) continue;
    if (state.src.slice(start, state.eMarks[line]!).trimEnd() === slashes) return line;
  }
  return undefined;
}

/** `    type: warning` on indented lines right below. */
function readOptions(
  state: StateBlock,
  startLine: number,
  endLine: number,
): { first: number; options: [string, string][] } {
  const options: [string, string][] = [];
  let line = startLine;
  for (; line < endLine && !state.isEmpty(line) && state.sCount[line]! - state.blkIndent >= 4; line++) {
    const text = state.src.slice(state.bMarks[line]!, state.eMarks[line]!);
    const match = /^\s*([\w-]+):[ \t]*(.*?)[ \t]*$/.exec(text.slice(0, 500));
    if (match) options.push([match[1]!.toLowerCase(), match[2]!.replace(/^(["'])(.*)\1$/, '$2')]);
  }
  return { first: line, options };
}

const icon = /:(?:material|octicons|fontawesome|simple)(?:[-/][a-z0-9]+)+:(?:\{[^{}\n]{0,200}\})?/y;

/** Icons are pictures of MkDocs' themes; their names are no text. */
function parseIcon(state: StateInline, silent: boolean): boolean {
  icon.lastIndex = state.pos;
  const match = icon.exec(state.src);
  if (match === null || icon.lastIndex > state.posMax) return false;
  if (!silent) {
    const page = getPage(state.env);
    warnOnce(
      page,
      page.costs.line,
      'foreign-syntax',
      'Icons such as ":material-check:" belong to another generator and were left out',
    );
    state.push('html_inline', '', 0).content = '';
  }
  state.pos += match[0].length;
  return true;
}

const keys = /\+\+((?:[a-z0-9_-]{1,30}|"[^"\n]{1,30}")(?:\+(?:[a-z0-9_-]{1,30}|"[^"\n]{1,30}"))*)\+\+/iy;

/** `++ctrl+alt+"X"++`. */
function parseKeys(state: StateInline, silent: boolean): boolean {
  if (!getPage(state.env).dialect.pymdown) return false;
  keys.lastIndex = state.pos;
  const match = keys.exec(state.src);
  if (match === null || keys.lastIndex > state.posMax) return false;
  if (!silent) {
    for (const [index, key] of match[1]!.split('+').entries()) {
      if (index > 0) state.push('text', '', 0).content = '+';
      state.push('kbd_open', 'kbd', 1);
      state.push('text', '', 0).content = nameKey(key);
      state.push('kbd_close', 'kbd', -1);
    }
  }
  state.pos += match[0].length;
  return true;
}

const keyNames = new Map([
  ['cmd', 'Cmd'],
  ['esc', 'Esc'],
  ['del', 'Del'],
  ['page-up', 'Page Up'],
  ['page-down', 'Page Down'],
  ['arrow-up', '↑'],
  ['arrow-down', '↓'],
  ['arrow-left', '←'],
  ['arrow-right', '→'],
  ['up', '↑'],
  ['down', '↓'],
  ['left', '←'],
  ['right', '→'],
]);

function nameKey(key: string): string {
  if (key.startsWith('"')) return key.slice(1, -1);
  const words = key.split(/[-_]/).map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  return keyNames.get(key.toLowerCase()) ?? words.join(' ');
}

/** `{++added++}`, `{--deleted--}`, `{==marked==}`, `{~~old~>new~~}`, `{>>comment<<}`. */
const critic = /\{(?:\+\+([^{}]*?)\+\+|--([^{}]*?)--|==([^{}]*?)==|~~([^{}]*?)~>([^{}]*?)~~|>>([^{}]*?)<<)\}/y;

const criticStart = /^(?:\+\+|--|==|~~|>>)$/;

function parseCritic(state: StateInline, silent: boolean): boolean {
  const { src, pos } = state;
  if (!getPage(state.env).dialect.pymdown) return false;
  if (!criticStart.test(src.slice(pos + 1, pos + 3))) return false;
  const end = src.slice(pos, pos + 1_000).indexOf('}');
  critic.lastIndex = 0;
  const match = end < 0 ? null : critic.exec(src.slice(pos, pos + end + 1));
  if (match === null || pos + match[0].length > state.posMax) return false;
  const [source, added, deleted, marked, before, after] = match;
  const push = (tag: string, text: string | undefined) => {
    if (!text) return;
    state.push(`${tag}_open`, tag, 1);
    state.push('text', '', 0).content = text;
    state.push(`${tag}_close`, tag, -1);
  };
  if (!silent) {
    push('del', deleted ?? before);
    push('ins', added ?? after);
    push('mark', marked);
    if (match[6] !== undefined) warnLeftOut(getPage(state.env), source);
  }
  state.pos += source.length;
  return true;
}

interface Mark {
  readonly tag: 'mark' | 'ins' | 'sub' | 'sup';
  readonly sign: string;
  /** Spaces may stand inside. */
  readonly hasSpaces: boolean;
}

const marks: readonly Mark[] = [
  { tag: 'mark', sign: '==', hasSpaces: true },
  { tag: 'ins', sign: '^^', hasSpaces: true },
  { tag: 'sub', sign: '~', hasSpaces: false },
  { tag: 'sup', sign: '^', hasSpaces: false },
];
/** A longer text is not looked at for its end. */
const maxMark = 1_000;

/** Text between two signs becomes an element; what is inside is Markdown. */
function createMarkRule({ tag, sign, hasSpaces }: Mark): (state: StateInline, silent: boolean) => boolean {
  const code = sign.charCodeAt(0);
  return (state, silent) => {
    const { src, pos, posMax } = state;
    if (!getPage(state.env).dialect.pymdown) return false;
    const start = pos + sign.length;
    if (!src.startsWith(sign, pos) || src.charCodeAt(start) === code || /\s/.test(src[start] ?? ' ')) return false;
    if (src.charCodeAt(pos - 1) === code) return false;
    const text = src.slice(start, Math.min(posMax, start + maxMark));
    const length = text.indexOf(sign);
    if (length <= 0 || /\s/.test(text[length - 1]!) || text.charCodeAt(length + sign.length) === code) return false;
    const inner = text.slice(0, length);
    if (inner.includes('\n\n') || (!hasSpaces && /\s/.test(inner))) return false;
    if (!silent) {
      state.push(`${tag}_open`, tag, 1);
      state.pos = start;
      state.posMax = start + length;
      state.md.inline.tokenize(state);
      state.posMax = posMax;
      state.push(`${tag}_close`, tag, -1);
    }
    state.pos = start + length + sign.length;
    return true;
  };
}
