import { createHash } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { type Credentials, parseRepositoryAddress } from '../../../lib/repository-address.ts';
import { BuildError } from '../../build-error.ts';
import type { FetchListener, Ref, Repository } from '../../model.ts';
import { describeLimit } from '../../option-marks.ts';
import { createObjectReader } from '../objects/object-reader.ts';
import { createAuthentication } from './authentication.ts';
import { fetchCommits, readFetchRecord } from './fetch-commits.ts';
import { createHttpClient } from './http-client.ts';
import { listRemoteRefs } from './list-remote-refs.ts';
import { withRepositoryLock } from './lock-repository.ts';
import { AnswerError } from './packet-lines.ts';

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

/** Opens a repository on an http(s) server by one request, which lists its refs. Objects come by `fetch`. */
export async function openRemote(options: OpenRemoteOptions): Promise<Repository> {
  const { url, timeoutMs, maxFetchBytes } = options;
  const idleMs = Math.min(MAX_IDLE_MS, timeoutMs);
  const repositoryFolder = findRepositoryFolder(options);
  const authentication = createAuthentication(options);
  const listing = createHttpClient(url, {
    ...{ signal: createDeadline(timeoutMs), maxBytes: MAX_LIST_BYTES, idleMs },
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

  const fetchRefs = async (wanted: readonly Ref[], listener: FetchListener, discard = false) => {
    const signal = createDeadline(timeoutMs);
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
      await fetchCommits(
        [...groups.keys()].map((oid) => ({ oid, want: wants.get(oid) ?? oid })),
        {
          repositoryFolder,
          url: address,
          http: createHttpClient(address, {
            ...{ signal, maxBytes: maxFetchBytes, idleMs },
            limit: describeLimit('maxFetchBytes', maxFetchBytes),
            namedHost: new URL(url).hostname,
            onReceived: listener.onReceived,
          }),
          maxBytes: maxFetchBytes,
          headers: authentication.headersFor(address),
          protocol,
          listed,
          signal,
          onFetched: ({ oid }) => finish(oid),
        },
      );
    }).catch(async (error: unknown) => {
      if (discard || !isDamage(error)) throw toRemoteError(error, url);
      await fetchRefs([...groups.values()].flat(), listener, true);
    });
    reader.forget();
  };

  let repair: Promise<void> | undefined;
  /** Reads an object; a damaged cached repository is deleted and fetched again, once. */
  const readSafely = async <T>(read: () => Promise<T>): Promise<T> => {
    try {
      return await read();
    } catch (error) {
      if (!isDamage(error) || fetched.size === 0) throw error;
      repair ??= fetchRefs([...fetched.values()], {}, true);
      await repair;
      return read();
    }
  };
  return {
    kind: 'remote',
    label: url,
    webUrl: parseRepositoryAddress(url).webUrl,
    head,
    refs,
    readCommit: (oid) => readSafely(() => reader.readCommit(oid)),
    readTree: (oid) => readSafely(() => reader.readTree(oid)),
    readBlob: (oid) => readSafely(() => reader.readBlob(oid)),
    async fetch(wanted, listener = {}) {
      const onFetched = (ref: Ref) => {
        fetched.set(`${ref.kind} ${ref.name}`, ref);
        listener.onFetched?.(ref);
      };
      await fetchRefs(wanted, { ...listener, onFetched });
    },
    async close() {
      reader.forget();
    },
  };
}

/** Returns a signal that says, when the time is up, which limit that was. */
function createDeadline(timeoutMs: number): AbortSignal {
  const deadline = new AbortController();
  const message = `it took longer than ${describeLimit('timeoutMs', timeoutMs)}`;
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
