import { fromHtml } from 'hast-util-from-html';

type Node = {
  readonly type: string;
  readonly tagName?: string;
  readonly value?: string;
  readonly properties?: Readonly<Record<string, unknown>>;
  readonly children?: readonly Node[];
};

/**
 * Returns the sidebar of a published page as lines, indented by two blanks a level: `Title -> address` for a page, `Title` for a
 * group, with `+` behind a group that is folded up.
 */
export function readSidebar(html: string): readonly string[] {
  const lines: string[] = [];
  const sidebar = find(fromHtml(html) as Node, ({ properties }) => properties?.id === '_sidebar')!;
  const list = sidebar.children!.find(({ tagName, properties }) => tagName === 'ul' && !properties?.className);
  if (list) visit(list, 0);
  return lines;

  function visit(node: Node, depth: number): void {
    for (const item of (node.children ?? []).filter(({ tagName }) => tagName === 'li')) {
      const details = item.children!.find(({ tagName }) => tagName === 'details');
      const label = find(item, ({ tagName }) => tagName === 'a' || tagName === 'span' || tagName === 'summary')!;
      const href = label.tagName === 'a' ? ` -> ${String(label.properties!.href)}` : '';
      const folded = details && details.properties!.open === undefined ? ' +' : '';
      lines.push('  '.repeat(depth) + textOf(label) + href + folded);
      const inner = details && find(details, ({ tagName }) => tagName === 'ul');
      if (inner) visit(inner, depth + 1);
    }
  }
}

function find(node: Node, matches: (node: Node) => boolean): Node | undefined {
  if (matches(node)) return node;
  for (const child of node.children ?? []) {
    const found = find(child, matches);
    if (found) return found;
  }
  return undefined;
}

function textOf(node: Node): string {
  return node.value ?? (node.children ?? []).map(textOf).join('');
}
