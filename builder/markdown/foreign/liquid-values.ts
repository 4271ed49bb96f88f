/** The value of an expression that needs something docbuild does not know, such as the posts of a site. */
export const UNKNOWN = Symbol('unknown');

/** Values by name, from the inside out. */
export interface LiquidScope {
  readonly names: ReadonlyMap<string, unknown>;
  readonly above?: LiquidScope | undefined;
}

/** A map whose other keys are unknown, and not without a value: the front matter of a page, which a site may add to. */
export class Open {
  readonly data: Readonly<Record<string, unknown>>;

  constructor(data: Readonly<Record<string, unknown>>) {
    this.data = data;
  }
}

const MAX_LENGTH = 2_000;
const MAX_FILTERS = 20;
const MAX_RANGE = 1_000;

/** A quoted text, or anything up to one of the signs of a filter. */
const PART = /"[^"]*"|'[^']*'|\|/g;

/** Returns the value of `a.b | filter: c`; `UNKNOWN` if a part of it is unknown. Nothing is `undefined`. */
export function evaluateLiquid(expression: string, scope: LiquidScope): unknown {
  if (expression.length > MAX_LENGTH) return UNKNOWN;
  const cuts = [...expression.matchAll(PART)].filter(([sign]) => sign === '|').map(({ index }) => index);
  const parts = [...cuts, expression.length].map((end, at) => expression.slice(at === 0 ? 0 : cuts[at - 1]! + 1, end));
  if (parts.length > MAX_FILTERS) return UNKNOWN;
  let value = readValue(parts[0]!, scope);
  for (const part of parts.slice(1)) {
    const [, name = '', list = ''] = /^\s*(\w+)\s*(?::([\s\S]*))?$/.exec(part) ?? [];
    const filter = Object.hasOwn(FILTERS, name) ? FILTERS[name] : undefined;
    const given = splitArguments(list).map((argument) => readValue(argument, scope));
    if (filter === undefined || given.includes(UNKNOWN) || value === UNKNOWN) return UNKNOWN;
    value = filter(value, ...given);
  }
  return value;
}

/** Returns whether a condition holds: `a == "b" and c contains d`. */
export function testLiquid(condition: string, scope: LiquidScope): boolean | typeof UNKNOWN {
  if (condition.length > MAX_LENGTH) return UNKNOWN;
  const words = condition.match(/"[^"]*"|'[^']*'|\([^()]*\)|==|!=|<>|<=|>=|[<>]|[^\s"'<>=!]+/g) ?? [];
  // Liquid reads from the right.
  const at = words.findIndex((word) => word === 'and' || word === 'or');
  if (at >= 0) {
    const first = testLiquid(words.slice(0, at).join(' '), scope);
    const rest = testLiquid(words.slice(at + 1).join(' '), scope);
    if (first === UNKNOWN || rest === UNKNOWN) return UNKNOWN;
    return words[at] === 'and' ? first && rest : first || rest;
  }
  const [left = '', sign, right = ''] = words;
  const one = readValue(left, scope);
  if (one === UNKNOWN || words.length > 3 || words.length === 2) return UNKNOWN;
  if (sign === undefined) return isTruthy(one);
  const other = readValue(right, scope);
  if (other === UNKNOWN) return UNKNOWN;
  switch (sign) {
    case '==':
      return isEqual(one, other);
    case '!=':
    case '<>':
      return !isEqual(one, other);
    case 'contains':
      return Array.isArray(one) ? one.includes(other) : typeof one === 'string' && one.includes(toText(other));
    default:
      return compare(one, other, sign);
  }
}

/** Returns a value as it is printed. */
export function toText(value: unknown): string {
  if (Array.isArray(value)) return value.map(toText).join('');
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';
}

const EMPTY = Symbol('empty');

function readValue(written: string, scope: LiquidScope): unknown {
  const text = written.trim();
  if (/^(?:"[^"]*"|'[^']*')$/.test(text)) return text.slice(1, -1);
  if (/^-?\d+(?:\.\d+)?$/.test(text)) return Number(text);
  if (text === 'true' || text === 'false') return text === 'true';
  if (text === 'nil' || text === 'null' || text === '') return undefined;
  if (text === 'empty' || text === 'blank') return EMPTY;
  const [, from, to] = /^\(([^().]+)\.\.([^()]+)\)$/.exec(text) ?? [];
  if (from !== undefined) return makeRange(readValue(from, scope), readValue(to!, scope));
  return readPath(text, scope);
}

function makeRange(from: unknown, to: unknown): unknown {
  const [first, last] = [Number(from === UNKNOWN ? Number.NaN : from), Number(to === UNKNOWN ? Number.NaN : to)];
  if (!Number.isInteger(first) || !Number.isInteger(last) || last - first > MAX_RANGE) return UNKNOWN;
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, at) => first + at);
}

const STEP = /\.([\w-]+\??)|\[([^[\]]*)\]/y;

function readPath(text: string, scope: LiquidScope): unknown {
  const [name] = /^[A-Za-z_][\w-]*/.exec(text) ?? [];
  if (name === undefined) return UNKNOWN;
  let value = findName(name, scope);
  STEP.lastIndex = name.length;
  while (STEP.lastIndex < text.length) {
    const at = STEP.lastIndex;
    const [whole, key, inside] = STEP.exec(text) ?? [];
    if (whole === undefined) return UNKNOWN;
    const end = at + whole.length;
    const step = key ?? readValue(inside!, scope);
    if (step === UNKNOWN || value === UNKNOWN) return UNKNOWN;
    value = takeStep(value, step);
    STEP.lastIndex = end;
  }
  return value;
}

function findName(name: string, scope: LiquidScope): unknown {
  for (let at: LiquidScope | undefined = scope; at; at = at.above) if (at.names.has(name)) return at.names.get(name);
  return UNKNOWN;
}

