import { renamePaths, type VersionMoves } from '../../lib/follow-page.ts';
import { rankVersions } from '../../lib/version-name.ts';

export interface VersionIndexInput {
  readonly title: string;
  /** URL of the repository, without credentials; undefined = none to show. */
  readonly gitUrl: string | undefined;
  /** Name of the version that `latest` stands for. */
  readonly latest: string;
  readonly single: boolean;
  /** Language codes, the default one first. */
  readonly languages: readonly string[];
  /** The BCP 47 tags of the codes. */
  readonly tags: Readonly<Record<string, string>>;
  /** In readers' order. */
  readonly versions: readonly {
    /** For readers. */
    readonly name: string;
    /** Name of its branch or tag where that is another one. */
    readonly ref?: string;
    readonly kind: 'branch' | 'tag' | 'worktree';
    readonly slug: string;
    /** Paths of the HTML files by language, from the release's root. */
    readonly pages: ReadonlyMap<string, readonly string[]>;
    /** By language, translations whose paths differ from those of their originals, with these. */
    readonly moved?: ReadonlyMap<string, Readonly<Record<string, string>>>;
  }[];
  /** The versions that others follow, by their names. */
  readonly bases?: ReadonlyMap<string, string>;
  /** By language: number of the files with the history of pages, and where pages went, by the names of versions. */
  readonly history?: ReadonlyMap<
    string,
    { readonly buckets: number; readonly moves: Readonly<Record<string, VersionMoves>> }
  >;
}

/**
 * Returns `versions.json`, which the nav button reads where there is no API: `{format, title, url, hideGit, latest, single,
 * languages, refs: {name: {kind, slug, ref, family, rank, isAhead, base}}, versions: {language: [names]}, tags: {language: BCP 47 tag}, paths,
 * lists, moved, pages: {language: {name: list}}, moves: {language: {name: moves}}, history: {language: files}, translated: {language: {name:
 * percent}}}`. `ref` is the name of the branch or tag where readers call it otherwise. Names begin with `latest`, then branches, then tags;
 * `lists` are places in `paths`, and equal ones are shared. `moved` has, by the number of a list, places of translations, each before that
 * of the page that it translates, if that has another path. `family` and `rank` tell which version is older than another one, see
 * `VersionRank`; a pre-release, or what is newer than `latest`, `isAhead` and makes nothing old. `base` is the version that it is compared
 * with, `moves` has `VersionMoves` from there, with places in `paths`, and `history` how many files have the history of pages, see
 * `historyFile`. What is '', false or empty is left out, as are places in the order of versions of other names.
 */
export function buildVersionIndex(input: VersionIndexInput): string {
  const paths = new Map<string, number>();
  const lists = new Map<string, number>();
  const moved = new Map<number, readonly number[]>();
  const placed = new Map<readonly string[], number>();
  const number = <T>(seen: Map<T, number>, item: T): number => {
    const known = seen.get(item);
    if (known !== undefined) return known;
    seen.set(item, seen.size);
    return seen.size - 1;
  };
  const branches = input.versions.filter(({ kind }) => kind !== 'tag');
  const ordered = [...branches, ...input.versions.filter(({ kind }) => kind === 'tag')];
  const ranks = rankVersions(ordered.map(({ name, ref = name, kind }) => ({ name: ref, isBranch: kind !== 'tag' })));
  const newest = ranks.get(input.versions.find(({ name }) => name === input.latest)?.ref ?? input.latest);
  const placeOf = (ref: string) => {
    const own = ranks.get(ref);
    if (!own) return {};
    // Whoever says which version is the latest one knows better than its number.
    const isAhead =
      own.isPreRelease || (own.family === newest?.family && !newest.isPreRelease && own.rank > newest.rank);
    return { rank: own.rank, ...(own.family !== '' && { family: own.family }), ...(isAhead && { isAhead }) };
  };
  const baseOf = (name: string) => {
    const base = input.bases?.get(name);
    return base === undefined ? {} : { base };
  };
  const versions: [string, string[]][] = [];
  const pages: [string, Record<string, number>][] = [];
  for (const language of input.languages) {
    const having = ordered.filter((version) => version.pages.has(language));
    if (having.length === 0) continue;
    const hasLatest = !input.single && having.some(({ name }) => name === input.latest);
    versions.push([language, [...(hasLatest ? ['latest'] : []), ...having.map(({ name }) => name)]]);
    const places = having.map((version): [string, number] => [
      version.name,
      placeList(version.pages.get(language)!, version.moved?.get(language)),
    ]);
    pages.push([language, Object.fromEntries(places)]);
  }
  const histories = [...(input.history ?? [])].filter(([language]) => pages.some(([code]) => code === language));
  const moves = histories.flatMap(([language, own]) => {
    const placedMoves = Object.entries(own.moves).map(
      ([name, all]) => [name, renamePaths(all, (path) => number(paths, path))] as const,
    );
    return placedMoves.length === 0 ? [] : [[language, Object.fromEntries(placedMoves)] as const];
  });
  return JSON.stringify({
    format: 1,
    title: input.title,
    url: input.gitUrl ?? null,
    hideGit: input.gitUrl === undefined,
    latest: input.latest,
    single: input.single,
    languages: versions.map(([language]) => language),
    refs: Object.fromEntries(
      ordered.map(({ name, ref = name, kind, slug }) => [
        name,
        { kind, slug, ...(ref !== name && { ref }), ...placeOf(ref), ...baseOf(name) },
      ]),
    ),
    versions: Object.fromEntries(versions),
    tags: Object.fromEntries(versions.map(([language]) => [language, input.tags[language]])),
    paths: [...paths.keys()],
    lists: [...lists.keys()].map((list) => (JSON.parse(list) as [readonly number[]])[0]),
    ...(moved.size > 0 && { moved: Object.fromEntries(moved) }),
    pages: Object.fromEntries(pages),
    ...(moves.length > 0 && { moves: Object.fromEntries(moves) }),
    ...(histories.length > 0 && { history: Object.fromEntries(histories.map(([code, own]) => [code, own.buckets])) }),
  });

  function placeList(list: readonly string[], pairs: Readonly<Record<string, string>> | undefined): number {
    const known = pairs === undefined ? placed.get(list) : undefined;
    if (known !== undefined) return known;
    const own = list.map((path) => number(paths, path));
    const places = Object.entries(pairs ?? {}).flatMap((pair) => pair.map((path) => number(paths, path)));
    const place = number(lists, JSON.stringify([own, places]));
    if (places.length > 0) moved.set(place, places);
    else placed.set(list, place);
    return place;
  }
}

/** Adds to `versions.json`, by language and name of the version, how much of the original readers find in the translation, in percent. */
export function addTranslated(
  index: string,
  translated: Readonly<Record<string, Readonly<Record<string, number>>>>,
): string {
  return `${index.slice(0, -1)},"translated":${JSON.stringify(translated)}}`;
}
