import { BuildError, type BuildErrorCode } from '../../build-error.ts';
import type { FetchListener, Ref, Repository, Warning } from '../../model.ts';
import { chooseLatest, sortVersions } from '../../refs/sort-versions.ts';
import type { StageClock } from '../progress.ts';
import type { SiteSettings } from '../site-options.ts';
import { type BuildNotes, type FailedVersion, own, type VersionNotes } from './build-notes.ts';
import { toVersionError } from './version-failures.ts';
import type { Version } from './version-source.ts';

/** Failures that a version has for as long as it stays the same; others may be temporary. */
const LASTING: ReadonlySet<BuildErrorCode> = new Set(['too-many-files', 'unsafe-name', 'output-limit']);
/** Failures of versions that are valid in themselves: neither another commit nor the published files can replace them. */
const FOR_OTHERS: ReadonlySet<BuildErrorCode> = new Set(['slug-taken', 'output-limit']);

export interface ChosenVersion extends Version {
  /** Its published files stay, since it cannot be read. */
  readonly isFixed: boolean;
}

/** The commit that is published of each version: that of its ref or, if it cannot be built, the one published before. */
export interface VersionChoices {
  /** The versions as they stand, in no order. */
  readonly versions: readonly ChosenVersion[];
  /** Tags that do not point to a commit. */
  readonly warnings: readonly Warning[];
  /**
   * Falls back to the next best commit for versions that cannot be built, or leaves them out. Throws the error of a
   * version that is required: the latest, one that the build is for, or the last one left.
   */
  reject(failures: ReadonlyMap<string, BuildError>): Promise<void>;
  /** The version that must not be left out; undefined = any. */
  readonly latest: string | undefined;
  setLatest(name: string): void;
  /** The versions that could not be built, by name. */
  readonly failed: ReadonlyMap<string, FailedVersion>;
}

/** A candidate for publishing as a version. */
type Attempt =
  | { readonly kind: 'commit'; readonly ref: Ref; readonly isExpected: boolean }
  | { readonly kind: 'files'; readonly ref: Ref };

interface Choice {
  readonly ref: Ref;
  /** The remaining candidates, the best first. */
  readonly attempts: Attempt[];
  readonly isEssential: boolean;
  current: Attempt | undefined;
  version: ChosenVersion | undefined;
  error: BuildError | undefined;
}

