import { append } from '../../lib/append.ts';
import {
  type Binding,
  bindDeclaration,
  type Module,
  nameOf,
  type Place,
  placeAt,
  requiredBy,
  type Scope,
  type SyntaxNode,
} from './parse-script.ts';

/** A part of a script that cannot be evaluated without running it. */
export const COMPUTED: unique symbol = Symbol('computed');

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

/** Values of the expressions of a script, as far as they are literal data. Nothing is run; all of a script takes so many steps at most. */
export class ScriptValues {
  private readonly places = new WeakMap<object, ValuePlaces>();
  private readonly partial = new WeakSet<object>();
  private steps = 0;
  private depth = 0;

  /** Returns where an object, a list, an item of a list or the value of a key was written; undefined = nowhere in a script. */
  placeOf(value: object, key?: number | string): Place | undefined {
    const { own, items } = this.places.get(value) ?? {};
    const item = items instanceof Map ? items.get(key) : typeof key === 'number' ? items?.[key] : undefined;
    return item ?? own;
  }

  /** Returns whether parts of an object or a list are computed. */
  isPartial(value: object): boolean {
    return this.partial.has(value);
  }

  /** A configuration may be a function that returns it. */
  unwrap(value: unknown): unknown {
    return value instanceof Closure ? this.call(value, []) : value;
  }

  evaluate(node: SyntaxNode, scope: Scope): unknown {
    if (++this.steps > MAX_STEPS || this.depth >= MAX_DEPTH) return COMPUTED;
    this.depth++;
    const value = this.evaluateNode(node, scope);
    this.depth--;
    return value;
  }

  private evaluateNode(node: SyntaxNode, scope: Scope): unknown {
    const inner = (key: string): unknown => this.evaluate(node[key] as SyntaxNode, scope);
    switch (node.type) {
      case 'Literal':
        return node.regex || node.bigint ? COMPUTED : node.value;
      case 'TemplateLiteral':
        return this.joinTemplate(node, scope);
      case 'ArrayExpression':
        return this.buildList(node, scope);
      case 'ObjectExpression':
        return this.buildObject(node, scope);
      case 'Identifier':
        return this.lookUp(String(node.name), scope);
      case 'MemberExpression':
        return this.memberOf(inner('object'), node.computed ? inner('property') : nameOf(node.property));
      case 'AwaitExpression':
        return inner('argument');
      case 'BinaryExpression': {
        const [left, right] = [inner('left'), inner('right')];
        return node.operator === '+' && isText(left) && isText(right) ? limit(`${left}${right}`) : COMPUTED;
      }
      case 'CallExpression':
        return this.evaluateCall(node, scope);
      case 'JSXElement':
      case 'JSXFragment':
        return this.joinElement(node, scope);
      case 'ArrowFunctionExpression':
      case 'FunctionExpression':
      case 'FunctionDeclaration':
        return new Closure(node, scope);
      default:
        return WITH_TYPES.test(node.type) ? inner('expression') : COMPUTED;
    }
  }

  private joinTemplate({ quasis, expressions }: SyntaxNode, scope: Scope): unknown {
    let text = '';
    for (const [index, quasi] of (quasis as readonly SyntaxNode[]).entries()) {
      text += String((quasi.value as { readonly cooked: string }).cooked);
      const expression = (expressions as readonly SyntaxNode[])[index];
      if (!expression) continue;
      const value = this.evaluate(expression, scope);
      if (!isText(value)) return COMPUTED;
      text += value;
    }
    return limit(text);
  }

  /** An element is the text in it. */
  private joinElement({ children }: SyntaxNode, scope: Scope): unknown {
    const parts = (children as readonly SyntaxNode[]).map((child): unknown => {
      if (child.type === 'JSXText') return child.value;
      return this.evaluate(child.type === 'JSXExpressionContainer' ? (child.expression as SyntaxNode) : child, scope);
    });
    const text = parts.filter(isText).join('').replace(/\s+/g, ' ').trim();
    return text === '' ? COMPUTED : limit(text);
  }

