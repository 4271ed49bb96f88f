/** An attribute of a tag in a text; positions count from the text's start. */
export interface TagAttribute {
  readonly name: string;
  /** As written, without quotes; undefined when there is none. */
  readonly value: string | undefined;
  /** The value is in braces (JSX). */
  readonly isExpression: boolean;
  readonly start: number;
  readonly end: number;
}

/** A tag in a text: HTML, or what Vue and JSX accept as such. */
export interface Tag {
  readonly name: string;
  readonly isClosing: boolean;
  readonly isSelfClosing: boolean;
  readonly attributes: readonly TagAttribute[];
  /** Position after `>`. */
  readonly end: number;
}

/** More than any author writes; keeps hostile text cheap. */
const MAX_TAG_LENGTH = 20_000;

const TAG_NAME = /[A-Za-z][A-Za-z0-9]*(?:[.:-][A-Za-z0-9]+)*-?/y;
const SPACES = /[ \t\r\n\f]*/y;
const ATTRIBUTE_NAME = /[^\s"'<>/={}`]+/y;
const BARE_VALUE = /[^\s"'=<>`{}]+/y;

/**
 * Parses the tag that starts at a `<`. More than HTML is accepted: attribute names of any characters, values in braces,
 * `{...spread}`. 'unterminated' if quotes or braces do not end, undefined if it is not a tag.
 */
export function scanTag(text: string, start: number, max: number): Tag | 'unterminated' | undefined {
  const limit = Math.min(max, start + MAX_TAG_LENGTH);
  const isClosing = text.charCodeAt(start + 1) === 47; /* / */
  let pos = start + (isClosing ? 2 : 1);
  TAG_NAME.lastIndex = pos;
  const name = TAG_NAME.exec(text)?.[0];
  if (name === undefined) return undefined;
  pos += name.length;
  const attributes: TagAttribute[] = [];
  for (let isFirst = true; pos < limit; isFirst = false) {
    const before = pos;
    pos = skip(SPACES, text, pos);
    const code = text.charCodeAt(pos);
    if (code === 62 /* > */) return { name, isClosing, isSelfClosing: false, attributes, end: pos + 1 };
    if (code === 47 /* / */) {
      if (text.charCodeAt(pos + 1) !== 62 || isClosing) return undefined;
      return { name, isClosing, isSelfClosing: true, attributes, end: pos + 2 };
    }
    if (isClosing || (isFirst && pos === before)) return undefined;
    const attribute = scanAttribute(text, pos, limit);
    if (typeof attribute !== 'object') return attribute;
    attributes.push(attribute);
    pos = attribute.end;
  }
  return 'unterminated';
}

function scanAttribute(text: string, start: number, limit: number): TagAttribute | 'unterminated' | undefined {
  if (text.charCodeAt(start) === 123 /* { */) {
    const end = findBraceEnd(text, start, limit);
    return end < 0 ? 'unterminated' : { name: '', value: text.slice(start, end), isExpression: true, start, end };
  }
  const nameEnd = skip(ATTRIBUTE_NAME, text, start);
  if (nameEnd === start) return undefined;
  const name = text.slice(start, nameEnd);
  const equals = skip(SPACES, text, nameEnd);
  if (text.charCodeAt(equals) !== 61 /* = */)
    return { name, value: undefined, isExpression: false, start, end: nameEnd };
  const valueStart = skip(SPACES, text, equals + 1);
  const code = text.charCodeAt(valueStart);
  if (code === 34 /* " */ || code === 39 /* ' */) {
    const close = text.indexOf(code === 34 ? '"' : "'", valueStart + 1);
    if (close < 0 || close >= limit) return 'unterminated';
    return { name, value: text.slice(valueStart + 1, close), isExpression: false, start, end: close + 1 };
  }
  if (code === 123 /* { */) {
    const end = findBraceEnd(text, valueStart, limit);
    return end < 0 ? 'unterminated' : { name, value: text.slice(valueStart, end), isExpression: true, start, end };
  }
  const end = skip(BARE_VALUE, text, valueStart);
  if (end === valueStart) return undefined;
  return { name, value: text.slice(valueStart, end), isExpression: false, start, end };
}

/** Returns the position after the brace that closes the one at `start`, or -1; braces in strings do not count. */
export function findBraceEnd(source: string, start: number, limit: number): number {
  const text = source.slice(start, limit);
  let depth = 0;
  for (let pos = 0; pos < text.length; pos++) {
    const character = text[pos];
    if (character === '{') depth++;
    else if (character === '}') {
      if (--depth === 0) return start + pos + 1;
    } else if (character === '"' || character === "'" || character === '`') {
      const close = text.indexOf(character, pos + 1);
      const lineEnd = character === '`' ? -1 : text.indexOf('\n', pos + 1);
      if (close >= 0 && (lineEnd < 0 || close < lineEnd)) pos = close;
    }
  }
  return -1;
}

function skip(pattern: RegExp, text: string, pos: number): number {
  pattern.lastIndex = pos;
  return pattern.test(text) ? pattern.lastIndex : pos;
}

const words = (text: string) => new Set(text.trim().split(/\s+/));

/** Elements that have no content and no closing tag. */
export const voidElements = words('area base br col embed hr img input link meta param source track wbr');

/** Elements whose closing tag may be left out; it is never added. */
export const optionalClosing = words('p li dt dd tr td th thead tbody tfoot colgroup caption option optgroup rp rt');

/** Elements whose content is not HTML: left open, they swallow everything after them. */
export const textElements = words('script style textarea title xmp iframe noembed noframes');

/** Elements of a whole document, which do not belong inside a page's text. */
export const documentElements = words('html head body frameset frame base plaintext');

const htmlElements = words(`
  a abbr address area article aside audio b bdi bdo blockquote br button canvas caption center cite code col colgroup
  data datalist dd del details dfn dialog div dl dt em embed fieldset figcaption figure font footer form h1 h2 h3 h4 h5
  h6 header hgroup hr i iframe img input ins kbd label legend li link main map mark math menu meta meter nav noscript
  object ol optgroup option output p picture pre progress q rp rt ruby s samp script search section select slot small
  source span strike strong style sub summary sup svg table tbody td template textarea tfoot th thead time title tr
  track tt u ul var video wbr
`);

/**
 * Returns whether a tag's name is a component of Vue, React or another generator: a capital letter in front, or a dot
 * inside. `<BR>` and the like, in capitals only, are HTML.
 */
export function isComponentName(name: string): boolean {
  if (name.includes('.') || isVueCodeTab(name)) return true;
  const first = name.charCodeAt(0);
  if (first < 65 || first > 90) return false;
  return !(name === name.toUpperCase() && htmlElements.has(name.toLowerCase()));
}

/** VuePress' code tabs, which sites write in lower case. */
function isVueCodeTab(name: string): boolean {
  return name === 'code-group' || name === 'code-block' || name === 'code-group-item';
}
