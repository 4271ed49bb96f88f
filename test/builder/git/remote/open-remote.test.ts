import {
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import type { Repository } from '../../../../builder/model.ts';
import { openRepository } from '../../../../builder/open-repository.ts';
import { findCached, listPacks } from '../../../helpers/cached-repository.ts';
import { createFolder, createRepository, type TestRepository } from '../../../helpers/create-repository.ts';
import { runGit } from '../../../helpers/run-git.ts';
import { type GitServer, serveGit } from '../../../helpers/serve-git.ts';

interface Setup {
  readonly source: TestRepository;
  readonly server: GitServer;
  readonly url: string;
  readonly cacheFolder: string;
  open(): Promise<Repository>;
}

async function createSetup(t: ExecutionContext): Promise<Setup> {
  const source = createRepository(t);
  source.write('docs/a.md', '# A\n');
  source.write('docs/big.md', randomText(20_000, 1));
  source.commit('First');
  source.git('tag', '-a', 'v1', '-m', 'Tag');
  const server = await serveGit(t, dirname(source.folder));
  const url = `${server.url}/${basename(source.folder)}`;
  const cacheFolder = createFolder(t);
  const open = () => openRepository(url, { cacheFolder, environment: {} });
  return { source, server, url, cacheFolder, open };
}

/** Text that hardly compresses, always the same for a seed. */
function randomText(bytes: number, seed: number): string {
  let state = seed;
  const next = () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return 33 + ((state >> 16) % 90);
  };
  return String.fromCharCode(...Array.from({ length: bytes }, next));
}

async function readFiles(repository: Repository, name: string): Promise<Record<string, string>> {
  const ref = repository.refs.find((candidate) => candidate.name === name);
  const files: Record<string, string> = {};
  const walk = async (oid: string, prefix: string) => {
    for (const entry of await repository.readTree(oid)) {
      if (entry.kind === 'folder') await walk(entry.oid, `${prefix}${entry.name}/`);
      else files[`${prefix}${entry.name}`] = Buffer.from(await repository.readBlob(entry.oid)).toString();
    }
  };
  await walk((await repository.readCommit(ref?.oid ?? '')).tree, '');
  return files;
}

test('openRepository() lists the refs of a server by one request', async (t) => {
  const { source, server, url, open } = await createSetup(t);
  const commit = source.git('rev-parse', 'HEAD');
  source.git('update-ref', 'refs/pull/1/head', 'HEAD');
  const repository = await open();
  t.is(repository.kind, 'remote');
  t.is(repository.label, url);
  t.is(repository.webUrl, url);
  t.is(repository.head, 'main');
  t.deepEqual(repository.refs, [
    { name: 'main', kind: 'branch', oid: commit },
    { name: 'v1', kind: 'tag', oid: commit },
  ]);
  t.is(server.requests.length, 1);
});

test('fetch() brings the chosen refs, without history, by one request, and reports each', async (t) => {
  const { source, server, cacheFolder, open } = await createSetup(t);
  source.write('docs/b.md', 'B');
  const commit = source.commit('Second');
  const repository = await open();
  server.requests.length = 0;
  const done: string[] = [];
  await repository.fetch(repository.refs, { onFetched: ({ name }) => done.push(name) });
  t.deepEqual(done.sort(), ['main', 'v1']);
  t.is(server.requests.length, 1);
  t.deepEqual(Object.keys(await readFiles(repository, 'main')), ['docs/a.md', 'docs/b.md', 'docs/big.md']);
  t.deepEqual(Object.keys(await readFiles(repository, 'v1')), ['docs/a.md', 'docs/big.md']);
  const cached = findCached(cacheFolder);
  t.is(runGit(cached, 'rev-list', '--count', commit), '1');
  t.notThrows(() => runGit(cached, 'fsck'));
});

test('fetch() asks for nothing that is there, also in another run', async (t) => {
  const { server, open } = await createSetup(t);
  const first = await open();
  await first.fetch(first.refs);
  server.requests.length = 0;
  const second = await open();
  const done: string[] = [];
  await second.fetch(second.refs, { onFetched: ({ name }) => done.push(name) });
  t.deepEqual(done, ['main', 'v1']);
  t.is(server.requests.length, 1);
  t.is((await readFiles(second, 'main'))['docs/a.md'], '# A\n');
});

test('fetch() brings only what is new when a branch moved on', async (t) => {
  const { source, cacheFolder, open } = await createSetup(t);
  const first = await open();
  await first.fetch(first.refs);
  const before = new Set(listPacks(findCached(cacheFolder)));
  source.write('docs/a.md', '# A, changed\n');
  source.commit('Second');
  const second = await open();
  await second.fetch(second.refs);
  const [pack] = listPacks(findCached(cacheFolder)).filter((name) => !before.has(name));
  t.true(readFileSync(pack ?? '').length < 1000);
  const files = await readFiles(second, 'main');
  t.is(files['docs/a.md'], '# A, changed\n');
  t.is(files['docs/big.md']?.length, 20_000);
});

