import { createBoundedMap } from '../../lib/bounded-map.ts';
import { once } from '../../lib/once.ts';
import { type Cache, defineCacheKind } from '../cache/cache.ts';
import { contentKey } from '../cache/content-key.ts';
import { pairSections } from '../history/diff-pages.ts';
import type { PageOutline } from '../history/page-outline.ts';
import type { LanguageHistory, OutlineOf, PageMove, ReleasePage, ReleasePages } from '../history/release-changes.ts';
import type { PageSection, Ref } from '../model.ts';
import { type MatchedSections, matchSections, prepareSections } from '../translations/match-sections.ts';
import {
  type Moment,
  type TracedPage,
  type TranslationState,
  traceTranslation,
} from '../translations/trace-translation.ts';
import {
  type BoardPlace,
  type BoardState,
  buildBoard,
  type TranslationBoard,
} from '../translations/translation-board.ts';
import type { Translated } from './build-summary.ts';
import { type MovedPages, own } from './versions/build-notes.ts';

/** A version of the site; names are those for readers. */
export interface TranslatedVersion {
  readonly name: string;
  readonly slug: string;
  /** See `VersionNotes`. */
  readonly moved: Readonly<Record<string, MovedPages>> | undefined;
}

export interface TranslationTools {
  readonly cache: Pick<Cache, 'recall' | 'keep'>;
  /** Returns the sections of a page by its key. */
  readonly prepare: (key: string) => MatchedSections;
}

/** Pages whose sections are kept from one build to the next: a preview plans all boards after each save. */
const MAX_PREPARED = 2_000;

/** Creates the tools; `readSections` returns the text of a page by its key. */
export function createTranslationTools(
  cache: TranslationTools['cache'],
  readSections: (key: string) => readonly PageSection[],
): TranslationTools {
  const known = createBoundedMap<string, MatchedSections>({ maxEntries: MAX_PREPARED });
  return {
    cache,
    prepare(key) {
      const sections = known.get(key) ?? prepareSections(readSections(key));
      known.set(key, sections);
      return sections;
    },
  };
}

/** A board that is made when it is first asked for. */
export interface PlannedBoard {
  /** Code of the language. */
  readonly language: string;
  /** Hash of all that decides what is in it. */
  readonly key: string;
  readonly make: () => TranslationBoard;
}

/**
 * Plans the boards of all languages but the default one: how each translation stands in each version, by what became of it and of its
 * original in the versions before.
 */
export function planTranslations(
  /** In readers' order, the latest first. */
  versions: readonly TranslatedVersion[],
  /** By language code, the default one first. */
  histories: ReadonlyMap<string, LanguageHistory>,
  { engineVersion, translations }: { readonly engineVersion: string; readonly translations: TranslationTools },
): readonly PlannedBoard[] {
  const [main, ...others] = histories;
  if (!main || others.length === 0) return [];
  const [originalCode, originals] = main;
  const byName = new Map(versions.map((version) => [version.name, version]));
  const judge = createJudge(translations, originals.outlineOf);
  return others.flatMap(([language, history]) => {
    const translated = new Set(history.versions);
    const sidesOf = (name: string): TwoSides => {
      const { moved } = byName.get(name)!;
      return {
        version: name,
        originals: originals.pagesOf(name),
        translations: translated.has(name) ? history.pagesOf(name) : undefined,
        moved: (moved && own(moved, language)) ?? {},
      };
    };
    const having = versions.filter(({ name }) => translated.has(name) && originals.versions.includes(name));
    if (having.length === 0) return [];
    const line = originals.versions.map((name) => [name, originals.baseOf(name), identifySides(sidesOf(name))]);
    const shown = having.map(({ name, slug }) => [name, slug]);
    const key = contentKey('board', engineVersion, JSON.stringify([language, originalCode, shown, line]));
    return [{ language, key, make: once(() => makeBoard(language, having, sidesOf)) }];
  });

  function makeBoard(
    language: string,
    having: readonly TranslatedVersion[],
    sidesOf: (name: string) => TwoSides,
  ): TranslationBoard {
    const known = new Map<string, KnownVersion>();
    for (const name of originals.versions) {
      const base = known.get(originals.baseOf(name) ?? '');
      const paired = pairPages(sidesOf(name));
      const isSame = base?.paired.id === paired.id;
      const stands = isSame ? base : continuePages(base, paired, originals.changesOf(name)?.moved ?? []);
      known.set(name, { paired, pages: stands.pages, followed: stands.followed });
    }
    // Versions with the same pages share a list.
    const lists = new Map<readonly KnownPage[], number[]>();
    for (const [at, { name }] of having.entries()) {
      const { pages } = known.get(name)!;
      lists.set(pages, [...(lists.get(pages) ?? []), at]);
    }
    const places = [...lists].map(([pages, numbers]) => ({
      versions: numbers,
      pages: pages.map(({ path, pair, past }): BoardPlace => {
        const title = (pair.translation ?? pair.original).title;
        return { path, original: pair.original.path, title, ...judge(past) };
      }),
    }));
    return buildBoard({ language, original: originalCode }, having, places);
  }
}

