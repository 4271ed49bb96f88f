import { createHash, randomUUID } from 'node:crypto';
import { access, constants, mkdir, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { withFileLock } from '../../../lib/file-lock.ts';
import { createStreamClient, type StreamClient } from '../../../lib/http-stream.ts';
import { type Credentials, parseRepositoryAddress } from '../../../lib/repository-address.ts';
import { BuildError } from '../../build-error.ts';
import type { FetchListener, PastProblem, Ref, Repository } from '../../model.ts';
import { describeLimit, markOptions } from '../../option-marks.ts';
import { createObjectReader } from '../objects/object-reader.ts';
import { type FetchOptions, fetchCommits, isMirror } from './fetch-commits.ts';
import { fetchPast, listHere, pastFolderOf } from './fetch-past.ts';
import { authorize, type WantedCommit } from './git-http.ts';
import { listRemoteRefs } from './list-remote-refs.ts';
import { toRemoteError } from './remote-errors.ts';
import { type SkimmedCommit, skimCommit } from './skim-commit.ts';

export interface OpenRemoteOptions {
  readonly url: string;
  readonly credentials: Credentials | undefined;
  readonly cacheFolder: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly maxFetchBytes: number;
  readonly timeoutMs: number;
  /** Ends what waits for the server. */
  readonly signal?: AbortSignal | undefined;
}

const MAX_IDLE_MS = 60_000;
const MAX_LIST_BYTES = 64_000_000;
/** The part of a build's time that its history may take. */
const PAST_SHARE = 1 / 4;

/** Opens a repository on an http(s) server by one request, which lists its refs. Objects come by `fetch`. */
export async function openRemote(options: OpenRemoteOptions): Promise<Repository> {
  const { url, timeoutMs, maxFetchBytes } = options;
  const idleMs = Math.min(MAX_IDLE_MS, timeoutMs);
  const folder = findMirrorFolder(options);
  await openFolder(dirname(folder));
  const { hostname: namedHost, origin } = new URL(url);
  const connect = (signal: AbortSignal, maxBytes: number, limit: string, listener: FetchListener = {}): StreamClient =>
    createStreamClient({
      signal,
      maxBytes,
      limit,
      idleMs,
      namedHost,
      environment: { ...process.env, ...options.environment },
      onReceived: listener.onReceived,
    });
  let { credentials } = options;
  const { refs, head, wants, protocol, address } = await listRemoteRefs({
    url,
    credentials,
    client: connect(
      createDeadline(timeoutMs, describeTime(timeoutMs), options.signal),
      MAX_LIST_BYTES,
      `${MAX_LIST_BYTES / 1e6} MB, the limit for a list of refs`,
    ),
    onAuth() {
      credentials = findCredentials(new URL(url), options.environment);
      return credentials;
    },
  }).catch((error: unknown) => {
    throw toRemoteError(error, url);
  });
  const listed = new Set(refs.map(({ oid }) => oid));
  const reader = createObjectReader({ gitFolder: folder, commonFolder: folder });
  const pastFolder = pastFolderOf(folder);
  const pastReader = createObjectReader({ gitFolder: pastFolder, commonFolder: pastFolder });
  const fetched = new Map<string, Ref>();
  const toWanted = (oid: string): WantedCommit => ({ oid, want: wants.get(oid) ?? oid });
  const createFetch = (signal: AbortSignal, listener: FetchListener): FetchOptions => ({
    folder,
    url: address,
    maxBytes: maxFetchBytes,
    protocol,
    listed,
    signal,
    client: connect(signal, maxFetchBytes, describeLimit('maxFetchBytes', maxFetchBytes), listener),
    // They go to no other server.
    headers: authorize(new URL(address).origin === origin ? credentials : undefined),
  });
  const lock = <T>(signal: AbortSignal, task: () => Promise<T>): Promise<T> => {
    const message = `Another process has been using the repository cache for too long: "${folder}.lock"`;
    return withFileLock(`${folder}.lock`, { signal, createError: () => new BuildError('output-busy', message) }, task);
  };
  const forget = (): void => {
    reader.forget();
    pastReader.forget();
  };

  const fetchRefs = async (wanted: readonly Ref[], listener: FetchListener, discard = false) => {
    const signal = createDeadline(timeoutMs, describeTime(timeoutMs), options.signal);
    const groups = new Map<string, Ref[]>();
    for (const ref of wanted) groups.set(ref.oid, [...(groups.get(ref.oid) ?? []), ref]);
    const finish = (oid: string) => {
      for (const ref of groups.get(oid) ?? []) listener.onFetched?.(ref);
      groups.delete(oid);
    };
    if (!discard && (await isMirror(folder))) for (const oid of [...groups.keys()]) if (reader.has(oid)) finish(oid);
    if (groups.size === 0) return;
    await lock(signal, async () => {
      if (discard) await rm(folder, { recursive: true, force: true });
      await fetchCommits([...groups.keys()].map(toWanted), {
        ...createFetch(signal, listener),
        onFetched: ({ oid }) => finish(oid),
      });
    }).catch(async (error: unknown) => {
      if (discard || !isDamage(error)) throw toRemoteError(error, url);
      await fetchRefs([...groups.values()].flat(), listener, true);
    });
    forget();
  };

  let pasts: ReadonlySet<string> = new Set();
  let dated: readonly Ref[] = [];
  const fetchPasts = async (wanted: readonly Ref[], listener: FetchListener): Promise<PastProblem | undefined> => {
    const limitMs = timeoutMs * PAST_SHARE;
    const time = `${limitMs / 1000} s, a quarter of ${describeLimit('timeoutMs', timeoutMs)}`;
    const signal = createDeadline(limitMs, `it took longer than ${time}`, options.signal);
    const commits = [...new Set(wanted.map(({ oid }) => oid))].map(toWanted);
    dated = wanted;
    if (commits.length === 0) return undefined;
    const describe = (error: unknown) => ({ message: toRemoteError(error, url).message, isLasting: false });
    try {
      pasts = await listHere(pastFolder);
      const task = () => fetchPast(commits, { ...createFetch(signal, listener), timeoutMs, now: Date.now() });
      const { refusal, error, ...fetched } = await lock(signal, () =>
        task().catch(async (problem: unknown) => {
          if (!isDamage(problem)) throw problem;
          await rm(pastFolder, { recursive: true, force: true });
          return task();
        }),
      );
      pasts = fetched.pasts;
      if (refusal !== undefined) return { message: refusal, isLasting: true };
      return error === undefined ? undefined : describe(error);
    } catch (error) {
      return describe(error);
    } finally {
      forget();
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
      readCommit: (oid) => readSafely(() => pastReader.findPast(oid)),
      readTree: (oid) => readSafely(() => pastReader.readTree(oid)),
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
      const signal = createDeadline(timeoutMs, describeTime(timeoutMs), options.signal);
      const fetching = { ...createFetch(signal, {}), folder: `${folder}.${randomUUID()}` };
      const commit = await skimCommit(toWanted(oid), fetching).catch((error: unknown) => {
        throw toRemoteError(error, url);
      });
      if (commit) skimmed.push(commit);
      return commit?.reader;
    },
    async close() {
      forget();
      await Promise.all(skimmed.map((commit) => commit.close()));
    },
  };
}

function describeTime(timeoutMs: number): string {
  return `it took longer than ${describeLimit('timeoutMs', timeoutMs)}`;
}

/** Returns a signal that says, when the time is up, which limit that was, and that fires with another one. */
function createDeadline(timeoutMs: number, message: string, signal: AbortSignal | undefined): AbortSignal {
  const deadline = new AbortController();
  setTimeout(() => deadline.abort(new DOMException(message, 'TimeoutError')), timeoutMs).unref();
  return signal ? AbortSignal.any([deadline.signal, signal]) : deadline.signal;
}

function isDamage(error: unknown): boolean {
  return error instanceof BuildError && error.code === 'damaged-repository';
}

/** Makes the folder of all mirrors: a remote repository cannot be read without one. Throws `unwritable`, `disk-full`. */
async function openFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true });
    await access(folder, constants.W_OK | constants.X_OK);
  } catch (cause) {
    const { code = 'unknown' } = cause as NodeJS.ErrnoException;
    const message = `Cannot write to "${folder}" (${code}), where what is fetched is kept; choose another folder with ${markOptions('cacheFolder')}`;
    throw new BuildError(code === 'ENOSPC' ? 'disk-full' : 'unwritable', message, { cause });
  }
}

function findMirrorFolder({ url, cacheFolder }: OpenRemoteOptions): string {
  const hash = createHash('sha256')
    .update(url.replace(/\.git$/, ''))
    .digest('hex')
    .slice(0, 32);
  return join(resolve(cacheFolder), 'repos', hash);
}

/**
 * Returns what the environment has for a server: `DOCBUILD_GIT_TOKEN` (as the password of `DOCBUILD_GIT_USERNAME`, or of
 * `oauth2`), or `DOCBUILD_GIT_USERNAME` and `DOCBUILD_GIT_PASSWORD`; with `DOCBUILD_GIT_HOST` for that host only.
 */
function findCredentials(url: URL, environment: OpenRemoteOptions['environment']): Credentials | undefined {
  const get = (name: string) => environment[`DOCBUILD_GIT_${name}`] || undefined;
  const host = get('HOST');
  if (host !== undefined && host !== url.host && host !== url.hostname) return undefined;
  const token = get('TOKEN');
  const username = get('USERNAME');
  if (token !== undefined) return { username: username ?? 'oauth2', password: token };
  return username === undefined ? undefined : { username, password: get('PASSWORD') ?? '' };
}
