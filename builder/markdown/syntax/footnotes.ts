import type { StateCore, StateInline, Token } from 'markdown-it';
import footnote from 'markdown-it-footnote';
import { escapeHtml } from '../../../lib/html-text.ts';
import type { Parser } from '../page/extension.ts';
import { claimId } from '../page/page-ids.ts';
import { getPage, type PageState } from '../page/page-state.ts';
import { getTitle } from '../page/titles.ts';

/** Adds footnotes, `[^1]` and `^[inline]`, with names for screen readers. */
export function addFootnotes({ md }: Parser): void {
  md.use(footnote);
  // The plugin's own rule copies all tokens for each footnote.
  md.core.ruler.at('footnote_tail', moveFootnotes);
  md.core.ruler.after('block', 'footnote_files', partFiles);
  // The plugin's own rule searches the end of each possible label up to the end of the text.
  md.inline.ruler.at('footnote_ref', parseReference);
  const { rules } = md.renderer;
  rules.footnote_ref = (tokens, index, _options, env) => {
    const { number, reference } = getNumbers(tokens[index]!);
    const idOf = findIds(getPage(env));
    return `<sup class="footnote-ref"><a href="#${idOf(`fn${number}`)}" id="${idOf(`fnref${reference}`)}">${number}</a></sup>`;
  };
  rules.footnote_block_open = (_tokens, _index, _options, env) =>
    `<section class="footnotes" aria-label="${escapeHtml(getTitle(getPage(env).titles, 'footnotes'))}">\n<ol>\n`;
  rules.footnote_block_close = () => '</ol>\n</section>\n';
  rules.footnote_open = (tokens, index, _options, env) =>
    `<li id="${findIds(getPage(env))(`fn${getNumbers(tokens[index]!).number}`)}">`;
  rules.footnote_close = () => '</li>\n';
  rules.footnote_anchor = (tokens, index, _options, env) => {
    const page = getPage(env);
    const label = escapeHtml(getTitle(page.titles, 'backToText'));
    const id = findIds(page)(`fnref${getNumbers(tokens[index]!).reference}`);
    return ` <a class="footnote-back" href="#${id}" aria-label="${label}">↩</a>`;
  };
}

const idsOfPages = new WeakMap<PageState, Map<string, string>>();

/** Returns a function that gives the notes and references of a page their ids, which no heading has. */
function findIds(page: PageState): (wanted: string) => string {
  const ids = idsOfPages.get(page) ?? new Map<string, string>();
  idsOfPages.set(page, ids);
  return (wanted) => {
    const id = ids.get(wanted) ?? claimId(page, wanted);
    ids.set(wanted, id);
    return id;
  };
}

interface Footnote {
  readonly label?: string;
  readonly content?: string;
  /** Set for `^[inline]`. */
  readonly tokens?: Token[];
  count?: number;
}

/** The plugin's data: ids by label with a colon before it, -1 before the first reference. */
interface Footnotes {
  readonly refs?: Record<string, number>;
  list?: Footnote[];
  /** Labels of notes that only included files define. */
  elsewhere?: ReadonlyMap<string, string>;
  /** Labels that the whole text of an included file defines, by its path. */
  readonly defined?: Map<string, ReadonlySet<string>>;
}

/** The label of a note of an included file; those of different files may be the same. */
function labelIn(file: string, label: string): string {
  return `${label}\0${file}`;
}

/** Keeps the notes of included files apart from each other and from those of the page. */
function partFiles({ env, tokens }: StateCore): void {
  const { included } = getPage(env);
  const notes = env.footnotes as Footnotes | undefined;
  if (included.size === 0 || notes?.refs === undefined) return;
  const own = new Set<string>();
  const elsewhere = new Map<string, string>();
  for (const token of tokens) {
    if (token.type !== 'footnote_reference_open') continue;
    const label = String(token.meta?.label);
    const file = included.get(token);
    if (file === undefined) {
      own.add(label);
      continue;
    }
    const named = labelIn(file, label);
    token.meta = { label: named };
    notes.refs[`:${named}`] = -1;
    if (!elsewhere.has(label)) elsewhere.set(label, named);
  }
  for (const label of elsewhere.keys()) if (!own.has(label)) delete notes.refs[`:${label}`];
  notes.elsewhere = elsewhere;
}

const DEFINITION = /^[ \t>]*\[\^([^\s\]]{1,999})\]:/gm;

/**
 * Returns the label by which a note is known to which a text refers: that of the same file, else of the page, else of any file.
 * Undefined if there is none, or if the file has one that is not included, since another must not take its place.
 */
function findLabel(page: PageState, notes: Footnotes, label: string): string | undefined {
  const { currentFile: file } = page;
  const own = file === undefined ? label : labelIn(file, label);
  if (notes.refs?.[`:${own}`] !== undefined) return own;
  if (file !== undefined && listDefined(page, notes, file).has(label)) return undefined;
  return notes.refs?.[`:${label}`] !== undefined ? label : notes.elsewhere?.get(label);
}

