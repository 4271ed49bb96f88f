import { spendCharacters } from '../page/page-costs.ts';
import type { PageState } from '../page/page-state.ts';

/** Names of the page's front matter in templates, by kind of template, and in JSX. */
const NAMES = {
  vue: /^(?:\$frontmatter|frontmatter|(?:\$page|page)\.frontmatter|\$page(?=\.(?:title|description)\b))(?![\w$])/,
  liquid: /^page(?![\w-])/,
  macro: /^page(?:\.meta|(?=\.title\b))(?![\w])/,
  jsx: /^(?:props\.)?front[mM]atter(?![\w$])/,
} as const;
const STEP = /\??\.([A-Za-z_$][\w$-]*)|\[(?:'([^'\]]*)'|"([^"\]]*)"|(\d{1,4}))\]/y;
const MAX_LENGTH = 500;

/** Returns the text of a value of the page's own front matter; undefined where an expression means anything else, or nothing. */
export function findPageValue(page: PageState, expression: string): string | undefined {
  const data = page.input.frontMatter;
  const source = expression.trim();
  if (data === undefined || source.length > MAX_LENGTH) return undefined;
  const { mustache, jsx } = page.dialect;
  if (mustache === 'macro' && /^[A-Za-z_]\w*$/.test(source)) return toText(page, step(data, source));
  const kind = mustache === 'vue' || mustache === 'liquid' || mustache === 'macro' ? mustache : jsx ? 'jsx' : undefined;
  const [name] = (kind && NAMES[kind].exec(source)) ?? [];
  if (name === undefined) return undefined;
  let value: unknown = data;
  STEP.lastIndex = name.length;
  while (STEP.lastIndex < source.length) {
    const match = STEP.exec(source);
    if (!match) return undefined;
    value = step(value, match.slice(1).find((key) => key !== undefined)!);
  }
  return toText(page, value);
}

/** Returns the text of a parameter of the page for Hugo, which ignores case: `a.b`. */
export function findParameter(page: PageState, path = ''): string | undefined {
  let value: unknown = path === '' ? undefined : page.input.frontMatter;
  for (const key of path.slice(0, MAX_LENGTH).toLowerCase().split('.')) {
    if (typeof value !== 'object' || value === null) return undefined;
    const own = Object.keys(value).find((name) => name.toLowerCase() === key);
    value = own === undefined ? undefined : step(value, own);
  }
  return toText(page, value);
}

/**
 * Returns the text of an expression of a template that takes values of the page's front matter: `page.title | upcase`,
 * `$frontmatter.a ?? 'b'`.
 */
export function evaluatePageExpression(page: PageState, expression: string): string | undefined {
  if (page.input.frontMatter === undefined || expression.length > MAX_LENGTH) return undefined;
  if (page.dialect.mustache === 'vue') {
    const [first = '', ...others] = expression.split(/\|\||\?\?/);
    const value = findPageValue(page, first);
    if (others.length === 0 || (value !== undefined && value !== '')) return value;
    const literals = others.map((other) => /^\s*(?:'([^'\\]*)'|"([^"\\]*)"|(\d+))\s*$/.exec(other)?.slice(1));
    return NAMES.vue.test(first.trim()) && literals.length === 1
      ? literals[0]?.find((text) => text !== undefined)
      : undefined;
  }
  const [head = '', ...filters] = expression.replace(/^-|-$/g, '').split('|');
  let value = findPageValue(page, head);
  for (const filter of filters) {
    const [, name = '', argument = ''] = /^(\w+)\s*(?:[:(]\s*)?(?:("[^"]*"|'[^']*')\s*)?\)?$/.exec(filter.trim()) ?? [];
    const change = Object.hasOwn(FILTERS, name) ? FILTERS[name] : undefined;
    if (name === 'default') value = value === undefined || value === '' ? argument?.slice(1, -1) : value;
    else if (change === undefined) return undefined;
    else value = value === undefined ? undefined : change(value);
  }
  return value;
}

/** Filters of Liquid and Jinja that a text needs nothing else for. */
const FILTERS: Readonly<Record<string, (text: string) => string>> = {
  ...Object.fromEntries(
    ['escape', 'e', 'safe', 'xml_escape', 'markdownify', 'relative_url', 'absolute_url'].map((name) => [name, same]),
  ),
  upcase: toUpper,
  upper: toUpper,
  downcase: toLower,
  lower: toLower,
  strip: (text) => text.trim(),
  trim: (text) => text.trim(),
  capitalize: (text) => text.charAt(0).toUpperCase() + text.slice(1),
};

function same(text: string): string {
  return text;
}

function toUpper(text: string): string {
  return text.toUpperCase();
}

function toLower(text: string): string {
  return text.toLowerCase();
}

function step(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, key)
    ? (value as Readonly<Record<string, unknown>>)[key]
    : undefined;
}

/** Lists and maps are no text. */
function toText(page: PageState, value: unknown): string | undefined {
  if (typeof value === 'string') {
    spendCharacters(page.costs, value.length);
    return value;
  }
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined;
}
