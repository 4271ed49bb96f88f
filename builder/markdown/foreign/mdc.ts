import type { StateBlock, StateInline } from 'markdown-it';
import { escapeHtml } from '../../../lib/html-text.ts';
import { trimCharacters } from '../../../lib/trim-characters.ts';
import type { Parser } from '../page/extension.ts';
import { getPage, type PageState, warnOnce } from '../page/page-state.ts';
import { findContainerEnd, followFence } from '../syntax/container-end.ts';
import { pushCodeGroup } from '../syntax/containers.ts';
import { describeUnknown } from './blocks.ts';
import { findMeaning, findShownText, withoutMarks } from './elements.ts';
import { pushInlineElement } from './inline.ts';
import type { ForeignElement, Meaning } from './meaning.ts';
import { listPackageCommands } from './package-commands.ts';
import { type InnerText, parseNested, pushElement, pushHtml, sliceInner } from './push-element.ts';
import { parseOption } from './pymdown.ts';
import { parseArguments } from './template-tags.ts';

/**
 * Adds the components of Nuxt Content (https://content.nuxt.com/docs/files/markdown): `::tip{title="A"}` … `::`, those inside with more
 * colons, parts of them behind lines like `#title`, and `:read-more{to="/guide/setup"}` in a line. What no line closes is text.
 */
export function addMdc({ rules }: Parser): void {
  rules.block(':', parseBlock);
  rules.block(':', parseLine);
  rules.inline(':', parseInline);
}

