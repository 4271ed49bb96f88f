import { type ChangedPair, diffPages, type PageDifference } from './diff-pages.ts';
import { matchPages } from './match-pages.ts';
import type { OutlineOf, PageChange, PageMove, ReleaseChanges, ReleasePage, ReleasePages } from './release-changes.ts';

/**
 * Compares two releases. A pure function of both: whoever asks again for the same two remembers the answer. Outlines are asked for only
 * of pages whose keys differ, or where pages have come or gone. What is unsure is taken for a page that is gone and another that came.
 */
export function compareReleases(older: ReleasePages, newer: ReleasePages, outlineOf: OutlineOf): ReleaseChanges {
  const before = new Map(older.pages.map((page) => [page.path, page]));
  const after = new Map(newer.pages.map((page) => [page.path, page]));
  const gone = older.pages.filter(({ path }) => !after.has(path));
  const come = newer.pages.filter(({ path }) => !before.has(path));
  const changed: PageChange[] = [];
  const pairs: ChangedPair[] = [];
  let unchanged = 0;

  const compare = (from: ReleasePage, to: ReleasePage): PageDifference | undefined => {
    const [one, other] = [from, to].map((page) => (isSame(from, to) ? undefined : outlineOf(page)));
    return one && other && one.hash !== other.hash ? diffPages(one, other) : undefined;
  };
  for (const page of newer.pages) {
    const from = before.get(page.path);
    if (!from) continue;
    const difference = compare(from, page);
    if (difference) pairs.push({ from, to: page, difference });
    else unchanged++;
  }
  const found = matchPages({ older, newer, gone, come, pairs, outlineOf });
  const { moved, merged, split, sections } = found;
  const isMovedAway = new Set(moved.map(({ from }) => from));
  const isMovedHere = new Set(moved.map(({ to }) => to));
  const hasStayed = ({ from }: ChangedPair): boolean => !isMovedAway.has(from.path);
  const report = (from: ReleasePage, to: ReleasePage, difference: PageDifference): void => {
    const isTranslated = Boolean(from.isFallback) !== Boolean(to.isFallback);
    changed.push({
      from: from.path,
      path: to.path,
      ...difference,
      ...(isTranslated && { translation: to.isFallback ? ('removed' as const) : ('added' as const) }),
    });
  };
  for (const pair of pairs.filter(hasStayed)) report(pair.from, pair.to, pair.difference);
  for (const { from, to } of moved) {
    const [one, other] = [before.get(from)!, after.get(to)!];
    const difference = compare(one, other);
    if (difference) report(one, other, difference);
    else unchanged++;
  }
  // A path that its page has left may have another one now.
  const left = pairs.filter((pair) => !hasStayed(pair)).map(({ to }) => to);
  return {
    added: sortPaths([...come, ...left], isMovedHere),
    removed: sortPaths(gone, isMovedAway),
    moved: [...moved].sort(byPath),
    merged: [...merged].sort(byPath),
    split: [...split].sort(byPath),
    sections,
    changed: changed.sort((a, b) => (a.path < b.path ? -1 : 1)),
    unchanged,
  };
}

function isSame(from: ReleasePage, to: ReleasePage): boolean {
  return from.key === to.key && (from.lead ?? '') === (to.lead ?? '');
}

function sortPaths(pages: readonly ReleasePage[], without: ReadonlySet<string>): readonly string[] {
  return pages
    .map(({ path }) => path)
    .filter((path) => !without.has(path))
    .sort();
}

function byPath(a: PageMove, b: PageMove): number {
  return a.from === b.from ? (a.to < b.to ? -1 : 1) : a.from < b.from ? -1 : 1;
}
