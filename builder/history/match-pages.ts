import { append } from '../../lib/append.ts';
import { once } from '../../lib/once.ts';
import { type ChangedPair, compareSamples, diffPages, type Likeness, type PageDifference } from './diff-pages.ts';
import { type PageOutline, readPageSample, type Sample, type SectionOutline } from './page-outline.ts';
import type {
  OutlineOf,
  PageMerge,
  PageMove,
  PageSplit,
  ReleaseChanges,
  ReleasePage,
  ReleasePages,
  SectionMove,
} from './release-changes.ts';
import { createSectionFinder, type FoundSection, type SectionFinder } from './section-finder.ts';

/** A page that has changed more than this and what stands at its path now may be two pages. */
const MAY_BE_ANOTHER = 0.8;
/** Fewer words tell nothing about a page. */
const MIN_WORDS = 8;
/** Fewer words tell nothing about a section by itself. */
const MIN_SECTION_WORDS = 20;
/** Weight of common runs of words without which nothing is believed. */
const MIN_EVIDENCE = 4;
/** Pages with less in common are not one by what they say. */
const MIN_STRENGTH = 0.05;
/** Strength from which on two pages are one: by itself, with the same name or title, and with both. */
const ALIKE = [0.45, 0.25, 0.1] as const;
/** A page leaves a path that still has a page for one that says nearly the same. */
const LEAVES = 0.85;
/** Factors for a candidate with neither the same name nor the same title, with one of them, and with both. */
const WEIGHT = [1, 1.6, 2.5] as const;
/** By this factor the best candidate must be better than the others; if it stayed in its folder, than those that did not. */
const MARGIN = [1.3, 1] as const;
/** So many of a page's words must be found in another page that has taken it in. */
const TAKEN_IN = 0.5;
/** So many must be found in several pages together. */
const SPREAD = 0.4;
/** By this factor it must have taken in more than the second one. */
const TAKEN_IN_MARGIN = 1.5;
/** Who has so much of a page and no other page has its name is that page, whoever has its beginning. */
const HAS_MOST = 0.6;
/** So many of a page's words must be found in the one of several that has its beginning. */
const HAS_BEGINNING = 0.1;
/** A folder has moved where so many of its pages have. */
const MOVED_ALONG = 3;
/** A run of words in more pages than this leads to no candidates. */
const MAX_PAGES_OF_RUN = 24;
const MAX_CANDIDATES = 8;
/** Names that many folders have. */
const GENERIC =
  /^(?:index|readme|overview|introduction|intro|home|main|start|about|summary|contents|changelog|faq|usage|examples?|api|reference)$/;

interface Candidate {
  readonly page: ReleasePage;
  readonly outline: PageOutline;
  readonly sample: Sample;
  readonly words: number;
  /** Of its file or, if that is an index, its folder; in lower case. */
  readonly name: string;
  /** Path of its folder, and the name of its file in it. */
  readonly folder: string;
  readonly file: string;
  /** In lower case; '' = many pages have it. */
  readonly title: string;
}

/**
 * Finds the pages of two releases that are one at two paths, and the sections that stand in another page: by equal text first, then by
 * what they have in common and other pages have not. What is unsure is not found.
 */
