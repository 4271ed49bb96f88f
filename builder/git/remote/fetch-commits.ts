import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { BuildError } from '../../build-error.ts';
import { mergePacks } from '../objects/merge-packs.ts';
import type { ObjectType } from '../objects/object-folders.ts';
import { createObjectReader, type GitObjectReader } from '../objects/object-reader.ts';
import type { PackEntries } from '../objects/pack-entries.ts';
import { OBJECT_TYPES } from '../objects/pack-file.ts';
import { storePack } from '../objects/store-pack.ts';
import { completePack } from './complete-pack.ts';
import { type FetchRecord, readFetchRecord, writeFetchRecord } from './fetch-record.ts';
import type { HttpClient } from './http-client.ts';
import { type PackLimits, receivePack } from './receive-pack.ts';
import { type PackRequest, requestPack, type ServerProtocol } from './request-pack.ts';

/** One commit to fetch: its id, and the id to request (that of a tag object, or the same). */
export interface WantedCommit {
  readonly oid: string;
  readonly want: string;
}

/** The source and the target of a fetch. */
export interface FetchOptions {
  readonly repositoryFolder: string;
  readonly url: string;
  readonly http: HttpClient;
  /** Limit of bytes that `http` may receive. */
  readonly maxBytes: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly protocol: ServerProtocol;
  /** All commits that the server lists now. */
  readonly listed: ReadonlySet<string>;
  readonly signal: AbortSignal;
}

/**
 * Number of commits per request. The result of a request is kept if a later one fails. Many small requests transfer
 * hardly more bytes than a large one, since the server is told everything that is present, but each has a latency.
 */
const COMMITS_PER_REQUEST = 256;

/** Number of known commits named to the server, so that it sends only what is new. */
const MAX_HAVES = 2_048;
/** Of the former targets of refs, only the newest are likely close to the new commits. */
const MAX_UNLISTED_HAVES = 64;

/** With more unreferenced commits than this, and twice as many as others, a cached repository is started from scratch. */
const MAX_UNLISTED = 2_000;

const MAX_OBJECT_BYTES = 128_000_000;
/** Of the objects of one request, when unpacked; more where more may be fetched. */
const MAX_TOTAL_BYTES = 4_000_000_000;
const USUAL_RATIO = 8;

/**
 * Fetches commits with their files, without history, into a cached bare repository. Complete ones are not requested
 * again. The caller holds the repository's lock.
 */
export async function fetchCommits(
  wanted: readonly WantedCommit[],
  options: FetchOptions & { readonly onFetched: (wanted: WantedCommit) => void },
): Promise<void> {
  const { repositoryFolder, listed, signal, onFetched } = options;
  let record = await prepareRepository(repositoryFolder, listed);
  const known = new Set([...record.commits, ...record.others]);
  const missing: WantedCommit[] = [];
  for (const commit of wanted) known.has(commit.oid) ? onFetched(commit) : missing.push(commit);
  for (let at = 0; at < missing.length; at += COMMITS_PER_REQUEST) {
    const batch = missing.slice(at, at + COMMITS_PER_REQUEST);
    const fetched = await fetchBatch(batch, chooseHaves(record.commits, listed), options);
    record = {
      ...record,
      commits: [...record.commits, ...fetched.commits],
      others: [...record.others, ...fetched.others],
    };
    await writeFetchRecord(repositoryFolder, record);
    // Without it, git would look for the history of these commits.
    await writeFile(join(repositoryFolder, 'shallow'), record.commits.map((oid) => `${oid}\n`).join(''));
    batch.forEach(onFetched);
  }
  if (missing.length > 0) await mergePacks(packFolderOf(repositoryFolder), signal);
}

/** Chooses the local commits, given oldest first, to announce to the server. */
export function chooseHaves(commits: readonly string[], listed: ReadonlySet<string>): readonly string[] {
  const unlisted = commits.filter((oid) => !listed.has(oid)).slice(-MAX_UNLISTED_HAVES);
  return [...commits.filter((oid) => listed.has(oid)).slice(-MAX_HAVES), ...unlisted];
}

export function packFolderOf(repositoryFolder: string): string {
  return join(repositoryFolder, 'objects', 'pack');
}

