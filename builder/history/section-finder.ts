import { compareSamples } from './diff-pages.ts';
import { type PageOutline, readSample, type Sample, type SectionOutline } from './page-outline.ts';

export interface FoundSection<Host> {
  readonly host: Host;
  readonly section: SectionOutline;
}

/** Finds, among the sections of some pages, the one that has the text of a section; undefined where that is unsure. */
export type SectionFinder<Host> = (
  section: SectionOutline,
  /** That of the section's page. */
  limit: number,
  accepts: (host: Host) => boolean,
) => FoundSection<Host> | undefined;

/** So much of a section must be found in another one. */
const SHARE = 0.5;
/** Weight of common runs of words without which nothing is believed, and where the heading is the same. */
const MIN_EVIDENCE = [3, 2] as const;
/** By this factor the best section must be better than those of other pages. */
const MARGIN = 1.5;
/** Added for a candidate with the same heading. */
const SAME_HEADING = 2;
/** So much of a section in one of the same heading makes another one doubtful. */
const NAMESAKE = 0.2;
/** A run of words in more sections than this leads to no candidates. */
const MAX_SECTIONS_OF_RUN = 24;
const MAX_CANDIDATES = 6;

/** Creates a finder; `weigh` says how much a run of words tells. */
export function createSectionFinder<Host extends { readonly outline: PageOutline }>(
  hosts: readonly Host[],
  weigh: (run: number) => number,
): SectionFinder<Host> {
  interface Entry extends FoundSection<Host> {
    readonly sample: Sample;
  }
  const byHash = new Map<string, Entry[]>();
  const byRun = new Map<number, Entry[]>();
  const add = <K>(map: Map<K, Entry[]>, key: K, entry: Entry): void => {
    const entries = map.get(key);
    if (entries) entries.push(entry);
    else map.set(key, [entry]);
  };
  for (const host of new Set(hosts)) {
    for (const section of host.outline.sections) {
      const entry = { host, section, sample: readSample(section, host.outline.limit) };
      add(byHash, section.hash, entry);
      for (const run of entry.sample.hashes) add(byRun, run, entry);
    }
  }
  return (section, limit, accepts) => {
    const equal = (byHash.get(section.hash) ?? []).filter(({ host }) => accepts(host));
    if (equal.length > 0) return equal.length === 1 ? equal[0] : undefined;
    const sample = readSample(section, limit);
    const counts = new Map<Entry, number>();
    for (const run of sample.hashes) {
      const entries = byRun.get(run) ?? [];
      if (entries.length > MAX_SECTIONS_OF_RUN) continue;
      for (const entry of entries) if (accepts(entry.host)) counts.set(entry, (counts.get(entry) ?? 0) + 1);
    }
    const likely = [...counts].sort(([, a], [, b]) => b - a).slice(0, MAX_CANDIDATES);
    const [best, ...others] = likely
      .map(([entry]) => {
        const likeness = compareSamples(sample, entry.sample, weigh);
        const hasHeading = section.heading !== '' && section.heading === entry.section.heading;
        return { entry, likeness, hasHeading, score: likeness.ofFirst * (hasHeading ? SAME_HEADING : 1) };
      })
      .sort((a, b) => b.score - a.score);
    if (!best || best.likeness.ofFirst < SHARE || best.likeness.evidence < MIN_EVIDENCE[best.hasHeading ? 1 : 0])
      return undefined;
    const rival = others.find(({ entry }) => entry.host !== best.entry.host);
    if (rival && rival.score * MARGIN > best.score) return undefined;
    const isNamedElsewhere = others.some(
      ({ entry, hasHeading, likeness }) =>
        hasHeading && !best.hasHeading && entry.host !== best.entry.host && likeness.ofFirst >= NAMESAKE,
    );
    return isNamedElsewhere ? undefined : best.entry;
  };
}
