import type { StateBlock, StateCore, Token } from 'markdown-it';
import type { Parser } from '../page/extension.ts';
import { getPage } from '../page/page-state.ts';
import { getTitle } from '../page/titles.ts';
import { findIndentedEnd, parseIndented } from './indented-block.ts';

/** A box: a tip, a warning, collapsible details. */
export interface Callout {
  /** Its class, which also determines the default title. */
  readonly kind: string;
  /** Name for the title if the author wrote none. */
  readonly name: string;
  /** Markdown; undefined = the default; '' = none. */
  readonly title: string | undefined;
  /** Collapsible; `open`: initially open. */
  readonly details: 'no' | 'closed' | 'open';
}

/** Kinds of callouts by the names that VitePress, GitHub, Docusaurus, VuePress and MkDocs use. */
const KIND_OF_NAME = new Map([
  ...['info', 'note', 'tip', 'important', 'warning', 'caution', 'danger', 'details'].map(
    (kind) => [kind, kind] as const,
  ),
  ...['abstract', 'summary', 'tldr', 'todo', 'example', 'question', 'help', 'faq', 'quote', 'cite'].map(
    (name) => [name, 'info'] as const,
  ),
  ...['hint', 'success', 'check', 'done'].map((name) => [name, 'tip'] as const),
  ...['attention', 'secondary'].map((name) => [name, 'warning'] as const),
  ...['failure', 'fail', 'missing', 'error', 'bug'].map((name) => [name, 'danger'] as const),
]);

/** Returns the kind of callout that a name means, or undefined. */
export function findCalloutKind(name: string): string | undefined {
  return KIND_OF_NAME.get(name.toLowerCase());
}

/** Colours are Bootstrap's. */
const KIND_OF_COLOR = new Map([
  ['success', 'tip'],
  ['error', 'danger'],
  ['critical', 'danger'],
  ['yellow', 'warning'],
  ['red', 'danger'],
  ['green', 'tip'],
  ['blue', 'info'],
]);

/** Returns the kind of callout closest to a name or colour. */
export function findNearestKind(word: string): string {
  const kind = findCalloutKind(word);
  return kind === undefined || kind === 'details' ? (KIND_OF_COLOR.get(word.toLowerCase()) ?? 'note') : kind;
}

/** Returns the tokens that open a callout; `map` is its place in the text. */
export function createCalloutOpening(
  state: StateBlock | StateCore,
  callout: Callout,
  map: [number, number],
): { open: Token; title: Token[]; closeTag: string } {
  const isDetails = callout.details !== 'no';
  const open = new state.Token('callout_open', isDetails ? 'details' : 'div', 1);
  open.block = true;
  open.map = map;
  open.attrs = [['class', `callout ${callout.kind}`]];
  if (callout.details === 'open') open.attrs.push(['open', '']);
  const title = callout.title ?? getTitle(getPage(state.env).titles, callout.name);
  return {
    open,
    title: title === '' && !isDetails ? [] : createTitle(state, title, isDetails, map[0]),
    closeTag: open.tag,
  };
}

function createTitle(state: StateBlock | StateCore, text: string, isDetails: boolean, line: number): Token[] {
  const open = new state.Token('callout_title_open', isDetails ? 'summary' : 'p', 1);
  open.block = true;
  if (!isDetails) open.attrs = [['class', 'callout-title']];
  const inline = new state.Token('inline', '', 0);
  inline.content = text;
  inline.children = [];
  inline.map = [line, line + 1];
  inline.block = true;
  const close = new state.Token('callout_title_close', open.tag, -1);
  close.block = true;
  return [open, inline, close];
}

/** Returns the token that closes a callout. */
export function createCalloutClosing(state: StateBlock | StateCore, tag: string): Token {
  const close = new state.Token('callout_close', tag, -1);
  close.block = true;
  return close;
}

/** Adds a callout around the lines of a block, which it parses. The caller sets `state.line` afterwards. */
export function pushCallout(
  state: StateBlock,
  callout: Callout,
  map: [number, number],
  parseContent: () => void,
): Token {
  const { open, title, closeTag } = createCalloutOpening(state, callout, map);
  open.level = state.level;
  state.tokens.push(open, ...title);
  state.level++;
  parseContent();
  state.level--;
  const close = createCalloutClosing(state, closeTag);
  close.level = state.level;
  state.tokens.push(close);
  return open;
}

const OPENING = /^(!!!|\?\?\?\+?)[ \t]*([\w-]+)((?:[ \t]+[\w-]+)*)(?:[ \t]+"(.*)")?[ \t]*$/;
const BARE_OPENING = /^(!!!|\?\?\?\+?)[ \t]*()()"(.+)"[ \t]*$/;

/** Adds MkDocs' admonitions: `!!! note "Title"`, and `???` or `???+` for one that opens and closes, also without a kind. */
export function addAdmonitions({ rules }: Parser): void {
  rules.block('!?', parseAdmonition);
}

function parseAdmonition(state: StateBlock, startLine: number, endLine: number, silent: boolean): boolean {
  const start = state.bMarks[startLine]! + state.tShift[startLine]!;
  const line = state.src.slice(start, state.eMarks[startLine]!);
  const match = OPENING.exec(line) ?? BARE_OPENING.exec(line);
  // Without a space, it may be an exclamation.
  if (!match || (/^[!?+]+\w/.test(line) && findCalloutKind(match[2]!) === undefined)) return false;
  if (silent) return true;
  const name = match[2]!.toLowerCase() || (match[1] === '!!!' ? 'note' : 'details');
  const end = findIndentedEnd(state, startLine + 1, endLine);
  const details = match[1] === '!!!' ? 'no' : match[1] === '???+' ? 'open' : 'closed';
  const callout = { kind: findCalloutKind(name) ?? 'note', name, title: match[4], details } as const;
  pushCallout(state, callout, [startLine, end], () => parseIndented(state, startLine + 1, end));
  state.line = end;
  return true;
}