export function matchPages(input: {
  readonly older: ReleasePages;
  readonly newer: ReleasePages;
  /** Pages whose paths the newer release has not. */
  readonly gone: readonly ReleasePage[];
  /** Pages whose paths the older release has not. */
  readonly come: readonly ReleasePage[];
  readonly pairs: readonly ChangedPair[];
  readonly outlineOf: OutlineOf;
}): Pick<ReleaseChanges, 'moved' | 'merged' | 'split' | 'sections'> {
  const { pairs } = input;
  const isStable = input.gone.length === 0 && input.come.length === 0;
  // One page that changed by itself.
  if (isStable && pairs.length < 2) return { moved: [], merged: [], split: [], sections: [] };
  const before = describeSide(input.older, input.outlineOf);
  const after = describeSide(input.newer, input.outlineOf);
  const loose = isStable
    ? []
    : pairs.filter(({ from, difference }) => difference.amount > MAY_BE_ANOTHER && !GENERIC.test(nameOf(from.path)));
  const gone = before.describe(input.gone);
  const come = after.describe(input.come);
  const weigh = isStable ? () => 1 : weighRuns([before.describeAll(), after.describeAll()]);
  const { matches, taken } = joinPages({
    gone: [...gone, ...before.describe(loose.map(({ from }) => from))],
    come: [...come, ...after.describe(loose.map(({ to }) => to))],
    hasStayed: new Set(loose.map(({ from }) => from)),
    weigh,
  });
  const usurped = releaseUsurped(matches, loose);
  const openGone = gone.filter((page) => !matches.has(page));
  const openCome = come.filter((page) => !taken.has(page));

  const left = new Set([...matches.keys()].map(({ page }) => page));
  const stayed = pairs.filter(({ from }) => !left.has(from));
  const finderAfter = once(() =>
    createSectionFinder([...after.describe(stayed.map(({ to }) => to)), ...matches.values(), ...openCome], weigh),
  );
  const finderBefore = once(() =>
    createSectionFinder([...before.describe(stayed.map(({ from }) => from)), ...matches.keys(), ...openGone], weigh),
  );
  const joined: readonly JoinedPair[] = [
    ...stayed.flatMap(({ from, to, difference }) =>
      before
        .describe([from])
        .flatMap((older) => after.describe([to]).map((newer) => ({ older, newer, ...difference }))),
    ),
    ...[...matches].map(([older, newer]) => ({ older, newer, ...diffPages(older.outline, newer.outline) })),
  ];
  const keptOlder = new Map(joined.map((pair) => [pair.older, pair]));
  const keptNewer = new Map(joined.map((pair) => [pair.newer, pair]));
  // A text that is still where it was has gone nowhere.
  const hasCome = ({ host, section }: FoundSection<Candidate>): boolean =>
    keptNewer.get(host)?.sections.added.includes(section.id) ?? true;
  const hasGone = ({ host, section }: FoundSection<Candidate>): boolean =>
    keptOlder.get(host)?.sections.removed.includes(section.id) ?? true;
  const sections: SectionMove[] = [];
  const merged = openGone.flatMap((page): readonly PageMerge[] => {
    const to = usurped.get(page) ?? after.findEqual(page);
    if (to) return [{ from: page.page.path, to: to.page.path, section: '' }];
    const found = findHost(page, finderAfter(), hasCome);
    if (!found) return [];
    append(
      sections,
      found.places.map(([own, place]) => moveSection([page, own], [found.host, place])),
    );
    return [{ from: page.page.path, to: found.host.page.path, section: found.section }];
  });
  const split = openCome.flatMap((page): readonly PageSplit[] => {
    const from = before.findEqual(page);
    if (from) return [{ from: from.page.path, to: page.page.path, section: '' }];
    const found = findHost(page, finderBefore(), hasGone);
    if (!found) return [];
    append(
      sections,
      found.places.map(([own, place]) => moveSection([found.host, place], [page, own])),
    );
    return [{ from: found.host.page.path, to: page.page.path, section: found.section }];
  });
  // Two pages that have taken each other in are one.
  const sources = new Map(split.map(({ from, to }) => [to, from]));
  const mutual = merged.filter(({ from, to }) => sources.get(to) === from);
  const targets = new Map(mutual.map(({ from, to }) => [from, to]));
  const isMutual = ({ from, to }: PageMove): boolean => targets.get(from) === to;
  append(
    sections,
    findSections(
      joined,
      openGone.filter((page) => !usurped.has(page)),
      finderAfter,
      hasCome,
    ),
  );
  return {
    moved: [
      ...[...matches].map(([from, to]) => ({ from: from.page.path, to: to.page.path })),
      ...mutual.map(({ from, to }) => ({ from, to })),
    ],
    merged: merged.filter((one) => !isMutual(one)),
    split: split.filter((one) => !isMutual(one)),
    sections: withoutRepeats(sections.filter((one) => !isMutual(one))),
  };
}

