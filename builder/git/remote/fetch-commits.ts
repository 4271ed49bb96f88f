import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as git from 'isomorphic-git';
import type { StreamClient } from '../../../lib/http-stream.ts';
import { BuildError } from '../../build-error.ts';
import { createObjectReader, type GitObjectReader } from '../objects/object-reader.ts';
import { OBJECT_TYPES } from '../objects/pack-entry.ts';
import { storePack } from '../objects/store-pack.ts';
import { createPackHttp, type ServerProtocol, type WantedCommit } from './git-http.ts';
import { receivePack } from './receive-pack.ts';

export interface FetchOptions {
  /** A bare repository, made by `prepareMirror`. */
  readonly folder: string;
  readonly url: string;
  readonly client: StreamClient;
  /** Limit of bytes that `client` may receive. */
  readonly maxBytes: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly protocol: ServerProtocol;
  readonly listed: ReadonlySet<string>;
  readonly signal: AbortSignal;
}

/**
 * Number of commits per request. The result of a request is kept if a later one fails. Many small requests transfer
 * hardly more bytes than a large one, since the server is told everything that is present, but each has a latency.
 */
const COMMITS_PER_REQUEST = 256;

/**
 * Each fetch adds a pack, and each push leaves files behind that are never read again: with more packs a mirror is begun anew. To
 * open 200 takes 4 ms, to look for an object among them as long as in one.
 */
const MAX_PACKS = 300;

const MAX_OBJECT_BYTES = 128_000_000;
/** Of the objects of one request, when unpacked; more where more may be fetched. */
const MAX_TOTAL_BYTES = 4_000_000_000;
const USUAL_RATIO = 8;

/**
 * Fetches commits with their files, without history, into a mirror. What is there is not requested again: a pack is stored whole or
 * not at all, and holds all files of its commits. The caller holds the mirror's lock.
 */
export async function fetchCommits(
  wanted: readonly WantedCommit[],
  options: FetchOptions & { readonly onFetched: (wanted: WantedCommit) => void },
): Promise<void> {
  const { folder, listed, onFetched } = options;
  await prepareMirror(folder);
  const reader = createObjectReader({ gitFolder: folder, commonFolder: folder });
  const missing: WantedCommit[] = [];
  for (const commit of wanted) reader.has(commit.oid) ? onFetched(commit) : missing.push(commit);
  reader.forget();
  if (missing.length === 0) return;
  for (let at = 0; at < missing.length; at += COMMITS_PER_REQUEST) {
    const batch = missing.slice(at, at + COMMITS_PER_REQUEST);
    await pull(batch, 'files', options);
    batch.forEach(onFetched);
  }
  const known = await listKnown(folder);
  await forgetKnown(
    folder,
    [...known].filter((oid) => !listed.has(oid)),
  );
}

/**
 * Keeps a mirror, or creates one if there is none worth keeping. `borrowed` is the folder of another
 * one, whose objects it has, too.
 */
export async function prepareMirror(folder: string, borrowed?: string): Promise<void> {
  const packFolder = packFolderOf(folder);
  const files = new Set((await isMirror(folder)) ? await readdir(packFolder).catch(() => []) : []);
  const isWhole = (name: string) =>
    /\.(?:idx|pack)$/.test(name) && ['.idx', '.pack'].every((ending) => files.has(name.replace(/\.\w+$/, ending)));
  const kept = [...files].filter(isWhole);
  if (kept.length > 0 && kept.length <= 2 * MAX_PACKS) {
    // Leftovers of an interrupted fetch.
    for (const name of files) if (!isWhole(name)) await rm(join(packFolder, name), { force: true });
    return;
  }
  await rm(folder, { recursive: true, force: true });
  await mkdir(packFolder, { recursive: true });
  await mkdir(join(folder, KNOWN_REFS), { recursive: true });
  await writeFile(join(folder, 'HEAD'), 'ref: refs/heads/main\n');
  if (borrowed !== undefined) {
    await mkdir(join(folder, 'objects/info'));
    await writeFile(join(folder, 'objects/info/alternates'), `${join(borrowed, 'objects')}\n`);
  }
  await writeFile(join(folder, 'config'), CONFIG);
}

export async function isMirror(folder: string): Promise<boolean> {
  return (await readFile(join(folder, 'config'), 'utf8').catch(() => '')) === CONFIG;
}