  private buildList(node: SyntaxNode, scope: Scope): unknown {
    const items: unknown[] = [];
    const lines: Place[] = [];
    let isPartial = false;
    for (const element of node.elements as readonly (SyntaxNode | null)[]) {
      if (!element) continue;
      const place = placeAt(element, scope);
      const isSpread = element.type === 'SpreadElement';
      const value = toData(this.evaluate(isSpread ? (element.argument as SyntaxNode) : element, scope));
      if (!isSpread && value !== COMPUTED) {
        items.push(value);
        lines.push(place);
      } else if (isSpread && Array.isArray(value)) {
        this.steps += value.length;
        if (this.steps > MAX_STEPS) return COMPUTED;
        append(items, value as readonly unknown[]);
        append(
          lines,
          value.map((_, index) => (this.places.get(value)?.items as readonly Place[])?.[index] ?? place),
        );
        isPartial ||= this.partial.has(value);
      } else isPartial = true;
    }
    this.places.set(items, { own: placeAt(node, scope), items: lines });
    if (isPartial) this.partial.add(items);
    return items;
  }

  private buildObject(node: SyntaxNode, scope: Scope): unknown {
    const entries = new Map<string, unknown>();
    const lines = new Map<unknown, Place>();
    let isPartial = false;
    for (const property of node.properties as readonly SyntaxNode[]) {
      if (property.type === 'SpreadElement') {
        const value = this.evaluate(property.argument as SyntaxNode, scope);
        if (isObject(value)) {
          const own = Object.entries(value);
          this.steps += own.length;
          for (const [key, item] of own) entries.set(key, item);
        }
        isPartial ||= !isObject(value) || this.partial.has(value);
        continue;
      }
      const key = property.computed ? this.evaluate(property.key as SyntaxNode, scope) : nameOf(property.key);
      isPartial ||= !isText(key);
      if (isText(key)) entries.set(String(key), toData(this.evaluate(property.value as SyntaxNode, scope)));
      lines.set(key, placeAt(property, scope));
    }
    // Keys such as `__proto__` become plain data.
    const object = Object.fromEntries(entries);
    this.places.set(object, { own: placeAt(node, scope), items: lines });
    if (isPartial) this.partial.add(object);
    return object;
  }

  private lookUp(name: string, scope: Scope): unknown {
    for (let at: Scope | undefined = scope; at; at = at.outer) {
      const binding = at.names.get(name);
      if (binding) return this.readBinding(binding, at);
    }
    return name === 'undefined' ? undefined : COMPUTED;
  }

  private readBinding(binding: Binding, scope: Scope): unknown {
    if (binding.kind === 'value') return binding.value;
    if (binding.kind === 'import') {
      const module = scope.module.imports.get(binding.from);
      return module ? this.exportOf(module, binding.name) : COMPUTED;
    }
    if (binding.state === 'busy') return COMPUTED;
    if (!binding.state) {
      binding.state = 'busy';
      binding.state = { value: this.evaluate(binding.node, scope) };
    }
    return binding.state.value;
  }

  exportOf(module: Module, name: string): unknown {
    if (module.data !== undefined) {
      return name === 'default' || name === '*' ? module.data : this.memberOf(module.data, name);
    }
    const node = module.exports.get(name);
    if (node) return this.evaluate(node, module.scope);
    if (name === '*') {
      return Object.fromEntries([...module.exports.keys()].map((key) => [key, toData(this.exportOf(module, key))]));
    }
    // The members of what CommonJS assigns to `module.exports` are exports.
    const whole = module.exports.get('default');
    if (whole?.type === 'ObjectExpression') return this.memberOf(this.evaluate(whole, module.scope), name);
    for (const specifier of module.passedOn) {
      const other = module.imports.get(specifier);
      if (!other || ++this.steps > MAX_STEPS || this.depth >= MAX_DEPTH) continue;
      this.depth++;
      const value = this.exportOf(other, name);
      this.depth--;
      if (value !== COMPUTED) return value;
    }
    return COMPUTED;
  }

