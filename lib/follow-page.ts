/**
 * Where pages and sections went from a version's base to that version. Ids of sections: '' = the beginning. Paths are those inside a
 * release, or numbers that stand for them.
 */
export interface VersionMoves<Path = string> {
  readonly moved?: readonly (readonly [from: Path, to: Path])[];
  /** Removed pages whose text stands in a section of another page. */
  readonly merged?: readonly (readonly [from: Path, to: Path, section: string])[];
  /** New pages whose text stood in a section of another page. */
  readonly split?: readonly (readonly [from: Path, section: string, to: Path])[];
  readonly sections?: readonly (readonly [from: Path, fromSection: string, to: Path, toSection: string])[];
  /** Old paths at which authors lead readers on themselves. */
  readonly led?: readonly Path[];
}

/** The versions of one language. */
export interface PageVersions<Path = string> {
  /** Returns the version that a version follows. */
  readonly baseOf: (version: string) => string | undefined;
  readonly movesOf: (version: string) => VersionMoves<Path> | undefined;
  /** Returns whether a version has a file at a path. */
  readonly has: (version: string, path: Path) => boolean;
}

export interface PagePlace<Path = string> {
  readonly path: Path;
  /** Id of a section; '' = the whole page. */
  readonly section: string;
}

/** More versions in a line than any site has; a circle would have no end. */
const MAX_STEPS = 10_000;

/**
 * Follows a page from one version to another, along the line that both are in: back to the version that both come from, then on to the
 * other one. Undefined where it is not in that version: there may be another page at its path then.
 */
export function followPage<Path>(
  versions: PageVersions<Path>,
  from: PagePlace<Path> & { readonly version: string },
  target: string,
): PagePlace<Path> | undefined {
  return createRoute(versions, from.version)(target)(from);
}

/** Follows pages from one version to another one: the way between them is found once for all of them. */
type Route<Path> = (place: PagePlace<Path>) => PagePlace<Path> | undefined;

/** Returns a function that returns the way from a version to another one, see `followPage`. */
export function createRoute<Path>(versions: PageVersions<Path>, source: string): (target: string) => Route<Path> {
  const { baseOf, movesOf, has } = versions;
  const back = listBases(baseOf, source);
  return (target) => {
    const forth = listBases(baseOf, target);
    // Both lines end alike from the version on that both come from.
    let shared = 0;
    while (shared < back.length && shared < forth.length && back.at(-1 - shared) === forth.at(-1 - shared)) shared++;
    const listMoves = (line: readonly string[]) =>
      line.slice(0, shared === 0 ? 0 : -shared).flatMap((version) => movesOf(version) ?? []);
    const [backwards, forwards] = [listMoves(back), listMoves(forth).reverse()];
    return (from) => {
      let place: PagePlace<Path> | undefined = from;
      for (const moves of backwards) place = place && stepBack(moves, place);
      for (const moves of forwards) place = place && stepOn(moves, place);
      return place && has(target, place.path) ? { path: place.path, section: place.section } : undefined;
    };
  };
}

function listBases(baseOf: PageVersions<unknown>['baseOf'], version: string): readonly string[] {
  const line: string[] = [];
  for (let at: string | undefined = version; at !== undefined && line.length < MAX_STEPS; at = baseOf(at))
    line.push(at);
  return line;
}

/** Returns the nearest base of a version that a language has: those that lack it are passed over. */
export function findBase<Version>(
  baseOf: (version: Version) => Version | undefined,
  has: (version: Version) => boolean,
  version: Version,
): Version | undefined {
  let base = baseOf(version);
  for (let left = MAX_STEPS; base !== undefined && !has(base); left--) base = left > 0 ? baseOf(base) : undefined;
  return base;
}

function stepBack<Path>(moves: VersionMoves<Path>, place: PagePlace<Path>): PagePlace<Path> | undefined {
  const { path, section } = place;
  const { back, isLeft } = indexMoves(moves);
  const found = (section !== '' && back.get(`${path}\0${section}`)) || back.get(`${path}`);
  if (found) return keepSection(found, section);
  // The page that was there went elsewhere.
  return isLeft.has(path) ? undefined : place;
}

function stepOn<Path>(moves: VersionMoves<Path>, place: PagePlace<Path>): PagePlace<Path> | undefined {
  const { path, section } = place;
  const { on, isLed, isTaken } = indexMoves(moves);
  if (isLed.has(path)) return place;
  const found = (section !== '' && on.get(`${path}\0${section}`)) || on.get(`${path}`);
  if (found) return keepSection(found, section);
  // Another page has come there.
  return isTaken.has(path) ? undefined : place;
}

/** A place to which a whole page has gone, whose sections it still has. */
const WHOLE = undefined;

function keepSection<Path>({ path, section }: MovedPlace<Path>, own: string): PagePlace<Path> {
  return { path, section: section ?? own };
}

