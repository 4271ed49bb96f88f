import { append } from '../../lib/append.ts';
import {
  type Binding,
  bindDeclaration,
  type Module,
  nameOf,
  type Place,
  parseScript,
  placeAt,
  type ReadFile,
  requiredBy,
  type Scope,
  type SyntaxNode,
} from './parse-script.ts';

/** A part of a script that cannot be evaluated without running it. */
export const COMPUTED: unique symbol = Symbol('computed');

/** The literal data of scripts. Nothing is run. */
export interface ScriptData {
  /** Its path from the repository's root. */
  readonly file: string;
  /** Returns the script's exports; COMPUTED for parts that cannot be evaluated without running it. */
  exported(name?: string): unknown;
  /** Returns the first argument of each call of a function imported from a package. */
  argumentsOfCalls(packageName: string): readonly unknown[];
  /** Returns where an object, a list, an item of a list or the value of a key was written. */
  placeOf(value: object, key?: number | string): Place;
  /** Returns whether parts of an object or a list are computed. */
  isPartial(value: object): boolean;
}

/** Limit of evaluation steps for a script: lists may be spread into one another repeatedly. */
const MAX_STEPS = 100_000;
const MAX_DEPTH = 200;
const MAX_TEXT = 10_000;
/** Functions of packages that return their argument, as far as a configuration is concerned. */
const WRAPPERS = /^(?:define|with)[A-Z]|[Cc]onfig$|[Tt]heme$/;

/** Wrapper nodes without meaning at runtime, such as types. */
const WITH_TYPES = /^(?:TS(?:As|Satisfies|NonNull)Expression|TSTypeAssertion|ParenthesizedExpression|ChainExpression)$/;

/** A function of the script. */
class Closure {
  readonly node: SyntaxNode;
  readonly scope: Scope;
  constructor(node: SyntaxNode, scope: Scope) {
    this.node = node;
    this.scope = scope;
  }
}

/** Reads a script of JavaScript, TypeScript or JSON as data; undefined when it is missing or cannot be parsed. */
export async function readScript(path: string, readFile: ReadFile): Promise<ScriptData | undefined> {
  const main = await parseScript(path, readFile);
  return main && createScriptData(main);
}

