import type { CST, Document, LineCounter, Node } from 'yaml';

/** The reason why a text cannot be used as YAML. */
export interface YamlProblem {
  readonly reason: string;
  /** From 1. */
  readonly line: number;
  readonly cause?: unknown;
}

export const TOO_DEEP = 'it is nested too deeply';

/** Nesting limits; the parser recurses for each level, and V8 may abort on stack overflow. */
const MAX_FLOW_DEPTH = 100;
const MAX_INDENT = 250;
const MAX_EMPTY = 10_000;

/** Returns why a text must not be given to the parser; undefined for one that may. */
export function measureYaml(text: string): YamlProblem | undefined {
  const empty = findEmptyLines(text);
  if (empty !== undefined) return { reason: `it has more than ${MAX_EMPTY} empty lines in a row`, line: empty };
  const deep = findDeepLine(text);
  return deep === undefined ? undefined : { reason: TOO_DEEP, line: deep };
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

/** Limit of values that aliases repeat; they count each time, since most readers of data take it for a tree. */
const MAX_REPEATED = 100_000;
const MAX_LEVELS = MAX_FLOW_DEPTH + MAX_INDENT;

/**
 * Returns where a token stands that is nested too deeply, whatever nests it: a tag before `?` needs neither brackets nor indentation. What
 * composes nodes calls itself for each level, and where the stack ends, V8 may end the process.
 */
export function findDeepToken(tokens: readonly CST.Token[]): number | undefined {
  const left: (readonly [token: CST.Token, level: number])[] = tokens.map((token) => [token, 0]);
  for (let next = left.pop(); next; next = left.pop()) {
    const [token, level] = next;
    if (level > MAX_LEVELS) return token.offset;
    if (token.type === 'document' && token.value) left.push([token.value, level]);
    if (!('items' in token)) continue;
    for (const { key, value } of token.items) {
      if (key) left.push([key, level + 1]);
      if (value) left.push([value, level + 1]);
    }
  }
  return undefined;
}

/** The size below a node, with all that its aliases stand for. */
interface Extent {
  readonly nodes: number;
  readonly levels: number;
}

/**
 * Puts what aliases stand for in their places: the parser would look through the whole document for each. Returns the first one that
 * leads nowhere or into itself, and the one at which the document has become too large or too deep.
 */
export function linkAliases(
  yaml: typeof import('yaml'),
  document: Document,
  lines: LineCounter,
): YamlProblem | undefined {
  const anchors = new Map<string, { readonly node: Node; extent?: Extent }>();
  let repeated = 0;
  let problem: YamlProblem | undefined;
  const visit = (node: unknown, level: number, replace: (target: Node) => void): Extent => {
    if (problem !== undefined) return { nodes: 0, levels: 0 };
    if (yaml.isAlias(node)) {
      const target = anchors.get(node.source);
      const { nodes, levels } = target?.extent ?? { nodes: 0, levels: 0 };
      repeated += nodes;
      const reason =
        target === undefined
          ? `Alias "*${node.source}" has no anchor before it`
          : target.extent === undefined
            ? `Alias "*${node.source}" contains itself`
            : repeated > MAX_REPEATED || level + levels > MAX_LEVELS
              ? 'its aliases repeat too much'
              : undefined;
      if (reason !== undefined) problem = { reason, line: lines.linePos(node.range?.[0] ?? 0).line };
      else replace(target!.node);
      return { nodes, levels };
    }
    if (!yaml.isNode(node)) return { nodes: 0, levels: 0 };
    const anchor: { readonly node: Node; extent?: Extent } = { node };
    if (node.anchor !== undefined) anchors.set(node.anchor, anchor);
    let nodes = 1;
    let levels = 0;
    const add = (below: unknown, replaceBelow: (target: Node) => void): void => {
      const extent = visit(below, level + 1, replaceBelow);
      nodes += extent.nodes;
      levels = Math.max(levels, extent.levels);
    };
    if (yaml.isMap(node)) {
      for (const pair of node.items) {
        add(pair.key, (target) => {
          pair.key = target;
        });
        add(pair.value, (target) => {
          pair.value = target;
        });
      }
    } else if (yaml.isSeq(node)) {
      for (const [at, item] of node.items.entries()) {
        add(item, (target) => {
          node.items[at] = target;
        });
      }
    }
    anchor.extent = { nodes, levels: levels + 1 };
    return anchor.extent;
  };
  visit(document.contents, 0, () => {});
  return problem;
}
