import nunjucks from 'nunjucks';
import { escapeHtml } from '../../lib/html-text.ts';

/** A template of a repository. */
export interface Template {
  /** Returns its text; a value is escaped unless it is `SafeHtml`. Throws `TemplateError`. */
  render(values: Readonly<Record<string, unknown>>): string;
}

/** A mistake in a template; the line counts from 1, 0 = unknown. */
export class TemplateError extends Error {
  override readonly name = 'TemplateError';
  readonly line: number;

  constructor(message: string, line: number) {
    super(message);
    this.line = line;
  }
}

/** HTML that is printed as it is. */
export class SafeHtml {
  readonly html: string;
  constructor(html: string) {
    this.html = html;
  }
}

export const MAX_TEMPLATE_LENGTH = 100_000;
/** Parts of a template that are evaluated in one call: as many on every machine. */
const MAX_STEPS = 100_000;
const MAX_OUTPUT = 1_000_000;

/** A node of Nunjucks' parser, as far as it is read here; positions count from 0. */
interface Node {
  readonly typename: string;
  readonly lineno: number;
  readonly children?: readonly Node[];
  readonly value?: unknown;
  readonly [field: string]: unknown;
}

const { parser } = nunjucks as unknown as {
  readonly parser: { parse(text: string, extensions: readonly never[], options: object): Node };
};

/**
 * Parses a template. Nunjucks' own templates are programs that reach everything in the process; this one is Nunjucks' grammar, read by
 * its parser and evaluated here: values, conditions, loops, `set` and filters, without functions, other templates and any way to the
 * process. Throws `TemplateError`.
 */
export function parseTemplate(text: string): Template {
  if (text.length > MAX_TEMPLATE_LENGTH)
    throw new TemplateError(`It has more than ${MAX_TEMPLATE_LENGTH} characters`, 1);
  let root: Node;
  try {
    root = parser.parse(text, [], { trimBlocks: true, lstripBlocks: true });
    check(root);
  } catch (error) {
    if (error instanceof TemplateError) throw error;
    if (error instanceof RangeError) throw new TemplateError('It is nested too deeply', 1);
    // From 1 here; where the text ends too soon, there is none.
    const { message, lineno = text.split('\n').length } = error as Error & { readonly lineno?: number };
    throw new TemplateError(message.split('\n').at(-1)!.trim(), lineno);
  }
  return { render: (values) => evaluateRoot(root, values) };
}

const STATEMENTS: ReadonlySet<string> = new Set(['Root', 'NodeList', 'Output', 'TemplateData', 'If', 'For', 'Set']);
const EXPRESSIONS: ReadonlySet<string> = new Set(
  'Symbol Literal LookupVal Group Array Dict Pair InlineIf Filter Compare CompareOperand In Is And Or Not Add Sub Mul Div FloorDiv Mod Pow Neg Pos Concat'.split(
    ' ',
  ),
);
const FIELDS = 'cond body else_ arr name value target val args left right expr ops key targets'.split(' ');

/** Refuses what the evaluation below does not know, so that an author is told before a page uses it. */
function check(node: Node): void {
  const { typename } = node;
  if (!STATEMENTS.has(typename) && !EXPRESSIONS.has(typename)) throw refuse(node);
  if (typename === 'Filter') {
    const { value } = node.name as Node;
    if (!FILTERS.has(String(value))) {
      throw new TemplateError(
        `Filter "${value}" does not exist; there are ${[...FILTERS.keys()].sort().join(', ')}`,
        lineOf(node),
      );
    }
  }
  for (const child of node.children ?? []) check(child);
  for (const field of FIELDS) {
    const value = node[field];
    if (typename === 'Filter' && field === 'name') continue;
    if (Array.isArray(value)) for (const item of value) check(item as Node);
    else if (isNode(value)) check(value);
  }
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'typename' in value;
}

const NAMES: Readonly<Record<string, string>> = {
  FunCall: 'Functions',
  Macro: '"macro"',
  Caller: '"call"',
  Include: '"include"',
  Import: '"import"',
  FromImport: '"import"',
  Extends: '"extends"',
  Block: '"block"',
  Capture: '"set" without a value, or "filter" as a block,',
  KeywordArgs: 'Named arguments',
};

