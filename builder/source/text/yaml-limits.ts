/** The reason why a text cannot be used as YAML. */
export interface YamlProblem {
  readonly reason: string;
  /** From 1. */
  readonly line: number;
  readonly cause?: unknown;
}

/** Nesting limits; the parser recurses for each level, and V8 may abort on stack overflow. */
export const MAX_FLOW_DEPTH = 100;
export const MAX_INDENT = 250;
const MAX_EMPTY = 10_000;

/** Returns why a text must not be given to the parser; undefined for one that may. */
export function measureYaml(text: string): YamlProblem | undefined {
  const empty = findEmptyLines(text);
  if (empty !== undefined) return { reason: `it has more than ${MAX_EMPTY} empty lines in a row`, line: empty };
  const deep = findDeepLine(text);
  return deep === undefined ? undefined : { reason: 'it is nested too deeply', line: deep };
}

/** Returns the first line of a run of empty lines and comments that is too long: the parser goes back over it at each line. */
function findEmptyLines(text: string): number | undefined {
  let [line, first] = [1, 1];
  for (let at = 0; at < text.length; line++) {
    const end = text.indexOf('\n', at);
    const row = text.slice(at, end < 0 ? text.length : end);
    if (!/^[ \t\r]*(?:#|$)/.test(row)) first = line + 1;
    else if (line - first >= MAX_EMPTY) return first;
    at = end < 0 ? text.length : end + 1;
  }
  return undefined;
}

/** Returns the first line at which brackets or indentation exceed the limits. */
function findDeepLine(text: string): number | undefined {
  let depth = 0;
  let line = 1;
  for (const found of text.matchAll(/\n|[[{]|[\]}]|^(?:[ \t]|[-?:](?=[ \t]))+/gm)) {
    const [token] = found;
    if (token === '\n') line++;
    else if (token === '[' || token === '{') depth++;
    else if (token === ']' || token === '}') depth = Math.max(0, depth - 1);
    else if (token.length > MAX_INDENT) return line;
    if (depth > MAX_FLOW_DEPTH) return line;
  }
  return undefined;
}
