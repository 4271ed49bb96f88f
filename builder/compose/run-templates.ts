import type nunjucks from 'nunjucks';
import nunjucksModule from 'nunjucks';
import { findMeant } from '../../lib/similar-names.ts';
import { BuildError } from '../build-error.ts';
import type { OwnTemplates } from './own-templates.ts';

/** Nunjucks' template as far as it is changed here; see `watchTemplate`. */
interface Compiled extends nunjucks.Template {
  compile(): void;
  rootRenderFunc: Render;
  readonly blocks: Readonly<Record<string, Render>>;
}

/** A compiled template or block. `done` receives its text, or what went wrong. */
type Render = (env: unknown, context: Context, frame: unknown, runtime: Runtime, done: Done) => void;

type Done = (...results: readonly unknown[]) => void;

/** Renders a template or a block with a runtime that notes in which template mistakes are. */
type Watch = (context: Context, given: Runtime, done: Done, render: (runtime: Runtime, done: Done) => void) => void;

interface Context {
  getVariables(): Readonly<Record<string, unknown>>;
  getBlock(name: string): Render;
}

/** Functions that compiled templates call; lines and columns count from 0, those of errors of its own from 1. */
interface Runtime {
  handleError(error: Located, line: number, column: number): Error;
}

interface Located extends Error {
  readonly lineno?: number;
  readonly colno?: number;
}

/** A node of Nunjucks' parser; its position counts from 0. */
interface Node {
  readonly typename: string;
  readonly lineno: number;
  readonly [field: string]: unknown;
}

const { parser } = nunjucksModule as unknown as {
  readonly parser: { parse(text: string, extensions: readonly never[], options: object): Node };
};

/**
 * Renders templates, and says in which one a mistake is, and where: Nunjucks itself names all those on the way to it, and lines that are not
 * always right.
 */
export interface TemplateRunner {
  /** Throws `bad-option` for a template that cannot be used. */
  get(name: string): { render(values: object): string };
}

/** Creates the runner of an environment whose loader knows the templates `names`; those that are an operator's are checked. Throws `bad-option`. */
export function createTemplateRunner(
  environment: nunjucks.Environment,
  own: OwnTemplates,
  names: readonly string[],
): TemplateRunner {
  /** The mistake of the innermost template, while others pass it on. */
  let mistake: string | undefined;
  /** Templates that are being rendered, the innermost last. */
  const active: { readonly name: string; readonly context: Context }[] = [];
  const watchers = new WeakMap<Render, Watch>();
  const get = (name: string): Compiled => environment.getTemplate(name, true) as Compiled;
  for (const [name, text] of Object.entries(own)) checkTemplate(name, text, { environment, names });
  // docbuild's own make no mistakes.
  if (Object.keys(own).length > 0) for (const name of names) watchTemplate(get(name), name);
  return {
    get: (name) => ({
      render(values) {
        mistake = undefined;
        active.length = 0;
        try {
          return get(name).render(values);
        } catch (cause) {
          throw refuse(mistake ?? `${name}: ${plainMessage(cause as Error)}`, cause);
        }
      },
    }),
  };

  /** Has a template note its mistakes, and its blocks, which another one shows. */
  function watchTemplate(template: Compiled, name: string): void {
    template.compile();
    let watched: Runtime | undefined;
    const watch: Watch = (context, given, done, render) => {
      const depth = active.length;
      active.push({ name, context });
      watched ??= Object.assign(Object.create(given) as Runtime, {
        handleError(error: Located, line: number, column: number) {
          mistake ??= describeMistake(error, name, line + 1);
          return given.handleError(error, line, column);
        },
      });
      render(watched, (...results) => {
        active.length = depth;
        done(...results);
      });
    };
    const renderRoot = template.rootRenderFunc;
    template.rootRenderFunc = (env, context, frame, given, done) => {
      watchBlocks(context);
      watch(context, given, done, (runtime, end) => renderRoot(env, context, frame, runtime, end));
    };
    // Nunjucks finds what `super()` means by the function itself, so blocks stay what they are.
    for (const block of Object.values(template.blocks)) watchers.set(block, watch);
  }

  function watchBlocks(context: Context): void {
    if (Object.hasOwn(context, 'getBlock')) return;
    const getBlock = context.getBlock.bind(context);
    context.getBlock = (name) => {
      const block = getBlock(name);
      const watch = watchers.get(block);
      if (!watch) return block;
      return (env, at, frame, given, done) =>
        watch(at, given, done, (runtime, end) => block(env, at, frame, runtime, end));
    };
  }

  /** The one that is told of an error may be one that has ended: what follows an include is run from inside it. */
  function describeMistake(error: Located, told: string, lineThere: number): string {
    const { name, context } = active.at(-1) ?? { name: told, context: undefined };
    const line = error.lineno ?? (name === told ? lineThere : undefined);
    const source = own[name];
    const isMissing = error.message === NO_VALUE && source !== undefined && line !== undefined && context !== undefined;
    const message = isMissing
      ? describeMissing(source, { line, column: error.colno ?? 0 }, context.getVariables())
      : plainMessage(error);
    return `${name}${line === undefined ? '' : `:${line}`}: ${message}`;
  }
}

