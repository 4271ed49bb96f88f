import type { StateBlock, StateInline } from 'markdown-it';
import { escapeHtml } from '../../../lib/html-text.ts';
import { findGrammar, findOwnGrammar, type OwnLanguages } from '../code/languages.ts';
import { toMarkdownInclude } from '../include/include-references.ts';
import { pushInclude } from '../include/includes.ts';
import type { Parser } from '../page/extension.ts';
import { getPage, type PageState, warnOnce } from '../page/page-state.ts';
import { findCalloutKind } from '../syntax/callouts.ts';
import { findContainerEnd } from '../syntax/container-end.ts';
import { pushFormula } from '../syntax/formulas.ts';
import { findMeaning } from './elements.ts';
import { type InnerText, parseNested, pushElement, pushHtml } from './push-element.ts';

/**
 * Adds MyST, Sphinx' Markdown: directives in fences (```` ```{note} Title ````), roles (`` {ref}`text <target>` ``) and
 * targets (`(name)=`).
 */
export function addMyst({ rules }: Parser): void {
  rules.block('`~', parseDirective);
  rules.block(':', parseColonDirective);
  rules.block('(', parseTarget);
  rules.block('%+^', parseComment);
  rules.inline('{', parseRole);
}

const DIRECTIVE_LINE = /^(`{3,}|~{3,})\{([A-Za-z][\w:.+-]*)\}[ \t]*(.*)/s;

function parseDirective(state: StateBlock, startLine: number, endLine: number, silent: boolean): boolean {
  const start = state.bMarks[startLine]! + state.tShift[startLine]!;
  const match = DIRECTIVE_LINE.exec(state.src.slice(start, state.eMarks[startLine]!).trimEnd());
  // A language in braces is a cell of a notebook.
  if (!match || match[3]!.includes('`') || isCell(match[2]!.toLowerCase(), getPage(state.env).input.languages))
    return false;
  if (silent) return true;
  const [, fence = '', name = '', argument = ''] = match;
  const end = findEnd(state, startLine, endLine, fence);
  const { inner, options } = readContent(state, startLine + 1, end);
  pushDirective(state, {
    name: name.toLowerCase(),
    argument: argument.trim(),
    options,
    inner,
    map: [startLine, end + 1],
  });
  state.line = Math.min(end + 1, endLine);
  return true;
}

function isCell(name: string, own: OwnLanguages | undefined): boolean {
  const isLanguage = findOwnGrammar(name, own) !== undefined || findGrammar(name) !== undefined;
  return name === 'r' || (isLanguage && !CODE_DIRECTIVES.has(name));
}

/** Directives that are no callouts and, in colons, more than boxes. */
const BLOCKS = new Set(
  'include literalinclude image figure seealso grid grid-item grid-item-card card dropdown tab-set tab-item'.split(' '),
);

/** `:::{name} argument`; without options, callouts and what nobody knows are containers. */
function parseColonDirective(state: StateBlock, startLine: number, endLine: number, silent: boolean): boolean {
  const start = state.bMarks[startLine]! + state.tShift[startLine]!;
  const match = /^(:{3,})\{([A-Za-z][\w:.+-]*)\}[ \t]*(.*)/s.exec(state.src.slice(start, state.eMarks[startLine]!));
  if (!match) return false;
  const [, colons = '', name = '', argument = ''] = match;
  const isOwn = [BLOCKS, CHANGES, CODE_DIRECTIVES, HIDDEN_DIRECTIVES, WRAPPERS].some((names) =>
    names.has(name.toLowerCase()),
  );
  if (!isOwn && !hasOptions(state, startLine + 1, endLine)) return false;
  const { end, closed } = findContainerEnd(state, startLine, endLine, colons.length);
  if (!closed) return false;
  if (silent) return true;
  const { inner, options } = readContent(state, startLine + 1, end);
  const map: [number, number] = [startLine, end + 1];
  pushDirective(state, { name: name.toLowerCase(), argument: argument.trim(), options, inner, map });
  state.line = end + 1;
  return true;
}

function hasOptions(state: StateBlock, line: number, endLine: number): boolean {
  if (line >= endLine) return false;
  const start = state.bMarks[line]! + state.tShift[line]!;
  return /^:[A-Za-z][\w-]*:(?:[ \t]|$)/.test(state.src.slice(start, Math.min(state.eMarks[line]!, start + 200)));
}

const directivePages = new WeakMap<PageState, boolean>();