function listDefined(page: PageState, notes: Footnotes, file: string): ReadonlySet<string> {
  const { defined = new Map<string, ReadonlySet<string>>() } = notes;
  Object.assign(notes, { defined });
  let labels = defined.get(file);
  if (labels === undefined) {
    const text = page.input.includes.get(file) ?? '';
    labels = new Set([...text.matchAll(DEFINITION)].map(([, label]) => label!));
    defined.set(file, labels);
  }
  return labels;
}

/** The length limit is that of link labels. */
const REFERENCE = /\[\^([^\s\]]{1,999})\]/y;

function parseReference(state: StateInline, silent: boolean): boolean {
  const notes = state.env.footnotes as Footnotes | undefined;
  if (notes?.refs === undefined || state.src.charCodeAt(state.pos + 1) !== 94 /* ^ */) return false;
  REFERENCE.lastIndex = state.pos;
  const match = REFERENCE.exec(state.src);
  if (match === null || REFERENCE.lastIndex > state.posMax) return false;
  const label = findLabel(getPage(state.env), notes, match[1]!);
  if (label === undefined) return false;
  if (!silent) {
    const known = notes.refs[`:${label}`]!;
    notes.list ??= [];
    const id = known < 0 ? notes.list.push({ label, count: 0 }) - 1 : known;
    notes.refs[`:${label}`] = id;
    const note = notes.list[id]!;
    const subId = note.count ?? 0;
    note.count = subId + 1;
    state.push('footnote_ref', '', 0).meta = { id, subId, label };
  }
  state.pos += match[0].length;
  return true;
}

/** Moves the referenced footnotes to the end of the text, in order of their numbers, and drops the others. */
function moveFootnotes(state: StateCore): void {
  const found = state.env.footnotes as { readonly list?: readonly Footnote[] } | undefined;
  if (found === undefined) return;
  const { included } = getPage(state.env);
  const files = included.size > 0 ? findFiles(state.tokens, included) : undefined;
  const contents = takeContents(state);
  if (found.list === undefined) return;
  const { tokens } = state;
  tokens.push(new state.Token('footnote_block_open', '', 1));
  for (const [id, note] of found.list.entries()) {
    const open = new state.Token('footnote_open', '', 1);
    open.meta = { id };
    tokens.push(open);
    for (const token of note.tokens ? createParagraph(state, note) : (contents.get(note.label ?? '') ?? [])) {
      const file = note.tokens && files?.get(id);
      if (file !== undefined) included.set(token, file);
      tokens.push(token);
    }
    const last = tokens.at(-1)?.type === 'paragraph_close' ? tokens.pop() : undefined;
    for (let subId = 0; subId < Math.max(note.count ?? 1, 1); subId++) {
      const anchor = new state.Token('footnote_anchor', '', 0);
      anchor.meta = { id, subId };
      tokens.push(anchor);
    }
    if (last) tokens.push(last);
    tokens.push(new state.Token('footnote_close', '', -1));
  }
  tokens.push(new state.Token('footnote_block_close', '', -1));
}

/** Returns the included files of the texts that refer to notes, by the notes' numbers. */
function findFiles(tokens: readonly Token[], included: ReadonlyMap<Token, string>): ReadonlyMap<number, string> {
  const files = new Map<number, string>();
  for (const token of tokens) {
    const file = included.get(token);
    if (file === undefined) continue;
    for (const { type, meta } of token.children ?? []) if (type === 'footnote_ref') files.set(Number(meta?.id), file);
  }
  return files;
}

function takeContents(state: StateCore): ReadonlyMap<string, readonly Token[]> {
  const contents = new Map<string, Token[]>();
  const rest: Token[] = [];
  let target = rest;
  for (const token of state.tokens) {
    if (token.type === 'footnote_reference_open') {
      target = [];
      contents.set(String(token.meta?.label), target);
    } else if (token.type === 'footnote_reference_close') target = rest;
    else target.push(token);
  }
  state.tokens = rest;
  return contents;
}

function createParagraph(state: StateCore, note: Footnote): readonly Token[] {
  const open = new state.Token('paragraph_open', 'p', 1);
  const inline = new state.Token('inline', '', 0);
  const close = new state.Token('paragraph_close', 'p', -1);
  open.block = close.block = true;
  inline.children = note.tokens ?? [];
  inline.content = note.content ?? '';
  return [open, inline, close];
}

function getNumbers(token: Token): { number: number; reference: string } {
  const { id, subId } = token.meta as { id: number; subId?: number };
  return { number: id + 1, reference: subId ? `${id + 1}-${subId}` : `${id + 1}` };
}
