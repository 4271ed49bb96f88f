/** An attribute's name and value, both safe to write into HTML. */
export type SafeAttribute = readonly [name: string, value: string];

const allowed = new Set(
  (
    'id class title lang dir width height align start role target rel download hreflang type open hidden loading ' +
    'decoding reversed tabindex translate cite colspan rowspan'
  ).split(' '),
);
const bare = new Set(['open', 'hidden', 'download', 'reversed']);
const part =
  /[ \t]*(?:#+([^\s{}#."'=<>]+)|\.([^\s{}#."'=<>]+)|([A-Za-z][\w-]*)(?:=(?:"([^"{}]*)"|'([^'{}]*)'|([^\s{}"'=<>]+)))?)(?=[\s.#]|$)/y;

/**
 * Reads what stands between the braces of `{#id .class key=value}` (or `{: …}`), without attributes that may not be set:
 * scripts (`on…`), addresses, styles. Undefined when nothing is left, or when it looks like prose.
 */
export function parseAttributes(text: string): readonly SafeAttribute[] | undefined {
  const source = text.replace(/^:/, '').trim();
  if (source === '' || source.length > 1_000) return undefined;
  const attributes: SafeAttribute[] = [];
  const classes: string[] = [];
  for (part.lastIndex = 0; part.lastIndex < source.length; ) {
    const match = part.exec(source);
    if (!match || match[0] === '') return undefined;
    const [, id, className, key] = match;
    const value = match[4] ?? match[5] ?? match[6];
    if (id !== undefined) attributes.push(['id', id]);
    else if (className !== undefined) classes.push(className);
    else if (key === 'class' && value !== undefined) classes.push(value);
    else if (isAllowed(key!.toLowerCase(), value)) attributes.push([key!.toLowerCase(), value ?? '']);
    else if (value === undefined) return undefined;
  }
  if (classes.length > 0) attributes.push(['class', classes.join(' ')]);
  return attributes.length > 0 ? attributes : undefined;
}

/** Takes `{…}` with attributes off the end of a text; without them `rest` is the text as it was. */
export function takeTrailingAttributes(text: string): { rest: string; attributes: readonly SafeAttribute[] } {
  const nothing = { rest: text, attributes: [] };
  if (!text.endsWith('}')) return nothing;
  const start = text.lastIndexOf('{');
  if (start < 0 || text[start - 1] === '{' || text[start - 1] === '\\') return nothing;
  const attributes = parseAttributes(text.slice(start + 1, -1));
  return attributes === undefined ? nothing : { rest: text.slice(0, start).trimEnd(), attributes };
}

function isAllowed(key: string, value: string | undefined): boolean {
  if (value === undefined) return bare.has(key);
  return allowed.has(key) || key.startsWith('data-') || key.startsWith('aria-');
}
