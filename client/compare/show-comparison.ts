import { createElement } from '../create-element.ts';
import type { Change, Comparison } from './compare-pages.ts';
import { type ChangeWords, createChangeView } from './show-change.ts';
import type { Pages } from './write-words.ts';

/** How readers want to see a comparison. */
export interface View {
  /** Both pages beside each other; else one page with all that is gone and all that came. */
  readonly isBeside: boolean;
  readonly hidesSame: boolean;
}

/** Unchanged blocks in a row that are worth hiding. */
const MIN_HIDDEN = 4;

/** Returns the comparison as the content of a page. Elements of the change `n` have `data-change="n"`. */
export function showComparison(
  { root, numbers: known }: Comparison,
  pages: Pages,
  words: ChangeWords,
  { isBeside, hidesSame }: View,
): readonly Node[] {
  const numbers = new Map(known);
  const show = createChangeView(pages, numbers, words);
  const rows = flatten(root, numbers);
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
}

/** Takes sections apart: each block that stands in them is a row of its own, the heading of one that has moved with the number of the move. */
function flatten(change: Change, numbers: Map<Change, number>): readonly Change[] {
  const { kind } = change.type === 'added' ? change.next : change.old;
  if (change.type === 'left' || (kind !== 'page' && kind !== 'section')) return [change];
  if (change.type === 'same') {
    return change.old.children.flatMap((old, at) =>
      flatten({ type: 'same', old, next: change.next.children[at]! }, numbers),
    );
  }
  if (change.type === 'moved') {
    const [first, ...rest] = flatten(change.change, numbers);
    const heading: Change = { ...change, change: first! };
    numbers.set(heading, numbers.get(change)!);
    return [heading, ...rest];
  }
  return 'parts' in change ? change.parts.flatMap((part) => flatten(part, numbers)) : [change];
}
