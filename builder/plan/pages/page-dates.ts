import { append } from '../../../lib/append.ts';
import { createBoundedMap, createWorkMemory } from '../../../lib/bounded-map.ts';
import { BuildError } from '../../build-error.ts';
import type { Cache } from '../../cache/cache.ts';
import { contentKey } from '../../cache/content-key.ts';
import type { CommitPast, PastReader, TreeEntry } from '../../model.ts';
import { isPageFile } from '../../page-path.ts';

export interface DatedFolder {
  /** From the repository's root, with a final `/`, or ''. */
  readonly folder: string;
  /** Only files directly in the folder are pages. */
  readonly isFlat: boolean;
}

/** Returns when a page was written, in seconds since 1970; undefined where the past of its version does not say. */
export type PageDates = (path: string, oid: string) => number | undefined;

interface LogEntry {
  readonly parents: readonly string[];
  readonly time: number;
  /** Keys of pages that are in it and in none of its parents, see `pageKey`; undefined where something is missing. */
  readonly pages: readonly string[] | undefined;
}

/** Changes of a history: those of a commit and all before it, or none of them. */
interface Log {
  /** By their shortened ids. */
  readonly commits: Map<string, LogEntry>;
  /** Nothing is missing or left out. */
  readonly isWhole: boolean;
  /** The parents, by their whole ids, of its commits that no whole log in the cache has. */
  recent: Map<string, readonly string[]>;
  /** Commits at which whole logs are in the cache, which have all others. */
  bases: Set<string>;
}

/** More of a history is not read: dates of pages that are older are not shown. */
const MAX_COMMITS = 50_000;
/** A whole log is stored again after this many new commits; until then, only these are. */
const MIN_NEW_COMMITS = 50;
/** How far back a stored log is looked for. */
const MAX_STEPS_BACK = 400;
/** Trees in memory: those of a commit are needed for the one after it, too. */
const MAX_TREES = 2_000;

/** Whole logs of earlier builds of this process, by repository and folder: what is true of a commit stays true. */
const wholeLogs = createBoundedMap<string, Log>({ maxWeight: 2 * MAX_COMMITS, weigh: ({ commits }) => commits.size });

/**
 * Returns a function that reads the dates of a version's pages. The date of a page is that of the first commit in the past of
 * its version in which it is as it is now, so that versions with the same page agree on it, whatever came after. Each commit is
 * read once for all versions and builds of the process; a log of commits is kept in the cache if nothing of the history is
 * missing.
 */
