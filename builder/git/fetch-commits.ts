import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import git, { type GitHttpRequest, type HttpClient } from 'isomorphic-git';
import { BuildError } from '../build-error.ts';
import { advertiseRefs } from './advertise-refs.ts';
import { createObjectReader } from './create-object-reader.ts';
import { createStoreFiles } from './create-store-files.ts';
import { presentHaves, readFetchRecord, writeFetchRecord } from './fetch-record.ts';
import { requestThinPack } from './request-thin-pack.ts';

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
  readonly capabilities: readonly string[];
  readonly onFetched: (wanted: WantedCommit) => void;
}

/** How many commits one request asks for: the more, the less comes twice; but all of a request is held in memory. */
const commitsPerRequest = 64;

/** Unpacked sizes; reading an object takes several times its size in memory. */
const maxObjectBytes = 128 * 1024 * 1024;
const maxTotalBytes = 4 * 1024 * 1024 * 1024;

/** A cached repository of more packs is begun anew: each fetch adds one, and nothing here can join them. */
const maxPacks = 200;

/**
 * Brings commits with their files, without history, into a cached bare repository. Those that are there completely
 * are not asked for. The caller holds the repository's lock.
 */
export async function fetchCommits(wanted: readonly WantedCommit[], options: FetchCommitsOptions): Promise<void> {
  const record = [...(await prepareRepository(options.repositoryFolder))];
  const known = new Set(record);
  const missing: WantedCommit[] = [];
  for (const commit of wanted) known.has(commit.oid) ? options.onFetched(commit) : missing.push(commit);
  for (let at = 0; at < missing.length; at += commitsPerRequest) {
    const batch = missing.slice(at, at + commitsPerRequest);
    await fetchBatch(batch, record, options);
    record.push(...batch.map(({ oid }) => oid));
    await writeFetchRecord(options.repositoryFolder, record);
    for (const commit of batch) options.onFetched(commit);
  }
}

/** Gives the commits that are there already; begins a new repository when there is none that can be used. */
async function prepareRepository(folder: string): Promise<readonly string[]> {
  const record = await readFetchRecord(folder);
  const packFolder = join(folder, 'objects', 'pack');
  const files = record === undefined ? [] : await readdir(packFolder).catch(() => []);
  const indexes = new Set(files.filter((name) => name.endsWith('.idx')));
  if (record !== undefined && indexes.size > 0 && indexes.size <= maxPacks) {
    // What an interrupted fetch left behind: a pack without its index, and files with other endings.
    const leftOver = files.filter((name) => !indexes.has(name.replace(/\.pack$/, '.idx')));
    for (const name of leftOver) await rm(join(packFolder, name), { force: true });
    return record;
  }
  await rm(folder, { recursive: true, force: true });
  await mkdir(packFolder, { recursive: true });
  await mkdir(join(folder, 'refs'));
  await writeFile(join(folder, 'HEAD'), 'ref: refs/heads/main\n');
  await writeFile(join(folder, 'config'), configText);
  return [];
}

/** Names no address: credentials could be in it. */
const configText = `[core]
\trepositoryformatversion = 0
\tbare = true
[remote "origin"]
\tfetch = +refs/heads/*:refs/remotes/origin/*
`;

async function fetchBatch(
  batch: readonly WantedCommit[],
  record: readonly string[],
  options: FetchCommitsOptions,
): Promise<void> {
  const { repositoryFolder, url, http, headers, capabilities } = options;
  const haves = presentHaves(record);
  await writeFile(join(repositoryFolder, 'packed-refs'), haves.packedRefs);
  await writeFile(join(repositoryFolder, 'shallow'), haves.shallow);
  const thin = capabilities.includes('thin-pack');
  const advertisement = advertiseRefs([...new Set(batch.map(({ want }) => want))], capabilities);
  await git.fetch({
    fs: createStoreFiles(repositoryFolder, { maxObjectBytes, maxTotalBytes }) as never,
    http: {
      request: (request) =>
        request.method === 'POST'
          ? http.request(thin ? addThinPack(request) : request)
          : answer(request.url, advertisement),
    },
    gitdir: repositoryFolder,
    url,
    remote: 'origin',
    ref: 'HEAD',
    remoteRef: 'HEAD',
    headers: { ...headers },
    depth: 1,
    tags: false,
    singleBranch: false,
  });
  const reader = createObjectReader({ commonFolder: repositoryFolder });
  for (const { oid } of batch) {
    await reader.readObject(oid).catch((cause: unknown) => {
      throw new BuildError(
        'no-such-ref',
        `The server did not send commit ${oid} of "${url}": a branch or tag was changed at this moment; try again`,
        { cause },
      );
    });
  }
}

/** isomorphic-git gives the body of a request for a pack as an array of one buffer. */
function addThinPack(request: GitHttpRequest): GitHttpRequest {
  const body: unknown = request.body;
  if (!Array.isArray(body)) return request;
  return { ...request, body: [requestThinPack(Buffer.concat(body as Uint8Array[]))] as never };
}

/** Gives isomorphic-git an answer without asking the server. */
async function answer(url: string, bytes: Uint8Array) {
  return {
    url,
    headers: { 'content-type': 'application/x-git-upload-pack-advertisement' },
    statusCode: 200,
    statusMessage: 'OK',
    body: (async function* () {
      yield bytes;
    })(),
  };
}