test('fetch() survives a forced push and deleted refs', async (t) => {
  const { source, open } = await createSetup(t);
  const first = await open();
  await first.fetch(first.refs);
  source.git('tag', '-d', 'v1');
  source.write('docs/other.md', 'other');
  source.git('add', '--all');
  source.git('commit', '--quiet', '--amend', '-m', 'Forced');
  source.git('reflog', 'expire', '--expire=now', '--all');
  source.git('gc', '--quiet', '--prune=now');
  const second = await open();
  t.deepEqual(
    second.refs.map(({ name }) => name),
    ['main'],
  );
  await second.fetch(second.refs);
  t.is((await readFiles(second, 'main'))['docs/other.md'], 'other');
  await first.fetch(first.refs);
  t.is((await readFiles(first, 'v1'))['docs/a.md'], '# A\n');
});

test('fetch() says that a ref is gone when it was deleted after it was listed', async (t) => {
  const { source, open } = await createSetup(t);
  const repository = await open();
  source.git('commit', '--quiet', '--amend', '-m', 'Forced');
  source.git('tag', '-d', 'v1');
  source.git('reflog', 'expire', '--expire=now', '--all');
  source.git('gc', '--quiet', '--prune=now');
  await t.throwsAsync(repository.fetch(repository.refs), { code: 'no-such-ref', message: /try again/ });
});

test('fetch() takes no interrupted pack for whole, and succeeds the next time', async (t) => {
  const { server, cacheFolder, open } = await createSetup(t);
  server.cutAfterBytes = 5000;
  const first = await open();
  await t.throwsAsync(first.fetch(first.refs), { code: 'network' });
  server.cutAfterBytes = undefined;
  const second = await open();
  await second.fetch(second.refs);
  t.is((await readFiles(second, 'main'))['docs/big.md']?.length, 20_000);
  t.is(listPacks(findCached(cacheFolder)).length, 1);
});

test('fetch() clears away what a killed process left behind', async (t) => {
  const { source, cacheFolder, open } = await createSetup(t);
  const first = await open();
  await first.fetch(first.refs);
  const folder = join(findCached(cacheFolder), 'objects/pack');
  writeFileSync(join(folder, 'pack-1234.pack'), 'half');
  writeFileSync(join(folder, 'pack-5678.idx.abc.tmp'), 'half');
  const lock = `${findCached(cacheFolder)}.lock`;
  writeFileSync(lock, '999999999 another-machine 1000 x\n');
  utimesSync(lock, 1000, 1000);
  source.write('docs/b.md', 'B');
  source.commit('Second');
  const second = await open();
  await second.fetch(second.refs);
  t.is((await readFiles(second, 'main'))['docs/b.md'], 'B');
  t.deepEqual(
    readdirSync(folder).filter((name) => /1234|5678/.test(name)),
    [],
  );
});

test('reading fetches anew when the cached repository is damaged', async (t) => {
  const { cacheFolder, open } = await createSetup(t);
  const first = await open();
  await first.fetch(first.refs);
  for (const pack of listPacks(findCached(cacheFolder))) truncateSync(pack, 100);
  const second = await open();
  await second.fetch(second.refs);
  t.is((await readFiles(second, 'main'))['docs/a.md'], '# A\n');
});

test('reading fetches anew when packs of the cached repository are gone', async (t) => {
  const { cacheFolder, open } = await createSetup(t);
  const first = await open();
  await first.fetch(first.refs);
  rmSync(join(findCached(cacheFolder), 'objects'), { recursive: true });
  const second = await open();
  await second.fetch(second.refs);
  t.is((await readFiles(second, 'v1'))['docs/a.md'], '# A\n');
});

test('fetch() begins anew when what it builds upon is damaged', async (t) => {
  const { source, cacheFolder, open } = await createSetup(t);
  const first = await open();
  await first.fetch(first.refs);
  for (const pack of listPacks(findCached(cacheFolder))) truncateSync(pack, 100);
  source.write('docs/big.md', `${randomText(20_000, 1)}more`);
  source.commit('Second');
  const second = await open();
  await second.fetch(second.refs);
  t.is((await readFiles(second, 'main'))['docs/big.md']?.length, 20_004);
  t.is((await readFiles(second, 'v1'))['docs/big.md']?.length, 20_000);
});

