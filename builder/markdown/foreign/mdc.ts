import type { StateInline } from 'markdown-it';
import { trimCharacters } from '../../../lib/trim-characters.ts';
import type { Parser } from '../page/extension.ts';
import { getPage, warnOnce } from '../page/page-state.ts';
import { describeUnknown } from './blocks.ts';
import { findMeaning, findShownText } from './elements.ts';
import type { ForeignElement } from './meaning.ts';
import { parseArguments } from './template-tags.ts';

/** Adds the components that Nuxt Content has in a line: `:read-more{to="/guide/setup"}`. Those with two colons are containers. */
export function addMdc({ rules }: Parser): void {
  rules.inline(':', parseComponent);
}

/** A longer component is text. */
const MAX_COMPONENT = 1_000;
const COMPONENT = /:([a-z][a-z\d-]*)\{([^{}\n]*)\}(?![\w:{])/y;
/** They tell it from `:name{text}`. */
const PROPERTIES = /^ ?[:@]?[a-zA-Z][\w-]*=/;

function parseComponent(state: StateInline, silent: boolean): boolean {
  const { src, pos, posMax } = state;
  if (getPage(state.env).isVerbatim || (pos > 0 && !/\s/.test(src[pos - 1]!))) return false;
  COMPONENT.lastIndex = 0;
  const match = COMPONENT.exec(src.slice(pos, Math.min(posMax, pos + MAX_COMPONENT)));
  if (!match || !PROPERTIES.test(match[2]!)) return false;
  if (!silent) pushComponent(state, match[1]!, match[2]!);
  state.pos = pos + match[0].length;
  return true;
}

function pushComponent(state: StateInline, name: string, properties: string): void {
  const { named } = parseArguments(properties);
  const element: ForeignElement = { syntax: 'component', name, named, positional: [], isPaired: false };
  const href = named.get('to') ?? named.get('href');
  const text = findShownText(element);
  if (href !== undefined) {
    const link = new Map([
      ['href', href],
      ['text', text || nameTarget(href)],
    ]);
    pushTag(state, { ...element, name: 'link', named: link });
  } else if (findMeaning(element)?.as === 'link') pushTag(state, element);
  else {
    const page = getPage(state.env);
    warnOnce(page, page.costs.line, ...describeUnknown(element));
    if (text !== '') state.push('text', '', 0).content = text;
    // An empty HTML token lets the paragraph be removed if it contains nothing else.
    else state.push('html_inline', '', 0).content = '';
  }
}

function pushTag(state: StateInline, element: ForeignElement): void {
  state.push('html_inline', '', 0).meta = { foreign: { element, name: element.name } };
}

/** Returns what the last part of a URL says in words: `/guide/first-steps#a` is "First steps". */
function nameTarget(url: string): string {
  const path = trimCharacters(url.split(/[?#]/, 1)[0]!, '/');
  const part = path.slice(path.lastIndexOf('/') + 1).replaceAll('-', ' ');
  return part === '' ? url : part.charAt(0).toUpperCase() + part.slice(1);
}
