import { spawn } from 'node:child_process';
import { readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { openCache } from '../../../../builder/cache/cache.ts';
import type { Ref, Repository } from '../../../../builder/model.ts';
import { openRepository } from '../../../../builder/open-repository.ts';
import { isPageFile } from '../../../../builder/page-path.ts';
import { createPageDates } from '../../../../builder/plan/pages/page-dates.ts';
import { findCached, listPacks } from '../../../helpers/cached-repository.ts';
import { createRandom } from '../../../helpers/create-random.ts';
import { createRandomHistory } from '../../../helpers/create-random-history.ts';
import { createFolder } from '../../../helpers/create-repository.ts';
import { execGit, runGit } from '../../../helpers/run-git.ts';
import { type GitServer, serveGit } from '../../../helpers/serve-git.ts';

interface Remote {
  /** The git folder that is served. */
  readonly source: string;
  readonly server: GitServer;
  readonly url: string;
  readonly cacheFolder: string;
  open(maxFetchBytes?: number): Promise<Repository>;
}

async function serve(t: ExecutionContext, source: string): Promise<Remote> {
  const server = await serveGit(t, dirname(source));
  const url = `${server.url}/${basename(source)}`;
  const cacheFolder = createFolder(t);
  const open = (maxFetchBytes = 1e8) => openRepository(url, { cacheFolder, environment: {}, maxFetchBytes });
  return { source, server, url, cacheFolder, open };
}

/** Adds commits to a branch, each of which changes one of ten pages, and a tag to each if so wanted. */
function addCommits(folder: string, count: number, options: { readonly from?: string; readonly tag?: string } = {}) {
  const first = Number(runGit(folder, 'rev-list', '--all', '--count'));
  const rows = Array.from({ length: count }, (_, index) => {
    const number = first + index;
    const text = `# Page\n\nSentence ${number}.\n`;
    const from = index === 0 && options.from !== undefined ? `from ${options.from}\n` : '';
    const head = `commit refs/heads/main\ncommitter T <t@example.test> ${1_600_000_000 + number * 3_600} +0000\ndata 1\nx\n`;
    const tag = options.tag === undefined ? '' : `reset refs/tags/${options.tag}${number}\nfrom refs/heads/main\n`;
    return `${head}${from}M 100644 inline docs/en/p${number % 10}.md\ndata ${text.length}\n${text}\n${tag}`;
  });
  const input = rows.join('');
  execGit(['fast-import', '--quiet', '--force'], { cwd: folder, input });
}

async function createServed(t: ExecutionContext, commits: number, tag?: string): Promise<Remote> {
  const source = join(createFolder(t), 'served.git');
  runGit(dirname(source), 'init', '--quiet', '--bare', '--initial-branch=main', source);
  addCommits(source, commits, { ...(tag !== undefined && { tag }) });
  return serve(t, source);
}

/** Fetches refs with their past; the numbers of requests for packs stand in `server.requests`. */
async function fetchAll(remote: Remote, maxFetchBytes?: number) {
  const repository = await remote.open(maxFetchBytes);
  await repository.fetch(repository.refs);
  remote.server.requests.length = 0;
  const problem = await repository.fetchPast!(repository.refs);
  return { repository, problem };
}

/** Returns the dates that pages of some refs have here, and those that git's own log says. */
async function compareDates(t: ExecutionContext, { source }: Remote, repository: Repository, refs: readonly Ref[]) {
  const cache = openCache({ folder: createFolder(t), maxBytes: 1e7, engineVersion: 'x' });
  const readDates = createPageDates(repository.past, { cache, repository: createFolder(t) });
  let compared = 0;
  for (const { oid, name } of refs) {
    const dateOf = await readDates(oid, { folder: '', isFlat: false });
    const expected = readLog(source, oid);
    for (const line of runGit(source, 'ls-tree', '-r', '-z', oid).split('\0')) {
      const [, blob, path] = /^\d+ blob ([0-9a-f]{40})\t(.*)$/s.exec(line) ?? [];
      if (blob === undefined || path === undefined || !isPageFile(basename(path))) continue;
      t.is(dateOf(path, blob), expected.get(`${path} ${blob}`), `${name}: ${path}`);
      compared++;
    }
  }
  cache.close();
  return compared;
}

/** Returns, by path and blob, when a file first became what it is, by `git log`, which follows no renames here. */
function readLog(folder: string, oid: string): ReadonlyMap<string, number> {
  const args = ['log', '-z', '-c', '--raw', '--root', '--no-abbrev', '--no-renames', '--full-history', '--format=@%at'];
  const first = new Map<string, number>();
  let time = 0;
  let blob: string | undefined;
  for (const part of runGit(folder, ...args, oid).split('\0')) {
    const text = part.trim();
    const row = /^:.* ([0-9a-f]{40}) [A-Z]+$/.exec(text);
    if (/^@\d+$/.test(text)) time = Number(text.slice(1));
    else if (row) blob = row[1];
    else if (blob !== undefined) {
      const key = `${part} ${blob}`;
      first.set(key, Math.min(time, first.get(key) ?? time));
      blob = undefined;
    }
  }
  return first;
}

const SERVERS: readonly (readonly [seed: number, name: string, server: Partial<GitServer>])[] = [
  [51, 'any server', {}],
  [52, 'a server of version 2 of the protocol', { protocol: 2 }],
  [
    53,
    'a server without thin packs and side bands',
    { without: ['thin-pack', 'ofs-delta', 'side-band-64k', 'side-band'] },
  ],
];

for (const [seed, name, server] of SERVERS) {
  test.serial(
    `fetchPast() brings what the dates of git's own log need from ${name}, in portions, while it changes`,
    async (t) => {
      const history = createRandomHistory(t, seed);
      const random = createRandom(seed);
      const remote = await serve(t, history.folder);
      Object.assign(remote.server, server);
      let compared = 0;
      for (let round = 0; round < 5; round += 1) {
        for (let count = 3 + random.below(8); count >= 0; count -= 1) history.step();
        if (round % 2 === 1) mergeBranches(history.folder);
        const repository = await remote.open();
        const refs = repository.refs.filter(() => random.chance(0.7));
        await repository.fetch(refs);
        for (const portion of [refs.slice(2), refs]) t.is(await repository.fetchPast!(portion), undefined);
        compared += await compareDates(t, remote, repository, refs);
        await repository.close();
      }
      t.true(compared > 50, `${compared} dates`);
      for (const pack of listPacks(findCached(remote.cacheFolder))) {
        runGit(findCached(remote.cacheFolder), 'index-pack', '-o', join(createFolder(t), 'x.idx'), pack);
      }
    },
  );
}

/** Merges all branches into the default one, keeping its files. */
function mergeBranches(folder: string): void {
  const names = runGit(folder, 'for-each-ref', '--format=%(refname)', 'refs/heads').split('\n');
  const parents = names.flatMap((name) => ['-p', name]);
  const merge = runGit(folder, 'commit-tree', `${names[0]}^{tree}`, ...parents, '-m', 'merge');
  runGit(folder, 'update-ref', names[0]!, merge);
}

test.serial('fetchPast() brings no content of files, and nothing twice', async (t) => {
  const remote = await createServed(t, 60);
  const { repository, problem } = await fetchAll(remote);
  t.is(problem, undefined);
  t.is(remote.server.requests.length, 1);
  const cached = join(findCached(remote.cacheFolder), 'past');
  const count = (type: string) =>
    runGit(cached, 'cat-file', '--batch-all-objects', '--batch-check=%(objecttype)')
      .split('\n')
      .filter((kind) => kind === type).length;
  t.deepEqual([count('commit'), count('blob')], [60, 10]);
  await repository.fetchPast!(repository.refs);
  t.is(remote.server.requests.length, 1);
  await (await fetchAll(remote)).repository.close();
  t.is(remote.server.requests.length, 0, 'another run');
});

test.serial('fetchPast() requests nothing for a pushed commit, and only what is new for several', async (t) => {
  const remote = await createServed(t, 300);
  await fetchAll(remote);
  const listAll = () => ['.', 'past'].flatMap((name) => listPacks(join(findCached(remote.cacheFolder), name)));
  const sizes = () => new Map(listAll().map((path) => [path, statSync(path).size]));
  for (const [commits, requests, limit] of [
    [1, 0, 1_000],
    [3, 1, 4_000],
  ] as const) {
    const before = sizes();
    addCommits(remote.source, commits, { from: 'refs/heads/main^0' });
    const { repository } = await fetchAll(remote);
    t.is(remote.server.requests.length, requests);
    t.is(await compareDates(t, remote, repository, repository.refs), 10);
    const added = [...sizes()].filter(([path]) => !before.has(path)).reduce((sum, [, size]) => sum + size, 0);
    t.true(added > 0 && added < limit, `${added} bytes`);
  }
});

test.serial('fetchPast() knows the dates after a forced push to a rewritten history', async (t) => {
  const remote = await createServed(t, 40);
  await fetchAll(remote);
  addCommits(remote.source, 5, { from: 'refs/heads/main~10' });
  runGit(remote.source, 'reflog', 'expire', '--expire=now', '--all');
  runGit(remote.source, 'gc', '--quiet', '--prune=now');
  const { repository, problem } = await fetchAll(remote);
  t.is(problem, undefined);
  t.is(await compareDates(t, remote, repository, repository.refs), 10);
});

test.serial('fetchPast() brings the past of 1,000 tags by one request', async (t) => {
  const remote = await createServed(t, 1_000, 'v');
  const repository = await remote.open();
  const built = repository.refs.filter(({ name }) => ['v0', 'v7', 'v500', 'v999'].includes(name));
  await repository.fetch(built);
  remote.server.requests.length = 0;
  t.is(await repository.fetchPast!(repository.refs), undefined);
  t.is(remote.server.requests.length, 1);
  t.is(await compareDates(t, remote, repository, built), 1 + 8 + 10 + 10);
});

test.serial('fetchPast() asks nothing of a server that would have to send all files', async (t) => {
  const remote = await createServed(t, 20);
  for (const protocol of [undefined, 2] as const) {
    remote.server.without = ['filter'];
    if (protocol === 2) {
      Object.assign(remote.server, { protocol, without: [] });
      remote.server.tamper = (body, method) =>
        method === 'GET' ? Buffer.from(body.toString('latin1').replace(' filter', ' fillet'), 'latin1') : body;
    }
    const { repository, problem } = await fetchAll(remote);
    t.is(remote.server.requests.length, 0);
    t.deepEqual(problem, {
      message: 'the server cannot send a history without its files (in git: uploadpack.allowFilter)',
      isLasting: true,
    });
    t.is(repository.past!.find(repository.refs[0]!.oid), undefined);
  }
});

test.serial('fetchPast() gives up beyond the limit of bytes, and tries again only once it is raised', async (t) => {
  const remote = await createServed(t, 400);
  for (const [limit, requests] of [
    [8_000, 1],
    [8_000, 0],
    [9_000, 1],
    [9_000, 0],
  ] as const) {
    const { repository, problem } = await fetchAll(remote, limit);
    t.regex(
      problem?.message ?? '',
      /sent more than 0\.00[89] MB, the limit for one fetch; raise it with \{option maxFetchBytes\}/,
    );
    t.true(problem?.isLasting);
    t.is(remote.server.requests.length, requests);
    t.truthy(await repository.readCommit(repository.refs[0]!.oid));
  }
  const record = join(findCached(remote.cacheFolder), 'past-refused.json');
  const refusal = JSON.parse(readFileSync(record, 'utf8')) as { triedMs: number };
  writeFileSync(record, JSON.stringify({ ...refusal, triedMs: Date.now() - 90_000_000 }));
  await fetchAll(remote, 9_000);
  t.is(remote.server.requests.length, 1, 'a day later');
  const { repository, problem } = await fetchAll(remote);
  t.is(problem, undefined);
  t.is(await compareDates(t, remote, repository, repository.refs), 10);
});

test.serial('fetchPast() takes a quarter of the time of a build at most', async (t) => {
  const remote = await createServed(t, 400);
  await fetchAll(remote, 8_000);
  remote.server.holdAfterBytes = 1_000;
  const options = { cacheFolder: remote.cacheFolder, environment: {}, timeoutMs: 8_000 };
  const repository = await openRepository(remote.url, options);
  // A higher limit than the refused one.
  const record = join(findCached(remote.cacheFolder), 'past-refused.json');
  writeFileSync(record, readFileSync(record, 'utf8').replace(/"triedMs":\d+/, '"triedMs":0'));
  const problem = await repository.fetchPast!(repository.refs);
  t.regex(
    problem?.message ?? '',
    /^it took longer than 2 s, a quarter of 8 s, the limit for one build; raise it with \{option timeoutMs\}$/,
  );
  t.true(problem?.isLasting);
});

test.serial('fetchPast() leaves out only the branch whose history the server has lost', async (t) => {
  const remote = await createServed(t, 30, 'v');
  const git = (...args: string[]) => runGit(remote.source, ...args);
  const lost = git('commit-tree', 'main~5^{tree}', '-m', 'x');
  git('branch', 'broken', git('commit-tree', 'main^{tree}', '-p', lost, '-m', 'x'));
  rmSync(join(remote.source, 'objects', lost.slice(0, 2), lost.slice(2)));
  const { repository, problem } = await fetchAll(remote);
  t.regex(problem?.message ?? '', /its repository is damaged|does not have a commit/);
  t.false(problem?.isLasting);
  t.true(remote.server.requests.length < 20, `${remote.server.requests.length} requests`);
  const [broken, ...others] = repository.refs;
  t.is(broken!.name, 'broken');
  t.is(repository.past!.find(broken!.oid), undefined);
  t.true((await compareDates(t, remote, repository, others)) > 100);
});

test.serial('fetchPast() says what went wrong with a connection, and works the next time', async (t) => {
  const remote = await createServed(t, 50);
  for (const bytes of [0, 60, 2_000]) {
    remote.server.cutAfterBytes = undefined;
    const repository = await remote.open();
    await repository.fetch(repository.refs);
    remote.server.cutAfterBytes = bytes;
    const problem = await repository.fetchPast!(repository.refs);
    t.regex(problem?.message ?? '', /Cannot reach|too early|cut off/);
    t.false(problem?.isLasting);
    t.is(repository.past!.find(repository.refs[0]!.oid), undefined);
  }
  remote.server.cutAfterBytes = undefined;
  const { repository } = await fetchAll(remote);
  t.is(await compareDates(t, remote, repository, repository.refs), 10);
});

test.serial('fetchPast() goes on after its process was killed, wherever it was', async (t) => {
  const remote = await createServed(t, 50);
  const random = createRandom(61);
  const module = new URL('../../../../builder/open-repository.js', import.meta.url).href;
  const script = `
    import { openRepository } from ${JSON.stringify(module)};
    const repository = await openRepository(process.argv[1], { cacheFolder: process.argv[2], environment: {} });
    await repository.fetch(repository.refs);
    console.log('files');
    process.stdin.once('data', () => repository.fetchPast(repository.refs).then(() => console.log('past')));`;
  for (let round = 0; round < 3; round += 1) {
    addCommits(remote.source, 4, { from: 'refs/heads/main^0' });
    const args = ['--input-type=module', '--eval', script, remote.url, remote.cacheFolder];
    const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
    const closed = new Promise((resolve) => child.once('close', resolve));
    await new Promise((resolve) => child.stdout.once('data', resolve));
    remote.server.holdAfterBytes = round === 0 ? random.below(1_000) : undefined;
    const asked = remote.server.requests.length;
    child.stdin.write('go\n');
    if (round < 2) while (remote.server.requests.length === asked) await new Promise(setImmediate);
    else await new Promise((resolve) => child.stdout.once('data', resolve));
    child.kill('SIGKILL');
    await closed;
    remote.server.holdAfterBytes = undefined;
    const { repository, problem } = await fetchAll(remote);
    t.is(problem, undefined);
    t.is(await compareDates(t, remote, repository, repository.refs), 10);
    await repository.close();
  }
});

test.serial('a cache whose pack is damaged is fetched again with the past', async (t) => {
  const remote = await createServed(t, 50);
  await (await fetchAll(remote)).repository.close();
  for (const pack of listPacks(findCached(remote.cacheFolder))) truncateSync(pack, statSync(pack).size - 30);
  const { repository } = await fetchAll(remote);
  await repository.readCommit(repository.refs[0]!.oid);
  t.is(await compareDates(t, remote, repository, repository.refs), 10);
});

test.serial('dates of a server that has only the last part of a history are those of this part', async (t) => {
  const remote = await createServed(t, 50);
  const shallow = join(createFolder(t), 'shallow.git');
  runGit(dirname(shallow), 'clone', '--quiet', '--bare', '--depth', '4', `file://${remote.source}`, shallow);
  const short = await serve(t, shallow);
  const { repository, problem } = await fetchAll(short);
  t.is(problem, undefined);
  const cache = openCache({ folder: createFolder(t), maxBytes: 1e7, engineVersion: 'x' });
  const { oid } = repository.refs[0]!;
  const dateOf = await createPageDates(repository.past, { cache, repository: shallow })(oid, {
    folder: '',
    isFlat: false,
  });
  const blobOf = (path: string) => runGit(shallow, 'rev-parse', `${oid}:${path}`);
  const dates = ['docs/en/p9.md', 'docs/en/p7.md', 'docs/en/p6.md'].map((path) => dateOf(path, blobOf(path)));
  t.deepEqual(dates, [1_600_000_000 + 49 * 3_600, 1_600_000_000 + 47 * 3_600, undefined]);
  t.is(short.server.requests.length, 1);
  cache.close();
});