function moveSection(
  [from, fromSection]: readonly [Candidate, string],
  [to, toSection]: readonly [Candidate, string],
): SectionMove {
  return { from: from.page.path, fromSection, to: to.page.path, toSection };
}

/** Keeps, of moves from one section, the first; of those to one section, the one that kept its id, if there is one. */
function withoutRepeats(moves: readonly SectionMove[]): readonly SectionMove[] {
  const seen = new Set<string>();
  const first = moves.filter(({ from, fromSection }) => {
    const key = `${from}#${fromSection}`;
    const isNew = !seen.has(key);
    seen.add(key);
    return isNew;
  });
  const keepsId = ({ fromSection, toSection }: SectionMove): boolean => fromSection !== '' && fromSection === toSection;
  const targetOf = ({ to, toSection }: SectionMove): string => `${to}#${toSection}`;
  const kept = new Set(first.filter(keepsId).map(targetOf));
  return first.filter((move) => keepsId(move) || !kept.has(targetOf(move)));
}

interface Side {
  describe(pages: readonly ReleasePage[]): readonly Candidate[];
  describeAll(): readonly Candidate[];
  /** Returns the only page that says the same. */
  findEqual(other: Candidate): Candidate | undefined;
}

function describeSide({ pages }: ReleasePages, outlineOf: OutlineOf): Side {
  const counts = new Map<string, number>();
  for (const { title } of pages) counts.set(title.toLowerCase(), (counts.get(title.toLowerCase()) ?? 0) + 1);
  const known = new Map<ReleasePage, Candidate | undefined>();
  const describeOne = (page: ReleasePage): Candidate | undefined => {
    if (known.has(page)) return known.get(page);
    const outline = outlineOf(page);
    const title = page.title.toLowerCase();
    const candidate = outline && {
      page,
      outline,
      sample: sampleOf(outline),
      words: outline.sections.reduce((sum, { words }) => sum + words, 0),
      name: nameOf(page.path),
      folder: page.path.slice(0, page.path.lastIndexOf('/') + 1),
      file: page.path.slice(page.path.lastIndexOf('/') + 1).toLowerCase(),
      title: counts.get(title) === 1 && !GENERIC.test(title) ? title : '',
    };
    known.set(page, candidate);
    return candidate;
  };
  const describe = (some: readonly ReleasePage[]): readonly Candidate[] =>
    some.flatMap((page) => describeOne(page) ?? []);
  const byHash = once(() => groupBy(describe(pages), ({ outline }) => outline.hash));
  return {
    describe,
    describeAll: () => describe(pages),
    findEqual(other) {
      const [found, another] = other.words < MIN_WORDS ? [] : (byHash().get(other.outline.hash) ?? []);
      return another ? undefined : found;
    },
  };
}

/** Samples of outlines that were read before: versions share most of them. */
const samples = new WeakMap<PageOutline, Sample>();

function sampleOf(outline: PageOutline): Sample {
  const sample = samples.get(outline) ?? readPageSample(outline);
  samples.set(outline, sample);
  return sample;
}

/** Returns the name of a page's file without its ending, of an index that of its folder; in lower case. */
function nameOf(path: string): string {
  const [name = '', folder] = path
    .toLowerCase()
    .replace(/\.html$/, '')
    .split('/')
    .reverse();
  return ((name === 'index' && folder) || name).replace(/[_\s]+/g, '-');
}

/** Returns how much a run of words tells: the less, the more pages of a release have it. */
function weighRuns(sides: readonly (readonly Candidate[])[]): (run: number) => number {
  const counts = new Map<number, number>();
  for (const side of sides) {
    const own = new Map<number, number>();
    for (const { sample } of side) for (const run of sample.hashes) own.set(run, (own.get(run) ?? 0) + 1);
    for (const [run, count] of own) if (count > 1 && count > (counts.get(run) ?? 1)) counts.set(run, count);
  }
  return (run) => 1 / (counts.get(run) ?? 1) ** 2;
}

