import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as git from 'isomorphic-git';
import { BuildError, type BuildErrorCode } from '../../build-error.ts';
import { createObjectReader } from '../objects/object-reader.ts';
import { type FetchOptions, isMirror, KNOWN_REFS, listKnown, prepareMirror, pull } from './fetch-commits.ts';
import type { WantedCommit } from './git-http.ts';

/** Outcome of fetching the past of commits. */
export interface FetchedPast {
  /** Ids of all commits whose past is here. */
  readonly pasts: ReadonlySet<string>;
  readonly refusal?: string | undefined;
  /** A failure that may not happen the next time. */
  readonly error?: unknown;
}

/** A past that was more than the limits allow. */
interface Refusal {
  readonly message: string;
  /** When it was last tried, in ms since 1970. */
  readonly triedMs: number;
  readonly maxBytes: number;
  readonly timeoutMs: number;
}

/** A past that was refused may have become smaller, or its server faster; it is tried again after this time. */
const REFUSED_MS = 24 * 60 * 60 * 1000;

/** So often a request that fails is divided, to find the commits that a server cannot send. */
const MAX_DIVISIONS = 30;
/** Errors of a server that lacks a part of its repository. */
const OF_ONE_COMMIT: ReadonlySet<BuildErrorCode> = new Set(['no-such-ref', 'remote-damaged']);

export function pastFolderOf(mirror: string): string {
  return join(mirror, 'past');
}

/**
 * Fetches all that came before some commits, with the folders but without the content of files, into a repository inside the mirror
 * that has their files. What is there is not requested again. A past that exceeds the limits is remembered, so that it is not
 * fetched in vain for every build. The caller holds the mirror's lock.
 */
export async function fetchPast(
  wanted: readonly WantedCommit[],
  options: FetchOptions & { readonly timeoutMs: number; readonly now: number },
): Promise<FetchedPast> {
  const { folder: mirror, listed, protocol, signal, maxBytes, timeoutMs, now } = options;
  const folder = pastFolderOf(mirror);
  if (!(await isMirror(mirror))) return { pasts: new Set() };
  await prepareMirror(folder, mirror);
  const known = await listHere(folder);
  const unknown = await findUnknown(wanted, known, folder);
  // A ref may have moved on since it was built: servers refuse commits that they do not list.
  const missing = unknown.filter(({ oid }) => listed.has(oid));
  if (missing.length === 0) return { pasts: known };
  if (!protocol.capabilities.has('filter')) {
    const refusal = 'the server cannot send a history without its files (in git: uploadpack.allowFilter)';
    return { pasts: known, refusal };
  }
  const file = join(mirror, 'past-refused.json');
  const last = await readFile(file, 'utf8').then(
    (text) => JSON.parse(text) as Refusal,
    () => undefined,
  );
  const isRefused = last && now - last.triedMs < REFUSED_MS && last.maxBytes >= maxBytes && last.timeoutMs >= timeoutMs;
  if (isRefused) return { pasts: known, refusal: last.message };
  let divisions = 0;
  try {
    return { pasts: known, error: await request(missing) };
  } catch (error) {
    if (error instanceof BuildError && error.code === 'damaged-repository') throw error;
    const isTooMuch = (error as { readonly code?: unknown }).code === 'too-large' || signal.aborted;
    const message = signal.aborted ? (signal.reason as Error).message : (error as Error).message;
    const isLimit = error instanceof BuildError && error.code === 'fetch-limit';
    if (!isTooMuch && !isLimit) return { pasts: known, error };
    await writeFile(file, JSON.stringify({ message, triedMs: now, maxBytes, timeoutMs } satisfies Refusal));
    return { pasts: known, refusal: message };
  }

  /** Requests the past of commits. If the server cannot send that of all, smaller groups are requested; returns a failure. */
  async function request(commits: readonly WantedCommit[]): Promise<BuildError | undefined> {
    try {
      await pull(commits, 'past', { ...options, folder });
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

/** Returns the commits whose past is noted to be here, without those that are gone. */
export async function listHere(folder: string): Promise<Set<string>> {
  const reader = createObjectReader({ gitFolder: folder, commonFolder: folder });
  const known = [...(await listKnown(folder))].filter((oid) => reader.has(oid));
  reader.forget();
  return new Set(known);
}

/** Returns the commits whose past is not here; that of one on top of a known one, as most pushes leave it, is here, too. */
async function findUnknown(
  wanted: readonly WantedCommit[],
  known: Set<string>,
  folder: string,
): Promise<readonly WantedCommit[]> {
  const others = wanted.filter(({ oid }) => !known.has(oid));
  if (known.size === 0 || others.length === 0) return others;
  const reader = createObjectReader({ gitFolder: folder, commonFolder: folder });
  const unknown: WantedCommit[] = [];
  try {
    for (const commit of others) {
      const { oid } = commit;
      const past = await reader.findPast(oid);
      if (past?.parents?.every((parent) => known.has(parent)) !== true) unknown.push(commit);
      else {
        await git.writeRef({ fs: reader.files, gitdir: folder, ref: `${KNOWN_REFS}/${oid}`, value: oid, force: true });
        known.add(oid);
      }
    }
    return unknown;
  } finally {
    reader.forget();
  }
}