/** Returns how the translations of versions stand, in their order; makes all boards. */
export function listTranslated(
  boards: readonly PlannedBoard[],
  versions: readonly { readonly ref: Ref; readonly name: string }[],
): readonly Translated[] {
  const found = boards.map(({ language, make }) => {
    return { language, counts: new Map(make().versions.map(({ name, slug: _slug, ...counts }) => [name, counts])) };
  });
  return versions.flatMap(({ ref, name }) =>
    found.flatMap(({ language, counts }) => {
      const own = counts.get(name);
      return own ? [{ ref: ref.name, language, ...own }] : [];
    }),
  );
}

interface Pair {
  readonly original: ReleasePage;
  readonly translation: ReleasePage | undefined;
}

/** The pages of a version in two languages. */
interface PairedPages {
  readonly version: string;
  /** Equal where all of them are. */
  readonly id: string;
  readonly pages: readonly { readonly path: string; readonly pair: Pair }[];
}

/** The pages of a version in two languages; `translations` are those of a language that has any, and `moved` has those with other paths. */
interface TwoSides {
  readonly version: string;
  readonly originals: ReleasePages;
  readonly translations: ReleasePages | undefined;
  readonly moved: MovedPages;
}

function identifySides({ originals, translations, moved }: TwoSides): string {
  return [originals.id, translations?.id, JSON.stringify(moved)].join(' ');
}

/** Pairs the pages of a version that readers can find with their translations. */
function pairPages(sides: TwoSides): PairedPages {
  const paths = new Map(Object.entries(sides.moved).map(([path, original]) => [original, path]));
  const translations = new Map(sides.translations?.pages.map((page) => [page.path, page]));
  return {
    version: sides.version,
    id: identifySides(sides),
    pages: sides.originals.pages
      .filter((page) => !page.isHidden)
      .map((original) => {
        const path = paths.get(original.path) ?? original.path;
        const found = translations.get(path);
        return { path, pair: { original, translation: found?.isFallback ? undefined : found } };
      }),
  };
}

/** A page with all that it and its translation were before, as far as either changed. Versions share their pasts. */
interface Past {
  /** Undefined = there was no such page. */
  readonly pair: Pair | undefined;
  /** Names of the first version in which it was so, and of the one before. */
  readonly version: string;
  readonly versionBefore: string | undefined;
  readonly before: Past | undefined;
}

interface KnownPage {
  readonly path: string;
  readonly pair: Pair;
  readonly past: Past;
}

interface KnownVersion {
  readonly paired: PairedPages;
  readonly pages: readonly KnownPage[];
  /** The pasts of its pages, and of those that are gone, by the paths of originals. */
  readonly followed: ReadonlyMap<string, Past>;
}

function continuePages(
  base: KnownVersion | undefined,
  { version, pages }: PairedPages,
  moves: readonly PageMove[],
): Omit<KnownVersion, 'paired'> {
  const versionBefore = base?.paired.version;
  const followed = new Map(base?.followed);
  for (const { from } of moves) followed.delete(from);
  for (const { from, to } of moves) {
    const past = base?.followed.get(from);
    if (past) followed.set(to, past);
  }
  const known = pages.map(({ path, pair }): KnownPage => {
    const before = followed.get(pair.original.path);
    const isSame = before?.pair && isSamePair(before.pair, pair);
    const past = isSame ? before : { pair, version, versionBefore, before };
    followed.set(pair.original.path, past);
    return { path, pair, past };
  });
  const there = new Set(pages.map(({ pair }) => pair.original.path));
  for (const [path, before] of followed) {
    if (before.pair && !there.has(path)) followed.set(path, { pair: undefined, version, versionBefore, before });
  }
  return { pages: known, followed };
}

function isSamePair(one: Pair, other: Pair): boolean {
  return (
    identify(one.original) === identify(other.original) && identify(one.translation) === identify(other.translation)
  );
}

/** Returns what determines the text of a page. */
function identify(page: ReleasePage | undefined): string {
  return page ? `${page.key} ${page.lead ?? ''}` : '';
}