/** Does not name the URL, which may contain credentials. The last of what is written: without it, there is no mirror. */
const CONFIG = `[core]
\trepositoryformatversion = 0
\tbare = true
[remote "origin"]
\tfetch = +refs/heads/*:refs/remotes/origin/*
`;

/** Returns the commits that isomorphic-git tells a server of. */
export async function listKnown(folder: string): Promise<Set<string>> {
  const { files } = createObjectReader({ gitFolder: folder, commonFolder: folder });
  return new Set(await git.listRefs({ fs: files, gitdir: folder, filepath: KNOWN_REFS }));
}

/** isomorphic-git keeps what it fetched below this folder, under the names it was told: the ids of the commits. */
export const KNOWN_REFS = 'refs/remotes/origin';

async function forgetKnown(folder: string, names: readonly string[]): Promise<void> {
  const { files } = createObjectReader({ gitFolder: folder, commonFolder: folder });
  for (const name of names) await git.deleteRef({ fs: files, gitdir: folder, ref: `${KNOWN_REFS}/${name}` });
}

/**
 * Fetches commits by one request into a mirror. `files`: with their files, without history. `folders`: with their folders, without
 * history and the content of files. `past`: they and all that came before them, likewise. `object`: the one wanted object and
 * nothing else. For `folders` and `past` the server must be able to `filter`; one that cannot leave out history (`shallow`) sends it.
 */
export async function pull(
  wanted: readonly WantedCommit[],
  content: 'files' | 'folders' | 'past' | 'object',
  options: FetchOptions,
): Promise<void> {
  const { folder, url, client, protocol, headers } = options;
  const folders = { gitFolder: folder, commonFolder: folder };
  const reader = createObjectReader(folders);
  const isShallow = content === 'folders' || (content === 'files' && protocol.capabilities.has('shallow'));
  const http = createPackHttp({
    client,
    url,
    protocol,
    wanted,
    isFiltered: content === 'folders' || content === 'past',
    isBuiltUpon: content === 'past' || protocol.capabilities.has('shallow'),
    async receive(chunks) {
      const commits = await receive(chunks, wanted, reader, options);
      return isShallow ? commits : [];
    },
  });
  try {
    await git.fetch({
      fs: reader.files,
      http,
      gitdir: folder,
      url,
      remote: 'origin',
      headers: { ...headers },
      tags: false,
      ...(isShallow && { depth: 1 }),
      // isomorphic-git then tells the server of nothing that is here.
      ...(content === 'object' && { singleBranch: true, ref: wanted[0]!.oid }),
    });
    // A server fails if other objects are announced as commits; what isomorphic-git takes for the default branch has no meaning.
    const others = ['HEAD'];
    for (const { oid } of wanted) if ((await reader.findType(oid)) !== 'commit') others.push(oid);
    await forgetKnown(folder, others);
  } finally {
    reader.forget();
  }
}

/** Stores a pack that arrives, if everything wanted is in it, or was here before. Returns the commits in it. */
async function receive(
  chunks: AsyncIterable<Buffer>,
  wanted: readonly WantedCommit[],
  reader: GitObjectReader,
  { folder, url, maxBytes, signal }: FetchOptions,
): Promise<readonly string[]> {
  const commits: string[] = [];
  // Missing objects are not looked for twice, as `findObject` does it.
  const readBase = async (oid: string) => (reader.has(oid) ? reader.findObject(oid) : undefined);
  const maxTotalBytes = Math.max(MAX_TOTAL_BYTES, USUAL_RATIO * maxBytes);
  const reception = { maxObjectBytes: MAX_OBJECT_BYTES, maxTotalBytes, readBase, signal };
  await storePack(packFolderOf(folder), signal, async (file) => {
    const pack = await receivePack(chunks, file, reception);
    const { entries } = pack;
    const lost = new Set(wanted.flatMap(({ oid }) => (reader.has(oid) ? [] : [oid])));
    for (let entry = 0; entry < entries.count; entry += 1) {
      const oid = entries.oids.toString('hex', entry * 20, entry * 20 + 20);
      if (OBJECT_TYPES[entries.types[entry]!] === 'commit') commits.push(oid);
      lost.delete(oid);
    }
    for (const oid of lost) {
      const message = `The server did not send commit ${oid} of "${url}": a branch or tag has just changed; try again`;
      throw new BuildError('no-such-ref', message);
    }
    return pack;
  });
  reader.forget();
  return commits;
}

function packFolderOf(folder: string): string {
  return join(folder, 'objects', 'pack');
}
