import { posix } from 'node:path';
import { runWithin } from '../../lib/run-within.ts';
import { boundParser } from './bound-parser.ts';

/** A node of a script's syntax tree (ESTree, with TypeScript's). */
export interface SyntaxNode {
  readonly type: string;
  readonly loc?: { readonly start: { readonly line: number } };
  readonly [key: string]: unknown;
}

/** A location. `line` counts from 1; 0 = the whole file. */
export interface Place {
  readonly file: string;
  readonly line: number;
}

/** A parsed script: its names, exports and imports. */
export interface Module {
  /** From the repository's root. */
  readonly file: string;
  readonly scope: Scope;
  /** Expressions by exported name. */
  readonly exports: Map<string, SyntaxNode>;
  /** Specifiers of modules whose exports are all re-exported. */
  readonly passedOn: string[];
  /** All calls in the script. */
  readonly calls: readonly SyntaxNode[];
  /** The modules of the repository that it imports, by specifier. */
  readonly imports: Map<string, Module>;
  /** The content of a JSON file. */
  readonly data?: unknown;
}

/** The names in a scope. */
export interface Scope {
  readonly module: Module;
  readonly names: Map<string, Binding>;
  readonly outer: Scope | undefined;
}

/** The meaning of a name: an expression, which is evaluated once, a value, or an export of another module. */
export type Binding =
  | { readonly kind: 'expression'; readonly node: SyntaxNode; state?: 'busy' | { readonly value: unknown } }
  | { readonly kind: 'value'; readonly value: unknown }
  | { readonly kind: 'import'; readonly from: string; readonly name: string };

/** Reads a file from the repository's root; undefined when there is none that is text. */
export type ReadFile = (path: string) => Promise<string | undefined>;

const MAX_FILES = 40;
/** Limit of files that are looked for, found or not. */
const MAX_LOOKUPS = 1_000;
/** The longest time of a script, ms. */
const MAX_MS = 10_000;
const ENDINGS = [
  '',
  '.ts',
  '.tsx',
  '.mts',
  '.js',
  '.jsx',
  '.mjs',
  '.cjs',
  '.json',
  '/index.ts',
  '/index.mts',
  '/index.js',
  '/index.mjs',
];

/**
 * Parses a script of JavaScript, TypeScript or JSON and the scripts of the repository that it imports; runs nothing. Returns
 * undefined when it is missing or cannot be parsed.
 */
export async function parseScript(path: string, readFile: ReadFile): Promise<Module | undefined> {
  const modules = new Map<string, Module | undefined>();
  let lookups = 0;
  return load(path);

  async function load(file: string): Promise<Module | undefined> {
    if (modules.has(file)) return modules.get(file);
    if (modules.size >= MAX_FILES || ++lookups > MAX_LOOKUPS) return undefined;
    const text = await readFile(file);
    if (text === undefined) return undefined;
    const module = await parseModule(text, file);
    modules.set(file, module);
    if (!module) return undefined;
    for (const specifier of listImports(module)) {
      const target = specifier.startsWith('.') ? await findModule(file, specifier) : undefined;
      if (target) module.imports.set(specifier, target);
    }
    return module;
  }

  async function findModule(from: string, specifier: string): Promise<Module | undefined> {
    const stem = posix.normalize(posix.join(posix.dirname(from), specifier));
    if (stem.startsWith('../')) return undefined;
    // TypeScript may be imported by the name of the compiled JavaScript.
    for (const target of [...ENDINGS.map((ending) => stem + ending), stem.replace(/\.([cm]?)js$/, '.$1ts')]) {
      const module = await load(target);
      if (module) return module;
    }
    return undefined;
  }
}

async function parseModule(text: string, file: string): Promise<Module | undefined> {
  const rest = { file, exports: new Map(), passedOn: [], imports: new Map() };
  const create = (more: Pick<Module, 'calls' | 'data'>): Module => {
    const module: Module & { scope: Scope } = { ...rest, ...more, scope: undefined as never };
    module.scope = { module, names: new Map(), outer: undefined };
    return module;
  };
  if (file.endsWith('.json')) {
    try {
      return create({ calls: [], data: JSON.parse(text) as unknown });
    } catch {
      return undefined;
    }
  }
  const program = await parse(text, /\.(?:[jt]sx|[cm]?js)$/.test(file));
  if (!program) return undefined;
  const module = create({ calls: listCalls(program) });
  for (const statement of program.body as readonly SyntaxNode[]) bindStatement(statement, module);
  return module;
}

async function parse(text: string, jsx: boolean): Promise<SyntaxNode | undefined> {
  const [acorn, { tsPlugin }] = await Promise.all([import('acorn'), import('@sveltejs/acorn-typescript')]);
  const parser = acorn.Parser.extend(tsPlugin({ jsx }), boundParser(acorn, text));
  try {
    const options = { ecmaVersion: 'latest', sourceType: 'module', locations: true, allowHashBang: true } as const;
    return runWithin(MAX_MS, () => parser.parse(text, options) as unknown as SyntaxNode);
  } catch {
    // Not only syntax errors: it may be too long or too deep.
    return undefined;
  }
}

