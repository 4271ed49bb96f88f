/**
 * The literal values of a generator's configuration in JavaScript or TypeScript. It is scanned, never run: values that
 * are computed, imported or spread are not found.
 */
export interface ConfigScript {
  /** Returns the string value of the first key of this name. */
  findText(key: string): string | undefined;
  /** Returns the strings in the list value of the first key of this name. */
  findList(key: string): readonly string[];
  /** Returns the inside of the object value of the first key (or variable) of this name. */
  findObject(key: string): ConfigScript | undefined;
  /** Returns the insides of the objects that follow such a string in a list: `['name', {…}]`. */
  listOptionsOf(name: RegExp): readonly ConfigScript[];
  /** Returns the string value of a key on the outermost level. */
  findOwnText(key: string): string | undefined;
  /** Keys of the outermost level, with their objects. */
  listObjects(): readonly (readonly [key: string, value: ConfigScript])[];
  has(pattern: RegExp): boolean;
  /** Without comments. */
  readonly text: string;
}

const STRING = /'([^'\\\n]*)'|"([^"\\\n]*)"|`([^`\\$]*)`/;
const MAX_OPTIONS = 20;
const MAX_LISTED = 200;

/** Parses a script. */
export function parseConfigScript(text: string): ConfigScript {
  return createScript(withoutComments(text));
}

function createScript(script: string): ConfigScript {
  const inside = (start: number): ConfigScript => createScript(script.slice(start, findEnd(script, start)));
  let shallow: ConfigScript | undefined;
  return {
    findOwnText(key) {
      shallow ??= createScript(withoutInsides(script));
      return shallow.findText(key);
    },
    findText(key) {
      const match = new RegExp(`(?:^|[\\s,{(])${nameOf(key)}\\s*:\\s*(?:${STRING.source})`).exec(script);
      return match?.[1] ?? match?.[2] ?? match?.[3];
    },
    findList(key) {
      const match = new RegExp(`(?:^|[\\s,{(])${nameOf(key)}\\s*:\\s*\\[`).exec(script);
      if (!match) return [];
      const start = match.index + match[0].length;
      const inside = script.slice(start, findEnd(script, start));
      const strings = [...inside.matchAll(new RegExp(STRING, 'g'))].slice(0, MAX_LISTED);
      return strings.map((found) => found[1] ?? found[2] ?? found[3]!);
    },
    findObject(key) {
      const match = new RegExp(`(?:^|[\\s,{(])${nameOf(key)}\\s*[:=]\\s*\\{`).exec(script);
      return match ? inside(match.index + match[0].length) : undefined;
    },
    listOptionsOf(name) {
      const matches = [...script.matchAll(new RegExp(`${name.source}['"\`]\\s*,\\s*\\{`, 'g'))].slice(0, MAX_OPTIONS);
      return matches.map(({ index, 0: { length } }) => inside(index + length));
    },
    listObjects() {
      const objects: (readonly [string, ConfigScript])[] = [];
      const key = /(?:([\w$]+)|'([^'\\\n]*)'|"([^"\\\n]*)")\s*:\s*\{/y;
      for (let at = 0; at < script.length && objects.length < MAX_LISTED; at++) {
        key.lastIndex = at;
        const match = key.exec(script);
        if (match) {
          const start = at + match[0].length;
          const end = findEnd(script, start);
          objects.push([match[1] ?? match[2] ?? match[3]!, createScript(script.slice(start, end))]);
          at = end;
        } else if (/[\w$]/.test(script[at]!)) {
          while (at + 1 < script.length && /[\w$]/.test(script[at + 1]!)) at++;
        } else if (isQuote(script[at]!)) at = endOfString(script, at);
        else if (/[[{(]/.test(script[at]!)) at = findEnd(script, at + 1);
      }
      return objects;
    },
    has: (pattern) => pattern.test(script),
    text: script,
  };
}

/** Returns a script without the content of its brackets. */
function withoutInsides(script: string): string {
  let text = '';
  for (let at = 0; at < script.length; at++) {
    const from = at;
    if (isQuote(script[at]!)) at = endOfString(script, at);
    text += script.slice(from, at + 1);
    if (/[[{(]/.test(script[at] ?? '')) at = findEnd(script, at + 1) - 1;
  }
  return text;
}

function nameOf(key: string): string {
  return `(?:${key}|'${key}'|"${key}")`;
}

/** Returns the parts of a list or of an object's inside, at the commas that are in no brackets and no strings. */
export function splitParts(inside: string, maxParts: number): readonly string[] {
  const parts: string[] = [];
  let from = 0;
  for (let at = 0; at < inside.length && parts.length < maxParts; at++) {
    const character = inside[at]!;
    if (isQuote(character)) at = endOfString(inside, at);
    else if (/[[{(]/.test(character)) at = findEnd(inside, at + 1);
    else if (character === ',') {
      parts.push(inside.slice(from, at));
      from = at + 1;
    }
  }
  return [...parts, inside.slice(from)].map((part) => part.trim()).filter((part) => part !== '');
}

/** Returns the position of the bracket that closes the one before `start`. */
function findEnd(script: string, start: number): number {
  let depth = 1;
  for (let at = start; at < script.length; at++) {
    const character = script[at]!;
    if (isQuote(character)) at = endOfString(script, at);
    else if (character === '{' || character === '[' || character === '(') depth++;
    else if ((character === '}' || character === ']' || character === ')') && --depth === 0) return at;
  }
  return script.length;
}

/** Returns a script without its comments; strings stay as they are. */
export function withoutComments(script: string): string {
  let text = '';
  let from = 0;
  for (let at = 0; at < script.length; at++) {
    if (isQuote(script[at]!)) {
      at = endOfString(script, at);
      continue;
    }
    const isLine = script.startsWith('//', at);
    if (!isLine && !script.startsWith('/*', at)) continue;
    const end = script.indexOf(isLine ? '\n' : '*/', at + 2);
    text += script.slice(from, at);
    if (end < 0) return text;
    from = isLine ? end : end + 2;
    at = from - 1;
  }
  return text + script.slice(from);
}

function isQuote(character: string): boolean {
  return character === '"' || character === "'" || character === '`';
}

/** Returns the place of the quote that ends a string, or of the end of its line when there is none. */
function endOfString(script: string, start: number): number {
  const quote = script[start]!;
  for (let at = start + 1; at < script.length; at++) {
    const character = script[at]!;
    if (character === '\\') at++;
    else if (character === quote || (character === '\n' && quote !== '`')) return at;
  }
  return script.length;
}