export async function chooseVersions(options: {
  readonly repository: Pick<Repository, 'fetch' | 'readCommit' | 'refs'>;
  readonly refs: readonly Ref[];
  /** Name of the version that must not be left out, if it is known yet. */
  readonly latest: string | undefined;
  readonly published?: readonly Ref[];
  /** That account counts, not what the last build here was. */
  readonly isShared?: boolean | undefined;
  /** Versions of which it is known that they cannot be built as they are now, by name, and why. */
  readonly rejected?: Iterable<readonly [name: string, error: BuildError]> | undefined;
  /** The refs that the build is for: it fails if one of them cannot be built; undefined = all that can be built. */
  readonly update: readonly string[] | undefined;
  /** The last build, and whether its files can be reused. */
  readonly known: BuildNotes | undefined;
  readonly canKeepFiles: boolean;
  readonly listener: FetchListener;
}): Promise<VersionChoices> {
  const { repository, known, listener, update } = options;
  const warnings: Warning[] = [...warnOfNamesakes(options.refs, repository.refs)];
  const choices = new Map(options.refs.map((ref) => [ref.name, createChoice(ref)]));
  let { latest } = options;

  const failures = new Map([...(options.rejected ?? [])].filter(([name]) => choices.has(name)));
  for (const { ref } of choices.values()) {
    const failed = known && own(known.failed, ref.name);
    const isSame = options.canKeepFiles && failed?.oid === ref.oid && LASTING.has(failed.error.code);
    if (isSame && !(failed.error.code === 'output-limit' && isVersionGone())) failures.set(ref.name, recall(failed));
  }
  const untried = [...choices.values()].filter(({ ref }) => !failures.has(ref.name));
  for (const [name, error] of await fetchEach(untried.map(({ ref }) => ref))) failures.set(name, error);
  for (const choice of untried) {
    if (failures.has(choice.ref.name)) continue;
    const error = await take(choice);
    if (error?.code === 'no-such-ref' && choice.error === undefined) skip(choice, error);
    else if (error) failures.set(choice.ref.name, error);
  }
  if (choices.size === 0) throw new BuildError('no-refs', 'None of the chosen refs points to a commit');
  await reject(failures);

  return {
    get versions() {
      return [...choices.values()].flatMap(({ version }) => version ?? []);
    },
    warnings,
    reject,
    get latest() {
      return latest;
    },
    setLatest(name) {
      latest = name;
    },
    get failed() {
      return new Map([...choices].flatMap(([name, choice]) => (isFailed(choice) ? [[name, describe(choice)]] : [])));
    },
  };

  function createChoice(ref: Ref): Choice {
    const notes = findNotes(ref.name);
    const attempts: Attempt[] = [{ kind: 'commit', ref, isExpected: true }];
    const isEssential = update?.includes(ref.name) ?? false;
    const published = options.published?.find(({ name, kind }) => name === ref.name && kind === ref.kind);
    // The site itself may be gone, or of another time than what others have published, and what that was built from still be there.
    const before = options.isShared ? (published ?? notes) : (notes ?? published);
    if (before && before.oid !== ref.oid) {
      attempts.push({ kind: 'commit', ref: { ...ref, oid: before.oid }, isExpected: false });
    }
    if (notes && notes.languages.length > 0 && options.canKeepFiles) {
      attempts.push({ kind: 'files', ref: { ...ref, oid: notes.oid } });
    }
    const [current, ...left] = attempts;
    return { ref, attempts: isEssential ? [] : left, isEssential, current, version: undefined, error: undefined };
  }

  /** Returns whether a published version is to be removed, which leaves room for others. */
  function isVersionGone(): boolean {
    return Object.entries(known?.versions ?? {}).some(([name, { pages }]) => pages > 0 && !choices.has(name));
  }

  function findNotes(name: string): VersionNotes | undefined {
    return known && own(known.versions, name);
  }

  /** Makes the current candidate of a choice its version; returns the error if its commit cannot be read. */
  async function take(choice: Choice): Promise<BuildError | undefined> {
    const { kind, ref } = choice.current!;
    const notes = findNotes(ref.name);
    if (notes?.oid === ref.oid) {
      choice.version = { ref, rootTree: notes.tree, time: notes.time, isFixed: kind === 'files' };
      return undefined;
    }
    try {
      const { tree, time } = await repository.readCommit(ref.oid);
      choice.version = { ref, rootTree: tree, time, isFixed: false };
      return undefined;
    } catch (error) {
      return toVersionError(error);
    }
  }

  /** A tag may point to something other than a commit; that is not an error of the documentation. */
  function skip({ ref }: Choice, { message }: BuildError): void {
    choices.delete(ref.name);
    warnings.push({ ref: ref.name, file: '', line: 0, code: 'skipped-ref', message: `Skipped: ${message}` });
  }

  async function reject(rejected: ReadonlyMap<string, BuildError>): Promise<void> {
    for (const [name, error] of rejected) {
      const choice = choices.get(name)!;
      let problem: BuildError | undefined = error;
      while (problem) {
        choice.error ??= problem.at({ ref: name });
        choice.version = undefined;
        choice.current = FOR_OTHERS.has(problem.code) ? undefined : choice.attempts.shift();
        if (!choice.current) break;
        problem = await tryNext(choice);
      }
      if (choice.isEssential || (name === latest && !choice.version)) throw choice.error!;
    }
    const all = [...choices.values()];
    const isNothing = all.every((choice) => (update ? !choice.version : isFailed(choice)));
    if (isNothing) throw (choices.get(latest ?? '') ?? all[0]!).error!;
  }

  async function tryNext(choice: Choice): Promise<BuildError | undefined> {
    const { kind, ref } = choice.current!;
    if (kind === 'files') return take(choice);
    return (await fetchEach([ref])).get(ref.name) ?? (await take(choice));
  }

  /** Fetches the objects of refs. If a server cannot send all of them, smaller groups are requested. */
  async function fetchEach(refs: readonly Ref[]): Promise<ReadonlyMap<string, BuildError>> {
    try {
      await repository.fetch(refs, listener);
      return new Map();
    } catch (error) {
      const problem = toVersionError(error);
      if (refs.length <= 1) return new Map(refs.map(({ name }) => [name, problem]));
      const middle = refs.length >> 1;
      return new Map([...(await fetchEach(refs.slice(0, middle))), ...(await fetchEach(refs.slice(middle)))]);
    }
  }
}

