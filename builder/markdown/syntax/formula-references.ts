import { decodeXML } from 'entities';
import type { StateInline, Token } from 'markdown-it';
import { createLineCounter } from '../html/open-addresses.ts';
import type { Parser } from '../page/extension.ts';
import { getPage, type PageState, warn } from '../page/page-state.ts';
import { drawFormula, isMathFence, MAX_TEX, spendOnFormula } from './draw-formula.ts';

/** Lets `\ref` and `\eqref` show the numbers of equations, in formulas and in the text. */
export function addFormulaReferences({ md, rules }: Parser): void {
  rules.inline('\\', parseReference);
  md.core.ruler.after('inline', 'formula_labels', ({ env, tokens }) => readLabels(getPage(env), tokens));
}

/** Tags and numbers of equations by their labels, as Temml writes these. */
type Labels = ReadonlyMap<string, string>;

const labelsOfPages = new WeakMap<PageState, Labels>();
const NUMBERED = /\\label\{|\\begin\{(?:equation|align|gather|alignat|eqnarray)\}/;

/** A row with a label, the cell with its tag, or its number. */
const MARKS = /<mtr id="([^"]*)"|class="tml-tag">(.*?)<\/mtd>|(class="tml-eqn")/gs;
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
  return decodeXML(mathml.replace(/<[^>]*>/g, ''));
}

/** A reference is a link that a script would have to fill; it shows the equation's number, or the name if it has none. */
const REFERENCE = /\\(eq)?ref\{([^{}\\$]{0,100})\}/g;

/** Returns a formula with the numbers of the equations that it refers to. */
export function fillReferences(page: PageState, tex: string): string {
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

/** What the token of a reference in the text means. */
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
export function findLine({ env, src, pos }: StateInline): number {
  if (counted.text !== src || pos < counted.end) counted = { text: src, end: pos, lineOf: createLineCounter(src, 0) };
  counted.end = pos;
  return getPage(env).costs.line + counted.lineOf(pos);
}
