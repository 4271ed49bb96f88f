import { pairSections } from './diff-pages.ts';
import type { PageOutline } from './page-outline.ts';
import type { OutlineOf, ReleaseChanges, ReleasePages } from './release-changes.ts';

/** With which release the sections of a page came, by their ids; '' = the page's beginning. Releases are numbers: 0 = the oldest. */
export type PageAges = ReadonlyMap<string, number>;

/** The ages of all pages of a release, by their paths. */
export type ReleaseAges = ReadonlyMap<string, PageAges>;

/** Returns the ages of the oldest release: everything is there from the beginning. */
export function beginAges(release: ReleasePages): ReleaseAges {
  const none: PageAges = new Map();
  return new Map(release.pages.map(({ path }) => [path, none]));
}

/**
 * Returns the ages of a release that follows another one: what is there already keeps its age through moves and renames, all else is
 * `age` old. What a page does not name is as old as the oldest release.
 */
export function continueAges(
  before: ReleaseAges,
  step: {
    readonly older: ReleasePages;
    readonly newer: ReleasePages;
    readonly changes: ReleaseChanges;
    readonly age: number;
    readonly outlineOf: OutlineOf;
  },
): ReleaseAges {
  const { older, newer, changes, age, outlineOf } = step;
  const old = new Map(older.pages.map((page) => [page.path, page]));
  const added = new Set(changes.added);
  const formerPath = new Map(changes.moved.map(({ from, to }) => [to, from]));
  const arrivals = new Map<string, { readonly from: string; readonly fromSection: string }>();
  for (const { to, toSection, from, fromSection } of changes.sections) {
    arrivals.set(`${to}\n${toSection}`, { from, fromSection });
  }
  const ages = new Map<string, PageAges>();
  for (const page of newer.pages) {
    const from = added.has(page.path) ? undefined : old.get(formerPath.get(page.path) ?? page.path);
    const known = from && before.get(from.path);
    if (known && from.key === page.key) {
      ages.set(page.path, known);
      continue;
    }
    const outline = outlineOf(page);
    const own = new Map<string, number>();
    const former = from && outlineOf(from);
    const origins = former && outline && known ? pairUp(former, outline, known) : undefined;
    for (const { id } of outline?.sections ?? [{ id: '' }]) {
      const arrival = arrivals.get(`${page.path}\n${id}`);
      // A page whose text is not known stays as old as it was.
      const since =
        origins?.get(id) ??
        (arrival && ageOf(before.get(arrival.from), arrival.fromSection)) ??
        (known && !origins ? 0 : age);
      if (since > 0) own.set(id, since);
    }
    ages.set(page.path, own);
  }
  return ages;
}

function ageOf(ages: PageAges | undefined, id: string): number | undefined {
  return ages && (ages.get(id) ?? 0);
}

/** Returns the ages of the sections of a page that were there before. */
function pairUp(older: PageOutline, newer: PageOutline, ages: PageAges): ReadonlyMap<string, number> {
  return new Map(pairSections(older, newer).map(({ from, to }) => [to.id, ages.get(from.id) ?? 0]));
}