interface MovedPlace<Path> {
  readonly path: Path;
  readonly section: string | undefined;
}

interface MoveIndex<Path> {
  /** By paths, and by paths with a NUL and the id of a section. */
  readonly back: ReadonlyMap<string, MovedPlace<Path>>;
  readonly on: ReadonlyMap<string, MovedPlace<Path>>;
  readonly isLeft: ReadonlySet<Path>;
  readonly isTaken: ReadonlySet<Path>;
  readonly isLed: ReadonlySet<Path>;
}

const indexes = new WeakMap<object, MoveIndex<unknown>>();

function indexMoves<Path>(moves: VersionMoves<Path>): MoveIndex<Path> {
  const known = indexes.get(moves) as MoveIndex<Path> | undefined;
  if (known) return known;
  const { moved = [], merged = [], split = [], sections = [], led = [] } = moves;
  const back = new Map<string, MovedPlace<Path>>();
  const on = new Map<string, MovedPlace<Path>>();
  for (const [path, section, to] of split) back.set(`${to}`, { path, section });
  for (const [from, path, section] of merged) on.set(`${from}`, { path, section });
  for (const [from, to] of moved) {
    back.set(`${to}`, { path: from, section: WHOLE });
    on.set(`${from}`, { path: to, section: WHOLE });
  }
  for (const [from, fromSection, to, toSection] of sections) {
    const [one, other] = [`${from}\0${fromSection}`, `${to}\0${toSection}`];
    // Of several, the first.
    if (!on.has(one)) on.set(one, { path: to, section: toSection });
    if (!back.has(other)) back.set(other, { path: from, section: fromSection });
  }
  const index = {
    back,
    on,
    isLeft: new Set(moved.map(([from]) => from)),
    isTaken: new Set(moved.map(([, to]) => to)),
    isLed: new Set(led),
  };
  indexes.set(moves, index);
  return index;
}

/** Where a page is in another version, and where those of its sections are that have gone elsewhere, by their ids. */
export interface FollowedPage<Path = string> extends PagePlace<Path> {
  readonly sections: readonly (readonly [id: string, place: PagePlace<Path>])[];
}

/** Sections of a page that are followed by themselves. */
const MAX_SECTIONS = 100;

/**
 * Returns a function that follows a page to any version. A page that its own version has not is followed from the nearest one before, or
 * the first of `names`, that has it.
 */
export function followFrom<Path>(
  versions: PageVersions<Path>,
  { version, path }: { readonly version: string; readonly path: Path },
  names: readonly string[],
): (target: string) => FollowedPage<Path> | undefined {
  const source = [...listBases(versions.baseOf, version), ...names].find((name) => versions.has(name, path)) ?? version;
  const ids = new Set(
    names.flatMap((name) => {
      const rows = versions.movesOf(name)?.sections ?? [];
      return rows.flatMap(([from, id, to, toId]) => [...(from === path ? [id] : []), ...(to === path ? [toId] : [])]);
    }),
  );
  const own = [...ids].filter(Boolean).slice(0, MAX_SECTIONS);
  const routeTo = createRoute(versions, source);
  return (target) => {
    const follow = routeTo(target);
    const whole = follow({ path, section: '' });
    const sections = own.flatMap((id): FollowedPage<Path>['sections'] => {
      const place = follow({ path, section: id });
      return place && (place.path !== whole?.path || place.section !== id) ? [[id, place]] : [];
    });
    return whole && { ...whole, sections };
  };
}

/** Returns moves with other names for their paths. */
export function renamePaths<From, To>(
  {
    moved,
    merged,
    split,
    sections,
    led,
  }: { readonly [Kind in keyof VersionMoves<From>]: VersionMoves<From>[Kind] | undefined },
  nameOf: (path: From) => To,
): VersionMoves<To> {
  return {
    ...(moved && { moved: moved.map(([from, to]) => [nameOf(from), nameOf(to)] as const) }),
    ...(merged && { merged: merged.map(([from, to, section]) => [nameOf(from), nameOf(to), section] as const) }),
    ...(split && { split: split.map(([from, section, to]) => [nameOf(from), section, nameOf(to)] as const) }),
    ...(sections && {
      sections: sections.map(([from, id, to, toId]) => [nameOf(from), id, nameOf(to), toId] as const),
    }),
    ...(led && { led: led.map(nameOf) }),
  };
}

/** Returns the path, below the theme's own files, of a file with the history of a language's pages; its number is `bucketOfPath`. */
export function historyFile(language: string, bucket: number): string {
  return `history/${language}/${bucket}.json`;
}

/** Returns the number of the file that has the history of the page at a path; `buckets` is a power of two. */
export function bucketOfPath(path: string, buckets: number): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < path.length; at++) hash = Math.imul(hash ^ path.charCodeAt(at), 0x01000193);
  return (hash ^ (hash >>> 15)) & (buckets - 1);
}