/** Records the names that a top-level statement declares, imports or exports. */
function bindStatement(statement: SyntaxNode, module: Module): void {
  const { names } = module.scope;
  const { exports } = module;
  const source = (statement.source as SyntaxNode | null | undefined)?.value as string | undefined;
  switch (statement.type) {
    case 'ImportDeclaration':
      for (const { local, imported, type } of statement.specifiers as readonly SyntaxNode[]) {
        const name =
          type === 'ImportDefaultSpecifier' ? 'default' : type === 'ImportSpecifier' ? nameOf(imported) : '*';
        names.set(nameOf(local), { kind: 'import', from: source!, name });
      }
      break;
    case 'ExportDefaultDeclaration': {
      const declaration = statement.declaration as SyntaxNode;
      exports.set('default', declaration);
      if (declaration.id) bindDeclaration(declaration, module.scope);
      break;
    }
    case 'ExportNamedDeclaration':
      if (statement.declaration) {
        for (const [name, node] of bindDeclaration(statement.declaration as SyntaxNode, module.scope)) {
          exports.set(name, node);
        }
      }
      for (const { local, exported } of statement.specifiers as readonly SyntaxNode[]) {
        if (source !== undefined) {
          const alias = `${nameOf(local)} from ${source}`;
          names.set(alias, { kind: 'import', from: source, name: nameOf(local) });
          exports.set(nameOf(exported), { type: 'Identifier', name: alias });
        } else exports.set(nameOf(exported), local as SyntaxNode);
      }
      break;
    case 'ExportAllDeclaration':
      module.passedOn.push(source!);
      break;
    case 'ExpressionStatement':
      bindCommonJs(statement.expression as SyntaxNode, exports);
      break;
    default:
      bindDeclaration(statement, module.scope);
  }
}

/** `module.exports = …`, `exports.x = …`. */
function bindCommonJs({ type, left, right }: SyntaxNode, exports: Map<string, SyntaxNode>): void {
  const target = left as SyntaxNode | undefined;
  if (type !== 'AssignmentExpression' || target?.type !== 'MemberExpression') return;
  const [object, property] = [target.object as SyntaxNode, nameOf(target.property)];
  if (object.type === 'Identifier' && object.name === 'module' && property === 'exports') {
    exports.set('default', right as SyntaxNode);
  } else if (object.type === 'Identifier' ? object.name === 'exports' : nameOf(object.property) === 'exports') {
    exports.set(property, right as SyntaxNode);
  }
}

/** Records the names of a declaration; returns them with their expressions. */
export function bindDeclaration(statement: SyntaxNode, scope: Scope): readonly (readonly [string, SyntaxNode])[] {
  const bound: (readonly [string, SyntaxNode])[] = [];
  if (statement.type === 'FunctionDeclaration' && statement.id) bound.push([nameOf(statement.id), statement]);
  if (statement.type === 'VariableDeclaration') {
    for (const { id, init } of statement.declarations as readonly SyntaxNode[]) {
      if ((id as SyntaxNode).type === 'Identifier' && init) bound.push([nameOf(id), init as SyntaxNode]);
    }
  }
  for (const [name, node] of bound) scope.names.set(name, { kind: 'expression', node });
  return bound;
}

/** Returns the name of an identifier or key. */
export function nameOf(node: unknown): string {
  const { name, value } = node as SyntaxNode;
  return String(name ?? value);
}

/** Returns the location of a node. */
export function placeAt({ loc }: SyntaxNode, { module }: Scope): Place {
  return { file: module.file, line: loc?.start.line ?? 0 };
}

/** Lists what a module imports, by `import`, `export … from` and `require()`. */
function listImports({ scope, passedOn, calls }: Module): readonly string[] {
  const imported = [...scope.names.values()].flatMap((binding) => (binding.kind === 'import' ? binding.from : []));
  return [...new Set([...passedOn, ...imported, ...calls.flatMap((call) => requiredBy(call) ?? [])])];
}

/** Returns the specifier of a call of `require()`. */
export function requiredBy({ callee, arguments: list }: SyntaxNode): string | undefined {
  if ((callee as SyntaxNode).name !== 'require') return undefined;
  const [specifier] = list as readonly SyntaxNode[];
  return typeof specifier?.value === 'string' ? specifier.value : undefined;
}

function listCalls(program: SyntaxNode): readonly SyntaxNode[] {
  const calls: SyntaxNode[] = [];
  const waiting: unknown[] = [program];
  while (waiting.length > 0) {
    const node = waiting.pop();
    if (typeof node !== 'object' || node === null) continue;
    if ((node as SyntaxNode).type === 'CallExpression') calls.push(node as SyntaxNode);
    for (const value of Object.values(node)) if (typeof value === 'object') waiting.push(value);
  }
  return calls.reverse();
}
