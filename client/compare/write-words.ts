import { createElement } from '../create-element.ts';
import type { Change } from './compare-pages.ts';
import type { Place, Reading } from './read-page.ts';

/** Both versions of the page. */
export interface Pages {
  readonly old: Reading;
  readonly next: Reading;
}

/** Which of the pages is shown; `both` = what is in either. */
export type Side = 'both' | 'old' | 'next';
type ChangedText = Change & { readonly type: 'changed' };
type Fate = 'added' | 'removed' | 'linked' | '';

/** A word to be written. */
interface Piece extends Place {
  readonly fate: Fate;
  /** Says where a link led before. */
  readonly title?: string;
}

/** Writes the words of a text that has changed, as `side` has them; `link` is said of a link that led elsewhere, to `{address}`. */
export function writeChanged(change: ChangedText, side: Side, pages: Pages, link: string): readonly Node[] {
  return writeWords(listPieces(change, side, pages, link), side === 'old', findCounterparts(change, pages));
}

/** Returns the words of a text that has changed, those that are gone before those that came. */
function listPieces({ old, next, runs }: ChangedText, side: Side, pages: Pages, said: string): readonly Piece[] {
  const [oldPlaces, nextPlaces] = [pages.old.sources.get(old)!.places, pages.next.sources.get(next)!.places];
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
      const title = link && { title: said.replace('{address}', () => link.href) };
      return { ...place, fate, hasSpace: place.hasSpace || hasSpace, ...title };
    });
  });
}

/** Finds the elements of the new text that are those of the old one, since words of both are in them. */
function findCounterparts({ old, next, runs }: ChangedText, pages: Pages): ReadonlyMap<Element, Element> {
  const [oldPlaces, nextPlaces] = [pages.old.sources.get(old)!.places, pages.next.sources.get(next)!.places];
  const found = new Map<Element, Element>();
  for (const { type, old: range, next: nextRange } of runs) {
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
export function writeWords(
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
        typeof source === 'string' ? createMark(source, piece) : copyShallow(source, isOld || piece.fate === 'removed');
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

function createMark(fate: Fate, { title = '' }: Piece): Element {
  if (fate === 'added') return createElement('ins');
  if (fate === 'removed') return createElement('del');
  return createElement('span', { class: 'compare-link', title });
}

/** Copies an element without what is in it. Ids stay those of the new page. */
export function copyShallow(element: Element, isOld: boolean): Element {
  const shell = document.importNode(element, false);
  if (isOld) shell.removeAttribute('id');
  return shell;
}