interface JoinedPages {
  /** Newer pages by older ones. */
  readonly matches: Map<Candidate, Candidate>;
  readonly taken: Set<Candidate>;
}

function joinPages({
  gone,
  come,
  hasStayed,
  weigh,
}: {
  readonly gone: readonly Candidate[];
  readonly come: readonly Candidate[];
  /** Pages among the older ones whose paths still have pages. */
  readonly hasStayed: ReadonlySet<ReleasePage>;
  readonly weigh: (run: number) => number;
}): JoinedPages {
  const matches = new Map<Candidate, Candidate>();
  const taken = new Set<Candidate>();
  const join = (from: Candidate, to: Candidate): void => {
    matches.set(from, to);
    taken.add(to);
  };
  const isOpen = (from: Candidate, to: Candidate): boolean =>
    !matches.has(from) && !taken.has(to) && from.page.path !== to.page.path;
  joinEqual(gone, come, join);
  const likely = listLikely(
    gone.filter((page) => !matches.has(page)),
    come.filter((page) => !taken.has(page)),
    weigh,
  );
  const finder = once(() => createSectionFinder(come, weigh));
  const [byGone, byCome] = [groupBy(likely, ({ from }) => from), groupBy(likely, ({ to }) => to)];
  /** The page was split, and another page has its beginning and a part of it that is worth the name. */
  const beginsElsewhere = ({ from, to }: LikelyPair): boolean => {
    const host = findBeginning(from, finder());
    return byGone.get(from)!.some((pair) => pair.to === host && host !== to && pair.likeness.ofFirst >= HAS_BEGINNING);
  };
  for (const pair of [...likely].sort((a, b) => b.score - a.score)) {
    const { from, to, strength, support, likeness } = pair;
    const least = hasStayed.has(from.page) ? LEAVES : ALIKE[support];
    if (!isOpen(from, to) || strength < least) continue;
    if (support === 0 && likeness.ofFirst < HAS_MOST && beginsElsewhere(pair)) continue;
    const rivals = [...byGone.get(from)!, ...byCome.get(to)!].filter((one) => one !== pair && isOpen(one.from, one.to));
    const margin = (rival: LikelyPair): number => MARGIN[pair.isNear && !rival.isNear ? 1 : 0];
    if (rivals.every((rival) => pair.score >= rival.score * margin(rival))) join(from, to);
  }
  joinByFolder(
    gone.filter((page) => !matches.has(page) && !hasStayed.has(page.page)),
    come.filter((page) => !taken.has(page) && !hasStayed.has(page.page)),
    { matches, join },
  );
  return { matches, taken };
}

/** Joins pages of the same name and title whose folders have moved, whatever they say: a page keeps its place in a folder. */
function joinByFolder(
  gone: readonly Candidate[],
  come: readonly Candidate[],
  {
    matches,
    join,
  }: { readonly matches: ReadonlyMap<Candidate, Candidate>; join(from: Candidate, to: Candidate): void },
): void {
  const votes = new Map<string, number>();
  const ballot = (from: Candidate, to: Candidate): string => `${from.folder}\n${to.folder}`;
  for (const [from, to] of matches)
    if (from.name === to.name) votes.set(ballot(from, to), (votes.get(ballot(from, to)) ?? 0) + 1);
  const byName = groupBy(come, ({ file }) => file);
  const byOldName = groupBy(gone, ({ file, folder }) => `${folder}\n${file}`);
  for (const from of gone) {
    const likely = (byName.get(from.file) ?? []).filter((to) => (votes.get(ballot(from, to)) ?? 0) >= MOVED_ALONG);
    const [to] = likely;
    const isOnly = likely.length === 1 && byOldName.get(`${from.folder}\n${from.file}`)!.length === 1;
    if (to && isOnly && from.page.title.toLowerCase() === to.page.title.toLowerCase()) join(from, to);
  }
}