export function createPageDates(
  reader: PastReader | undefined,
  /** `repository`: the location by which the process knows it again. */
  { cache, repository }: { readonly cache: Cache; readonly repository: string },
): (oid: string, folder: DatedFolder) => Promise<PageDates> {
  const logs = new Map<string, Promise<Log>>();
  const recent = new Map<string, { readonly commit: string; readonly times: ReadonlyMap<string, number> }>();
  return async (oid, place) => {
    const commit = reader?.find(oid);
    if (!reader || commit === undefined) return () => undefined;
    const { base = '' } = reader;
    const folder: DatedFolder = { ...place, folder: base + place.folder };
    const name = JSON.stringify([repository, folder.folder, folder.isFlat]);
    let known = recent.get(name);
    if (known?.commit !== commit) {
      const before = logs.get(name) ?? Promise.resolve(wholeLogs.get(name) ?? createLog());
      const extended = before.then((log) => extendLog(log, { commit, folder, reader }));
      logs.set(name, extended);
      const log = await extended;
      if (log.isWhole) wholeLogs.set(name, log);
      known = { commit, times: collectTimes(log, commit) };
      recent.set(name, known);
    }
    const { times } = known;
    return (path, blob) => times.get(pageKey(base + path, blob));
  };

  /** Adds a commit and all before it to a log; where something is missing, to a copy that serves this build alone. */
  async function extendLog(
    log: Log,
    { commit, folder, reader }: { readonly commit: string; readonly folder: DatedFolder; readonly reader: PastReader },
  ): Promise<Log> {
    if (log.commits.has(shorten(commit))) return log;
    const keyOf = (oid: string): string => cache.key('history', [folder.folder, String(folder.isFlat), oid]);
    const history = openHistory(reader);
    /** Another build may read the log meanwhile, which must not see a commit without those before it. */
    const added = createLog();
    const isKnown = (id: string): boolean => log.commits.has(id) || added.commits.has(id);
    const addStored = (oid: string): StoredLog | undefined => {
      const stored = cache.read(keyOf(oid), parseLog);
      for (const [id, entry] of stored?.commits ?? []) if (!isKnown(id)) added.commits.set(id, entry);
      if (stored && !stored.bases) added.bases.add(oid);
      return stored;
    };
    const waiting = [commit];
    let read = 0;
    while (waiting.length > 0 && log.commits.size + added.commits.size < MAX_COMMITS) {
      const oid = waiting.pop()!;
      const id = shorten(oid);
      if (isKnown(id)) continue;
      const stored = read < MAX_STEPS_BACK ? addStored(oid) : undefined;
      if (stored) {
        for (const base of stored.bases ?? []) addStored(base);
        for (const [recent, parents] of stored.recent) {
          added.recent.set(recent, parents);
          // They are in the base, unless the cache has dropped it.
          append(waiting, parents);
        }
        continue;
      }
      const past = await history.readCommit(oid);
      read++;
      const parents = past?.parents ?? [];
      append(waiting, parents);
      const pages = past?.parents && (await listNewPages(past.tree, past.parents, folder, history));
      added.commits.set(id, { parents: parents.map(shorten), time: past?.time ?? 0, pages });
      added.recent.set(id, parents);
    }
    // History that is missing today may be there tomorrow: `git fetch --unshallow`.
    const isWhole = waiting.length === 0 && [...added.commits.values()].every(({ pages }) => pages !== undefined);
    const longer = isWhole || !log.isWhole ? log : { ...log, commits: new Map(log.commits), isWhole };
    for (const [id, entry] of added.commits) longer.commits.set(id, entry);
    if (!longer.isWhole) return longer;
    for (const [id, parents] of added.recent) longer.recent.set(id, parents);
    for (const base of added.bases) longer.bases.add(base);
    if (read > 0) store(longer, commit, keyOf(commit));
    return longer;
  }

  function store(log: Log, commit: string, key: string): void {
    cache.set(key, Buffer.from(writeLog(log)));
    if (log.recent.size <= MIN_NEW_COMMITS) return;
    log.recent = new Map();
    log.bases = new Set([commit]);
  }
}

function createLog(): Log {
  return { commits: new Map(), isWhole: true, recent: new Map(), bases: new Set() };
}

/** Returns undefined where the repository lacks what it takes to know them. */
async function listNewPages(
  tree: string,
  parents: readonly string[],
  folder: DatedFolder,
  { readCommit, readTree }: History,
): Promise<readonly string[] | undefined> {
  const trees: (string | undefined)[] = [];
  for (const oid of parents) trees.push((await readCommit(oid))?.tree);
  if (trees.includes(undefined)) return undefined;
  const pages: string[] = [];
  try {
    await compareTrees(tree, trees, '', { folder, readTree, pages });
    return pages;
  } catch (error) {
    return ignoreDamage(error);
  }
}

function ignoreDamage(error: unknown): undefined {
  if (!(error instanceof BuildError)) throw error;
}

/** Collects the pages below a tree that are in none of the trees of its parents. */
async function compareTrees(
  tree: string,
  parents: readonly (string | undefined)[],
  path: string,
  context: { readonly folder: DatedFolder; readonly readTree: TreeMemory; readonly pages: string[] },
): Promise<void> {
  if (parents.includes(tree)) return;
  const { folder, readTree, pages } = context;
  const others = await Promise.all(parents.map((oid) => (oid === undefined ? undefined : readTree(oid))));
  for (const [name, { kind, oid }] of await readTree(tree)) {
    const own = path + name;
    if (kind === 'folder') {
      const inner = `${own}/`;
      const isAround = folder.folder.startsWith(inner);
      if (!isAround && (folder.isFlat || !inner.startsWith(folder.folder))) continue;
      const below = others
        .map((entries) => entries?.get(name))
        .map((entry) => (entry?.kind === 'folder' ? entry.oid : undefined));
      await compareTrees(oid, below, inner, context);
    } else if (
      path.startsWith(folder.folder) &&
      isPageFile(name) &&
      others.every((entries) => entries?.get(name)?.oid !== oid)
    ) {
      pages.push(pageKey(own, oid));
    }
  }
}