function refuse(node: Node): TemplateError {
  const what = NAMES[node.typename] ?? `"${node.typename}"`;
  return new TemplateError(`${what} cannot be used in a template of a repository`, lineOf(node));
}

function lineOf({ lineno }: Node): number {
  return lineno + 1;
}

type Scope = Map<string, unknown>;

interface Run {
  steps: number;
  output: string;
}

function evaluateRoot(root: Node, values: Readonly<Record<string, unknown>>): string {
  const run: Run = { steps: 0, output: '' };
  const scopes: Scope[] = [new Map(Object.entries(values)), new Map()];
  try {
    write(root, scopes, run);
  } catch (error) {
    if (error instanceof RangeError) throw new TemplateError('It is nested too deeply', 0);
    throw error;
  }
  return run.output;
}

function count(node: Node, run: Run): void {
  if (++run.steps > MAX_STEPS) throw new TemplateError(`It takes more than ${MAX_STEPS} steps`, lineOf(node));
}

function print(text: string, node: Node, run: Run): void {
  run.output += text;
  if (run.output.length > MAX_OUTPUT)
    throw new TemplateError(`It prints more than ${MAX_OUTPUT} characters`, lineOf(node));
}

function write(node: Node, scopes: readonly Scope[], run: Run): void {
  count(node, run);
  const evaluateHere = (value: unknown): unknown => evaluate(value as Node, scopes, run);
  switch (node.typename) {
    case 'TemplateData':
      print(String(node.value), node, run);
      return;
    case 'Output':
      for (const child of node.children!) {
        if (child.typename === 'TemplateData') write(child, scopes, run);
        else print(toHtml(evaluateHere(child)), node, run);
      }
      return;
    case 'If': {
      const branch = isTrue(evaluateHere(node.cond)) ? node.body : node.else_;
      if (isNode(branch)) write(branch, scopes, run);
      return;
    }
    case 'For':
      writeLoop(node, scopes, run);
      return;
    case 'Set': {
      const value = evaluateHere(node.value);
      for (const target of node.targets as readonly Node[]) scopes.at(-1)!.set(String(target.value), value);
      return;
    }
    default:
      for (const child of node.children ?? []) write(child, scopes, run);
  }
}

function writeLoop(node: Node, scopes: readonly Scope[], run: Run): void {
  const value = evaluate(node.arr as Node, scopes, run);
  const name = node.name as Node;
  const names = name.typename === 'Array' ? name.children!.map((one) => String(one.value)) : [String(name.value)];
  const rows: readonly (readonly unknown[])[] = Array.isArray(value)
    ? value.map((item) => (names.length > 1 && Array.isArray(item) ? item : [item]))
    : isMap(value)
      ? Object.entries(value)
      : [];
  if (rows.length === 0) {
    if (isNode(node.else_)) write(node.else_, scopes, run);
    return;
  }
  for (const [at, row] of rows.entries()) {
    const loop = { index: at + 1, index0: at, first: at === 0, last: at === rows.length - 1, length: rows.length };
    const scope: Scope = new Map<string, unknown>([['loop', loop]]);
    for (const [place, one] of names.entries()) scope.set(one, row[place]);
    write(node.body as Node, [...scopes, scope], run);
  }
}

