import { createElement } from '../create-element.ts';
import type { Block } from './block.ts';
import type { Reading } from './read-page.ts';
import { copyShallow, writeWords } from './write-words.ts';

/** Elements that do nothing in a copy, or would do it twice. */
const INACTIVE = 'script, style, link, meta, template, noscript, .tab-input, .code-tools';

/** The parts of tables in which rows stand, by what is shown for these. */
const rowGroups = new WeakMap<Node, Element>();

/** Puts a row, by what is shown for it, where the original stands. */
export function placeRow(shown: Element, row: Element): Element {
  rowGroups.set(shown, row.parentElement!);
  return shown;
}

/** Copies a block in which nothing has changed. */
export function copyBlock(block: Block, page: Reading, isOld: boolean): readonly Node[] {
  const { element, places } = page.sources.get(block)!;
  if (!element) {
    if (block.children.length > 0) return block.children.flatMap((child) => copyBlock(child, page, isOld));
    return frameBlock(
      block,
      page,
      writeWords(
        places.map((place) => ({ ...place, fate: '' as const })),
        isOld,
      ),
      isOld,
    );
  }
  const whole =
    block.kind === 'table' && element.parentElement!.matches('.table-scroll') ? element.parentElement! : element;
  const shown = document.importNode(whole, true);
  for (const inactive of shown.querySelectorAll(INACTIVE)) inactive.remove();
  if (isOld) for (const one of [shown, ...shown.querySelectorAll('[id]')]) one.removeAttribute('id');
  if (block.kind === 'row') placeRow(shown, element);
  return [shown];
}

/** Puts what a block contains into a copy of its element. Sections have none. */
export function frameBlock(
  block: Block,
  { sources }: Reading,
  content: readonly Node[],
  isOld: boolean,
): readonly Node[] {
  const { element } = sources.get(block)!;
  if (block.kind === 'line') return [createElement('span', { class: 'compare-line' }, ...content)];
  if (!element)
    return block.children.length > 0 ? content : [createElement('div', { class: 'compare-text' }, ...content)];
  const shell = copyShallow(element, isOld);
  if (block.kind === 'code') return [fillCode(shell, element, content, isOld)];
  if (block.kind === 'row') placeRow(shell, element);
  if (block.kind !== 'table') {
    shell.append(...content);
    return [shell];
  }
  fillTable(shell, content, isOld);
  const { parentElement } = element;
  if (!parentElement?.matches('.table-scroll')) return [shell];
  const around = copyShallow(parentElement, isOld);
  around.append(shell);
  return [around];
}

function fillCode(shell: Element, element: Element, content: readonly Node[], isOld: boolean): Element {
  // Diagrams are compared by their source, and not drawn.
  shell.classList.remove('diagram');
  const [pre, code] = [
    element.matches('pre') ? undefined : element.querySelector('pre'),
    element.querySelector('code'),
  ];
  const isLine = (node: Node): boolean => (node as Element).matches('.compare-line');
  const lines = content.filter(isLine);
  const inner = code ? copyShallow(code, isOld) : undefined;
  inner?.append(...lines);
  const block = pre ? copyShallow(pre, isOld) : shell;
  block.append(...(inner ? [inner] : lines));
  if (pre) shell.append(...content.filter((node) => !isLine(node)), block);
  return shell;
}

/** Puts rows into copies of the groups in which they stand. */
function fillTable(shell: Element, content: readonly Node[], isOld: boolean): void {
  let group: Element | undefined;
  for (const node of content) {
    const source = rowGroups.get(node);
    if (!source || source.localName === 'table') shell.append(node);
    else if (source.localName === group?.localName) group.append(node);
    else {
      group = copyShallow(source, isOld);
      group.append(node);
      shell.append(group);
    }
  }
}
