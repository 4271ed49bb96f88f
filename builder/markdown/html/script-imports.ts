/** A module that a script loads. */
export interface ScriptImport {
  readonly url: string;
  /** Position of the URL in the script. */
  readonly at: number;
}

/** What matters outside of strings and comments; `a.from` and `$from` are names like any other. */
const SIGN = /["'`]|\/[/*]|(?<![\w$.#])(?:import|from)(?![\w$])/g;
const SPACES = /\s*/y;
/** What follows `import` or `from` before a URL can, besides spaces and comments: `import("…")`. */
const CALL = '(';

/**
 * Returns the modules that a script names by literals: `import "…"`, `import … from "…"`, `export … from "…"`,
 * `import("…")`. Of a template only what comes before its first expression is read. One pass: what looks like an import
 * in a string or a comment is none; of a regular expression with quotes, the rest of its line may be missed.
 */
export function findScriptImports(script: string): readonly ScriptImport[] {
  const found: ScriptImport[] = [];
  const sign = new RegExp(SIGN);
  for (let match = sign.exec(script); match !== null; match = sign.exec(script)) {
    const [word] = match;
    if (word !== 'import' && word !== 'from') {
      sign.lastIndex = word.length === 1 ? findStringEnd(script, match.index) : findCommentEnd(script, match.index);
      continue;
    }
    let at = skipSpaces(script, sign.lastIndex);
    if (word === 'import' && script.startsWith(CALL, at)) at = skipSpaces(script, at + 1);
    sign.lastIndex = at;
    if (!/["'`]/.test(script.charAt(at))) continue;
    const end = findStringEnd(script, at);
    found.push({ url: decodeString(script.slice(at + 1, end - 1)), at: at + 1 });
    sign.lastIndex = end;
  }
  return found;
}

/** Returns the strings of JSON with their positions: those of an import map are names and URLs. */
export function findJsonStrings(json: string): readonly ScriptImport[] {
  const found: ScriptImport[] = [];
  for (let at = json.indexOf('"'); at >= 0; at = json.indexOf('"', at)) {
    const end = findStringEnd(json, at);
    found.push({ url: decodeString(json.slice(at + 1, end - 1)), at: at + 1 });
    at = end;
  }
  return found;
}

function skipSpaces(script: string, start: number): number {
  for (let at = start; ; at = findCommentEnd(script, at)) {
    SPACES.lastIndex = at;
    SPACES.exec(script);
    at = SPACES.lastIndex;
    if (!script.startsWith('//', at) && !script.startsWith('/*', at)) return at;
  }
}

/** Returns the position after a comment; one that does not end takes all. */
function findCommentEnd(script: string, start: number): number {
  const isLine = script.startsWith('//', start);
  const end = script.indexOf(isLine ? '\n' : '*/', start + 2);
  return end < 0 ? script.length : end + (isLine ? 1 : 2);
}

/** Returns the position after a string or template; strings end with their line. */
function findStringEnd(script: string, start: number): number {
  const quote = script.charCodeAt(start);
  for (let at = start + 1; at < script.length; at++) {
    const code = script.charCodeAt(at);
    if (code === 92 /* \ */) at++;
    else if (code === quote || (code === 10 && quote !== 96) /* ` */) return at + 1;
  }
  return script.length;
}

/** Returns what a literal stands for, as far as a URL needs it. */
function decodeString(literal: string): string {
  const fixed = literal.split('${', 1)[0]!;
  return fixed.replace(/\\(?:x([\da-f]{2})|u([\da-f]{4})|u\{0*([\da-f]{1,5})\}|([\s\S]))/gi, (_, x, u, point, sign) =>
    sign === undefined ? String.fromCodePoint(Number.parseInt(x ?? u ?? point, 16)) : sign === '\n' ? '' : sign,
  );
}