  private memberOf(object: unknown, key: unknown): unknown {
    if (typeof object !== 'object' || object === null || !isText(key)) return COMPUTED;
    if (Object.hasOwn(object, key)) return (object as Record<string, unknown>)[key];
    return this.partial.has(object) || Array.isArray(object) ? COMPUTED : undefined;
  }

  private evaluateCall(node: SyntaxNode, scope: Scope): unknown {
    const list = node.arguments as readonly SyntaxNode[];
    const required = requiredBy(node);
    if (required !== undefined) {
      const module = scope.module.imports.get(required);
      const isWhole = module?.exports.has('default') || module?.data !== undefined;
      return module ? this.exportOf(module, isWhole ? 'default' : '*') : COMPUTED;
    }
    const callee = node.callee as SyntaxNode;
    const called = callee.type === 'Identifier' ? this.lookUp(String(callee.name), scope) : COMPUTED;
    const evaluateHere = (argument: SyntaxNode): unknown => this.evaluate(argument, scope);
    if (called instanceof Closure) return this.call(called, list.map(evaluateHere));
    if (callee.type === 'MemberExpression' && nameOf(callee.property) === 'filter' && list[0]?.name === 'Boolean') {
      return this.evaluate(callee.object as SyntaxNode, scope);
    }
    const isWrapper = callee.type === 'Identifier' && WRAPPERS.test(String(callee.name));
    return isWrapper && list[0] ? this.unwrap(this.evaluate(list[0], scope)) : COMPUTED;
  }

  /** Returns the result of a function that only declares and returns. */
  private call({ node, scope }: Closure, values: readonly unknown[]): unknown {
    if (this.depth >= MAX_DEPTH) return COMPUTED;
    const inside: Scope = { module: scope.module, names: new Map(), outer: scope };
    for (const [index, parameter] of (node.params as readonly SyntaxNode[]).entries()) {
      this.bind(parameter, values[index], inside);
    }
    const body = node.body as SyntaxNode;
    if (body.type !== 'BlockStatement') return this.evaluate(body, inside);
    for (const statement of body.body as readonly SyntaxNode[]) {
      if (statement.type === 'ReturnStatement') {
        return statement.argument ? this.evaluate(statement.argument as SyntaxNode, inside) : undefined;
      }
      if (!/^(?:Variable|Function)Declaration$|^TS/.test(statement.type)) return COMPUTED;
      bindDeclaration(statement, inside);
    }
    return undefined;
  }

  /** Binds the names of a parameter in the scope of its function. */
  private bind(parameter: SyntaxNode, value: unknown, inside: Scope): void {
    if (parameter.type === 'AssignmentPattern') {
      const given = value === undefined ? this.evaluate(parameter.right as SyntaxNode, inside) : value;
      this.bind(parameter.left as SyntaxNode, given, inside);
    } else if (parameter.type === 'Identifier') {
      inside.names.set(nameOf(parameter), { kind: 'value', value });
    } else if (parameter.type === 'ObjectPattern') {
      for (const property of parameter.properties as readonly SyntaxNode[]) {
        if (property.type !== 'Property') continue;
        this.bind(property.value as SyntaxNode, this.memberOf(value, nameOf(property.key)), inside);
      }
    }
  }
}

/** Places of an object or a list, and of what is in it. */
interface ValuePlaces {
  readonly own: Place;
  readonly items: readonly Place[] | Map<unknown, Place>;
}

const isText = (value: unknown): value is string | number => typeof value === 'string' || typeof value === 'number';
const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
/** A function is not data. */
const toData = (value: unknown): unknown => (value instanceof Closure ? COMPUTED : value);
const limit = (text: string): unknown => (text.length > MAX_TEXT ? COMPUTED : text);