/** Returns the existing cached repository, or creates one if there is none worth keeping. */
async function prepareRepository(folder: string, listed: ReadonlySet<string>): Promise<FetchRecord> {
  const record = await readFetchRecord(folder);
  const packFolder = packFolderOf(folder);
  const files = new Set(record === undefined ? [] : await readdir(packFolder).catch(() => []));
  const isWhole = (name: string) =>
    /\.(?:idx|pack)$/.test(name) && ['.idx', '.pack'].every((ending) => files.has(name.replace(/\.\w+$/, ending)));
  if (record !== undefined && [...files].some(isWhole) && !isMostlyUnlisted(record, listed)) {
    // Leftovers of an interrupted fetch.
    for (const name of files) if (!isWhole(name)) await rm(join(packFolder, name), { force: true });
    return record;
  }
  await rm(folder, { recursive: true, force: true });
  await mkdir(packFolder, { recursive: true });
  await mkdir(join(folder, 'refs'));
  await writeFile(join(folder, 'HEAD'), 'ref: refs/heads/main\n');
  await writeFile(join(folder, 'config'), CONFIG);
  return { commits: [], others: [], pasts: [] };
}

/** Each push leaves a commit behind, with files that are never read again. */
function isMostlyUnlisted({ commits }: FetchRecord, listed: ReadonlySet<string>): boolean {
  const unlisted = commits.filter((oid) => !listed.has(oid)).length;
  return unlisted > MAX_UNLISTED && unlisted > commits.length * (2 / 3);
}

/** Does not name the URL, which may contain credentials. */
const CONFIG = `[core]
\trepositoryformatversion = 0
\tbare = true
`;

/** Fetches with one request. The result is stored only if everything requested is in it, or existed before. */
async function fetchBatch(
  batch: readonly WantedCommit[],
  haves: readonly string[],
  options: FetchOptions,
): Promise<Pick<FetchRecord, 'commits' | 'others'>> {
  const types = new Map<string, ObjectType | undefined>(batch.map(({ oid }) => [oid, undefined]));
  await fetchPack(batch, { ...options, content: 'files', haves }, async ({ count, oids, types: kinds }, reader) => {
    for (let entry = 0; entry < count; entry += 1) {
      const oid = oids.toString('hex', entry * 20, entry * 20 + 20);
      if (types.has(oid)) types.set(oid, OBJECT_TYPES[kinds[entry]!]);
    }
    for (const [oid, type] of types) types.set(oid, type ?? (await findType(oid, reader, options)));
  });
  const isCommit = (oid: string) => types.get(oid) === 'commit';
  return { commits: [...types.keys()].filter(isCommit), others: [...types.keys()].filter((oid) => !isCommit(oid)) };
}

/** Fetches a pack with one request, and stores it once `check` has seen it. */
export async function fetchPack(
  wanted: readonly WantedCommit[],
  request: FetchOptions & Pick<PackRequest, 'content' | 'haves'>,
  check?: (entries: PackEntries, reader: GitObjectReader) => Promise<void>,
): Promise<void> {
  const { repositoryFolder, signal, maxBytes } = request;
  const limits: PackLimits = {
    maxObjectBytes: MAX_OBJECT_BYTES,
    maxTotalBytes: Math.max(MAX_TOTAL_BYTES, USUAL_RATIO * maxBytes),
  };
  const wants = [...new Set(wanted.map(({ want }) => want))];
  const reader = createObjectReader({ commonFolder: repositoryFolder });
  try {
    await storePack(packFolderOf(repositoryFolder), async (file) => {
      const pack = await receivePack(requestPack({ ...request, wants }), file, limits);
      const checksum = await completePack(pack, { file, limits, readBase: reader.findObject, signal });
      await check?.(pack.entries, reader);
      return pack.entries.count === 0 ? undefined : { entries: pack.entries, checksum };
    });
  } finally {
    reader.forget();
  }
}

async function findType(oid: string, reader: GitObjectReader, { url }: FetchOptions): Promise<ObjectType> {
  const object = await reader.findObject(oid);
  if (object) return object.type;
  throw new BuildError(
    'no-such-ref',
    `The server did not send commit ${oid} of "${url}": a branch or tag has just changed; try again`,
  );
}
