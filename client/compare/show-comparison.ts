import { createElement } from '../create-element.ts';
import type { Block, Change, Comparison, Run } from './compare-pages.ts';
import type { Place, Reading } from './read-page.ts';

/** How readers want to see a comparison. */
export interface View {
  /** Both pages beside each other; else one page with all that is gone and all that came. */
  readonly isBeside: boolean;
  readonly hidesSame: boolean;
}

/** Words that are said of changes; `{…}` stands for what is filled in. */
export type ChangeWords = Readonly<
  Record<'added' | 'removed' | 'changed' | 'moved' | 'left' | 'link' | 'same', string>
>;

/** Which of the pages is shown; `both` = what is in either. */
type Side = 'both' | 'old' | 'next';
type Fate = 'added' | 'removed' | 'linked' | '';

/** A word to be written. */
interface Piece extends Place {
  readonly fate: Fate;
  /** Where a link led before. */
  readonly before?: string;
}

/** Unchanged blocks in a row that are worth hiding. */
const MIN_HIDDEN = 4;
const MAX_SUMMARY = 60;
/** Elements that do nothing in a copy, or would do it twice. */
const INACTIVE = 'script, style, link, meta, template, noscript, .tab-input, .code-tools';
/** Elements in which words are not directly. */
const FRAMES =
  'ul, ol, li, dl, dd, table, thead, tbody, tfoot, tr, td, th, div, section, details, blockquote, figure, pre, code';

