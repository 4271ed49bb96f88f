import { findEnd, type PageState } from '../page-state.ts';

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
const maxLength = 5_000;

/** Tells whether a text may hold tags of template languages. */
export function mayHoldTemplateTags(text: string): boolean {
  return text.includes('{{') || text.includes('{%');
}

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
  const source = text.slice(start + open.length, Math.min(max, start + maxLength));
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

const argument =
  /[\s,]*(?:([A-Za-z_][\w.-]*)(?:\s*=\s*|:\s+))?("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`[^`]*`|[^\s,"'`]+)/y;

/** Reads a tag's arguments: `"a" b=c`, `(b="c", d=1)`, `file.html title='x'`. What makes no sense is left out. */
export function parseArguments(body: string): TagArguments {
  const source = body.replace(/^\(([\s\S]*)\)$/, '$1');
  const positional: string[] = [];
  const named = new Map<string, string>();
  for (argument.lastIndex = 0; argument.lastIndex < source.length; ) {
    const at = argument.lastIndex;
    const match = argument.exec(source);
    if (!match) {
      argument.lastIndex = at + 1;
      continue;
    }
    const value = unquote(match[2]!);
    if (match[1] === undefined) positional.push(value);
    else named.set(match[1].toLowerCase(), value);
  }
  return { positional, named };
}

/** Returns the text of a quoted string; other text stays as it is. */
export function unquote(text: string): string {
  const quote = text[0];
  if (text.length < 2 || quote !== text.at(-1)) return text;
  if (quote === '`') return text.slice(1, -1);
  return quote === '"' || quote === "'" ? text.slice(1, -1).replace(/\\(["'\\])/g, '$1') : text;
}
