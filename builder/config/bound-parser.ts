import type { Parser } from 'acorn';

/** Tokens that are read of a script of no length, and for each of its signs: the parser reads again what it has tried in vain. */
const FREE_TOKENS = 10_000;
const TOKENS_PER_SIGN = 4;
/** Calls inside each other of the methods by which the parser comes back to itself, three or four for each bracket; the stack holds 670 at least. */
const MAX_CALLS = 500;
const RETURNING = [
  'parseStatement',
  'parseMaybeAssign',
  'parseMaybeUnary',
  'parseExprOp',
  'parseExprAtom',
  'parseBindingAtom',
  'jsx_parseElement',
  'jsx_parseElementAt',
  'tsParseType',
  'tsParseNonConditionalType',
  'tsParseTypeOperatorOrHigher',
  'tsParseModuleOrNamespaceDeclaration',
];

type Method = (this: unknown, ...values: readonly unknown[]) => unknown;

/**
 * Returns a plugin of acorn that bounds what it costs that the parser tries several ways, one inside the other, and tells of each where it failed; and how deep it calls
 * itself: where the stack ends, V8 may end the process.
 */
export function boundParser({ getLineInfo }: typeof import('acorn'), text: string) {
  let left = FREE_TOKENS + TOKENS_PER_SIGN * text.length;
  let calls = 0;
  const raise = (pos: number, message: string): never => {
    // The parser itself counts lines from the beginning of the text each time.
    const error = Object.assign(new SyntaxError(message), { pos });
    throw Object.defineProperty(error, 'loc', { get: () => getLineInfo(text, pos) });
  };
  const countTokens = (nextToken: Method): Method =>
    function (...values) {
      if (--left < 0) throw new Error('It would take too long to parse');
      return Reflect.apply(nextToken, this, values);
    };
  const countCalls = (parse: Method): Method =>
    function (...values) {
      if (calls >= MAX_CALLS) throw new Error('It is nested too deeply');
      calls++;
      try {
        return Reflect.apply(parse, this, values);
      } finally {
        calls--;
      }
    };
  return (Base: typeof Parser): typeof Parser => {
    class Bounded extends Base {}
    const methods = Base.prototype as unknown as Readonly<Record<string, Method>>;
    Object.assign(Bounded.prototype, {
      ...Object.fromEntries(RETURNING.map((name) => [name, countCalls(methods[name]!)])),
      nextToken: countTokens(methods.nextToken!),
      raise,
      raiseRecoverable: raise,
    });
    return Bounded;
  };
}
