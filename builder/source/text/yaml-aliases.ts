import type { Document, LineCounter, Node } from 'yaml';
import { MAX_FLOW_DEPTH, MAX_INDENT, type YamlProblem } from './yaml-limits.ts';

/** What aliases repeat counts as often as they do, since most readers of data take it for a tree. */
const MAX_REPEATED = 100_000;
const MAX_LEVELS = MAX_FLOW_DEPTH + MAX_INDENT;

/** What stands below a node, with all that its aliases stand for. */
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
