import { BuildError, type BuildErrorCode } from '../../build-error.ts';
import { mergePacks } from '../objects/merge-packs.ts';
import { createObjectReader } from '../objects/object-reader.ts';
import { chooseHaves, type FetchOptions, fetchPack, packFolderOf, type WantedCommit } from './fetch-commits.ts';
import { type FetchRecord, type PastRefusal, readFetchRecord, writeFetchRecord } from './fetch-record.ts';

/** What came of fetching the past of commits. */
export interface FetchedPast {
  /** Ids of all commits whose past is here. */
  readonly pasts: ReadonlySet<string>;
  /** Why that of others will not come. */
  readonly refusal?: string | undefined;
  /** What failed, and may work the next time. */
  readonly error?: unknown;
}

/** A past that was refused may have become smaller, or its server faster; it is tried again after this time. */
const REFUSED_MS = 24 * 60 * 60 * 1000;

/** So often a request that fails is divided, to find the commits that a server cannot send. */
const MAX_DIVISIONS = 30;
/** What a server says when it lacks a part of its repository. */
const OF_ONE_COMMIT: ReadonlySet<BuildErrorCode> = new Set(['no-such-ref', 'remote-damaged']);

/**
 * Fetches all that came before some commits, with the folders but without the content of files, into the cached repository
 * that has their files. What is there is not requested again. A past that exceeds the limits is remembered, so that it is not
 * fetched in vain for every build. The caller holds the repository's lock.
 */
export async function fetchPast(
  wanted: readonly WantedCommit[],
  options: FetchOptions & { readonly timeoutMs: number; readonly now: number },
): Promise<FetchedPast> {
  const { repositoryFolder, listed, protocol, signal, maxBytes, timeoutMs, now } = options;
  const record = await readFetchRecord(repositoryFolder);
  if (!record) return { pasts: new Set() };
  const { unknown, known } = await findUnknown(wanted, record, repositoryFolder);
  // A ref may have moved on since it was built: servers refuse commits that they do not list.
  const missing = unknown.filter(({ oid }) => listed.has(oid));
  let divisions = 0;
  const outcome = missing.length > 0 ? await fetchMissing(record.refusal) : {};
  const { refused = record.refusal, ...problem } = outcome;
  if (known.size > record.pasts.length || refused !== record.refusal) {
    await writeFetchRecord(repositoryFolder, { ...record, pasts: [...known], refusal: refused });
  }
  return { pasts: known, ...problem };

  async function fetchMissing(
    last: PastRefusal | undefined,
  ): Promise<Omit<FetchedPast, 'pasts'> & { readonly refused?: PastRefusal }> {
    if (!protocol.capabilities.has('filter')) {
      return { refusal: 'the server cannot send a history without its files (in git: uploadpack.allowFilter)' };
    }
    const isRefused =
      last && now - last.triedMs < REFUSED_MS && last.maxBytes >= maxBytes && last.timeoutMs >= timeoutMs;
    if (isRefused) return { refusal: last.message };
    try {
      const error = await request(missing);
      await mergePacks(packFolderOf(repositoryFolder), signal);
      return { error };
    } catch (error) {
      const message = describeExcess(error, options);
      return message === undefined
        ? { error }
        : { refusal: message, refused: { message, triedMs: now, maxBytes, timeoutMs } };
    }
  }

  /** Requests the past of commits. If the server cannot send that of all, smaller groups are requested; returns a failure. */
  async function request(commits: readonly WantedCommit[]): Promise<BuildError | undefined> {
    try {
      await fetchPack(commits, { ...options, content: 'past', haves: chooseHaves([...known], listed) });
      for (const { oid } of commits) known.add(oid);
      return undefined;
    } catch (error) {
      if (!(error instanceof BuildError) || !OF_ONE_COMMIT.has(error.code)) throw error;
      if (commits.length === 1 || ++divisions > MAX_DIVISIONS) return error;
      const middle = commits.length >> 1;
      const failure = await request(commits.slice(0, middle));
      return (await request(commits.slice(middle))) ?? failure;
    }
  }
}

/** Returns the commits whose past is not here; that of one on top of a known one, as most pushes leave it, is here, too. */
async function findUnknown(
  wanted: readonly WantedCommit[],
  { commits, pasts }: FetchRecord,
  commonFolder: string,
): Promise<{ readonly unknown: readonly WantedCommit[]; readonly known: Set<string> }> {
  const known = new Set(pasts);
  const others = wanted.filter(({ oid }) => !known.has(oid));
  if (known.size === 0 || others.length === 0) return { unknown: others, known };
  const here = new Set(commits);
  const reader = createObjectReader({ commonFolder });
  const unknown: WantedCommit[] = [];
  for (const commit of others) {
    const parents = here.has(commit.oid) ? (await reader.findPast(commit.oid))?.parents : undefined;
    if (parents?.every((oid) => known.has(oid))) known.add(commit.oid);
    else unknown.push(commit);
  }
  reader.forget();
  return { unknown, known };
}

/** Returns which limit was exceeded; undefined for other errors. */
function describeExcess(error: unknown, { signal }: FetchOptions): string | undefined {
  if (error instanceof BuildError && error.code === 'fetch-limit') return error.message;
  return signal.aborted ? (signal.reason as Error).message : undefined;
}