interface Place {
  readonly line: number;
  /** Counts from 1; 0 = unknown. */
  readonly column: number;
}

/** Message of Nunjucks about a value that is not there. */
const NO_VALUE = 'attempted to output null or undefined value';

/** Says what a template prints that is not there, and what was probably meant. */
function describeMissing(
  source: string,
  { line, column }: Place,
  variables: Readonly<Record<string, unknown>>,
): string {
  const rest = source.split('\n').slice(line - 1);
  const tag = /^\{\{-?([\s\S]*?)-?\}\}/.exec(rest.join('\n').slice(Math.max(0, column - 1)))?.[1];
  const written = (tag ?? rest[0]!).trim();
  const said = `"${written.replace(/\s+/g, ' ').slice(0, 100)}" has no value`;
  const [first = '', ...steps] = /^[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*/.exec(written)?.[0].split('.') ?? [];
  // Names of loops and the like are not among the variables.
  const isBound = new RegExp(`\\{%-?\\s*(?:for|set|macro|import|from)\\b[^%]*\\b${first}\\b`).test(source);
  if (!Object.hasOwn(variables, first) && (isBound || first === 'loop')) return said;
  let at: unknown = variables;
  let path = '';
  for (const step of [first, ...steps]) {
    if (typeof at !== 'object' || at === null || step === '') break;
    if (!Object.hasOwn(at, step)) {
      const meant = findMeant(step, Object.keys(at));
      const where = path === '' ? `there is no variable "${step}" here` : `"${path}" has no "${step}"`;
      return `${said}: ${where}${meant === undefined ? '' : `; did you mean "${meant}"?`}`;
    }
    path += path === '' ? step : `.${step}`;
    at = (at as Readonly<Record<string, unknown>>)[step];
  }
  return at === undefined && path !== ''
    ? `${said} on every page: write {% if ${path} %} … {% endif %} around it`
    : said;
}

/** Finds what cannot be right in a template without rendering it. Throws `bad-option`. */
function checkTemplate(
  name: string,
  text: string,
  { environment, names }: { readonly environment: nunjucks.Environment; readonly names: readonly string[] },
): void {
  const createError = (line: number, message: string, cause?: unknown): BuildError =>
    refuse(`${name}:${line}: ${message}`, cause);
  let root: Node;
  try {
    root = parser.parse(text, [], { trimBlocks: true, lstripBlocks: true });
  } catch (error) {
    throw createError((error as Located).lineno ?? 1, plainMessage(error as Error), error);
  }
  const nodes = [...listNodes(root)];
  const textOf = (node: unknown): string | undefined => {
    const { typename, value } = node as Node;
    return typename === 'Literal' && typeof value === 'string' ? value : undefined;
  };
  for (const node of nodes) {
    if (node.typename === 'Filter') {
      const filter = String((node['name'] as Node)['value']);
      if (!hasFilter(environment, filter)) throw createError(node.lineno + 1, `There is no filter "${filter}"`);
    }
    if (!['Include', 'Extends', 'Import', 'FromImport'].includes(node.typename)) continue;
    const target = textOf(node['template']);
    if (target === undefined || names.includes(target) || node['ignoreMissing']) continue;
    const meant = findMeant(target, names);
    throw createError(
      node.lineno + 1,
      `There is no template "${target}"${meant === undefined ? '' : `; did you mean "${meant}"?`}`,
    );
  }
  const parent = nodes.find(({ typename }) => typename === 'Extends');
  const extended = parent && textOf(parent['template']);
  if (extended === undefined) return;
  const known = Object.keys((environment.getTemplate(extended, true) as Compiled).blocks);
  // Blocks inside others of the template itself are shown with them.
  const outer = Array.isArray(root['children']) ? (root['children'] as readonly Node[]) : [];
  for (const node of outer.filter(({ typename }) => typename === 'Block')) {
    const block = String((node['name'] as Node)['value']);
    if (known.includes(block)) continue;
    throw createError(
      node.lineno + 1,
      `Block "${block}" would not be shown: "${extended}" has ${known.sort().join(', ')}`,
    );
  }
}

function hasFilter(environment: nunjucks.Environment, name: string): boolean {
  try {
    environment.getFilter(name);
    return true;
  } catch {
    return false;
  }
}

function* listNodes(node: Node): Generator<Node> {
  yield node;
  for (const value of Object.values(node)) {
    for (const child of Array.isArray(value) ? (value as readonly unknown[]) : [value]) {
      if (typeof child === 'object' && child !== null && 'typename' in child) yield* listNodes(child as Node);
    }
  }
}

/** Returns Nunjucks' message without the paths before it and with no line ends. */
function plainMessage({ message }: Error): string {
  const bare = message
    .replace(/\s+/g, ' ')
    .replace(/^(?:(?:Template render error: )?\([^)]*\)(?: \[[^\]]*\])? *)+/, '');
  return bare.replace(/^(?:\w*Error: )+/, '');
}

function refuse(what: string, cause: unknown): BuildError {
  return new BuildError('bad-option', `A template cannot be used: ${what}`, { cause });
}
