import { type PageState, warn } from './page-state.ts';

/**
 * Claims and returns a free id of a page: the wanted one, or one with a number appended. No link leads to one that is not a
 * target.
 */
export function claimId(page: PageState, wanted: string, isTarget = true): string {
  const { ids, otherIds, nextIds } = page;
  let id = wanted;
  for (let next = nextIds.get(wanted) ?? 1; ids.has(id) || otherIds.has(id); next++) {
    id = `${wanted}-${next}`;
    nextIds.set(wanted, next + 1);
  }
  (isTarget ? ids : otherIds).add(id);
  return id;
}

/** Claims an id that something else on the page may have; returns whether it was free. */
export function claimFreeId(page: PageState, id: string): boolean {
  if (page.ids.has(id) || page.otherIds.has(id)) return false;
  page.ids.add(id);
  return true;
}

/** Claims an id that the author set, and returns it, or another one with a warning if it is in use. */
export function takeAuthorId(page: PageState, wanted: string, line: number): string {
  const isOurs = page.otherIds.has(wanted);
  const id = claimId(page, wanted);
  if (id !== wanted) {
    const problem = isOurs
      ? 'belongs to the page around the text and was changed'
      : 'is used twice; here it was changed';
    warn(page, line, 'duplicate-id', `Id "${wanted}" ${problem} to "${id}"`);
  }
  return id;
}