function evaluate(node: Node, scopes: readonly Scope[], run: Run): unknown {
  count(node, run);
  const at = (value: unknown): unknown => evaluate(value as Node, scopes, run);
  /** The same, for what is gone through from end to end. */
  const read = (part: unknown): unknown => {
    const value = at(part);
    run.steps += costOf(value);
    return value;
  };
  switch (node.typename) {
    case 'Literal':
      // A regular expression is a value for functions, which there are none of.
      return typeof node.value === 'object' ? undefined : node.value;
    case 'Symbol':
      return scopes.findLast((scope) => scope.has(String(node.value)))?.get(String(node.value));
    case 'LookupVal':
      return lookUp(at(node.target), read(node.val));
    case 'Group':
      return at(node.children!.at(-1));
    case 'Array':
      return node.children!.map(at);
    case 'Dict':
      return Object.fromEntries(
        node.children!.map(({ key, value }) => {
          const { typename, value: name } = key as Node;
          return [typename === 'Symbol' ? String(name) : String(at(key)), at(value)];
        }),
      );
    case 'InlineIf':
      return isTrue(at(node.cond)) ? at(node.body) : isNode(node.else_) ? at(node.else_) : '';
    case 'Filter': {
      const [value, ...rest] = (node.args as Node).children!.map(read);
      return FILTERS.get(String((node.name as Node).value))!(value, ...rest);
    }
    case 'Compare':
      return compare(
        read(node.expr),
        (node.ops as readonly Node[]).map(({ type, expr }) => [String(type), read(expr)]),
      );
    case 'In':
      return isIn(read(node.left), read(node.right));
    case 'Is':
      return isTested(at(node.left), node.right as Node);
    case 'And': {
      const left = at(node.left);
      return isTrue(left) ? at(node.right) : left;
    }
    case 'Or': {
      const left = at(node.left);
      return isTrue(left) ? left : at(node.right);
    }
    case 'Not':
      return !isTrue(at(node.target));
    case 'Neg':
      return -toNumber(at(node.target));
    case 'Pos':
      return toNumber(at(node.target));
    default:
      return calculate(node, read(node.left), read(node.right));
  }
}

function calculate(node: Node, left: unknown, right: unknown): unknown {
  const isText = typeof left === 'string' || typeof right === 'string';
  if (node.typename === 'Concat' || (node.typename === 'Add' && isText)) return limit(toText(left) + toText(right));
  const [a, b] = [toNumber(left), toNumber(right)];
  switch (node.typename) {
    case 'Add':
      return a + b;
    case 'Sub':
      return a - b;
    case 'Mul':
      return a * b;
    case 'Div':
      return a / b;
    case 'FloorDiv':
      return Math.floor(a / b);
    case 'Mod':
      return a % b;
    case 'Pow':
      return a ** b;
    default:
      throw refuse(node);
  }
}

function compare(first: unknown, operands: readonly (readonly [type: string, value: unknown])[]): boolean {
  let left = first;
  return operands.every(([type, right]) => {
    const [a, b] = [left, right];
    left = right;
    // Attributes are texts, and `count == 3` means the number.
    const isNumber = typeof a === 'number' || typeof b === 'number';
    const [x, y] = isNumber ? [toNumber(a), toNumber(b)] : [toText(a), toText(b)];
    if (type === '===' || type === '!==') return (a === b) === (type === '===');
    if (type === '==') return a === b || (a !== undefined && b !== undefined && x === y);
    if (type === '!=') return !(a === b || (a !== undefined && b !== undefined && x === y));
    if (type === '<') return x < y;
    if (type === '>') return x > y;
    return type === '<=' ? x <= y : x >= y;
  });
}

function isIn(item: unknown, list: unknown): boolean {
  if (Array.isArray(list)) return list.includes(item);
  if (typeof list === 'string') return list.includes(toText(item));
  return isMap(list) && Object.hasOwn(list, toText(item));
}

function isTested(value: unknown, test: Node): boolean {
  const name = String(test.value);
  if (name === 'defined') return value !== undefined;
  if (name === 'undefined') return value === undefined;
  if (name === 'string') return typeof value === 'string';
  if (name === 'number') return typeof value === 'number';
  throw new TemplateError(`Test "${name}" does not exist; there are defined, number, string, undefined`, lineOf(test));
}

/** Only what data has of its own is found: nothing of JavaScript's prototypes. */
function lookUp(target: unknown, key: unknown): unknown {
  if (Array.isArray(target) || typeof target === 'string') {
    if (key === 'length') return target.length;
    return typeof key === 'number' ? target[key] : undefined;
  }
  return isMap(target) && Object.hasOwn(target, toText(key)) ? target[toText(key)] : undefined;
}