/** Returns whether building the same again may have another result: something missing may be back. */
export function mayRecover({ versions, failed }: Pick<BuildNotes, 'versions' | 'failed'>): boolean {
  const isGone = ({ error: { code } }: FailedVersion): boolean => !LASTING.has(code) && code !== 'slug-taken';
  return Object.values(failed).some(isGone) || Object.values(versions).some(({ key }) => key === '');
}

function isFailed({ error, current }: Choice): boolean {
  return error !== undefined && !(current?.kind === 'commit' && current.isExpected);
}

function describe({ ref, error, version }: Choice): FailedVersion {
  const { code, message, location } = error!;
  const outcome = version ? 'the version stays as it was published' : 'the version is left out';
  const { file = '', line = 0 } = location;
  const described = { ref: ref.name, file, line, code, message: `${message}; ${outcome}` };
  return { kind: ref.kind, oid: ref.oid, error: described };
}

function recall({ error: { code, message, ref, file, line } }: FailedVersion): BuildError {
  const location = { ref, ...(file !== '' && { file }), ...(line > 0 && { line }) };
  return new BuildError(code, message.slice(0, message.lastIndexOf(';')), { location });
}

/** Returns the versions in readers' order, the latest first; only that one when the site has a single version. */
export function orderVersions<T extends Version>(
  versions: readonly T[],
  settings: Pick<SiteSettings, 'latest' | 'single'>,
  head: string | undefined,
): readonly T[] {
  const dated = versions.map((version) => ({ ...version.ref, time: version.time, version }));
  const latest = chooseLatest(dated, { asked: settings.latest, head });
  return settings.single ? [latest.version] : sortVersions(dated, latest.name).map(({ version }) => version);
}

/** Returns warnings of tags in whose place a branch of the same name is published. */
function warnOfNamesakes(chosen: readonly Ref[], all: readonly Ref[]): readonly Warning[] {
  const tags = new Set(all.filter(({ kind }) => kind === 'tag').map(({ name }) => name));
  return chosen
    .filter(({ name, kind }) => kind === 'branch' && tags.has(name))
    .map(({ name }) => {
      const message = `Tag "${name}" skipped: a branch has the same name, and the branch is published; rename one of them`;
      return { ref: name, file: '', line: 0, code: 'skipped-ref', message };
    });
}

export interface FetchedHistory {
  readonly warnings: readonly Warning[];
  /** Trying again would have the same result. */
  readonly isFinal: boolean;
}

/** Fetches the history that tells when pages were written, if the project asks for it. Pages without it have no date. */
export async function fetchHistory(
  repository: Repository,
  { lastUpdated }: SiteSettings,
  { versions, latest = '' }: VersionChoices,
  { onReceived }: StageClock['fetchListener'],
): Promise<FetchedHistory> {
  const refs = versions.map(({ ref }) => ref);
  const problem = lastUpdated ? await repository.fetchPast?.(refs, { onReceived }) : undefined;
  if (!problem) return { warnings: [], isFinal: true };
  const message = `Pages do not say when they were written, as their history was not fetched: ${problem.message}`;
  return { warnings: [{ ref: latest, file: '', line: 0, code: 'history', message }], isFinal: problem.isLasting };
}
