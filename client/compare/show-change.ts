import { createElement } from '../create-element.ts';
import type { Block } from './block.ts';
import type { Change } from './compare-pages.ts';
import { copyBlock, frameBlock, placeRow } from './copy-blocks.ts';
import type { Reading } from './read-page.ts';
import { type Pages, type Side, writeChanged, writeWords } from './write-words.ts';

/** Words that are said of changes; `{…}` stands for what is filled in. */
export type ChangeWords = Readonly<
  Record<'added' | 'removed' | 'changed' | 'moved' | 'left' | 'link' | 'same', string>
>;

const MAX_SUMMARY = 60;
/** Elements in which words are not directly. */
const FRAMES =
  'ul, ol, li, dl, dd, table, thead, tbody, tfoot, tr, td, th, div, section, details, blockquote, figure, pre, code';

/** Returns a function that shows a change; `numbers` has the number of the change to which a part belongs. */
export function createChangeView(
  pages: Pages,
  numbers: ReadonlyMap<Change, number>,
  words: ChangeWords,
): (change: Change, side: Side) => readonly Node[] {
  const { old: oldPage, next: nextPage } = pages;
  /** Changes that have been described, once on each side. */
  const said = new Set<string>();
  return show;

  function show(change: Change, side: Side): readonly Node[] {
    const isOld = side === 'old';
    switch (change.type) {
      case 'same':
        return isOld ? copyBlock(change.old, oldPage, true) : copyBlock(change.next, nextPage, false);
      case 'within': {
        const parts = change.parts.flatMap((part) => show(part, side));
        const shown = isOld
          ? frameBlock(change.old, oldPage, parts, true)
          : frameBlock(change.next, nextPage, parts, false);
        for (const node of shown) if (node instanceof HTMLDetailsElement) node.open = true;
        return shown;
      }
      case 'changed': {
        const content = writeChanged(change, side, pages, words.link);
        const shown = isOld
          ? frameBlock(change.old, oldPage, content, true)
          : frameBlock(change.next, nextPage, content, false);
        return mark(shown, change, 'changed', side);
      }
      case 'removed':
        return side === 'next' ? [] : mark(showWhole(change, change.old, oldPage, 'removed'), change, 'removed', side);
      case 'added':
        return isOld ? [] : mark(showWhole(change, change.next, nextPage, 'added'), change, 'added', side);
      case 'left':
        return side === 'next' ? [] : showLeft(change);
      case 'moved':
        return mark(show(change.change, side), change, 'moved', side);
    }
  }

  function showWhole(
    { parts }: Change & { readonly parts: readonly Change[] },
    block: Block,
    page: Reading,
    fate: 'added' | 'removed',
  ): readonly Node[] {
    const isOld = fate === 'removed';
    if (block.children.length > 0) {
      const shown = parts.flatMap((part) => show(part, isOld ? 'old' : 'next'));
      return frameBlock(block, page, shown, isOld);
    }
    const pieces = page.sources.get(block)!.places.map((place) => ({ ...place, fate }));
    return frameBlock(block, page, writeWords(pieces, isOld), isOld);
  }

  /** Says, where a block was, that it has moved, with a link to it. */
  function showLeft(change: Change & { readonly type: 'left' }): readonly Node[] {
    const { element } = oldPage.sources.get(change.old)!;
    const number = String(numbers.get(change));
    const link = createElement('a', { href: `#_change-${number}` }, summarize(change.old, oldPage) || '…');
    const text = words.left.split('{title}').flatMap((part, at) => (at > 0 ? [link, part] : [part]));
    const note = createElement('span', { class: 'compare-left' }, ...text);
    if (element?.localName === 'li') return [createElement('li', {}, note)];
    if (element?.localName !== 'tr') return [createElement('p', {}, note)];
    const cell = createElement('td', { colspan: String(element.children.length) }, note);
    return [placeRow(createElement('tr', {}, cell), element)];
  }

  /** Marks elements as those of a change, and says to those who cannot see it what has become of them. */
  function mark(
    shown: readonly Node[],
    change: Change,
    kind: 'added' | 'removed' | 'changed' | 'moved',
    side: Side,
  ): readonly Node[] {
    const number = String(numbers.get(change) ?? '');
    for (const [at, node] of shown.entries()) {
      const element = node as HTMLElement;
      element.classList.add(`compare-${kind}`);
      if (number === '') continue;
      element.dataset['change'] = number;
      const once = `${number} ${kind} ${kind === 'changed' && side}`;
      if (at > 0 || said.has(once)) continue;
      said.add(once);
      let place: Element = element;
      while (place.matches(FRAMES) && place.firstElementChild) place = place.firstElementChild;
      const label = createElement(
        'span',
        { class: kind === 'moved' ? 'compare-said badge' : 'compare-said visually-hidden' },
        `${words[kind]} `,
      );
      if (kind === 'moved') element.id = `_change-${number}`;
      place.prepend(label);
    }
    return shown;
  }
}

/** Returns the beginning of a block, by which readers know it. */
function summarize(block: Block, page: Reading): string {
  const { places } = page.sources.get(block)!;
  let text = '';
  for (const { node, start, end, hasSpace } of places) {
    if (text.length > MAX_SUMMARY) return `${text.trim()} …`;
    text += node.nodeType === 3 ? (node as Text).data.slice(start, end) : '';
    if (hasSpace) text += ' ';
  }
  for (const child of block.children) text ||= summarize(child, page);
  return text.trim();
}
