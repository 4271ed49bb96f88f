import { decodeHTMLAttribute } from 'entities';
import type { Tag } from '../html/scan-tag.ts';
import type { PageState } from '../page-state.ts';
import type { ForeignElement } from './elements.ts';
import { parseArguments, scanTemplateTag, type TemplateTag, unquote } from './template-tag.ts';

/** Names of values that stand for the address of the site's root. */
const roots = /^(?:site\.(?:baseurl|url|github\.url)|page\.baseurl|base_?(?:url|path)|\$base|BASE_URL)$/;

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
  if (roots.test(head)) return '';
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