/** A longer component is text. */
const MAX_COMPONENT = 1_000;
/** Lines of properties that a component has. */
const MAX_PROPERTIES = 100;
const BLOCK = /^(:{2,})([a-z][a-z\d-]*)(?:\{([^{}]*)\})?$/;
const INLINE = /:([a-z][a-z\d-]*)\{([^{}\n]*)\}(?![\w:{])/y;
/** They tell it from `:name{text}`. */
const PROPERTIES = /^ ?(?:\.[\w.-]+ )?[:@]?[a-zA-Z][\w-]*=/;

/** A component alone in a line. */
const LINE = /^:(br|[a-z][a-z\d]*(?:-[a-z\d]+)+)(?:\{([^{}]*)\})?$/;
/** The start of the text for a place in a component. */
const SLOT = /^ {0,3}#([a-z][a-z\d-]*)(?:\{[^{}]*\})?[ \t]*$/;
/** Those whose blocks of code are tabs. */
const CODE_GROUPS = new Set(['code-group', 'code-tree']);

type Properties = ReadonlyMap<string, string>;

/** Pages inside a component of which is being read. */
const insideComponent = new WeakSet<PageState>();

function parseBlock(state: StateBlock, startLine: number, endLine: number, silent: boolean): boolean {
  const start = state.bMarks[startLine]! + state.tShift[startLine]!;
  if (state.src.charCodeAt(start + 1) !== 58 /* : */) return false;
  const match = BLOCK.exec(state.src.slice(start, Math.min(state.eMarks[startLine]!, start + MAX_COMPONENT)).trimEnd());
  if (!match) return false;
  const page = getPage(state.env);
  const [, colons, name, written = ''] = match;
  const named = readArguments(written);
  // With more colons it is a container of other generators, too, none of which leads anywhere.
  if (colons!.length > 2 && !insideComponent.has(page) && findTarget(named) === undefined) return false;
  const { end, closed } = findContainerEnd(state, startLine, endLine, colons!.length);
  if (!closed) return false;
  if (silent) return true;
  const { first, properties } = readProperties(state, startLine + 1, end);
  const inner = sliceInner(state, {
    start: state.eMarks[first - 1]!,
    startLine: first - 1,
    end: state.bMarks[end]!,
    endLine: end,
  });
  const isOuter = !insideComponent.has(page);
  insideComponent.add(page);
  pushComponent(state, {
    name: name!,
    named: new Map([...named, ...properties]),
    map: [startLine, end + 1],
    inner,
  });
  if (isOuter) insideComponent.delete(page);
  state.line = end + 1;
  return true;
}

/** Reads properties between braces; names alone are true. */
function readArguments(written: string): Properties {
  const { named, positional } = parseArguments(written);
  const truths = positional.filter((word) => /^[a-z][\w-]*$/i.test(word) && !named.has(word.toLowerCase()));
  return new Map([...named, ...truths.map((word) => [word.toLowerCase(), 'true'] as const)]);
}

/** Returns a name without the prefix of components for elements of Markdown (`prose-`) and of those of Nuxt UI (`u-`). */
function shortName(name: string): string {
  return name.replace(/^(?:prose|u)-/, '');
}

interface Component {
  readonly name: string;
  readonly named: Properties;
  readonly map: [number, number];
  readonly inner: InnerText;
}

function pushComponent(state: StateBlock, { name, named, map, inner: written }: Component): void {
  const { title, inner } = takeSlots(written);
  const commands = listPackageCommands(name, named);
  if (commands) {
    pushCommands(state, commands, map);
    return;
  }
  if (CODE_GROUPS.has(shortName(name))) {
    pushCodeGroup(state, map, () => parseNested(state, inner));
    return;
  }
  const titled =
    title === undefined || named.get('title') ? named : new Map([...named, ['title', withoutMarks(title)]]);
  const own = createElement(name, titled, true);
  const target = findTarget(named);
  const callout = target === undefined ? undefined : findMeaning(own);
  if (target !== undefined && callout?.as === 'callout') {
    const text = `${inner.text}\n\n${writeLink(target)}`;
    pushElement(state, callout, { map, inner: { ...inner, text }, isMarkdown: true });
    return;
  }
  const element = withTitle(own);
  const meaning = findMeaning(element);
  const words = inner.text.trim();
  if (meaning?.as === 'link' && !meaning.isBlock && !/\n\s*\n/.test(words)) {
    pushLink(state, meaning, words || meaning.text, map);
    return;
  }
  const place = { map, inner, isMarkdown: true };
  if (meaning !== undefined && pushElement(state, meaning, place)) return;
  // What has a title or leads somewhere shows what a card would.
  if (findShownText(element) !== '') pushElement(state, findMeaning({ ...element, name: 'card' })!, place);
  else {
    if (name !== 'read-more') warnOnce(getPage(state.env), map[0], ...describeUnknown(element));
    parseNested(state, inner);
  }
}

/** Adds a link with words of its own, which lose their formatting. */
function pushLink(
  state: StateBlock,
  { href, className }: Extract<Meaning, { as: 'link' }>,
  words: string,
  map: [number, number],
): void {
  const text = escapeHtml(withoutMarks(words));
  const attributes = className === '' ? '' : ` class="${className}"`;
  pushHtml(state, `<p><a href="${escapeHtml(href)}"${attributes}>${text}</a></p>\n`, map);
}

/**
 * Returns the text of a component without the lines that name the places of its parts, and what it has for its title, if that is
 * one line. Marks in code and in components inside are theirs.
 */
function takeSlots({ text, line }: InnerText): { readonly title: string | undefined; readonly inner: InnerText } {
  if (!text.includes('#')) return { title: undefined, inner: { text, line } };
  let depth = 0;
  let fence: string | undefined;
  let slot = '';
  const lines = text.split('\n').map((written) => {
    const mark = written.trimStart();
    if (mark.startsWith('`') || mark.startsWith('~')) fence = followFence(mark, fence);
    else if (fence === undefined && /^:{2,}[ \t]*[a-z]/.test(mark)) depth++;
    else if (fence === undefined && /^:{2,}[ \t]*$/.test(mark)) depth = Math.max(0, depth - 1);
    const found = fence === undefined && depth === 0 ? SLOT.exec(written)?.[1] : undefined;
    slot = found ?? slot;
    // Lines keep their numbers.
    return { slot, written: found === undefined ? written : '' };
  });
  const ofTitle = lines.filter((one) => one.slot === 'title' && one.written.trim() !== '');
  const title = ofTitle.length === 1 ? ofTitle[0]!.written.trim().replace(/ ?:br(?= |$)/g, '') : undefined;
  const others = lines.map((one) => (title !== undefined && one.slot === 'title' ? '' : one.written));
  return { title, inner: { text: others.join('\n'), line } };
}

function pushCommands(
  state: StateBlock,
  commands: NonNullable<ReturnType<typeof listPackageCommands>>,
  map: [number, number],
): void {
  pushCodeGroup(state, map, () => {
    for (const [manager, text] of commands) {
      const code = { as: 'code', info: `sh [${manager}]`, text } as const;
      pushElement(state, code, { map, inner: undefined, isMarkdown: false });
    }
  });
}

/** Components that stand alone in a line and are more than words: line breaks, commands, and what only a site's program knows. */
function parseLine(state: StateBlock, startLine: number, _endLine: number, silent: boolean): boolean {
  const start = state.bMarks[startLine]! + state.tShift[startLine]!;
  const match = LINE.exec(state.src.slice(start, Math.min(state.eMarks[startLine]!, start + MAX_COMPONENT)).trimEnd());
  if (!match) return false;
  const page = getPage(state.env);
  const [, name, written] = match;
  const isBreak = name === 'br';
  const commands = listPackageCommands(name!, readArguments(written ?? ''));
  // Others have words in their properties; outside of components those without any are text.
  const isEmpty = !isBreak && !commands && written === undefined && insideComponent.has(page);
  if (!isBreak && !commands && !isEmpty) return false;
  if (silent) return true;
  if (commands) pushCommands(state, commands, [startLine, startLine + 1]);
  if (isEmpty) {
    const element = createElement(name!, new Map(), false);
    if (findMeaning(element) === undefined) warnOnce(page, startLine, ...describeUnknown(element));
  }
  state.line = startLine + 1;
  return true;
}

/** Reads the properties that stand between two lines of `---` on top of a component; returns the line behind them, too. */
function readProperties(
  state: StateBlock,
  startLine: number,
  endLine: number,
): { readonly first: number; readonly properties: readonly (readonly [string, string])[] } {
  const textOf = (line: number): string =>
    state.src.slice(state.bMarks[line]! + state.tShift[line]!, state.eMarks[line]!).trimEnd();
  const properties: (readonly [string, string])[] = [];
  const max = Math.min(endLine, startLine + MAX_PROPERTIES);
  for (let line = startLine; line < max && (line > startLine || textOf(line) === '---'); line++) {
    if (line > startLine && textOf(line) === '---') return { first: line + 1, properties };
    const option = state.tShift[line] === state.tShift[startLine] ? parseOption(textOf(line)) : undefined;
    if (option) properties.push(option);
  }
  return { first: startLine, properties: [] };
}

function parseInline(state: StateInline, silent: boolean): boolean {
  const { src, pos, posMax } = state;
  const page = getPage(state.env);
  if (page.isVerbatim || (pos > 0 && !/\s/.test(src[pos - 1]!))) return false;
  INLINE.lastIndex = 0;
  const match = INLINE.exec(src.slice(pos, Math.min(posMax, pos + MAX_COMPONENT)));
  if (!match || !PROPERTIES.test(match[2]!)) return false;
  if (!silent) {
    const named = readArguments(match[2]!);
    // In a line, whatever leads somewhere is a link.
    const name = findTarget(named) === undefined ? match[1]! : 'link';
    pushInlineElement(state, page, withTitle(createElement(name, named, false)));
  }
  state.pos = pos + match[0].length;
  return true;
}

/** A component that is not known without its prefix keeps it, so that a warning shows what its author wrote. */
function createElement(name: string, named: Properties, isPaired: boolean): ForeignElement {
  const short = shortName(name);
  // Nuxt UI fills its buttons unless it is told.
  const isFilled = short === 'button' && (named.get('variant') ?? 'solid') === 'solid';
  const shown = isFilled ? new Map([...named, ['variant', 'primary']]) : named;
  const element = { syntax: 'component', name: short, named: shown, positional: [], isPaired } as const;
  return findMeaning(element) === undefined ? { ...element, name } : element;
}

/** What leads somewhere and has no title is called by the last part of its address. */
function withTitle(element: ForeignElement): ForeignElement {
  const { named } = element;
  const target = findTarget(named);
  if (target === undefined || ['title', 'label', 'text'].some((key) => named.get(key))) return element;
  return { ...element, named: new Map([...named, ['title', nameTarget(target)]]) };
}

function findTarget(named: Properties): string | undefined {
  return named.get('to') ?? named.get('href');
}

/** Returns a link that is called by its target, in Markdown. */
function writeLink(target: string): string {
  const words = nameTarget(target).replace(/[[\]\\`]/g, '');
  return `[${words}](<${target.replace(/[<>\s\\]/g, encodeURIComponent)}>)`;
}

/** Returns what the last part of a URL says in words: `/guide/first-steps#a` is "First steps". */
function nameTarget(url: string): string {
  const path = trimCharacters(url.split(/[?#]/, 1)[0]!, '/');
  const part = path.slice(path.lastIndexOf('/') + 1).replaceAll('-', ' ');
  return part === '' ? url : part.charAt(0).toUpperCase() + part.slice(1);
}
