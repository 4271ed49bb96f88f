import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { BuildError } from '../build-error.ts';
import { completePack } from './complete-pack.ts';
import type { HttpClient } from './create-http-client.ts';
import { createObjectReader } from './create-object-reader.ts';
import { type FetchRecord, readFetchRecord, writeFetchRecord } from './fetch-record.ts';
import { mergePacks } from './merge-packs.ts';
import { type PackLimits, receivePack } from './receive-pack.ts';
import { requestPack, type ServerProtocol } from './request-pack.ts';
import { storePack } from './store-pack.ts';

/** One commit to bring: its id, and the one to ask the server for (that of a tag object, or the same). */
export interface WantedCommit {
  readonly oid: string;
  readonly want: string;
}

/** What is fetched, where from, where to. */
export interface FetchCommitsOptions {
  readonly repositoryFolder: string;
  readonly url: string;
  readonly http: HttpClient;
  readonly headers: Readonly<Record<string, string>>;
  readonly protocol: ServerProtocol;
  /** All commits that the server lists now. */
  readonly listed: ReadonlySet<string>;
  readonly signal: AbortSignal;
  readonly onFetched: (wanted: WantedCommit) => void;
}

/**
 * How many commits one request asks for. What came by a request is kept when a later one fails. Many small requests move
 * hardly more bytes than a large one, since the server is told all that is here, but each takes a moment.
 */
const COMMITS_PER_REQUEST = 256;

/** How many commits the server is told of, so that it sends only what is new. */
const MAX_HAVES = 2_048;
/** Of what refs led to once, only the newest is likely close to what is new. */
const MAX_UNLISTED_HAVES = 64;

/** With more commits that no ref leads to any more, and twice as many as others, a cached repository is begun anew. */
const MAX_UNLISTED = 2_000;

/** Unpacked sizes. */
const LIMITS: PackLimits = { maxObjectBytes: 128 * 1024 * 1024, maxTotalBytes: 4 * 1024 * 1024 * 1024 };

/**
 * Brings commits with their files, without history, into a cached bare repository. Those that are there completely
 * are not asked for. The caller holds the repository's lock.
 */
export async function fetchCommits(wanted: readonly WantedCommit[], options: FetchCommitsOptions): Promise<void> {
  const { repositoryFolder, listed, signal, onFetched } = options;
  let record = await prepareRepository(repositoryFolder, listed);
  const known = new Set([...record.commits, ...record.others]);
  const missing: WantedCommit[] = [];
  for (const commit of wanted) known.has(commit.oid) ? onFetched(commit) : missing.push(commit);
  for (let at = 0; at < missing.length; at += COMMITS_PER_REQUEST) {
    const batch = missing.slice(at, at + COMMITS_PER_REQUEST);
    const fetched = await fetchBatch(batch, chooseHaves(record, listed), options);
    record = { commits: [...record.commits, ...fetched.commits], others: [...record.others, ...fetched.others] };
    await writeFetchRecord(repositoryFolder, record);
    // Without it, git would look for the history of these commits.
    await writeFile(join(repositoryFolder, 'shallow'), record.commits.map((oid) => `${oid}\n`).join(''));
    batch.forEach(onFetched);
  }
  if (missing.length > 0) await mergePacks(packFolderOf(repositoryFolder), signal);
}

/** Chooses commits that are here to tell the server of. */
function chooseHaves({ commits }: FetchRecord, listed: ReadonlySet<string>): readonly string[] {
  const unlisted = commits.filter((oid) => !listed.has(oid)).slice(-MAX_UNLISTED_HAVES);
  return [...commits.filter((oid) => listed.has(oid)).slice(-MAX_HAVES), ...unlisted];
}

function packFolderOf(repositoryFolder: string): string {
  return join(repositoryFolder, 'objects', 'pack');
}

/** Returns what is there already; begins a new repository when there is none that is worth keeping. */
async function prepareRepository(folder: string, listed: ReadonlySet<string>): Promise<FetchRecord> {
  const record = await readFetchRecord(folder);
  const packFolder = packFolderOf(folder);
  const files = new Set(record === undefined ? [] : await readdir(packFolder).catch(() => []));
  const isWhole = (name: string) =>
    /\.(?:idx|pack)$/.test(name) && ['.idx', '.pack'].every((ending) => files.has(name.replace(/\.\w+$/, ending)));
  if (record !== undefined && [...files].some(isWhole) && !isMostlyUnlisted(record, listed)) {
    // What an interrupted fetch left behind.
    for (const name of files) if (!isWhole(name)) await rm(join(packFolder, name), { force: true });
    return record;
  }
  await rm(folder, { recursive: true, force: true });
  await mkdir(packFolder, { recursive: true });
  await mkdir(join(folder, 'refs'));
  await writeFile(join(folder, 'HEAD'), 'ref: refs/heads/main\n');
  await writeFile(join(folder, 'config'), CONFIG);
  return { commits: [], others: [] };
}

/** Each push leaves a commit behind, with files that nobody reads any more. */
function isMostlyUnlisted({ commits }: FetchRecord, listed: ReadonlySet<string>): boolean {
  const unlisted = commits.filter((oid) => !listed.has(oid)).length;
  return unlisted > MAX_UNLISTED && unlisted > commits.length * (2 / 3);
}

/** Names no address: credentials could be in it. */
const CONFIG = `[core]
\trepositoryformatversion = 0
\tbare = true
`;

/** Fetches by one request, and looks at what came. */
async function fetchBatch(
  batch: readonly WantedCommit[],
  haves: readonly string[],
  options: FetchCommitsOptions,
): Promise<FetchRecord> {
  const { repositoryFolder, url, signal } = options;
  const wants = [...new Set(batch.map(({ want }) => want))];
  const commits: string[] = [];
  const others: string[] = [];
  const reader = createObjectReader({ commonFolder: repositoryFolder });
  try {
    await storePack(packFolderOf(repositoryFolder), async (file) => {
      const pack = await receivePack(requestPack({ ...options, wants, haves }), file, LIMITS);
      if (pack.entries.count === 0) return undefined;
      const checksum = await completePack(pack, { file, limits: LIMITS, readBase: reader.findObject, signal });
      return { entries: pack.entries, checksum };
    });
    reader.forget();
    for (const { oid } of batch) {
      const { type } = await reader.readObject(oid).catch((cause: unknown) => {
        throw new BuildError(
          'no-such-ref',
          `The server did not send commit ${oid} of "${url}": a branch or tag was changed at this moment; try again`,
          { cause },
        );
      });
      (type === 'commit' ? commits : others).push(oid);
    }
  } finally {
    reader.forget();
  }
  return { commits, others };
}