test('fetch() begins anew when the mirror is one of an earlier release', async (t) => {
  const { cacheFolder, open } = await createSetup(t);
  const first = await open();
  await first.fetch(first.refs);
  writeFileSync(join(findCached(cacheFolder), 'config'), '[core]\n\trepositoryformatversion = 0\n\tbare = true\n');
  writeFileSync(join(findCached(cacheFolder), 'fetched.json'), '{"format":2,"commits":["x"],"others":[]}');
  const second = await open();
  await second.fetch(second.refs);
  t.is((await readFiles(second, 'main'))['docs/a.md'], '# A\n');
});

test('fetch() may be called many times at once', async (t) => {
  const { source, open } = await createSetup(t);
  for (let index = 0; index < 6; index += 1) {
    source.write('docs/a.md', `# ${index}\n`);
    source.commit(`Commit ${index}`);
    source.git('tag', `t${index}`);
  }
  const [one, two] = await Promise.all([open(), open()]);
  await Promise.all([...one.refs.map((ref) => one.fetch([ref])), two.fetch(two.refs), one.fetch(one.refs)]);
  for (let index = 0; index < 6; index += 1) {
    t.is((await readFiles(one, `t${index}`))['docs/a.md'], `# ${index}\n`);
    t.is((await readFiles(two, `t${index}`))['docs/a.md'], `# ${index}\n`);
  }
});

test('openRepository() says that a remote is empty', async (t) => {
  const source = createRepository(t);
  const server = await serveGit(t, dirname(source.folder));
  const url = `${server.url}/${basename(source.folder)}`;
  await t.throwsAsync(openRepository(url, { cacheFolder: createFolder(t), environment: {} }), { code: 'no-refs' });
});

test('openRepository() names the default branch of a remote, whatever its name', async (t) => {
  const { source, open } = await createSetup(t);
  source.git('branch', '-m', 'main', 'trunk/one');
  source.git('branch', 'main');
  t.is((await open()).head, 'trunk/one');
  source.git('checkout', '--quiet', '--detach');
  t.is((await open()).head, 'main');
});

test('fetch() takes hostile ref names as they are', async (t) => {
  const { source, open } = await createSetup(t);
  const commit = source.git('rev-parse', 'HEAD');
  const names = ['--upload-pack=touch', 'a$(id)', 'x\'"<svg>', '__proto__', 'HEAD', 'ünï/✓'];
  for (const name of names) {
    mkdirSync(join(source.folder, '.git/refs/heads', name, '..'), { recursive: true });
    writeFileSync(join(source.folder, '.git/refs/heads', name), `${commit}\n`);
  }
  const repository = await open();
  const branches = repository.refs.filter(({ kind }) => kind === 'branch');
  t.deepEqual(branches.map(({ name }) => name).sort(), ['main', ...names].sort());
  const done: string[] = [];
  await repository.fetch(branches, { onFetched: ({ name }) => done.push(name) });
  t.deepEqual(done.sort(), ['main', ...names].sort());
  t.is((await readFiles(repository, 'a$(id)'))['docs/a.md'], '# A\n');
});

test('fetch() copes with a tag that leads to no commit', async (t) => {
  const { source, open } = await createSetup(t);
  source.git('tag', 'tree', 'HEAD^{tree}');
  const repository = await open();
  await repository.fetch(repository.refs);
  t.is((await readFiles(repository, 'main'))['docs/a.md'], '# A\n');
  const tree = repository.refs.find(({ name }) => name === 'tree');
  await t.throwsAsync(repository.readCommit(tree?.oid ?? ''), { code: 'no-such-ref' });
  source.write('docs/a.md', '# A, changed\n');
  source.commit('Second');
  const again = await open();
  await again.fetch(again.refs);
  t.is((await readFiles(again, 'main'))['docs/a.md'], '# A, changed\n');
});

test('fetch() begins a mirror anew when it has become one of many packs', async (t) => {
  const { source, server, cacheFolder, open } = await createSetup(t);
  const first = await open();
  await first.fetch(first.refs);
  const [pack] = listPacks(findCached(cacheFolder));
  for (let number = 0; number < 300; number += 1) {
    for (const ending of ['pack', 'idx']) {
      linkSync(pack!.replace(/pack$/, ending), join(dirname(pack!), `pack-${number}.${ending}`));
    }
  }
  const again = await open();
  server.requests.length = 0;
  await again.fetch(again.refs);
  t.is(server.requests.length, 0, 'what is there is there');
  source.write('docs/b.md', 'B');
  source.commit('Second');
  const second = await open();
  await second.fetch(second.refs);
  t.is((await readFiles(second, 'main'))['docs/b.md'], 'B');
  t.is((await readFiles(second, 'v1'))['docs/a.md'], '# A\n');
  t.true(listPacks(findCached(cacheFolder)).length <= 2);
});
