import { spawn } from 'node:child_process';
import { readdirSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import { corpusBundle } from '../../../../bench/corpus/open-corpus.ts';
import { BuildError } from '../../../../builder/build-error.ts';
import { openObjectStore } from '../../../../builder/git/objects/object-store.ts';
import type { Repository } from '../../../../builder/model.ts';
import { openRepository } from '../../../../builder/open-repository.ts';
import { findCached, listPacks } from '../../../helpers/cached-repository.ts';
import { corpusTest } from '../../../helpers/corpus-test.ts';
import { cpuTimeMs } from '../../../helpers/cpu-time.ts';
import { createRandom, type Random } from '../../../helpers/create-random.ts';
import { createRandomHistory } from '../../../helpers/create-random-history.ts';
import { createFolder } from '../../../helpers/create-repository.ts';
import { listObjects } from '../../../helpers/list-objects.ts';
import { runGit } from '../../../helpers/run-git.ts';
import { type GitServer, serveGit } from '../../../helpers/serve-git.ts';

interface Remote {
  /** The git folder that is served. */
  readonly source: string;
  readonly server: GitServer;
  readonly url: string;
  readonly cacheFolder: string;
  open(): Promise<Repository>;
}

async function serveHistory(t: ExecutionContext, source: string): Promise<Remote> {
  const server = await serveGit(t, dirname(source));
  const url = `${server.url}/${basename(source)}`;
  const cacheFolder = createFolder(t);
  return { source, server, url, cacheFolder, open: () => openRepository(url, { cacheFolder, environment: {} }) };
}

/**
 * Checks a cached repository by the git binary: every commit that was fetched is there with all its files, every object
 * is read as git reads it, and the packs stand for themselves. A fetch that was killed may leave a pack that nothing names, and whose
 * commits are not marked as shallow: git misses their parents then (`mayLackParents`).
 */
async function compareCache(
  t: ExecutionContext,
  { source, cacheFolder }: Remote,
  commits: readonly string[],
  { mayLackParents = false } = {},
) {
  const cached = findCached(cacheFolder);
  const store = openObjectStore(cached);
  const found = listObjects(cached);
  for (const [oid, expected] of found) {
    const object = await store.read(oid);
    t.true(object?.type === expected.type && object.bytes.equals(expected.bytes), oid);
  }
  store.forget();
  const trees = [...new Set(commits)].map((oid) => `${oid}^{tree}`);
  const reachable = runGit(source, 'rev-list', '--objects', '--no-object-names', '--stdin', '--no-walk', ...trees);
  for (const oid of reachable.split('\n')) t.true(found.has(oid), `Object ${oid} is missing`);
  runGit(cached, 'fsck', '--full', '--strict', '--no-dangling');
  for (const pack of listPacks(cached)) {
    const strict = mayLackParents ? [] : ['--strict'];
    runGit(cached, 'index-pack', ...strict, '-o', join(createFolder(t), 'x.idx'), pack);
    runGit(cached, 'verify-pack', pack.replace(/pack$/, 'idx'));
  }
}

function shuffle<T>(list: readonly T[], { below }: Random): T[] {
  return list
    .map((item) => [below(1 << 30), item] as const)
    .sort(([a], [b]) => a - b)
    .map(([, item]) => item);
}

for (const seed of [11, 12, 13, 14]) {
  test.serial(`random history ${seed}, fetched in random portions while it changes, is what git says`, async (t) => {
    const history = createRandomHistory(t, seed);
    const random = createRandom(seed);
    const remote = await serveHistory(t, history.folder);
    if (seed === 12) remote.server.without = ['thin-pack', 'filter', 'multi_ack', 'multi_ack_detailed'];
    if (seed === 13) remote.server.protocol = 2;
    if (seed === 14) remote.server.without = ['ofs-delta', 'side-band-64k', 'side-band'];
    const commits: string[] = [];
    for (let round = 0; round < 5; round += 1) {
      for (let count = random.below(8); count >= 0; count -= 1) history.step();
      const repository = await remote.open();
      const refs = shuffle(repository.refs, random).slice(0, 1 + random.below(repository.refs.length));
      const half = random.below(refs.length);
      const done: string[] = [];
      for (const portion of [refs.slice(half), refs.slice(0, half)]) {
        await repository.fetch(portion, { onFetched: ({ name, kind }) => done.push(`${kind} ${name}`) });
      }
      t.deepEqual(done.sort(), refs.map(({ name, kind }) => `${kind} ${name}`).sort());
      for (const { oid } of refs) await repository.readCommit(oid);
      commits.push(...refs.map(({ oid }) => oid));
      await repository.close();
      // What nothing leads to any more is thrown away by the server, but not by the cache.
      for (const { oid } of refs) runGit(history.folder, 'update-ref', `refs/kept/${oid}`, oid);
    }
    await compareCache(t, remote, commits);
  });
}

/** The repository of koa with all of its branches, tags and pull requests. */
const BUNDLE = 'koa.bundle';
const koaTest = corpusTest(BUNDLE);

async function serveKoa(t: ExecutionContext): Promise<Remote> {
  const source = join(createFolder(t), 'koa.git');
  runGit(dirname(source), 'clone', '--quiet', '--bare', corpusBundle(BUNDLE), source);
  return serveHistory(t, source);
}

koaTest('all refs of a real history come over HTTP by two requests, while timers fire', async (t) => {
  const remote = await serveKoa(t);
  const repository = await remote.open();
  t.is(repository.refs.length, 136);
  remote.server.requests.length = 0;
  const findLongestTurn = watchTurns();
  const head = repository.refs.filter(({ name }) => name === repository.head);
  await repository.fetch(head);
  await repository.fetch(repository.refs);
  const longestMs = findLongestTurn();
  t.true(longestMs < 500, `a timer waited for ${longestMs} ms of work`);
  t.is(remote.server.requests.length, 2);
  await repository.close();
  await compareCache(t, remote, listCommits(repository));
  // Each base of a delta is added once: native git packs the same objects hardly smaller.
  const sizes = listPacks(findCached(remote.cacheFolder)).map((pack) => statSync(pack).size);
  t.true(sum(sizes) < 3_000_000, `${sum(sizes)} bytes`);
});

koaTest('all refs of a real history come by many small requests, in any order', async (t) => {
  const remote = await serveKoa(t);
  const random = createRandom(5);
  const repository = await remote.open();
  const refs = shuffle(repository.refs, random);
  for (let at = 0, size = 0; at < refs.length; at += size) {
    size = 1 + random.below(9);
    await repository.fetch(refs.slice(at, at + size));
  }
  t.true(remote.server.requests.length > 20);
  await repository.close();
  await compareCache(t, remote, listCommits(repository));
});

/** Watches how much this process works between two turns of a timer; returns a function that tells the most. */
function watchTurns(): () => number {
  let longest = 0;
  let last = cpuTimeMs();
  const timer = setInterval(() => {
    const now = cpuTimeMs();
    longest = Math.max(longest, now - last);
    last = now;
  }, 5);
  return () => {
    clearInterval(timer);
    return longest;
  };
}

function listCommits({ refs }: Repository): readonly string[] {
  return refs.map(({ oid }) => oid);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

test.serial('answers that are cut off or damaged anywhere say so, and leave the cache whole', async (t) => {
  const history = createRandomHistory(t, 21);
  for (let count = 0; count < 10; count += 1) history.step();
  const remote = await serveHistory(t, history.folder);
  const random = createRandom(21);
  const outcomes = new Map<string, number>();
  for (let round = 0; round < 80; round += 1) {
    const method = random.chance(0.3) ? 'GET' : 'POST';
    remote.server.tamper = (body, of) => (of === method ? damage(body, random) : body);
    if (round % 10 === 5) await fetchWhole(remote);
    const message = await fetchDamaged(t, remote);
    const kind = /^[A-Za-z]+(?: [a-z]+){0,2}/.exec(message)![0];
    outcomes.set(kind, (outcomes.get(kind) ?? 0) + 1);
    history.step();
  }
  t.log(Object.fromEntries(outcomes));
  t.true((outcomes.get('no error') ?? 0) < 40);
  await compareCache(t, remote, await fetchWhole(remote));
});

/** Flips a bit, or cuts off what follows a byte. */
function damage(body: Buffer, { below, chance }: Random): Buffer {
  const at = below(body.length);
  if (chance(0.3)) return body.subarray(0, at);
  const changed = Buffer.from(body);
  changed[at]! ^= 1 << below(8);
  return changed;
}

/** Fetches all refs from a server that tampers with its answers; returns the message of the error. */
async function fetchDamaged(t: ExecutionContext, remote: Remote): Promise<string> {
  try {
    const repository = await remote.open();
    await repository.fetch(repository.refs);
    await repository.close();
    return 'no error';
  } catch (error) {
    if (!(error instanceof BuildError)) throw error;
    t.regex(error.code, /^(?:network|no-such-ref|fetch-limit)$/, error.message);
    t.notRegex(error.message, /is not a git repository|undefined|\[object/);
    return error.message;
  }
}

async function fetchWhole({ server, open }: Remote): Promise<readonly string[]> {
  const { tamper } = server;
  server.tamper = undefined;
  const repository = await open();
  await repository.fetch(repository.refs);
  const found = await Promise.all(repository.refs.map(({ oid }) => repository.readCommit(oid)));
  await repository.close();
  server.tamper = tamper;
  return found.length > 0 ? repository.refs.map(({ oid }) => oid) : [];
}

test.serial('a fetch goes on after its process was killed, wherever it was', async (t) => {
  const history = createRandomHistory(t, 31);
  const remote = await serveHistory(t, history.folder);
  const random = createRandom(31);
  const module = new URL('../../../../builder/open-repository.js', import.meta.url).href;
  const script = `
    import { openRepository } from ${JSON.stringify(module)};
    const repository = await openRepository(process.argv[1], { cacheFolder: process.argv[2], environment: {} });
    console.log('open');
    await repository.fetch(repository.refs);
    console.log('done');`;
  for (let round = 0; round < 5; round += 1) {
    for (let count = 0; count < 6; count += 1) history.step();
    remote.server.holdAfterBytes = round < 3 ? random.below(3_000) : undefined;
    const args = ['--input-type=module', '--eval', script, remote.url, remote.cacheFolder];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    const closed = new Promise((resolve) => child.once('close', resolve));
    await new Promise((resolve) => child.stdout.once('data', resolve));
    await sleep(random.below(150));
    child.kill('SIGKILL');
    await closed;
    remote.server.holdAfterBytes = undefined;
    if (round % 2 === 1) continue;
    await compareCache(t, remote, await fetchWhole(remote), { mayLackParents: true });
    const names = readdirSync(join(findCached(remote.cacheFolder), 'objects/pack'));
    t.deepEqual(
      names.filter((name) => !/^pack-[0-9a-f]{40}\.(?:pack|idx)$/.test(name)),
      [],
    );
  }
});

test.serial('a cache of an earlier format, whose packs lack their bases, is begun anew', async (t) => {
  const history = createRandomHistory(t, 41);
  const remote = await serveHistory(t, history.folder);
  await fetchWhole(remote);
  const cached = findCached(remote.cacheFolder);
  writeFileSync(join(cached, 'config'), '[core]\n\trepositoryformatversion = 0\n\tbare = true\n');
  for (const pack of listPacks(cached)) truncateSync(pack, statSync(pack).size - 1);
  remote.server.requests.length = 0;
  await compareCache(t, remote, await fetchWhole(remote));
  t.is(remote.server.requests.length, 2);
});
