import { decodeHTMLAttribute } from 'entities';
import type { Tag } from '../html/scan-tag.ts';
import type { IncludeReference } from '../include/directive.ts';
import { findEnd, type PageState } from '../page/page-state.ts';
import { findSiteValue } from './expand-template.ts';
import type { ForeignElement } from './meaning.ts';
import { evaluatePageExpression, findPageValue } from './page-values.ts';

/** The content of a tag, `name "positional" key="value"`. */
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
  /** The text after the name; for a value, the whole text. */
  readonly body: string;
  /** The text that an escaped tag (with its inside in a comment) shows: the tag without the comment's marks. */
  readonly shown: string | undefined;
  /** `{{% a %}}`: its content is Markdown; that of `{{< a >}}` may be code. */
  readonly isMarkdown: boolean;
}

/** More than any author writes; keeps hostile text cheap. */
const MAX_LENGTH = 5_000;

/** Parses the tag that starts at a `{`. 'unterminated' if it does not end, undefined if it is not a tag. */
export function scanTemplateTag(text: string, start: number, max: number): TemplateTag | 'unterminated' | undefined {
  const second = text.charCodeAt(start + 1);
  if (second === 37 /* % */) return scanBetween(text, { start, max, open: '{%', close: '%}', syntax: 'statement' });
  if (second !== 123 /* { */) return undefined;
  const third = text[start + 2];
  if (third === '<') return scanBetween(text, { start, max, open: '{{<', close: '>}}', syntax: 'shortcode' });
  if (third === '%') return scanBetween(text, { start, max, open: '{{%', close: '%}}', syntax: 'shortcode' });
  return scanBetween(text, { start, max, open: '{{', close: '}}', syntax: 'value' });
}

/** Parses a tag like `scanTemplateTag`, unless too many tags of the page were unterminated. */
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
  const match = /^-?\s*(?:(\/)\s*)?([A-Za-z_][\w./:-]*)/.exec(inner);
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

