import { createHash, randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { type Credentials, parseRepositoryAddress } from '../../../lib/repository-address.ts';
import { BuildError } from '../../build-error.ts';
import type { FetchListener, PastProblem, Ref, Repository } from '../../model.ts';
import { describeLimit } from '../../option-marks.ts';
import { createObjectReader } from '../objects/object-reader.ts';
import { createAuthentication } from './authentication.ts';
import { type FetchOptions, fetchCommits, type WantedCommit } from './fetch-commits.ts';
import { fetchPast } from './fetch-past.ts';
import { readFetchRecord } from './fetch-record.ts';
import { createHttpClient } from './http-client.ts';
import { listRemoteRefs } from './list-remote-refs.ts';
import { withRepositoryLock } from './lock-repository.ts';
import { AnswerError } from './packet-lines.ts';
import { type SkimmedCommit, skimCommit } from './skim-commit.ts';

/** How a remote is opened; see `OpenRepositoryOptions`. */
export interface OpenRemoteOptions {
  readonly url: string;
  readonly credentials: Credentials | undefined;
  readonly cacheFolder: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly maxFetchBytes: number;
  readonly timeoutMs: number;
}

const MAX_IDLE_MS = 60_000;
const MAX_LIST_BYTES = 64_000_000;
/** The part of a build's time that its history may take. */
const PAST_SHARE = 1 / 4;

/** Opens a repository on an http(s) server by one request, which lists its refs. Objects come by `fetch`. */
export async function openRemote(options: OpenRemoteOptions): Promise<Repository> {
  const { url, timeoutMs, maxFetchBytes } = options;
  const idleMs = Math.min(MAX_IDLE_MS, timeoutMs);
  const repositoryFolder = findRepositoryFolder(options);
  const authentication = createAuthentication(options);
  const listing = createHttpClient(url, {
    ...{ signal: createDeadline(timeoutMs, describeTime(timeoutMs)), maxBytes: MAX_LIST_BYTES, idleMs },
    limit: `${MAX_LIST_BYTES / 1e6} MB, the limit for a list of refs`,
  });
  const { refs, head, wants, protocol } = await listRemoteRefs({ url, http: listing, authentication }).catch(
    (error: unknown) => {
      throw toRemoteError(error, url);
    },
  );
  const listed = new Set(refs.map(({ oid }) => oid));
  const address = listing.address();
  const reader = createObjectReader({ commonFolder: repositoryFolder });
  const fetched = new Map<string, Ref>();
  const toWanted = (oid: string): WantedCommit => ({ oid, want: wants.get(oid) ?? oid });
  const createFetch = (signal: AbortSignal, { onReceived }: FetchListener): FetchOptions => ({
    ...{ repositoryFolder, url: address, maxBytes: maxFetchBytes, protocol, listed, signal },
    http: createHttpClient(address, {
      ...{ signal, maxBytes: maxFetchBytes, idleMs, onReceived },
      limit: describeLimit('maxFetchBytes', maxFetchBytes),
      namedHost: new URL(url).hostname,
    }),
    headers: authentication.headersFor(address),
  });

  const fetchRefs = async (wanted: readonly Ref[], listener: FetchListener, discard = false) => {
    const signal = createDeadline(timeoutMs, describeTime(timeoutMs));
    const groups = new Map<string, Ref[]>();
    for (const ref of wanted) groups.set(ref.oid, [...(groups.get(ref.oid) ?? []), ref]);
    const finish = (oid: string) => {
      for (const ref of groups.get(oid) ?? []) listener.onFetched?.(ref);
      groups.delete(oid);
    };
    const record = discard ? undefined : await readFetchRecord(repositoryFolder);
    for (const oid of [...(record?.commits ?? []), ...(record?.others ?? [])]) finish(oid);
    if (groups.size === 0) return;
    await withRepositoryLock(`${repositoryFolder}.lock`, signal, async () => {
      if (discard) await rm(repositoryFolder, { recursive: true, force: true });
      await fetchCommits([...groups.keys()].map(toWanted), {
        ...createFetch(signal, listener),
        onFetched: ({ oid }) => finish(oid),
      });
    }).catch(async (error: unknown) => {
      if (discard || !isDamage(error)) throw toRemoteError(error, url);
      await fetchRefs([...groups.values()].flat(), listener, true);
    });
    reader.forget();
  };

  let pasts: ReadonlySet<string> = new Set();
  let dated: readonly Ref[] = [];
  const fetchPasts = async (wanted: readonly Ref[], listener: FetchListener): Promise<PastProblem | undefined> => {
    const limitMs = timeoutMs * PAST_SHARE;
    const time = `${limitMs / 1000} s, a quarter of ${describeLimit('timeoutMs', timeoutMs)}`;
    const signal = createDeadline(limitMs, `it took longer than ${time}`);
    const commits = [...new Set(wanted.map(({ oid }) => oid))].map(toWanted);
    dated = wanted;
    if (commits.length === 0) return undefined;
    const describe = (error: unknown) => ({ message: toRemoteError(error, url).message, isLasting: false });
    pasts = new Set((await readFetchRecord(repositoryFolder))?.pasts);
    try {
      const { refusal, error, ...fetched } = await withRepositoryLock(`${repositoryFolder}.lock`, signal, () =>
        fetchPast(commits, { ...createFetch(signal, listener), timeoutMs, now: Date.now() }),
      );
      pasts = fetched.pasts;
      if (refusal !== undefined) return { message: refusal, isLasting: true };
      return error === undefined ? undefined : describe(error);
    } catch (error) {
      return describe(error);
    } finally {
      reader.forget();
    }
  };

  let repair: Promise<unknown> | undefined;
  /** Reads an object; a damaged cached repository is deleted and fetched again, once. */
  const readSafely = async <T>(read: () => Promise<T>): Promise<T> => {
    try {
      return await read();
    } catch (error) {
      if (!isDamage(error) || fetched.size === 0) throw error;
      repair ??= fetchRefs([...fetched.values()], {}, true).then(() => fetchPasts(dated, {}));
      await repair;
      return read();
    }
  };
  const skimmed: SkimmedCommit[] = [];
  return {
    kind: 'remote',
    label: url,
    webUrl: parseRepositoryAddress(url).webUrl,
    head,
    refs,
    readCommit: (oid) => readSafely(() => reader.readCommit(oid)),
    readTree: (oid) => readSafely(() => reader.readTree(oid)),
    readBlob: (oid) => readSafely(() => reader.readBlob(oid)),
    past: {
      find: (oid) => (pasts.has(oid) ? oid : undefined),
      readCommit: (oid) => readSafely(() => reader.findPast(oid)),
      readTree: (oid) => readSafely(() => reader.readTree(oid)),
    },
    fetchPast: (wanted, listener = {}) => fetchPasts(wanted, listener),
    async fetch(wanted, listener = {}) {
      const onFetched = (ref: Ref) => {
        fetched.set(`${ref.kind} ${ref.name}`, ref);
        listener.onFetched?.(ref);
      };
      await fetchRefs(wanted, { ...listener, onFetched });
    },
    async skim({ oid }) {
      const signal = createDeadline(timeoutMs, describeTime(timeoutMs));
      const fetching = { ...createFetch(signal, {}), repositoryFolder: `${repositoryFolder}.${randomUUID()}` };
      const commit = await skimCommit(toWanted(oid), fetching).catch((error: unknown) => {
        throw toRemoteError(error, url);
      });
      if (commit) skimmed.push(commit);
      return commit?.reader;
    },
    async close() {
      reader.forget();
      await Promise.all(skimmed.map((commit) => commit.close()));
    },
  };
}

function describeTime(timeoutMs: number): string {
  return `it took longer than ${describeLimit('timeoutMs', timeoutMs)}`;
}

/** Returns a signal that says, when the time is up, which limit that was. */
function createDeadline(timeoutMs: number, message: string): AbortSignal {
  const deadline = new AbortController();
  setTimeout(() => deadline.abort(new DOMException(message, 'TimeoutError')), timeoutMs).unref();
  return deadline.signal;
}

function isDamage(error: unknown): boolean {
  return error instanceof BuildError && error.code === 'damaged-repository';
}

function findRepositoryFolder({ url, cacheFolder }: OpenRemoteOptions): string {
  const hash = createHash('sha256')
    .update(url.replace(/\.git$/, ''))
    .digest('hex')
    .slice(0, 32);
  return join(resolve(cacheFolder), 'repos', hash);
}

/** Returns the error of a remote as the user should see it: what happened, where, what to do. */
function toRemoteError(error: unknown, url: string): BuildError {
  if (error instanceof BuildError) return error;
  if (error instanceof AnswerError) {
    return new BuildError('network', `The server of "${url}" ${error.message}`, { cause: error });
  }
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'ENOSPC' || code === 'EDQUOT') {
    return new BuildError('disk-full', `Cannot fetch "${url}": the disk of the cache is full (${code})`, {
      cause: error,
    });
  }
  return new BuildError('network', `Cannot fetch "${url}": ${message}`, { cause: error });
}
