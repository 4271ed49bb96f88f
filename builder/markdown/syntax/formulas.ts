import { decodeXML } from 'entities';
import type { Env, MarkdownIt, StateBlock, StateInline, Token } from 'markdown-it';
import { escapeText } from '../../../lib/html-text.ts';
import { createLineCounter } from '../html/open-addresses.ts';
import type { Parser } from '../page/extension.ts';
import { takeAuthorId } from '../page/page-ids.ts';
import { addSlot, getPage, type PageState, warn } from '../page/page-state.ts';
import { drawFormula, isMathFence, MAX_TEX, spendOnFormula } from './draw-formula.ts';

/**
 * Adds formulas in TeX: `$…$`, `$$…$$` in a line or on lines of their own, GitLab's `` $`…`$ ``, fences with the language
 * `math`. They become MathML when the page is rendered; its styles are linked only from pages with a formula.
 */
export function addFormulas({ md, rules, options }: Parser): void {
  rules.inline('$', options.math ? parseInline : keepBraces);
  if (!options.math) return;
  rules.block('$', parseBlock);
  // Before those of headings.
  md.core.ruler.push('formula_ids', ({ tokens, env }) => {
    for (const token of tokens) {
      if (token.type !== 'formula_block' || token.info === '') continue;
      token.info = takeAuthorId(getPage(env), token.info, token.map?.[0] ?? 0);
    }
  });
  md.renderer.rules.formula = (tokens, index, _options, env) => renderInline(getPage(env), tokens[index]!);
  md.renderer.rules.formula_block = (tokens, index, _options, env) =>
    renderBlock(getPage(env), tokens[index]!) ?? renderAsCode(md, tokens[index]!, env!);
  addFormulaReferences({ md, rules, options });
  const { renderInlineAsText } = md.renderer;
  md.renderer.renderInlineAsText = (tokens, all, env) =>
    renderInlineAsText.call(md.renderer, tokens.map(asText), all, env);
  const renderFence = md.renderer.rules.fence!;
  md.renderer.rules.fence = (tokens, index, all, env, renderer) => {
    const token = tokens[index]!;
    return (
      (isMathFence(token) ? renderBlock(getPage(env), token) : undefined) ??
      renderFence(tokens, index, all, env, renderer)
    );
  };
}

/** Texts of images show a formula's TeX. */
function asText(token: Token): Token {
  return token.type === 'formula' ? Object.assign(Object.create(token) as Token, { type: 'text' }) : token;
}

/** A formula in a text: where it ends, its TeX, and whether it is set apart from the text. */
interface Found {
  readonly end: number;
  readonly tex: string;
  readonly isDisplay: boolean;
}

const DISPLAY = new RegExp(`\\$\\$((?:\\\\[^]|[^$\\\\]|\\$(?!\\$)){1,${MAX_TEX}}?)\\$\\$`, 'y');
const QUOTED = new RegExp(`\\$(\`+)([^\`]{1,${MAX_TEX}})\\1\\$`, 'y');
const SINGLE = new RegExp(`\\$(?![\\s$])((?:\\\\[^]|[^$\\\\\`]){1,${MAX_TEX}})\\$`, 'y');