/** Reads a tag's arguments: `"a" b=c`, `(b="c", d=1)`, `file.html title='x'`. Invalid parts are ignored. */
export function parseArguments(body: string): TagArguments {
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

/** Names of values for the URL of the site's root. */
const ROOTS = /^(?:site\.(?:baseurl|url|github\.url)|page\.baseurl|base_?(?:url|path)|\$base|BASE_URL)$/;

/**
 * Returns the text of `{{ body }}` if it does not depend on anything outside the page: values of its front matter, quoted
 * text, numbers, the site's root. Filters that make URLs are applied, others are not.
 */
export function evaluateValue(page: PageState, body: string): string | undefined {
  const text = body.replace(/^-|-$/g, '').trim();
  const own = evaluatePageExpression(page, text);
  if (own !== undefined) return own;
  const [head = '', ...filters] = text.split('|').map((part) => part.trim());
  const ofSite = ROOTS.test(head) ? undefined : findSiteValue(page, text);
  if (ofSite !== undefined) return ofSite;
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
 * Returns the value of a JSX expression (with its braces) if it is a literal, a URL that the page requires, or an
 * imported picture.
 */
export function evaluateExpression(page: PageState, expression: string): string | undefined {
  const text = expression.replace(/^\{([\s\S]*)\}$/, '$1').trim();
  if (text.length > 2_000) return undefined;
  if (/^(["'])(?:(?!\1)[^\\\n]|\\.)*\1$/.test(text)) return unquote(text);
  if (/^`[^`$\\]*`$/.test(text)) return text.slice(1, -1);
  if (/^-?\d+(?:\.\d+)?$/.test(text)) return text;
  const called = /^(?:require|useBaseUrl|withBase|import)\(\s*(["'`])([^"'`$]+)\1\s*(?:,\s*)?\)(?:\.default)?$/.exec(
    text,
  );
  if (called) return called[2]!.replace(/^.*!/, '');
  const own = findPageValue(page, text);
  if (own !== undefined) return own;
  const name = /^([\w$]+)(?:\.(?:src|default|url))*$/.exec(text)?.[1];
  return name === undefined ? undefined : page.imports.get(name);
}

/** Returns a component's tag as an element; computed values are ignored. */
export function toElement(page: PageState, tag: Tag, isPaired: boolean): ForeignElement {
  const named = new Map<string, string>();
  for (const { name, value, isExpression } of tag.attributes) {
    if (value === undefined) named.set(name.toLowerCase(), 'true');
    else if (!isExpression) named.set(name.toLowerCase(), decodeHTMLAttribute(value));
    else {
      // The names of tabs are a list of texts or objects.
      const known =
        name === 'values' || name === 'items'
          ? value
          : (evaluateExpression(page, value) ?? findFirstAddress(page, value));
      if (known !== undefined) named.set(name.toLowerCase(), known);
    }
  }
  return { syntax: 'component', name: tag.name, named, positional: [], isPaired };
}

/** `sources={{ light: useBaseUrl('/a.png'), dark: … }}`: the first is used. */
function findFirstAddress(page: PageState, expression: string): string | undefined {
  const light = /^\{\{\s*light:([^,}]+)[,}]/.exec(expression)?.[1];
  return light === undefined ? undefined : evaluateExpression(page, light);
}

/** Returns a template language's tag as an element, or undefined for a value that calls nothing. */
export function toTemplateElement(tag: TemplateTag, isPaired: boolean): ForeignElement | undefined {
  const { syntax } = tag;
  if (syntax !== 'value') return { syntax, name: tag.name, ...parseArguments(tag.body), body: tag.body, isPaired };
  const call = /^([A-Za-z_][\w:.-]*)(\([\s\S]*\))$/.exec(tag.body);
  return call ? { syntax, name: call[1]!.replace(/^.*::/, ''), ...parseArguments(call[2]!), isPaired } : undefined;
}

/** Returns the text of a tag inside a URL; undefined if it is unknown. */
function evaluateUrlTag(page: PageState, tag: TemplateTag): string | undefined {
  if (tag.shown !== undefined) return tag.shown;
  if (tag.syntax === 'value') return evaluateValue(page, tag.body);
  const { positional, named } = parseArguments(tag.body);
  const target = named.get('path') ?? positional[0];
  if (target === undefined) return undefined;
  if (/^(?:ref|relref|url|static|asset_path)$/.test(tag.name)) return target;
  if (tag.name === 'link') return `/${target.replace(/^\/+/, '')}`;
  return tag.name === 'post_url' ? `/_posts/${target}.md` : undefined;
}

/**
 * Returns a URL with the tags of template languages in it replaced, `{{ site.baseurl }}/a`, `{% link a.md %}`, `{{< ref
 * "a.md" >}}`; undefined when one of them is not known.
 */
export function resolveTemplateUrl(page: PageState, url: string): string | undefined {
  let result = '';
  let copied = 0;
  for (let at = url.indexOf('{'); at >= 0; at = url.indexOf('{', at + 1)) {
    const tag = scanTemplateTag(url, at, url.length);
    if (tag === 'unterminated') break;
    if (tag === undefined) continue;
    const value = evaluateUrlTag(page, tag);
    if (value === undefined) return undefined;
    result += url.slice(copied, at) + value;
    copied = tag.end;
    at = tag.end - 1;
  }
  return result + url.slice(copied);
}

/** Reads the part that MkDocs' include-markdown takes: `start="<!--a-->" end="<!--b-->" heading-offset=1`. */
export function readPart({ named }: ForeignElement): Pick<IncludeReference, 'between' | 'headingOffset'> {
  const [start, end] = [named.get('start'), named.get('end')];
  const offset = Number(named.get('heading-offset') ?? 0);
  return {
    ...((start !== undefined || end !== undefined) && { between: { start, end } }),
    ...(offset > 0 && offset < 6 && { headingOffset: offset }),
  };
}