interface History {
  /** Without what is missing in a partial or damaged repository, pages have no date. */
  readonly readCommit: (oid: string) => Promise<CommitPast | undefined>;
  readonly readTree: TreeMemory;
}

type TreeMemory = (oid: string) => Promise<ReadonlyMap<string, TreeEntry>>;

/** A commit is read as a parent first. */
function openHistory(reader: PastReader): History {
  const recallCommit = createWorkMemory<string, CommitPast | undefined>({ maxEntries: MAX_COMMITS });
  const recallTree = createWorkMemory<string, ReadonlyMap<string, TreeEntry>>({ maxEntries: MAX_TREES });
  return {
    readCommit: async (oid) => recallCommit(oid, () => reader.readCommit(oid).catch(ignoreDamage)),
    readTree: async (oid) =>
      recallTree(oid, async () => new Map((await reader.readTree(oid)).map((entry) => [entry.name, entry]))),
  };
}

/** Returns the first time of each page in the past of a commit. */
function collectTimes({ commits }: Log, commit: string): ReadonlyMap<string, number> {
  const times = new Map<string, number>();
  const seen = new Set<string>();
  const waiting = [shorten(commit)];
  while (waiting.length > 0) {
    const id = waiting.pop()!;
    const entry = commits.get(id);
    if (!entry || seen.has(id)) continue;
    seen.add(id);
    append(waiting, entry.parents);
    for (const page of entry.pages ?? []) times.set(page, Math.min(entry.time, times.get(page) ?? entry.time));
  }
  return times;
}

/** Of 50,000 commits, two agree in 60 bits with a probability of one in a billion. */
function shorten(oid: string): string {
  return oid.slice(0, 15);
}

function pageKey(path: string, oid: string): string {
  return contentKey(path, oid).slice(0, 15);
}

/** A log as the cache has it. */
interface StoredLog extends Pick<Log, 'commits' | 'recent'> {
  /** Where the logs are that have the commits before these; undefined where nothing is before them. */
  readonly bases: readonly string[] | undefined;
}

/** First line of a whole log, in place of its bases. */
const WHOLE = 'whole';

/** Writes a whole log, or where few commits are new, these: a line for the bases, and one for each commit's id, time, parents and pages. */
function writeLog({ commits, recent, bases }: Log): string {
  const isWhole = recent.size > MIN_NEW_COMMITS;
  const lines = [...(isWhole ? commits.keys() : recent.keys())].map((id) => {
    const { time, parents, pages } = commits.get(id)!;
    return `${id} ${time} ${(isWhole ? parents : recent.get(id)!).join(',')} ${pages?.join(',')}`;
  });
  return [isWhole ? WHOLE : [...bases].join(','), ...lines].join('\n');
}

function parseLog(stored: Buffer): StoredLog {
  const list = (joined: string | undefined): readonly string[] => (joined ? joined.split(',') : []);
  const [first, ...lines] = stored.toString().split('\n');
  const isWhole = first === WHOLE;
  const commits = new Map<string, LogEntry>();
  const recent = new Map<string, readonly string[]>();
  for (const line of lines) {
    const [id, time, joined, pages] = line.split(' ');
    const parents = list(joined);
    commits.set(id!, { parents: isWhole ? parents : parents.map(shorten), time: Number(time), pages: list(pages) });
    if (!isWhole) recent.set(id!, parents);
  }
  return { commits, recent, bases: isWhole ? undefined : list(first) };
}