/** Joins pages that say the same; of several, those with the same name. */
function joinEqual(
  gone: readonly Candidate[],
  come: readonly Candidate[],
  join: (from: Candidate, to: Candidate) => void,
): void {
  const told = (pages: readonly Candidate[]) =>
    groupBy(
      pages.filter(({ words }) => words >= MIN_WORDS),
      ({ outline }) => outline.hash,
    );
  const others = told(come);
  for (const [hash, same] of told(gone)) {
    const targets = others.get(hash) ?? [];
    if (same.length === 1 && targets.length === 1) {
      join(same[0]!, targets[0]!);
      continue;
    }
    const byName = groupBy(targets, ({ name }) => name);
    for (const [name, own] of groupBy(same, (page) => page.name)) {
      const [to, another] = byName.get(name) ?? [];
      if (own.length === 1 && to && !another) join(own[0]!, to);
    }
  }
}

interface LikelyPair {
  readonly from: Candidate;
  readonly to: Candidate;
  readonly likeness: Likeness;
  readonly strength: number;
  /** Strength with the weight of name and title. */
  readonly score: number;
  /** How many of name and title are the same. */
  readonly support: 0 | 1 | 2;
  /** They are in the same folder. */
  readonly isNear: boolean;
}

function listLikely(
  gone: readonly Candidate[],
  come: readonly Candidate[],
  weigh: (run: number) => number,
): readonly LikelyPair[] {
  const byRun = new Map<number, Candidate[]>();
  for (const page of come) {
    for (const run of page.sample.hashes) {
      const pages = byRun.get(run);
      if (pages) pages.push(page);
      else byRun.set(run, [page]);
    }
  }
  return gone.flatMap((from) => {
    const counts = new Map<Candidate, number>();
    for (const run of from.sample.hashes) {
      const pages = byRun.get(run) ?? [];
      if (pages.length <= MAX_PAGES_OF_RUN) for (const page of pages) counts.set(page, (counts.get(page) ?? 0) + 1);
    }
    const best = [...counts].sort(([, a], [, b]) => b - a).slice(0, MAX_CANDIDATES);
    return best.flatMap(([to]) => {
      const likeness = compareSamples(from.sample, to.sample, weigh);
      // The text of a page must be in the other one; that may say more.
      const strength = (likeness.jaccard + likeness.ofFirst) / 2;
      if (strength < MIN_STRENGTH || likeness.evidence < MIN_EVIDENCE || from.page.path === to.page.path) return [];
      const hasName = from.name === to.name && !GENERIC.test(from.name);
      const hasTitle = from.title === to.title && from.title !== '';
      const support = (Number(hasName) + Number(hasTitle)) as LikelyPair['support'];
      const score = strength * WEIGHT[support];
      return [{ from, to, likeness, strength, score, support, isNear: from.folder === to.folder }];
    });
  });
}

/**
 * Gives up matches with paths whose own pages have stayed: a page keeps its path. Returns those among them whose older pages are gone:
 * they are part of what stands there now.
 */
function releaseUsurped(
  matches: Map<Candidate, Candidate>,
  loose: readonly ChangedPair[],
): ReadonlyMap<Candidate, Candidate> {
  const owners = new Map(loose.map(({ from, to }) => [to, from]));
  const isLoose = new Set(loose.map(({ from }) => from));
  const usurped = new Map<Candidate, Candidate>();
  for (let isDone = false; !isDone; ) {
    isDone = true;
    const left = new Set([...matches.keys()].map(({ page }) => page));
    for (const [from, to] of matches) {
      const owner = owners.get(to.page);
      if (owner === undefined || left.has(owner)) continue;
      matches.delete(from);
      if (!isLoose.has(from.page)) usurped.set(from, to);
      isDone = false;
    }
  }
  return usurped;
}