function takeStep(value: unknown, key: unknown): unknown {
  if (value instanceof Open) return Object.hasOwn(value.data, toText(key)) ? value.data[toText(key)] : UNKNOWN;
  if (Array.isArray(value)) {
    if (key === 'size') return value.length;
    if (key === 'first') return value[0];
    if (key === 'last') return value.at(-1);
    return typeof key === 'number' ? value.at(key) : undefined;
  }
  if (typeof value === 'string') return key === 'size' ? value.length : undefined;
  if (typeof value !== 'object' || value === null) return undefined;
  if (Object.hasOwn(value, toText(key))) return (value as Readonly<Record<string, unknown>>)[toText(key)];
  return key === 'size' ? Object.keys(value).length : undefined;
}

function isTruthy(value: unknown): boolean {
  return value !== undefined && value !== null && value !== false;
}

function isEqual(one: unknown, other: unknown): boolean {
  if (one === EMPTY || other === EMPTY) {
    const value = one === EMPTY ? other : one;
    return value === '' || (Array.isArray(value) && value.length === 0);
  }
  return one === other || (one ?? undefined) === (other ?? undefined);
}

function compare(one: unknown, other: unknown, sign: string): boolean | typeof UNKNOWN {
  const isSame = typeof one === typeof other && (typeof one === 'number' || typeof one === 'string');
  if (!isSame) return one === undefined || other === undefined ? false : UNKNOWN;
  const [left, right] = [one as number | string, other as number | string];
  if (sign === '<') return left < right;
  if (sign === '>') return left > right;
  return sign === '<=' ? left <= right : left >= right;
}

/** Splits at commas outside quotes. */
function splitArguments(text: string): readonly string[] {
  return text.trim() === '' ? [] : (text.match(/(?:"[^"]*"|'[^']*'|[^,"'])+/g) ?? []);
}

type Filter = (value: unknown, ...given: readonly unknown[]) => unknown;

const ofText =
  (change: (text: string, ...given: readonly string[]) => unknown): Filter =>
  (value, ...given) =>
    change(toText(value), ...given.map(toText));
const ofList =
  (change: (list: readonly unknown[], ...given: readonly unknown[]) => unknown): Filter =>
  (value, ...given) =>
    Array.isArray(value) ? change(value, ...given) : UNKNOWN;
const property = (item: unknown, key: unknown): unknown => takeStep(item, toText(key));
const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
const escapeText = ofText((text) => text.replace(/[&<>"']/g, (sign) => ESCAPES[sign]!));
const same: Filter = (value) => value;

/** Those whose result needs nothing but the value. URLs from the root are found as such. */
const FILTERS: Readonly<Record<string, Filter>> = {
  escape: escapeText,
  xml_escape: escapeText,
  relative_url: same,
  absolute_url: same,
  markdownify: same,
  upcase: ofText((text) => text.toUpperCase()),
  downcase: ofText((text) => text.toLowerCase()),
  capitalize: ofText((text) => text.charAt(0).toUpperCase() + text.slice(1)),
  strip: ofText((text) => text.trim()),
  lstrip: ofText((text) => text.trimStart()),
  rstrip: ofText((text) => text.trimEnd()),
  append: ofText((text, other = '') => text + other),
  prepend: ofText((text, other = '') => other + text),
  remove: ofText((text, part = '') => (part === '' ? text : text.replaceAll(part, ''))),
  replace: ofText((text, part = '', other = '') => (part === '' ? text : text.replaceAll(part, other))),
  split: ofText((text, sign = ' ') => text.split(sign)),
  slugify: ofText((text) =>
    text
      .toLowerCase()
      .replace(/[^\p{L}\p{N}]+/gu, '-')
      .replace(/^-|-$/g, ''),
  ),
  strip_newlines: ofText((text) => text.replace(/\r?\n/g, '')),
  newline_to_br: ofText((text) => text.replace(/\r?\n/g, '<br />\n')),
  default: (value, other) => (value === undefined || value === null || value === false || value === '' ? other : value),
  size: (value) => takeStep(value, 'size') ?? 0,
  first: ofList(([first]) => first),
  last: ofList((list) => list.at(-1)),
  join: ofList((list, sign = ' ') => list.map(toText).join(toText(sign))),
  reverse: ofList((list) => list.toReversed()),
  uniq: ofList((list) => [...new Set(list)]),
  compact: ofList((list) => list.filter((item) => item !== undefined && item !== null)),
  map: ofList((list, key) => list.map((item) => property(item, key))),
  concat: ofList((list, other) => (Array.isArray(other) ? [...list, ...other] : UNKNOWN)),
  group_by: ofList((list, key) => {
    const groups = new Map<string, unknown[]>();
    for (const item of list) {
      const name = toText(property(item, key));
      if (!groups.has(name)) groups.set(name, []);
      groups.get(name)!.push(item);
    }
    return [...groups].map(([name, items]) => ({ name, items, size: items.length }));
  }),
  where: ofList((list, key, wanted) =>
    list.filter((item) => (wanted === undefined ? isTruthy(property(item, key)) : property(item, key) === wanted)),
  ),
  sort: ofList((list, key) => {
    const weigh = (item: unknown): unknown => (key === undefined ? item : property(item, key));
    return list.toSorted((one, other) => order(weigh(one), weigh(other)));
  }),
  plus: (value, other) => Number(value) + Number(other),
  minus: (value, other) => Number(value) - Number(other),
  times: (value, other) => Number(value) * Number(other),
};

function order(one: unknown, other: unknown): number {
  if (typeof one === 'number' && typeof other === 'number') return one - other;
  const [left, right] = [toText(one), toText(other)];
  return left < right ? -1 : left > right ? 1 : 0;
}