/** How a page and its translation stood after each change of either. */
const TRACE = defineCacheKind<readonly (TranslationState | null)[]>('translation', { maxEntries: 20_000 });

/** A page as it is traced; one without an outline differs from others and has no sections. */
interface Text extends TracedPage {
  /** See `identify`. */
  readonly id: string;
  readonly key: string;
  readonly outline: PageOutline | undefined;
}

/** Creates a function that returns how a translation stands after its past. What is known of a past is cached. */
function createJudge(
  { cache, prepare: prepareAll }: TranslationTools,
  outlineOf: OutlineOf,
): (past: Past) => Pick<BoardPlace, 'state' | 'lacking'> {
  const texts = new Map<string, Text>();
  const judged = new Map<Past, Pick<BoardPlace, 'state' | 'lacking'>>();
  const sectionPairs = new Map<string, ReturnType<typeof pairSections>>();
  return (past) => {
    if (!judged.has(past)) judge(listPasts(past));
    return judged.get(past)!;
  };

  /** Newer versions come first, as a rule: what is found out of a past is true of all before it. */
  function judge(pasts: readonly Past[]): void {
    const parts = [JSON.stringify(pasts.map(({ pair }) => [identify(pair?.original), identify(pair?.translation)]))];
    const states = cache.recall(TRACE, parts) ?? traceAnew(pasts, parts);
    for (const [at, past] of pasts.entries()) {
      if (!judged.has(past)) judged.set(past, presentState(states[at]!, pasts));
    }
  }

  function traceAnew(pasts: readonly Past[], parts: readonly string[]): readonly (TranslationState | null)[] {
    const moments = pasts.map(
      ({ pair }): Moment<Text> => ({
        original: pair && findText(pair.original),
        translation: pair?.translation && findText(pair.translation),
      }),
    );
    const states = traceTranslation(moments, { match, countChanged }).map((state) => state ?? null);
    const isWhole = moments
      .flatMap(({ original, translation }) => [original, translation])
      .every((text) => !text || text.outline);
    return isWhole ? cache.keep(TRACE, parts, states) : states;
  }

  function findText(page: ReleasePage): Text {
    const id = identify(page);
    let text = texts.get(id);
    if (!text) {
      const outline = outlineOf(page);
      text = { id, key: page.key, outline, hash: outline?.hash ?? id, sections: outline?.sections ?? [] };
      texts.set(id, text);
    }
    return text;
  }

  /** An outline may have fewer sections than its page. */
  function prepare({ key, outline }: Text): MatchedSections {
    return outline ? prepareAll(key).slice(0, outline.sections.length) : [];
  }

  function match(original: Text, translation: Text) {
    return matchSections(prepare(original), prepare(translation));
  }

  function countChanged([before, from]: readonly [Text, number], [after, to]: readonly [Text, number]): number {
    const [one, other] = [before.sections[from]!, after.sections[to]!];
    // Not by their hashes: pages that say the same may have other ids.
    const id = `${before.id}\n${after.id}`;
    const pairs = sectionPairs.get(id) ?? pairSections(before.outline!, after.outline!);
    sectionPairs.set(id, pairs);
    const pair = pairs.find((known) => known.to.id === other.id);
    return Math.max(one.words, other.words) * (1 - (pair?.similarity ?? 0));
  }
}

/** Returns a past with those before it, the oldest first. */
function listPasts(last: Past): readonly Past[] {
  const pasts: Past[] = [];
  for (let past: Past | undefined = last; past; past = past.before) pasts.push(past);
  return pasts.reverse();
}

/** Names the versions that a state is about. */
function presentState(state: TranslationState | null, pasts: readonly Past[]): Pick<BoardPlace, 'state' | 'lacking'> {
  const nameOf = (place: number): string => pasts[place]!.version;
  if (!state || state.state === 'current') return { state: { state: 'current' }, lacking: 0 };
  if (state.state === 'missing') return { state: { state: 'missing', since: nameOf(state.since) }, lacking: 1 };
  const { since, inStep, amount, sections } = state;
  // What was so until something changed was so in the version before.
  const stepOf = (place: number | undefined): { readonly inStep?: string } =>
    place === undefined ? {} : { inStep: pasts[place + 1]!.versionBefore! };
  const behind: BoardState = {
    state: 'behind',
    since: nameOf(since),
    ...stepOf(inStep),
    amount: Math.max(0.001, Math.round(amount * 1000) / 1000),
    sections: sections.map(({ state, id, heading, ...section }) => ({
      state,
      id,
      heading,
      since: nameOf(section.since),
      ...stepOf(section.inStep),
    })),
  };
  return { state: behind, lacking: amount };
}