function isMap(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

function isTrue(value: unknown): boolean {
  return Array.isArray(value) ? value.length > 0 : Boolean(value instanceof SafeHtml ? value.html : value);
}

function toNumber(value: unknown): number {
  return typeof value === 'number' || typeof value === 'string' || typeof value === 'boolean'
    ? Number(value)
    : Number.NaN;
}

/** Texts may double with each step. */
function limit(text: string): string {
  if (text.length > MAX_OUTPUT) throw new TemplateError(`A text has more than ${MAX_OUTPUT} characters`, 0);
  return text;
}

/** Steps for what is gone through from end to end. */
function costOf(value: unknown): number {
  const whole = value instanceof SafeHtml ? value.html : isMap(value) ? Object.keys(value) : value;
  return typeof whole === 'string' || Array.isArray(whole) ? whole.length >> 4 : 0;
}

function joinTexts(list: readonly unknown[], sign: string): string {
  let text = '';
  for (const [at, item] of list.entries())
    text = limit(text + (at > 0 ? sign : '') + (Array.isArray(item) ? '' : toText(item)));
  return text;
}

/** Of lists in lists nothing is printed. */
function toText(value: unknown): string {
  if (value instanceof SafeHtml) return value.html;
  if (Array.isArray(value)) return joinTexts(value, ',');
  return value === undefined || value === null || typeof value === 'object' || typeof value === 'function'
    ? ''
    : String(value);
}

function toHtml(value: unknown): string {
  return value instanceof SafeHtml ? value.html : escapeHtml(toText(value));
}

type Filter = (value: unknown, ...rest: readonly unknown[]) => unknown;

const toList = (value: unknown): readonly unknown[] =>
  Array.isArray(value) ? value : isMap(value) ? Object.values(value) : typeof value === 'string' ? [...value] : [];
const orderOf = (a: unknown, b: unknown): number =>
  typeof a === 'number' && typeof b === 'number' ? a - b : toText(a) < toText(b) ? -1 : Number(toText(a) > toText(b));

/** Those of Nunjucks that cost no more than their values are long. */
const FILTERS: ReadonlyMap<string, Filter> = new Map<string, Filter>([
  ['abs', (value) => Math.abs(toNumber(value))],
  ['capitalize', (value) => toText(value).charAt(0).toUpperCase() + toText(value).slice(1).toLowerCase()],
  ['default', (value, other, isAny) => (value === undefined || (isAny === true && !isTrue(value)) ? other : value)],
  ['e', (value) => new SafeHtml(toHtml(value))],
  ['escape', (value) => new SafeHtml(toHtml(value))],
  ['first', (value) => toList(value)[0]],
  ['float', (value) => toNumber(value)],
  ['int', (value) => Math.trunc(toNumber(value))],
  ['join', (value, sign) => joinTexts(toList(value), toText(sign))],
  ['last', (value) => toList(value).at(-1)],
  ['length', (value) => toList(value).length],
  ['lower', (value) => toText(value).toLowerCase()],
  [
    'replace',
    (value, from, to) =>
      toText(from) === '' ? value : limit(toText(value).replaceAll(toText(from), () => limit(toText(to)))),
  ],
  ['reverse', (value) => (typeof value === 'string' ? [...value].reverse().join('') : [...toList(value)].reverse())],
  ['round', (value, digits) => Number(toNumber(value).toFixed(Math.min(20, Math.max(0, toNumber(digits) || 0))))],
  ['safe', (value) => new SafeHtml(toText(value))],
  ['sort', (value) => [...toList(value)].sort(orderOf)],
  [
    'split',
    (value, sign) =>
      toText(value)
        .split(toText(sign) || ',')
        .map((part) => part.trim()),
  ],
  ['title', (value) => toText(value).replace(/(?<![\p{L}\p{N}])\p{L}/gu, (letter) => letter.toUpperCase())],
  ['trim', (value) => toText(value).trim()],
  ['truncate', (value, length) => truncate(toText(value), toNumber(length) || 255)],
  ['unique', (value) => [...new Set(toList(value))]],
  ['upper', (value) => toText(value).toUpperCase()],
  ['urlencode', (value) => encodeURIComponent(toText(value).replace(/\p{Cs}/gu, ''))],
]);

function truncate(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length).trimEnd()}…`;
}