function createScriptData(main: Module): ScriptData {
  const places = new WeakMap<object, { readonly own: Place; readonly items: readonly Place[] | Map<unknown, Place> }>();
  const partial = new WeakSet<object>();
  let steps = 0;
  let depth = 0;
  return {
    file: main.file,
    exported: (name = 'default') => unwrap(exportOf(main, name)),
    argumentsOfCalls(packageName) {
      const names = [...main.scope.names].flatMap(([name, binding]) =>
        binding.kind === 'import' && binding.from === packageName ? [name] : [],
      );
      return main.calls
        .filter(({ callee }) => names.includes(String((callee as SyntaxNode).name)))
        .flatMap((call) => (call.arguments as readonly SyntaxNode[]).slice(0, 1))
        .map((first) => unwrap(evaluate(first, main.scope)));
    },
    placeOf(value, key) {
      const { own, items } = places.get(value) ?? {};
      const item = items instanceof Map ? items.get(key) : typeof key === 'number' ? items?.[key] : undefined;
      return item ?? own ?? { file: main.file, line: 0 };
    },
    isPartial: (value) => partial.has(value),
  };

  /** A configuration may be a function that returns it. */
  function unwrap(value: unknown): unknown {
    return value instanceof Closure ? call(value, []) : value;
  }

  function evaluate(node: SyntaxNode, scope: Scope): unknown {
    if (++steps > MAX_STEPS || depth >= MAX_DEPTH) return COMPUTED;
    depth++;
    const value = evaluateNode(node, scope);
    depth--;
    return value;
  }

  function evaluateNode(node: SyntaxNode, scope: Scope): unknown {
    const inner = (key: string): unknown => evaluate(node[key] as SyntaxNode, scope);
    switch (node.type) {
      case 'Literal':
        return node.regex || node.bigint ? COMPUTED : node.value;
      case 'TemplateLiteral':
        return joinTemplate(node, scope);
      case 'ArrayExpression':
        return buildList(node, scope);
      case 'ObjectExpression':
        return buildObject(node, scope);
      case 'Identifier':
        return lookUp(String(node.name), scope);
      case 'MemberExpression':
        return memberOf(inner('object'), node.computed ? inner('property') : nameOf(node.property));
      case 'AwaitExpression':
        return inner('argument');
      case 'BinaryExpression': {
        const [left, right] = [inner('left'), inner('right')];
        return node.operator === '+' && isText(left) && isText(right) ? limit(`${left}${right}`) : COMPUTED;
      }
      case 'CallExpression':
        return evaluateCall(node, scope);
      case 'JSXElement':
      case 'JSXFragment':
        return joinElement(node, scope);
      case 'ArrowFunctionExpression':
      case 'FunctionExpression':
      case 'FunctionDeclaration':
        return new Closure(node, scope);
      default:
        return WITH_TYPES.test(node.type) ? inner('expression') : COMPUTED;
    }
  }

  function joinTemplate({ quasis, expressions }: SyntaxNode, scope: Scope): unknown {
    let text = '';
    for (const [index, quasi] of (quasis as readonly SyntaxNode[]).entries()) {
      text += String((quasi.value as { readonly cooked: string }).cooked);
      const expression = (expressions as readonly SyntaxNode[])[index];
      if (!expression) continue;
      const value = evaluate(expression, scope);
      if (!isText(value)) return COMPUTED;
      text += value;
    }
    return limit(text);
  }

  /** An element is the text in it. */
  function joinElement({ children }: SyntaxNode, scope: Scope): unknown {
    const parts = (children as readonly SyntaxNode[]).map((child): unknown => {
      if (child.type === 'JSXText') return child.value;
      return evaluate(child.type === 'JSXExpressionContainer' ? (child.expression as SyntaxNode) : child, scope);
    });
    const text = parts.filter(isText).join('').replace(/\s+/g, ' ').trim();
    return text === '' ? COMPUTED : limit(text);
  }

  function buildList(node: SyntaxNode, scope: Scope): unknown {
    const items: unknown[] = [];
    const lines: Place[] = [];
    let isPartial = false;
    for (const element of node.elements as readonly (SyntaxNode | null)[]) {
      if (!element) continue;
      const place = placeAt(element, scope);
      const isSpread = element.type === 'SpreadElement';
      const value = toData(evaluate(isSpread ? (element.argument as SyntaxNode) : element, scope));
      if (!isSpread && value !== COMPUTED) {
        items.push(value);
        lines.push(place);
      } else if (isSpread && Array.isArray(value)) {
        steps += value.length;
        if (steps > MAX_STEPS) return COMPUTED;
        append(items, value as readonly unknown[]);
        append(
          lines,
          value.map((_, index) => (places.get(value)?.items as readonly Place[])?.[index] ?? place),
        );
        isPartial ||= partial.has(value);
      } else isPartial = true;
    }
    places.set(items, { own: placeAt(node, scope), items: lines });
    if (isPartial) partial.add(items);
    return items;
  }

  function buildObject(node: SyntaxNode, scope: Scope): unknown {
    const entries = new Map<string, unknown>();
    const lines = new Map<unknown, Place>();
    let isPartial = false;
    for (const property of node.properties as readonly SyntaxNode[]) {
      if (property.type === 'SpreadElement') {
        const value = evaluate(property.argument as SyntaxNode, scope);
        if (isObject(value)) {
          const own = Object.entries(value);
          steps += own.length;
          for (const [key, item] of own) entries.set(key, item);
        }
        isPartial ||= !isObject(value) || partial.has(value);
        continue;
      }
      const key = property.computed ? evaluate(property.key as SyntaxNode, scope) : nameOf(property.key);
      isPartial ||= !isText(key);
      if (isText(key)) entries.set(String(key), toData(evaluate(property.value as SyntaxNode, scope)));
      lines.set(key, placeAt(property, scope));
    }
    // Keys such as `__proto__` become plain data.
    const object = Object.fromEntries(entries);
    places.set(object, { own: placeAt(node, scope), items: lines });
    if (isPartial) partial.add(object);
    return object;
  }

  function lookUp(name: string, scope: Scope): unknown {
    for (let at: Scope | undefined = scope; at; at = at.outer) {
      const binding = at.names.get(name);
      if (binding) return readBinding(binding, at);
    }
    return name === 'undefined' ? undefined : COMPUTED;
  }

  function readBinding(binding: Binding, scope: Scope): unknown {
    if (binding.kind === 'value') return binding.value;
    if (binding.kind === 'import') {
      const module = scope.module.imports.get(binding.from);
      return module ? exportOf(module, binding.name) : COMPUTED;
    }
    if (binding.state === 'busy') return COMPUTED;
    if (!binding.state) {
      binding.state = 'busy';
      binding.state = { value: evaluate(binding.node, scope) };
    }
    return binding.state.value;
  }

  function exportOf(module: Module, name: string): unknown {
    if (module.data !== undefined) {
      return name === 'default' || name === '*' ? module.data : memberOf(module.data, name);
    }
    const node = module.exports.get(name);
    if (node) return evaluate(node, module.scope);
    if (name === '*') {
      return Object.fromEntries([...module.exports.keys()].map((key) => [key, toData(exportOf(module, key))]));
    }
    // The members of what CommonJS assigns to `module.exports` are exports.
    const whole = module.exports.get('default');
    if (whole?.type === 'ObjectExpression') return memberOf(evaluate(whole, module.scope), name);
    for (const specifier of module.passedOn) {
      const other = module.imports.get(specifier);
      if (!other || ++steps > MAX_STEPS || depth >= MAX_DEPTH) continue;
      depth++;
      const value = exportOf(other, name);
      depth--;
      if (value !== COMPUTED) return value;
    }
    return COMPUTED;
  }

  function memberOf(object: unknown, key: unknown): unknown {
    if (typeof object !== 'object' || object === null || !isText(key)) return COMPUTED;
    if (Object.hasOwn(object, key)) return (object as Record<string, unknown>)[key];
    return partial.has(object) || Array.isArray(object) ? COMPUTED : undefined;
  }

  function evaluateCall(node: SyntaxNode, scope: Scope): unknown {
    const list = node.arguments as readonly SyntaxNode[];
    const required = requiredBy(node);
    if (required !== undefined) {
      const module = scope.module.imports.get(required);
      const isWhole = module?.exports.has('default') || module?.data !== undefined;
      return module ? exportOf(module, isWhole ? 'default' : '*') : COMPUTED;
    }
    const callee = node.callee as SyntaxNode;
    const called = callee.type === 'Identifier' ? lookUp(String(callee.name), scope) : COMPUTED;
    const evaluateHere = (argument: SyntaxNode): unknown => evaluate(argument, scope);
    if (called instanceof Closure) return call(called, list.map(evaluateHere));
    if (callee.type === 'MemberExpression' && nameOf(callee.property) === 'filter' && list[0]?.name === 'Boolean') {
      return evaluate(callee.object as SyntaxNode, scope);
    }
    const isWrapper = callee.type === 'Identifier' && WRAPPERS.test(String(callee.name));
    return isWrapper && list[0] ? unwrap(evaluate(list[0], scope)) : COMPUTED;
  }

  /** Returns the result of a function that only declares and returns. */
  function call({ node, scope }: Closure, values: readonly unknown[]): unknown {
    if (depth >= MAX_DEPTH) return COMPUTED;
    const inside: Scope = { module: scope.module, names: new Map(), outer: scope };
    for (const [index, parameter] of (node.params as readonly SyntaxNode[]).entries()) bind(parameter, values[index]);
    const body = node.body as SyntaxNode;
    if (body.type !== 'BlockStatement') return evaluate(body, inside);
    for (const statement of body.body as readonly SyntaxNode[]) {
      if (statement.type === 'ReturnStatement') {
        return statement.argument ? evaluate(statement.argument as SyntaxNode, inside) : undefined;
      }
      if (!/^(?:Variable|Function)Declaration$|^TS/.test(statement.type)) return COMPUTED;
      bindDeclaration(statement, inside);
    }
    return undefined;

    function bind(parameter: SyntaxNode, value: unknown): void {
      if (parameter.type === 'AssignmentPattern') {
        const given = value === undefined ? evaluate(parameter.right as SyntaxNode, inside) : value;
        bind(parameter.left as SyntaxNode, given);
      } else if (parameter.type === 'Identifier') {
        inside.names.set(nameOf(parameter), { kind: 'value', value });
      } else if (parameter.type === 'ObjectPattern') {
        for (const property of parameter.properties as readonly SyntaxNode[]) {
          if (property.type === 'Property') bind(property.value as SyntaxNode, memberOf(value, nameOf(property.key)));
        }
      }
    }
  }
}

const isText = (value: unknown): value is string | number => typeof value === 'string' || typeof value === 'number';
const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
/** A function is not data. */
const toData = (value: unknown): unknown => (value instanceof Closure ? COMPUTED : value);
const limit = (text: string): unknown => (text.length > MAX_TEXT ? COMPUTED : text);