/** Not in `US$5`, `a$`; between letters that are written without spaces there is no other way. */
const WORD_BEFORE = /[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{N}_$]/u;
/** Not in `$5-$10`, `$FOO/$BAR`, `$(a)/$(b)`, but in "the $n$th" and before a line break. */
const WORD_AFTER =
  /(?!(?:th|st|nd|rd|s)(?![\p{L}\p{N}]))[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{N}_$({]|\\(?!\n)/uy;

/** Finds the formula that begins at a `$`, by Pandoc's rules and some that tell prices, variables and prose apart. */
function findFormula({ src, pos, posMax }: StateInline): Found | undefined {
  const isDouble = src.charCodeAt(pos + 1) === 36 /* $ */;
  const isQuoted = src.charCodeAt(pos + 1) === 96; /* ` */
  const pattern = isDouble ? DISPLAY : isQuoted ? QUOTED : SINGLE;
  pattern.lastIndex = pos;
  const match = pattern.exec(src);
  const end = pattern.lastIndex;
  if (match === null || end > posMax) return undefined;
  WORD_AFTER.lastIndex = end;
  if (WORD_BEFORE.test(src[pos - 1] ?? '') || WORD_AFTER.test(src)) return undefined;
  const tex = isQuoted ? match[2]! : match[1]!;
  const isProse = !isQuoted && ((!isDouble && /[^\\]\s$/.test(tex)) || isText(tex));
  return isProse || tex.trim() === '' ? undefined : { end, tex, isDisplay: isDouble };
}

/** `$20 and 30 US$`, `$$ and $$`, placeholders such as `$END$`, and `$apr1$` of a password's hash. */
function isText(tex: string): boolean {
  if (/[\\{]/.test(tex)) return false;
  return (
    /^(?:[A-Z][A-Z0-9_]{2,}|[a-z]{2,}\d\w*)$/.test(tex.trim()) ||
    (/\s/.test(tex) && /(?:^|\s)\p{L}{2,}[.,;:!?]?(?:\s|$)/u.test(tex))
  );
}

function parseInline(state: StateInline, silent: boolean): boolean {
  const found = findFormula(state);
  if (found === undefined) return false;
  // kramdown, Jekyll's Markdown, has no other sign for formulas in a line.
  const isDisplay = found.isDisplay && getPage(state.env).dialect.mustache !== 'liquid';
  if (!silent) pushFormula(state, { ...found, isDisplay });
  state.pos = found.end;
  return true;
}

/** Adds a formula that is written from the current position on. */
export function pushFormula(state: StateInline, { end, tex, isDisplay }: Found): void {
  const token = state.push('formula', 'math', 0);
  token.content = tex.trim();
  token.markup = state.src.slice(state.pos, end);
  token.meta = { isDisplay, line: findLine(state) };
}

/** Where formulas stay text, their braces are TeX, whatever a generator does with braces elsewhere. */
function keepBraces(state: StateInline, silent: boolean): boolean {
  const { expressions, mustache } = getPage(state.env).dialect;
  if (!expressions && mustache === 'text') return false;
  const found = findFormula(state);
  if (!found?.tex.includes('{')) return false;
  if (!silent) state.pending += state.src.slice(state.pos, found.end);
  state.pos = found.end;
  return true;
}

/** The end of a formula, and its name as MyST and Quarto write it. */
const BLOCK_END = /\$\$[ \t]*(?:(?:\(([\w:.-]{1,100})\)|\{#([\w:.-]{1,100})\})[ \t]*)?$/;

/** A formula on lines of its own; it contains no blank line. */
function parseBlock(state: StateBlock, startLine: number, endLine: number, silent: boolean): boolean {
  const start = state.bMarks[startLine]! + state.tShift[startLine]!;
  if (!state.src.startsWith('$$', start)) return false;
  let length = 0;
  for (let line = startLine; line < endLine && !state.isEmpty(line) && length <= MAX_TEX; line++) {
    if (state.sCount[line]! < state.blkIndent) return false;
    const from = line === startLine ? start + 2 : state.bMarks[line]! + state.tShift[line]!;
    const text = state.src.slice(from, state.eMarks[line]!);
    length += text.length;
    const at = text.indexOf('$$');
    if (at < 0) continue;
    const end = BLOCK_END.exec(text.slice(at));
    if (end === null || end.index > 0) return false;
    const written = state
      .getLines(startLine, line + 1, state.blkIndent, false)
      .trim()
      .slice(2);
    const tex = written.slice(0, written.lastIndexOf('$$')).trim();
    if (tex === '') return false;
    if (!silent) {
      const token = state.push('formula_block', 'div', 0);
      token.content = tex;
      token.info = end[1] ?? end[2] ?? '';
      token.map = [startLine, line + 1];
      state.line = line + 1;
    }
    return true;
  }
  return false;
}

function renderInline(page: PageState, token: Token): string {
  const { isDisplay, line } = token.meta as { isDisplay: boolean; line: number };
  const math = renderMath(page, { tex: token.content, isDisplay, line });
  return math ?? `<span class="formula-error">${escapeText(token.markup)}</span>`;
}

function renderBlock(page: PageState, { content, info, type, map, meta }: Token): string | undefined {
  const line = map?.[0] ?? 0;
  const math = renderMath(page, { tex: content.trim(), isDisplay: true, line });
  if (math === undefined) return undefined;
  const id = type === 'formula_block' ? info : String(meta?.id ?? '');
  const written = id === '' ? '' : ` id="${escapeText(id)}"`;
  return `<div${written} class="formula" tabindex="0">${math}</div>\n`;
}

/** TeX that cannot be drawn is shown as it is written. */
function renderAsCode(md: MarkdownIt, { content, map }: Token, env: Env): string {
  const fence = new md.core.State('', md, env).Token;
  const token = new fence('fence', 'code', 0);
  token.info = 'latex';
  token.content = content;
  token.map = map;
  return md.renderer.render([token], md.options, env);
}

/** Returns the slot of a formula's MathML, or undefined, with a warning, for TeX that is wrong. */
function renderMath(
  page: PageState,
  { tex, isDisplay, line }: { readonly tex: string; readonly isDisplay: boolean; readonly line: number },
): string | undefined {
  spendOnFormula(page, tex);
  const filled = fillReferences(page, tex);
  const drawn =
    tex.length > MAX_TEX ? { message: `It is longer than ${MAX_TEX} characters` } : drawFormula(filled, isDisplay);
  // Sphinx aligns at `&`, and parts equations at blank lines, without an environment.
  const aligned = `\\begin{aligned}${filled.replace(/\n\s*\n/g, '\\\\')}\\end{aligned}`;
  const isAligned = typeof drawn !== 'string' && isDisplay && /(?<!\\)&/.test(tex) && tex.length <= MAX_TEX;
  const retried = isAligned ? drawFormula(aligned, true) : drawn;
  const html = typeof retried === 'string' ? retried : drawn;
  if (typeof html === 'string') {
    page.extras.add('formulas');
    const isLabelled = html.includes(' id="');
    return addSlot(page, { kind: 'formula', tex, html: isLabelled ? claimLabels(page, html, line) : html });
  }
  const shown = tex.length > 60 ? `${tex.slice(0, 60)}…` : tex;
  warn(page, line, 'formula', `Formula "${shown.replace(/\s+/g, ' ')}" is shown as text: ${html.message}`);
  return undefined;
}

/** Claims the ids that Temml makes from labels. */
function claimLabels(page: PageState, html: string, line: number): string {
  return html.replace(/ id="([^"]+)"/g, (_, id: string) => ` id="${takeAuthorId(page, id, line)}"`);
}

/** Lets `\ref` and `\eqref` show the numbers of equations, in formulas and in the text. */
function addFormulaReferences({ md, rules }: Parser): void {
  rules.inline('\\', parseReference);
  md.core.ruler.after('inline', 'formula_labels', ({ env, tokens }) => readLabels(getPage(env), tokens));
}

/** Tags and numbers of equations by their labels, as Temml writes these. */
type Labels = ReadonlyMap<string, string>;

const labelsOfPages = new WeakMap<PageState, Labels>();
const NUMBERED = /\\label\{|\\begin\{(?:equation|align|gather|alignat|eqnarray)\}/;

/** A row with a label, the cell with its tag, or its number. */
const MARKS = /<mtr id="([^"]*)"|class="tml-tag">(.*?)(?:<\/mtd>|$)|(class="tml-eqn")/gs;
/** Longer tags are not shown: each reference repeats them. */
const MAX_TAG = 50;

/** Finds the numbers that equations of a page will have, in its order, if something refers to one. */
function readLabels(page: PageState, tokens: readonly Token[]): void {
  const { text } = page.input;
  if (!hasLabel(page) || !/\\(?:eq)?ref\{/.test(text)) return;
  const labels = new Map<string, string>();
  let numbers = 0;
  const read = (tex: string, isDisplay: boolean): void => {
    if (tex.length > MAX_TEX || !NUMBERED.test(tex)) return;
    spendOnFormula(page, tex);
    const html = drawFormula(fillReferences(page, tex), isDisplay);
    if (typeof html !== 'string') return;
    let label: string | undefined;
    for (const [, id, tag, number] of html.matchAll(MARKS)) {
      if (id !== undefined) label = id;
      const shown = tag === undefined ? number && `(${++numbers})` : readTag(tag);
      if (shown === undefined) continue;
      if (label !== undefined && shown.length <= MAX_TAG + '()'.length) labels.set(label, shown);
      label = undefined;
    }
  };
  for (const token of tokens) {
    if (token.type === 'formula_block' || isMathFence(token)) read(token.content.trim(), true);
    for (const child of token.children ?? []) {
      if (child.type === 'formula') read(child.content, (child.meta as { readonly isDisplay: boolean }).isDisplay);
    }
  }
  labelsOfPages.set(page, labels);
  if (labels.size > 0) showNumbers(page, tokens, labels);
}

/** Returns the text of a tag, from its MathML. */
function readTag(mathml: string): string {
  return decodeXML(mathml.replace(/<[^<>]*>/g, ''));
}

/** A reference is a link that a script would have to fill; it shows the equation's number, or the name if it has none. */
const REFERENCE = /\\(eq)?ref\{([^{}\\$]{0,100})\}/g;

/** Returns a formula with the numbers of the equations that it refers to. */
function fillReferences(page: PageState, tex: string): string {
  const labels = labelsOfPages.get(page);
  return tex.replace(REFERENCE, (_, isInBrackets: string | undefined, name: string) => {
    const text = (findNumber(name, labels) ?? name).replace(/[_#%&~^{}$]/g, '\\$&');
    return `\\text{${isInBrackets ? `(${text})` : text}}`;
  });
}

/** Returns the tag or number of an equation, without brackets. */
function findNumber(name: string, labels: Labels | undefined): string | undefined {
  return labels?.get(name.replace(/[^A-Za-z0-9_-]/g, ''))?.replace(/^\((.*)\)$/, '$1');
}

const labelled = new WeakMap<PageState, boolean>();

/** Returns whether an equation of a page may have a label; without one, what looks like a reference is text. */
function hasLabel(page: PageState): boolean {
  let isThere = labelled.get(page);
  if (isThere === undefined) {
    isThere = page.input.text.includes('\\label{');
    labelled.set(page, isThere);
  }
  return isThere;
}

interface TextReference {
  readonly name: string;
  readonly isInBrackets: boolean;
  readonly line: number;
}

const TEXT_REFERENCE = /\\(eq)?ref\{([\w:.-]{1,100})\}/y;

/** A reference outside of formulas is text that is known once all equations are. */
function parseReference(state: StateInline, silent: boolean): boolean {
  TEXT_REFERENCE.lastIndex = state.pos;
  const match = TEXT_REFERENCE.exec(state.src);
  const page = getPage(state.env);
  if (match === null || TEXT_REFERENCE.lastIndex > state.posMax || !hasLabel(page)) return false;
  if (!silent) {
    const token = state.push('text_special', '', 0);
    token.content = match[0];
    token.markup = match[0];
    token.info = 'reference';
    const isInBrackets = match[1] !== undefined;
    token.meta = { name: match[2]!, isInBrackets, line: findLine(state) } satisfies TextReference;
  }
  state.pos = TEXT_REFERENCE.lastIndex;
  return true;
}

/** Fills in the references of a text. */
function showNumbers(page: PageState, tokens: readonly Token[], labels: Labels): void {
  for (const token of tokens) {
    if (token.children) showNumbers(page, token.children, labels);
    if (token.type !== 'text_special' || token.info !== 'reference') continue;
    const { name, isInBrackets, line } = token.meta as unknown as TextReference;
    const number = findNumber(name, labels);
    if (number === undefined) {
      const where = `leads to no equation of this page: it needs \\label{${name}}`;
      warn(page, line, 'formula', `Reference "${token.markup}" ${where}`);
    } else token.content = isInBrackets ? `(${number})` : number;
  }
}

/** Counts the lines of the text that was read last: formulas come one after the other. */
let counted = { text: '', end: 0, lineOf: createLineCounter('', 0) };

/** Returns the line of the file in which a text is being read. */
function findLine({ env, src, pos }: StateInline): number {
  if (counted.text !== src || pos < counted.end) counted = { text: src, end: pos, lineOf: createLineCounter(src, 0) };
  counted.end = pos;
  return getPage(env).costs.line + counted.lineOf(pos);
}
