import { decodeHTMLAttribute } from 'entities';
import type { Tag } from '../html/scan-tag.ts';
import { findEnd, type PageState } from '../page/page-state.ts';
import type { ForeignElement } from './elements.ts';

/** What stands between the marks of a tag, `name "positional" key="value"`. */
export interface TagArguments {
  readonly positional: readonly string[];
  /** By name in lower case. */
  readonly named: ReadonlyMap<string, string>;
}

/** A tag of a template language in a text; positions count from the text's start. */
export interface TemplateTag {
  /** `{{< a >}}` and `{{% a %}}`, `{% a %}`, `{{ a }}`. */
  readonly syntax: 'shortcode' | 'statement' | 'value';
  readonly start: number;
  readonly end: number;
  /** As written, without the `/` or `end` of a closing tag; '' for the closing tag `{% end %}`, and for values. */
  readonly name: string;
  readonly kind: 'open' | 'close' | 'void';
  /** What stands behind the name; of a value, all of it. */
  readonly body: string;
  /** What an escaped tag, its inside a comment, shows: the tag without the comment's marks. */
  readonly shown: string | undefined;
  /** `{{% a %}}`: what it holds is Markdown; in `{{< a >}}` it may be code. */
  readonly isMarkdown: boolean;
}

/** More than any author writes; keeps hostile text cheap. */
const MAX_LENGTH = 5_000;

/** Reads the tag that starts at a `{`. 'unterminated' when it does not end, undefined when it is none. */
export function scanTemplateTag(text: string, start: number, max: number): TemplateTag | 'unterminated' | undefined {
  const second = text.charCodeAt(start + 1);
  if (second === 37 /* % */) return scanBetween(text, { start, max, open: '{%', close: '%}', syntax: 'statement' });
  if (second !== 123 /* { */) return undefined;
  const third = text[start + 2];
  if (third === '<') return scanBetween(text, { start, max, open: '{{<', close: '>}}', syntax: 'shortcode' });
  if (third === '%') return scanBetween(text, { start, max, open: '{{%', close: '%}}', syntax: 'shortcode' });
  return scanBetween(text, { start, max, open: '{{', close: '}}', syntax: 'value' });
}

/** Reads a tag as `scanTemplateTag` does, unless too many of the page have had no end. */
export function findTemplateTag(page: PageState, text: string, start: number, max: number): TemplateTag | undefined {
  return findEnd(page, () => scanTemplateTag(text, start, max));
}

interface TagPlace {
  readonly start: number;
  readonly max: number;
  readonly open: string;
  readonly close: string;
  readonly syntax: TemplateTag['syntax'];
}

function scanBetween(text: string, place: TagPlace): TemplateTag | 'unterminated' | undefined {
  const { start, max, open, close, syntax } = place;
  const source = text.slice(start + open.length, Math.min(max, start + MAX_LENGTH));
  const length = source.indexOf(close);
  if (length < 0) return 'unterminated';
  const inner = source.slice(0, length);
  const tag = { syntax, start, end: start + open.length + length + close.length, isMarkdown: open === '{{%' };
  const escaped = /^\s*\/\*([\s\S]*)\*\/\s*$/.exec(inner);
  if (escaped) return { ...tag, name: '', kind: 'void', body: '', shown: `${open}${escaped[1]}${close}` };
  if (syntax === 'value') return { ...tag, name: '', kind: 'void', body: inner.trim(), shown: undefined };
  const match = /^-?\s*(\/?)\s*([A-Za-z_][\w./:-]*)/.exec(inner);
  if (!match) return undefined;
  const written = match[2]!;
  const rest = inner.slice(match[0].length).replace(/-$/, '').trim();
  const isSelfClosing = syntax === 'shortcode' && rest.endsWith('/');
  const named = { ...tag, body: isSelfClosing ? rest.slice(0, -1).trimEnd() : rest, shown: undefined };
  if (syntax === 'statement' && written.startsWith('end')) return { ...named, name: written.slice(3), kind: 'close' };
  if (match[1] === '/') return { ...named, name: written, kind: 'close' };
  return { ...named, name: written, kind: isSelfClosing ? 'void' : 'open' };
}

