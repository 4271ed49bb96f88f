import type { Markup } from './parse-markup.ts';

const HIDDEN = new Set(['head', 'script', 'style', 'noscript', 'template', 'textarea', 'title']);

/** What a page has to say it says before. */
const MAX_LENGTH = 200_000;

/** Returns the text that readers of a page see, without any white space, cut after so many characters. */
export function visibleText(markup: Markup): string {
  const texts: string[] = [];
  const open: { readonly nodes: Markup['children']; next: number }[] = [{ nodes: markup.children, next: 0 }];
  for (let level = open.at(-1); level; level = open.at(-1)) {
    const node = level.nodes[level.next++];
    if (!node) open.pop();
    else if (node.type === 'text') texts.push(node.data);
    else if ('children' in node && !('name' in node && HIDDEN.has(node.name))) {
      open.push({ nodes: node.children, next: 0 });
    }
  }
  return texts.join('').slice(0, MAX_LENGTH).replace(/\s+/g, '');
}
