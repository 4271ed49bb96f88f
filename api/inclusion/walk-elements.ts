import type { MarkupElement } from './find-elements.ts';
import type { Markup } from './parse-markup.ts';

/**
 * Calls `enter` for each element of a page in order; what it gives is handed to the elements inside. Time grows with the
 * number of elements alone, which selectors such as `a b c` cannot promise.
 */
export function walkElements<State>(
  page: Markup,
  state: State,
  enter: (element: MarkupElement, state: State) => State,
): void {
  const open: { readonly nodes: Markup['children']; readonly state: State; next: number }[] = [
    { nodes: page.children, state, next: 0 },
  ];
  for (let level = open.at(-1); level; level = open.at(-1)) {
    const node = level.nodes[level.next++];
    if (!node) open.pop();
    else if ('attribs' in node) open.push({ nodes: node.children, state: enter(node, level.state), next: 0 });
  }
}