const ARGUMENT =
  /[\s,]*(?:([A-Za-z_][\w.-]*)(?:\s*=\s*|:\s+))?("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`[^`]*`|[^\s,"'`]+)/y;

/** Reads a tag's arguments: `"a" b=c`, `(b="c", d=1)`, `file.html title='x'`. What makes no sense is left out. */
function parseArguments(body: string): TagArguments {
  const source = body.replace(/^\(([\s\S]*)\)$/, '$1');
  const positional: string[] = [];
  const named = new Map<string, string>();
  for (ARGUMENT.lastIndex = 0; ARGUMENT.lastIndex < source.length; ) {
    const at = ARGUMENT.lastIndex;
    const match = ARGUMENT.exec(source);
    if (!match) {
      ARGUMENT.lastIndex = at + 1;
      continue;
    }
    const value = unquote(match[2]!);
    if (match[1] === undefined) positional.push(value);
    else named.set(match[1].toLowerCase(), value);
  }
  return { positional, named };
}

/** Returns the text of a quoted string; other text stays as it is. */
function unquote(text: string): string {
  const quote = text[0];
  if (text.length < 2 || quote !== text.at(-1)) return text;
  if (quote === '`') return text.slice(1, -1);
  return quote === '"' || quote === "'" ? text.slice(1, -1).replace(/\\(["'\\])/g, '$1') : text;
}

/** Names of values that stand for the address of the site's root. */
const ROOTS = /^(?:site\.(?:baseurl|url|github\.url)|page\.baseurl|base_?(?:url|path)|\$base|BASE_URL)$/;

/**
 * Returns the text that `{{ body }}` stands for, where the page itself tells: quoted text, numbers, the site's root.
 * Filters that make addresses are followed, others are not.
 */
export function evaluateValue(body: string): string | undefined {
  const text = body.replace(/^-|-$/g, '').trim();
  const [head = '', ...filters] = text.split('|').map((part) => part.trim());
  if (!filters.every((filter) => /^(?:relative_url|absolute_url|escape|safe|prepend: *site\.baseurl)$/.test(filter))) {
    return undefined;
  }
  if (ROOTS.test(head)) return '';
  if (/^-?\d[\d_]*(?:\.\d+)?$/.test(head)) return head;
  const call = /^(?:\$?withBase|url|get_url)\(\s*(?:path\s*=\s*)?(["'][^"']*["'])[^()]*\)$/.exec(head);
  const quoted = call?.[1] ?? head;
  return /^(["'])(?:(?!\1)[^\\]|\\.)*\1$/.test(quoted) ? unquote(quoted) : undefined;
}

/**
 * Returns the value of a JSX expression, its braces included, where it is a literal, an address that the page requires, or a
 * picture it has imported.
 */
export function evaluateExpression(page: PageState, expression: string): string | undefined {
  const text = expression.replace(/^\{([\s\S]*)\}$/, '$1').trim();
  if (text.length > 2_000) return undefined;
  if (/^(["'])(?:(?!\1)[^\\\n]|\\.)*\1$/.test(text)) return unquote(text);
  if (/^`[^`$\\]*`$/.test(text)) return text.slice(1, -1);
  if (/^-?\d+(?:\.\d+)?$/.test(text)) return text;
  const called = /^(?:require|useBaseUrl|withBase|import)\(\s*(["'`])([^"'`$]+)\1\s*,?\s*\)(?:\.default)?$/.exec(text);
  if (called) return called[2]!.replace(/^.*!/, '');
  const name = /^([\w$]+)(?:\.(?:src|default|url))*$/.exec(text)?.[1];
  return name === undefined ? undefined : page.imports.get(name);
}

/** Returns a component's tag as an element; values that only a program knows are left out. */
export function toElement(page: PageState, tag: Tag, isPaired: boolean): ForeignElement {
  const named = new Map<string, string>();
  for (const { name, value, isExpression } of tag.attributes) {
    if (value === undefined) named.set(name.toLowerCase(), 'true');
    else if (!isExpression) named.set(name.toLowerCase(), decodeHTMLAttribute(value));
    else {
      const known = evaluateExpression(page, value) ?? findFirstAddress(page, value);
      if (known !== undefined) named.set(name.toLowerCase(), known);
    }
  }
  return { syntax: 'component', name: tag.name, named, positional: [], isPaired };
}

/** `sources={{ light: useBaseUrl('/a.png'), dark: … }}`: the first will do. */
function findFirstAddress(page: PageState, expression: string): string | undefined {
  const light = /^\{\{\s*light:\s*([^,}]+)[,}]/.exec(expression)?.[1];
  return light === undefined ? undefined : evaluateExpression(page, light);
}

/** Returns a template language's tag as an element, or undefined for a value that calls nothing. */
export function toTemplateElement(tag: TemplateTag, isPaired: boolean): ForeignElement | undefined {
  const { syntax } = tag;
  if (syntax !== 'value') return { syntax, name: tag.name, ...parseArguments(tag.body), isPaired };
  const call = /^([A-Za-z_][\w:.-]*)(\([\s\S]*\))$/.exec(tag.body);
  return call ? { syntax, name: call[1]!.replace(/^.*::/, ''), ...parseArguments(call[2]!), isPaired } : undefined;
}

/** Returns what a tag stands for inside an address; undefined when the page does not tell. */
function evaluateUrlTag(tag: TemplateTag): string | undefined {
  if (tag.shown !== undefined) return tag.shown;
  if (tag.syntax === 'value') return evaluateValue(tag.body);
  const { positional, named } = parseArguments(tag.body);
  const target = named.get('path') ?? positional[0];
  if (target === undefined) return undefined;
  if (tag.name === 'ref' || tag.name === 'relref' || tag.name === 'url' || tag.name === 'static') return target;
  if (tag.name === 'link') return `/${target.replace(/^\/+/, '')}`;
  return tag.name === 'post_url' ? `/_posts/${target}.md` : undefined;
}

/**
 * Returns an address with the tags of template languages in it replaced, `{{ site.baseurl }}/a`, `{% link a.md %}`,
 * `{{< ref "a.md" >}}`; undefined when one of them is not known.
 */
export function resolveTemplateUrl(url: string): string | undefined {
  let result = '';
  let copied = 0;
  for (let at = url.indexOf('{'); at >= 0; at = url.indexOf('{', at + 1)) {
    const tag = scanTemplateTag(url, at, url.length);
    if (tag === 'unterminated') break;
    if (tag === undefined) continue;
    const value = evaluateUrlTag(tag);
    if (value === undefined) return undefined;
    result += url.slice(copied, at) + value;
    copied = tag.end;
    at = tag.end - 1;
  }
  return result + url.slice(copied);
}