/** Returns the comparison as the content of a page. Elements of the change `n` have `data-change="n"`. */
export function showComparison(
  { root, numbers }: Comparison,
  { old: oldPage, next: nextPage }: { readonly old: Reading; readonly next: Reading },
  words: ChangeWords,
  { isBeside, hidesSame }: View,
): readonly Node[] {
  /** The parts of tables in which rows stand. */
  const rowGroups = new Map<Node, Element>();
  /** Of the headings of sections that have moved: the move. */
  const movedOf = new Map<Change, Change>();
  /** Changes that have been described, once on each side. */
  const said = new Set<string>();
  const rows = flatten(root);
  const nodes: Node[] = [];
  for (let at = 0; at < rows.length; ) {
    let end = at;
    while (end < rows.length && rows[end]!.type === 'same') end++;
    // What is beside a change tells where it is.
    nodes.push(...showSame(rows.slice(at, end), at > 0, end < rows.length));
    if (end < rows.length) nodes.push(...showRow(rows[end]!));
    at = end + 1;
  }
  return nodes;

  /** Shows unchanged rows, or hides them save those beside changes and the last heading. */
  function showSame(same: readonly Change[], isAfter: boolean, isBefore: boolean): readonly Node[] {
    if (!hidesSame) return same.flatMap(showRow);
    const [start, end] = [isAfter ? 1 : 0, same.length - (isBefore ? 1 : 0)];
    if (end - start < MIN_HIDDEN) return same.flatMap(showRow);
    const isHeading = (change: Change): boolean => change.type === 'same' && change.next.kind === 'heading';
    const heading = isBefore && !isHeading(same[end]!) ? same.slice(start, end).map(isHeading).lastIndexOf(true) : -1;
    return [
      ...same.slice(0, start).flatMap(showRow),
      ...(heading < 0 ? [] : [...hideRows(same.slice(start, start + heading)), ...showRow(same[start + heading]!)]),
      ...hideRows(same.slice(start + heading + 1, end)),
      ...same.slice(end).flatMap(showRow),
    ];
  }

  function hideRows(hidden: readonly Change[]): readonly Node[] {
    if (hidden.length < MIN_HIDDEN) return hidden.flatMap(showRow);
    const summary = createElement('summary', {}, words.same.replace('{count}', String(hidden.length)));
    return [createElement('details', { class: 'compare-same' }, summary, ...hidden.flatMap(showRow))];
  }

  function showRow(change: Change): readonly Node[] {
    if (!isBeside) return show(change, 'both');
    const sides = (['old', 'next'] as const).map((side) =>
      createElement('div', { class: 'compare-side' }, ...show(change, side)),
    );
    return [createElement('div', { class: 'compare-row' }, ...sides)];
  }

  /** Takes sections apart: each block that stands in them is a row of its own. */
  function flatten(change: Change): readonly Change[] {
    const { kind } = change.type === 'added' ? change.next : change.old;
    if (change.type === 'left' || (kind !== 'page' && kind !== 'section')) return [change];
    if (change.type === 'same') {
      return change.old.children.flatMap((old, at) => flatten({ type: 'same', old, next: change.next.children[at]! }));
    }
    if (change.type === 'moved') {
      const [first, ...rest] = flatten(change.change);
      const heading: Change = { ...change, change: first! };
      movedOf.set(heading, change);
      return [heading, ...rest];
    }
    return 'parts' in change ? change.parts.flatMap(flatten) : [change];
  }

  function show(change: Change, side: Side): readonly Node[] {
    const isOld = side === 'old';
    switch (change.type) {
      case 'same':
        return isOld ? copy(change.old, oldPage, true) : copy(change.next, nextPage, false);
      case 'within': {
        const parts = change.parts.flatMap((part) => show(part, side));
        const shown = isOld ? frame(change.old, oldPage, parts, true) : frame(change.next, nextPage, parts, false);
        for (const node of shown) if (node instanceof HTMLDetailsElement) node.open = true;
        return shown;
      }
      case 'changed': {
        const pieces = listPieces(change, side);
        const content = writeWords(pieces, isOld, findCounterparts(change));
        const shown = isOld ? frame(change.old, oldPage, content, true) : frame(change.next, nextPage, content, false);
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
      return frame(block, page, shown, isOld);
    }
    const pieces = page.sources.get(block)!.places.map((place) => ({ ...place, fate }));
    return frame(block, page, writeWords(pieces, isOld), isOld);
  }

  /** Says, where a block was, that it has moved, with a link to it. */
  function showLeft(change: Change & { readonly type: 'left' }): readonly Node[] {
    const { element } = oldPage.sources.get(change.old)!;
    const number = String(numbers.get(change));
    const link = createElement('a', { href: `#_change-${number}` }, summarize(change.old) || '…');
    const text = words.left.split('{title}').flatMap((part, at) => (at > 0 ? [link, part] : [part]));
    const note = createElement('span', { class: 'compare-left' }, ...text);
    if (element?.localName === 'li') return [createElement('li', {}, note)];
    if (element?.localName !== 'tr') return [createElement('p', {}, note)];
    const row = createElement('tr', {}, createElement('td', { colspan: String(element.children.length) }, note));
    rowGroups.set(row, element.parentElement!);
    return [row];
  }

  /** Returns the beginning of a block, by which readers know it. */
  function summarize(block: Block): string {
    const { places } = oldPage.sources.get(block)!;
    let text = '';
    for (const { node, start, end, hasSpace } of places) {
      if (text.length > MAX_SUMMARY) return `${text.trim()} …`;
      text += node.nodeType === 3 ? (node as Text).data.slice(start, end) : '';
      if (hasSpace) text += ' ';
    }
    for (const child of block.children) text ||= summarize(child);
    return text.trim();
  }

  /** Puts what a block contains into a copy of its element. Sections have none. */
  function frame(block: Block, { sources }: Reading, content: readonly Node[], isOld: boolean): readonly Node[] {
    const { element } = sources.get(block)!;
    if (block.kind === 'line') return [createElement('span', { class: 'compare-line' }, ...content)];
    if (!element)
      return block.children.length > 0 ? content : [createElement('div', { class: 'compare-text' }, ...content)];
    const shell = copyShallow(element, isOld);
    if (block.kind === 'code') {
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
      return [shell];
    }
    if (block.kind === 'row') rowGroups.set(shell, element.parentElement!);
    if (block.kind !== 'table') {
      shell.append(...content);
      return [shell];
    }
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
    const { parentElement } = element;
    if (!parentElement?.matches('.table-scroll')) return [shell];
    const around = copyShallow(parentElement, isOld);
    around.append(shell);
    return [around];
  }

  /** Copies a block in which nothing has changed. */
  function copy(block: Block, page: Reading, isOld: boolean): readonly Node[] {
    const { element, places } = page.sources.get(block)!;
    if (!element) {
      if (block.children.length > 0) return block.children.flatMap((child) => copy(child, page, isOld));
      return frame(
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
    if (block.kind === 'row') rowGroups.set(shown, element.parentElement!);
    return [shown];
  }

  /** Marks elements as those of a change, and says to those who cannot see it what has become of them. */
  function mark(
    shown: readonly Node[],
    change: Change,
    kind: 'added' | 'removed' | 'changed' | 'moved',
    side: Side,
  ): readonly Node[] {
    const number = String(numbers.get(movedOf.get(change) ?? change) ?? '');
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

  /** Returns the words of a text that has changed, those that are gone before those that came. */
  function listPieces({ old, next, runs }: Change & { readonly type: 'changed' }, side: Side): readonly Piece[] {
    const [oldPlaces, nextPlaces] = [oldPage.sources.get(old)!.places, nextPage.sources.get(next)!.places];
    return runs.flatMap((run): readonly Piece[] => {
      const fate = run.type === 'same' ? '' : run.type;
      const before = nextPlaces.slice(...run.next);
      if (run.type === 'removed')
        return side === 'next' ? [] : oldPlaces.slice(...run.old).map((place) => ({ ...place, fate }));
      if (run.type === 'added') return side === 'old' ? [] : before.map((place) => ({ ...place, fate }));
      if (side === 'old') return oldPlaces.slice(...run.old).map((place) => ({ ...place, fate }));
      return before.map((place, at) => {
        const { hasSpace, around } = oldPlaces[run.old[0] + at]!;
        const link = [...around].reverse().find(({ localName }) => localName === 'a') as HTMLAnchorElement | undefined;
        return { ...place, fate, hasSpace: place.hasSpace || hasSpace, ...(link && { before: link.href }) };
      });
    });
  }

  /** Finds the elements of the new text that are those of the old one, since words of both are in them. */
  function findCounterparts({ old, next, runs }: Change & { readonly type: 'changed' }): ReadonlyMap<Element, Element> {
    const [oldPlaces, nextPlaces] = [oldPage.sources.get(old)!.places, nextPage.sources.get(next)!.places];
    const found = new Map<Element, Element>();
    for (const { type, old: range, next: nextRange } of runs as readonly Run[]) {
      if (type !== 'same' && type !== 'linked') continue;
      for (let at = 0; at < range[1] - range[0]; at++) {
        const around = nextPlaces[nextRange[0] + at]!.around;
        for (const [depth, element] of oldPlaces[range[0] + at]!.around.entries()) {
          if (around[depth]?.localName !== element.localName) break;
          if (!found.has(element)) found.set(element, around[depth]!);
        }
      }
    }
    return found;
  }

  /** Writes words with the elements around them. */
  function writeWords(
    pieces: readonly Piece[],
    isOld: boolean,
    counterparts: ReadonlyMap<Element, Element> = new Map(),
  ): readonly Node[] {
    const top = document.createDocumentFragment();
    /** The elements that are open, with what they are copies of. */
    const open: { readonly source: Element | Fate; readonly node: Element }[] = [];
    let hasSpace = false;
    for (const piece of pieces) {
      const around: readonly (Element | Fate)[] = [
        ...piece.around.map((element) => (isOld ? element : (counterparts.get(element) ?? element))),
        ...(piece.fate ? [piece.fate] : []),
      ];
      let depth = 0;
      while (depth < open.length && open[depth]!.source === around[depth]) depth++;
      open.length = depth;
      if (hasSpace) (open.at(-1)?.node ?? top).append(' ');
      for (const source of around.slice(depth)) {
        const node =
          typeof source === 'string'
            ? createMark(source, piece)
            : copyShallow(source, isOld || piece.fate === 'removed');
        (open.at(-1)?.node ?? top).append(node);
        open.push({ source, node });
      }
      const { node, start, end } = piece;
      (open.at(-1)?.node ?? top).append(
        node.nodeType === 3 ? (node as Text).data.slice(start, end) : document.importNode(node, true),
      );
      hasSpace = piece.hasSpace;
    }
    return [...top.childNodes];
  }

  function createMark(fate: Fate, { before = '' }: Piece): Element {
    if (fate === 'added') return createElement('ins');
    if (fate === 'removed') return createElement('del');
    return createElement('span', { class: 'compare-link', title: words.link.replace('{address}', () => before) });
  }
}

function copyShallow(element: Element, isOld: boolean): Element {
  const shell = document.importNode(element, false);
  if (isOld) shell.removeAttribute('id');
  return shell;
}
