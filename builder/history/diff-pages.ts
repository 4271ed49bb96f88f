import { type PageOutline, readSample, type Sample, type SectionOutline } from './page-outline.ts';
import type { PageChange, ReleasePage } from './release-changes.ts';

export type PageDifference = Pick<PageChange, 'amount' | 'sections'>;

/** Two pages at one path that do not say the same. */
export interface ChangedPair {
  readonly from: ReleasePage;
  readonly to: ReleasePage;
  readonly difference: PageDifference;
}

/** Two sections of two versions of a page that are one. */
export interface SectionPair {
  readonly from: SectionOutline;
  readonly to: SectionOutline;
  /** 1 = they say the same. */
  readonly similarity: number;
}

/** Beyond so many sections without a counterpart, those with other headings are not compared with each other. */
const MAX_COMPARED = 60;
/** Sections with different headings are one from this similarity on. */
const SAME_SECTION = 0.5;

/** Returns what differs between two versions of a page that do not say the same. */
export function diffPages(older: PageOutline, newer: PageOutline): PageDifference {
  const pairs = pairSections(older, newer);
  const [kept, known] = [new Set(pairs.map(({ from }) => from)), new Set(pairs.map(({ to }) => to))];
  const removed = older.sections.filter((section) => !kept.has(section) && section.words > 0);
  const added = newer.sections.filter((section) => !known.has(section) && section.words > 0);
  const count = (sections: readonly SectionOutline[]): number => sections.reduce((sum, { words }) => sum + words, 0);
  const altered = pairs.reduce((sum, { from, to, similarity }) => sum + (from.words + to.words) * (1 - similarity), 0);
  const all = Math.max(1, count(older.sections) + count(newer.sections));
  const share = (altered + count(removed) + count(added)) / all;
  return {
    amount: Math.min(1, Math.max(0.01, Math.round(share * 100) / 100)),
    sections: {
      changed: pairs.filter(({ from, to }) => from.hash !== to.hash).map(({ to }) => to.id),
      added: added.map(({ id }) => id),
      removed: removed.map(({ id }) => id),
      moved: pairs.filter(({ from, to }) => from.id !== to.id).map(({ from, to }) => ({ from: from.id, to: to.id })),
    },
  };
}

/** Pairs the sections of two versions of a page: equal ones, those with the same id or heading, then those that say about the same. */
export function pairSections(older: PageOutline, newer: PageOutline): readonly SectionPair[] {
  const pairs = new Map<SectionOutline, SectionPair>();
  const taken = new Set<SectionOutline>();
  const join = (from: SectionOutline, to: SectionOutline, similarity: number): void => {
    pairs.set(to, { from, to, similarity });
    taken.add(from);
  };
  const similarity = (from: SectionOutline, to: SectionOutline): number =>
    compareSamples(readSample(from, older.limit), readSample(to, newer.limit)).jaccard;
  const pairBy = (keyOf: (section: SectionOutline) => string): void => {
    const waiting = new Map<string, SectionOutline[]>();
    for (const section of older.sections) {
      if (taken.has(section)) continue;
      const key = keyOf(section);
      const others = waiting.get(key);
      if (others) others.push(section);
      else waiting.set(key, [section]);
    }
    for (const section of newer.sections) {
      const from = pairs.has(section) ? undefined : waiting.get(keyOf(section))?.shift();
      if (from) join(from, section, from.hash === section.hash ? 1 : Math.min(0.99, similarity(from, section)));
    }
  };
  pairBy(({ id, hash }) => `${id} ${hash}`);
  pairBy(({ hash }) => hash);
  pairBy(({ id }) => id);
  pairBy(({ heading }) => heading.toLowerCase());
  const left = older.sections.filter((section) => !taken.has(section));
  const open = newer.sections.filter((section) => !pairs.has(section));
  if (left.length > MAX_COMPARED || open.length > MAX_COMPARED) return [...pairs.values()];
  const likely = left.flatMap((from) => open.map((to) => ({ from, to, similarity: similarity(from, to) })));
  for (const pair of likely.sort((a, b) => b.similarity - a.similarity)) {
    if (pair.similarity < SAME_SECTION) break;
    if (!taken.has(pair.from) && !pairs.has(pair.to)) join(pair.from, pair.to, pair.similarity);
  }
  return [...pairs.values()];
}

/** How much two texts have in common, by their samples: 0 to 1 each. */
export interface Likeness {
  /** Of all that either says. */
  readonly jaccard: number;
  /** Of what the first one says. */
  readonly ofFirst: number;
  /** Weight of the runs of words that both samples have. */
  readonly evidence: number;
}

/** Compares two samples as far as both reach; `weigh` says how much a run of words tells, at most 1. */
export function compareSamples(a: Sample, b: Sample, weigh: (hash: number) => number = () => 1): Likeness {
  const limit = Math.min(a.limit, b.limit);
  let [own, others, common] = [0, 0, 0];
  let [at, to] = [0, 0];
  for (;;) {
    const [one = limit, other = limit] = [a.hashes[at], b.hashes[to]];
    const least = Math.min(one, other);
    if (least >= limit) break;
    const weight = weigh(least);
    if (one === least) {
      own += weight;
      at++;
    }
    if (other === least) {
      others += weight;
      to++;
    }
    if (one === other) common += weight;
  }
  const share = (of: number): number => (of === 0 ? 0 : common / of);
  return { jaccard: share(own + others - common), ofFirst: share(own), evidence: common };
}
