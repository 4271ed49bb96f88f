import type { StateBlock, StateInline } from 'markdown-it';
import { trimCharacters } from '../../../lib/trim-characters.ts';
import type { Parser } from '../page/extension.ts';
import { getPage, warnOnce } from '../page/page-state.ts';
import { findContainerEnd } from '../syntax/container-end.ts';
import { pushCodeGroup } from '../syntax/containers.ts';
import { describeUnknown } from './blocks.ts';
import { findMeaning, findShownText } from './elements.ts';
import { pushInlineElement } from './inline.ts';
import type { ForeignElement } from './meaning.ts';
import { type ElementPlace, type InnerText, parseNested, pushElement, sliceInner } from './push-element.ts';
import { parseOption } from './pymdown.ts';
import { parseArguments } from './template-tags.ts';

/**
 * Adds the components of Nuxt Content (https://content.nuxt.com/docs/files/markdown): `::tip{title="A"}` … `::`, those inside with more
 * colons, and `:read-more{to="/guide/setup"}` in a line. What no line closes is text.
 */
export function addMdc({ rules }: Parser): void {
  rules.block(':', parseBlock);
  rules.inline(':', parseInline);
}

/** A longer component is text. */
const MAX_COMPONENT = 1_000;
/** Lines of properties that a component has. */
const MAX_PROPERTIES = 100;
const BLOCK = /^(:{2,})([a-z][a-z\d-]*)(?:\{([^{}]*)\})?$/;
const INLINE = /:([a-z][a-z\d-]*)\{([^{}\n]*)\}(?![\w:{])/y;
/** They tell it from `:name{text}`. */
const PROPERTIES = /^ ?[:@]?[a-zA-Z][\w-]*=/;

type Properties = ReadonlyMap<string, string>;

function parseBlock(state: StateBlock, startLine: number, endLine: number, silent: boolean): boolean {
  const start = state.bMarks[startLine]! + state.tShift[startLine]!;
  if (state.src.charCodeAt(start + 1) !== 58 /* : */) return false;
  const match = BLOCK.exec(state.src.slice(start, Math.min(state.eMarks[startLine]!, start + MAX_COMPONENT)).trimEnd());
  if (!match) return false;
  const [, colons, name, written = ''] = match;
  const { named } = parseArguments(written);
  // With more colons it is a container of other generators, too, none of which leads anywhere.
  if (colons!.length > 2 && findTarget(named) === undefined) return false;
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
  const element = createElement(name!, new Map([...named, ...properties]), true);
  const place = { map: [startLine, end + 1] as [number, number], inner, isMarkdown: true };
  if (name === 'code-group') pushCodeGroup(state, place.map, () => parseNested(state, inner));
  else pushComponent(state, element, place);
  state.line = end + 1;
  return true;
}

function pushComponent(
  state: StateBlock,
  element: ForeignElement,
  place: ElementPlace & { readonly inner: InnerText },
): void {
  const meaning = findMeaning(element);
  if (meaning !== undefined && pushElement(state, meaning, place)) return;
  // What has a title or leads somewhere shows what a card would.
  if (findShownText(element) !== '') pushElement(state, findMeaning({ ...element, name: 'card' })!, place);
  else {
    warnOnce(getPage(state.env), place.map[0], ...describeUnknown(element));
    parseNested(state, place.inner);
  }
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
    const option = parseOption(textOf(line));
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
    const { named } = parseArguments(match[2]!);
    // In a line, whatever leads somewhere is a link.
    const name = findTarget(named) === undefined ? match[1]! : 'link';
    pushInlineElement(state, page, createElement(name, named, false));
  }
  state.pos = pos + match[0].length;
  return true;
}

/** What leads somewhere and has no title is called by the last part of its address. */
function createElement(name: string, named: Properties, isPaired: boolean): ForeignElement {
  const target = findTarget(named);
  const isUntitled = target !== undefined && !['title', 'label', 'text'].some((key) => named.get(key));
  const titled = isUntitled ? new Map([...named, ['title', nameTarget(target)]]) : named;
  return { syntax: 'component', name, named: titled, positional: [], isPaired };
}

function findTarget(named: Properties): string | undefined {
  return named.get('to') ?? named.get('href');
}

/** Returns what the last part of a URL says in words: `/guide/first-steps#a` is "First steps". */
function nameTarget(url: string): string {
  const path = trimCharacters(url.split(/[?#]/, 1)[0]!, '/');
  const part = path.slice(path.lastIndexOf('/') + 1).replaceAll('-', ' ');
  return part === '' ? url : part.charAt(0).toUpperCase() + part.slice(1);
}
