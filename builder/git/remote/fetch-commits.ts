import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { BuildError } from '../../build-error.ts';
import { mergePacks } from '../objects/merge-packs.ts';
import type { ObjectType } from '../objects/object-folders.ts';
import { createObjectReader, type GitObjectReader } from '../objects/object-reader.ts';
import { OBJECT_TYPES } from '../objects/pack-file.ts';
import { storePack } from '../objects/store-pack.ts';
import { completePack } from './complete-pack.ts';
import type { HttpClient } from './http-client.ts';
import { type PackLimits, receivePack } from './receive-pack.ts';
import { requestPack, type ServerProtocol } from './request-pack.ts';

/** One commit to fetch: its id, and the id to request (that of a tag object, or the same). */
export interface WantedCommit {
  readonly oid: string;
  readonly want: string;
}

/** The commits to fetch, the source and the target. */
export interface FetchCommitsOptions {
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
  readonly onFetched: (wanted: WantedCommit) => void;
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

/** Chooses the local commits to announce to the server. */
function chooseHaves({ commits }: FetchRecord, listed: ReadonlySet<string>): readonly string[] {
  const unlisted = commits.filter((oid) => !listed.has(oid)).slice(-MAX_UNLISTED_HAVES);
  return [...commits.filter((oid) => listed.has(oid)).slice(-MAX_HAVES), ...unlisted];
}

function packFolderOf(repositoryFolder: string): string {
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
  return { commits: [], others: [] };
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
  options: FetchCommitsOptions,
): Promise<FetchRecord> {
  const { repositoryFolder, signal, maxBytes } = options;
  const limits: PackLimits = {
    maxObjectBytes: MAX_OBJECT_BYTES,
    maxTotalBytes: Math.max(MAX_TOTAL_BYTES, USUAL_RATIO * maxBytes),
  };
  const wants = [...new Set(batch.map(({ want }) => want))];
  const types = new Map<string, ObjectType | undefined>(batch.map(({ oid }) => [oid, undefined]));
  const reader = createObjectReader({ commonFolder: repositoryFolder });
  try {
    await storePack(packFolderOf(repositoryFolder), async (file) => {
      const pack = await receivePack(requestPack({ ...options, wants, haves }), file, limits);
      const checksum = await completePack(pack, { file, limits, readBase: reader.findObject, signal });
      const { count, oids, types: kinds } = pack.entries;
      for (let entry = 0; entry < count; entry += 1) {
        const oid = oids.toString('hex', entry * 20, entry * 20 + 20);
        if (types.has(oid)) types.set(oid, OBJECT_TYPES[kinds[entry]!]);
      }
      for (const [oid, type] of types) types.set(oid, type ?? (await findType(oid, reader, options)));
      return count === 0 ? undefined : { entries: pack.entries, checksum };
    });
  } finally {
    reader.forget();
  }
  const isCommit = (oid: string) => types.get(oid) === 'commit';
  return { commits: [...types.keys()].filter(isCommit), others: [...types.keys()].filter((oid) => !isCommit(oid)) };
}

async function findType(oid: string, reader: GitObjectReader, { url }: FetchCommitsOptions): Promise<ObjectType> {
  const object = await reader.findObject(oid);
  if (object) return object.type;
  throw new BuildError(
    'no-such-ref',
    `The server did not send commit ${oid} of "${url}": a branch or tag has just changed; try again`,
  );
}

/**
 * Changes when the layout of cached repositories does; others are discarded. Those of format 1 contain packs without
 * their bases, whose deltas may be circular.
 */
const FORMAT = 2;

const FILE_NAME = 'fetched.json';

/** The complete objects of a cached repository. */
export interface FetchRecord {
  /** Ids of commits, oldest first. */
  readonly commits: readonly string[];
  /** Ids of other targets of tags: a server fails if they are announced as commits. */
  readonly others: readonly string[];
}

/** Reads the record of a cached repository. Undefined when there is none or it cannot be understood. */
export async function readFetchRecord(repositoryFolder: string): Promise<FetchRecord | undefined> {
  try {
    const record: unknown = JSON.parse(await readFile(join(repositoryFolder, FILE_NAME), 'utf8'));
    const { format, commits, others } = record as { [name: string]: unknown };
    return format === FORMAT && isIdList(commits) && isIdList(others) ? { commits, others } : undefined;
  } catch {
    return undefined;
  }
}

function isIdList(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((oid) => typeof oid === 'string' && /^[0-9a-f]{40}$/.test(oid));
}

/** Writes the record of a cached repository; readers see the old or the new one, never a part. */
async function writeFetchRecord(repositoryFolder: string, record: FetchRecord): Promise<void> {
  const temporary = join(repositoryFolder, `${FILE_NAME}.tmp`);
  await writeFile(temporary, `${JSON.stringify({ format: FORMAT, ...record }, undefined, 1)}\n`);
  await rename(temporary, join(repositoryFolder, FILE_NAME));
}