/** `% comment`, and the lines `+++` and `^^^` between the parts of a page and of a card, in pages that have directives. */
function parseComment(state: StateBlock, startLine: number, _endLine: number, silent: boolean): boolean {
  const start = state.bMarks[startLine]! + state.tShift[startLine]!;
  const line = state.src.slice(start, Math.min(state.eMarks[startLine]!, start + 10));
  if (!/^%(?:[ \t]|$)|^\+{3}(?:[ \t]|$)|^\^{3}$/.test(line)) return false;
  const page = getPage(state.env);
  let hasDirectives = directivePages.get(page);
  if (hasDirectives === undefined) {
    hasDirectives = /^[ \t]*(?:`{3,}|:{3,})\{[A-Za-z]/m.test(page.input.text);
    directivePages.set(page, hasDirectives);
  }
  if (!hasDirectives) return false;
  if (!silent) state.line = startLine + 1;
  return true;
}

/** The line of the closing fence, or the first line after the block. */
function findEnd(state: StateBlock, startLine: number, endLine: number, fence: string): number {
  for (let line = startLine + 1; line < endLine; line++) {
    if (!state.isEmpty(line) && state.sCount[line]! < state.blkIndent) return line - 1;
    const text = state.src.slice(state.bMarks[line]! + state.tShift[line]!, state.eMarks[line]!).trimEnd();
    if (text.startsWith(fence) && text === fence[0]!.repeat(text.length)) return line;
  }
  return endLine;
}

/** Options precede the content, as `:name: value` or between two lines `---`. */
function readContent(
  state: StateBlock,
  firstLine: number,
  endLine: number,
): { inner: InnerText; options: Map<string, string> } {
  const indent = state.sCount[firstLine - 1]!;
  const lines = state.getLines(firstLine, Math.min(endLine, state.lineMax), indent, false).split('\n');
  const options = new Map<string, string>();
  let at = 0;
  const isBlock = lines[0]?.trim() === '---';
  if (isBlock) at = 1;
  for (; at < lines.length; at++) {
    const match = (isBlock ? /^([\w-]+):(.*)/s : /^[ \t]*:([\w-]+):(.*)/s).exec(lines[at]!.slice(0, 1_000));
    if (match) options.set(match[1]!.toLowerCase(), match[2]!.trim());
    else if (!isBlock || lines[at]!.trim() === '---') break;
  }
  if (isBlock) at++;
  return { inner: { text: lines.slice(at).join('\n'), line: firstLine + at }, options };
}

interface Directive {
  readonly name: string;
  readonly argument: string;
  readonly options: ReadonlyMap<string, string>;
  readonly inner: InnerText;
  readonly map: [number, number];
}

const CODE_DIRECTIVES = new Set([
  'code-block',
  'code',
  'sourcecode',
  'code-cell',
  'prompt',
  'parsed-literal',
  'math',
  'mermaid',
]);
const CHANGES = new Map([
  ['versionadded', { kind: 'tip', words: 'Added in version' }],
  ['versionchanged', { kind: 'info', words: 'Changed in version' }],
  ['deprecated', { kind: 'warning', words: 'Deprecated since version' }],
]);
/** Directives for building the book, not the page, and settings for what follows. */
const HIDDEN_DIRECTIVES = new Set(
  `toctree index bibliography tableofcontents only meta highlight highlightlang tabularcolumns tags default-role role
    default-domain currentmodule py:currentmodule module py:module js:module c:namespace c:namespace-push c:namespace-pop
    cpp:namespace cpp:namespace-push cpp:namespace-pop sectionauthor codeauthor moduleauthor testsetup testcleanup`.split(
    /\s+/,
  ),
);
/** Directives whose argument is for style sheets. */
const WRAPPERS = new Set(['class', 'rst-class', 'cssclass', 'container', 'div', 'compound']);

function pushDirective(state: StateBlock, directive: Directive): void {
  const { name, argument, options, inner, map } = directive;
  const page = getPage(state.env);
  const place = { map, inner, isMarkdown: true };
  const label = options.get('name');
  if (label !== undefined && /^[\w:.-]+$/.test(label)) pushHtml(state, `<span id="${label}"></span>`, map);
  if (HIDDEN_DIRECTIVES.has(name)) return;
  if (CODE_DIRECTIVES.has(name)) {
    const language = name === 'math' || name === 'mermaid' ? name : argument;
    pushElement(state, { as: 'code', info: toInfo(language, options), text: undefined }, place);
    return;
  }
  if (name === 'include' || name === 'literalinclude') {
    const kind = name === 'include' ? 'markdown' : 'code';
    const settings = options.get('language');
    pushInclude(state, page, { ...toMarkdownInclude(argument), kind, settings }, map[0], `{${name}} ${argument}`);
    return;
  }
  if (name === 'image' || name === 'figure') {
    const attributes = { src: argument, alt: options.get('alt') ?? '' };
    pushElement(state, { as: 'image', attributes, caption: '' }, place);
    return;
  }
  const change = CHANGES.get(name);
  const kind =
    change?.kind ?? (name === 'seealso' ? 'info' : findCalloutKind(options.get('class')?.split(' ', 1)[0] ?? name));
  const named = new Map(options);
  // Of a grid it says how many columns there are.
  const isCount = /^[\d\s]+$/.test(argument) && change === undefined;
  if (argument !== '' && !isCount) named.set('title', change === undefined ? argument : `${change.words} ${argument}`);
  // Like those of shortcodes, titles are Markdown.
  const element = { syntax: 'shortcode', name, named, positional: [], isPaired: true } as const;
  const meaning =
    kind !== undefined && kind !== 'details'
      ? ({ as: 'callout', kind, name, title: named.get('title'), isDetails: false } as const)
      : WRAPPERS.has(name)
        ? ({ as: 'content' } as const)
        : findMeaning(element);
  if (meaning !== undefined && pushElement(state, meaning, place)) return;
  warnOnce(page, map[0], 'foreign-syntax', `Directive "${name}" belongs to another generator and was left out`);
  if (argument !== '') pushHtml(state, `<p><code>${escapeHtml(argument)}</code></p>\n`, map);
  if (!name.startsWith('auto')) parseNested(state, inner);
}

function toInfo(language: string, options: ReadonlyMap<string, string>): string {
  const caption = options.get('caption')?.replaceAll('"', "'");
  const lines = options.get('emphasize-lines');
  const parts = [/^[\w+#-]*$/.test(language) ? language : '', lines === undefined ? '' : `{${lines}}`];
  if (caption !== undefined) parts.push(`title="${caption}"`);
  if (options.has('linenos')) parts.push('linenums="1"');
  return parts.filter(Boolean).join(' ');
}

/** `(label)=` above a heading. */
function parseTarget(state: StateBlock, startLine: number, _endLine: number, silent: boolean): boolean {
  const start = state.bMarks[startLine]! + state.tShift[startLine]!;
  const label = /^\(([\w:./ -]{1,200})\)=[ \t]*$/.exec(
    state.src.slice(start, Math.min(state.eMarks[startLine]!, start + 300)),
  )?.[1];
  if (label === undefined) return false;
  if (!silent) {
    pushHtml(state, `<span id="${label.trim().replaceAll(' ', '-')}"></span>\n`, [startLine, startLine + 1]);
    state.line = startLine + 1;
  }
  return true;
}

const ROLE = /\{([A-Za-z][\w:.+-]{0,50})\}(`+)(?!`)/y;
const TAG_OF_ROLE = new Map([
  ['sub', 'sub'],
  ['subscript', 'sub'],
  ['sup', 'sup'],
  ['superscript', 'sup'],
  ['kbd', 'kbd'],
  ['emphasis', 'em'],
  ['strong', 'strong'],
  ['guilabel', 'strong'],
  ['menuselection', 'strong'],
]);
const ICON_ROLE = /^(?:octicon|fa[brs]?|material-(?:regular|outlined|round|sharp|twotone))$/;
const REFERENCES = new Set(['ref', 'doc', 'numref', 'any', 'term', 'std:ref', 'std:doc', 'download', 'eq', 'cite']);

function parseRole(state: StateInline, silent: boolean): boolean {
  const { src, pos, posMax } = state;
  const page = getPage(state.env);
  if (page.dialect.expressions || page.isVerbatim) return false;
  ROLE.lastIndex = pos;
  const match = ROLE.exec(src);
  if (match === null) return false;
  const start = ROLE.lastIndex;
  const length = src.slice(start, Math.min(posMax, start + 1_000)).indexOf(match[2]!);
  if (length <= 0) return false;
  const [name, content] = [match[1]!.toLowerCase(), src.slice(start, start + length).trim()];
  const end = start + length + match[2]!.length;
  const isFormula = name === 'math' && page.options.math;
  if (!silent && isFormula) pushFormula(state, { end, tex: content, isDisplay: false });
  else if (!silent) pushRole(state, name, content);
  state.pos = end;
  return true;
}

function pushRole(state: StateInline, name: string, content: string): void {
  const titled = /^(.*)<([^<>]*)>$/s.exec(content);
  if (REFERENCES.has(name)) {
    pushReference(state, name, titled ? titled[1]!.trimEnd() : content, titled ? titled[2]! : content);
    return;
  }
  if (name === 'abbr') {
    const written = /^(.*)\(([^()]*)\)$/s.exec(content);
    pushTagged(state, 'abbr', written?.[1]?.trimEnd() ?? content, written?.[2]);
    return;
  }
  if (ICON_ROLE.test(name)) return;
  const tag = TAG_OF_ROLE.get(name);
  if (tag !== undefined) pushTagged(state, tag, content);
  else state.push('code_inline', 'code', 0).content = titled?.[1] || content.replace(/^[~!]/, '');
}

/** `{doc}` and `{download}` link to files; the targets of others are known only to the whole book. */
function pushReference(state: StateInline, name: string, text: string, target: string): void {
  const isFile = name.endsWith('doc') || name === 'download';
  if (isFile) state.push('link_open', 'a', 1).attrs = [['href', target]];
  state.push('text', '', 0).content = text;
  if (isFile) state.push('link_close', 'a', -1);
}

function pushTagged(state: StateInline, tag: string, text: string, title?: string): void {
  const open = state.push(`${tag}_open`, tag, 1);
  if (title !== undefined) open.attrs = [['title', title]];
  state.push('text', '', 0).content = text;
  state.push(`${tag}_close`, tag, -1);
}