/** A page as it is in both releases, and what differs. */
interface JoinedPair extends PageDifference {
  readonly older: Candidate;
  readonly newer: Candidate;
}

/** Finds, of sections that have left their pages, those that have come to another one, and those of pages that are gone. */
function findSections(
  joined: readonly JoinedPair[],
  gone: readonly Candidate[],
  finder: () => SectionFinder<Candidate>,
  accepts: (place: FoundSection<Candidate>) => boolean,
): readonly SectionMove[] {
  const find = (page: Candidate, section: SectionOutline, own: Candidate | undefined): readonly SectionMove[] => {
    if (section.words < MIN_SECTION_WORDS) return [];
    const place = finder()(section, page.outline.limit, (host) => host !== own);
    if (!place || !accepts(place)) return [];
    return [moveSection([page, section.id], [place.host, place.section.id])];
  };
  return [
    ...joined.flatMap(({ older, newer, sections }) => {
      const removed = new Set(sections.removed);
      if (removed.size === 0) return [];
      return older.outline.sections
        .filter(({ id }) => removed.has(id))
        .flatMap((section) => find(older, section, newer));
    }),
    ...gone.flatMap((page) => page.outline.sections.flatMap((section) => find(page, section, undefined))),
  ];
}

/** The page in which most of another page's text is found. */
interface Host {
  readonly host: Candidate;
  /** Id of its section that begins with the text. */
  readonly section: string;
  /** Where sections of the other page are found in it. */
  readonly places: readonly (readonly [own: string, place: string])[];
}

function findHost(
  page: Candidate,
  find: SectionFinder<Candidate>,
  accepts: (place: FoundSection<Candidate>) => boolean,
): Host | undefined {
  const found = page.outline.sections.map((section) => {
    const place =
      section.words < MIN_WORDS
        ? undefined
        : find(section, page.outline.limit, (host) => host.page.path !== page.page.path);
    return [section, place && accepts(place) ? place : undefined] as const;
  });
  const words = new Map<Candidate, number>();
  for (const [section, place] of found) if (place) words.set(place.host, (words.get(place.host) ?? 0) + section.words);
  const [best, second] = [...words].sort(([, a], [, b]) => b - a);
  const all = [...words.values()].reduce((sum, one) => sum + one, 0);
  if (!best || all < Math.max(MIN_SECTION_WORDS, SPREAD * page.words)) return undefined;
  const hasMost = best[1] >= TAKEN_IN * page.words && (!second || best[1] >= second[1] * TAKEN_IN_MARGIN);
  // Of several that a page was split into, the one that has its beginning, and enough of it.
  const host = hasMost ? best[0] : findBeginning(page, find);
  if (!host || (words.get(host) ?? 0) < HAS_BEGINNING * page.words) return undefined;
  const places = found.flatMap(([section, place]): readonly (readonly [string, FoundSection<Candidate>])[] =>
    place?.host === host ? [[section.id, place]] : [],
  );
  const titles = new Set([page.page.title, page.outline.sections[0]?.heading].map((title) => title?.toLowerCase()));
  const entitled = host.outline.sections.find(({ heading }) => heading !== '' && titles.has(heading.toLowerCase()));
  return {
    host,
    section: (entitled ?? places[0]![1].section).id,
    places: places.map(([own, { section }]) => [own, section.id]),
  };
}

/** Returns the page that has the first section of another one; undefined where that is unsure. */
function findBeginning(page: Candidate, find: SectionFinder<Candidate>): Candidate | undefined {
  const first = page.outline.sections.find(({ words }) => words >= MIN_SECTION_WORDS);
  return first && find(first, page.outline.limit, (host) => host.page.path !== page.page.path)?.host;
}

function groupBy<T, K>(items: readonly T[], keyOf: (item: T) => K): ReadonlyMap<K, readonly T[]> {
  const groups = new Map<K, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return groups;
}
