import { appendFileSync, chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import test, { type ExecutionContext } from 'ava';
import type { Repository } from '../../../../builder/model.ts';
import { openRepository } from '../../../../builder/open-repository.ts';
import { createFolder, createRepository } from '../../../helpers/create-repository.ts';
import { runGit } from '../../../helpers/run-git.ts';
import { throwsCode } from '../../../helpers/throws-code.ts';

const options = { cacheFolder: '/nonexistent', environment: {} };

async function open(t: ExecutionContext, location: string): Promise<Repository> {
  const repository = await openRepository(location, options);
  t.teardown(() => repository.close());
  return repository;
}

/** Returns `path: content` of all files below a commit. */
async function readAll(repository: Repository, commit: string): Promise<Record<string, string>> {
  const files: Record<string, string> = {};
  const walk = async (oid: string, prefix: string) => {
    for (const entry of await repository.readTree(oid)) {
      if (entry.kind === 'folder') await walk(entry.oid, `${prefix}${entry.name}/`);
      else files[`${prefix}${entry.name}`] = Buffer.from(await repository.readBlob(entry.oid)).toString();
    }
  };
  await walk((await repository.readCommit(commit)).tree, '');
  return files;
}

function listNames(repository: Repository): readonly string[] {
  return repository.refs.map(({ kind, name }) => `${kind} ${name}`);
}

test('openRepository() reads a work tree: branches, tags, files', async (t) => {
  const source = createRepository(t);
  source.write('docs/a.md', '# A\n');
  const first = source.commit('First');
  source.git('tag', 'v1');
  source.git('branch', 'feature/x');
  source.write('docs/b/c.md', '# C\n');
  const second = source.commit('Second');
  const repository = await open(t, source.folder);
  t.is(repository.kind, 'local');
  t.is(repository.head, 'main');
  t.is(repository.label, source.folder);
  t.deepEqual(repository.refs, [
    { name: 'feature/x', kind: 'branch', oid: first },
    { name: 'main', kind: 'branch', oid: second },
    { name: 'v1', kind: 'tag', oid: first },
  ]);
  t.deepEqual(await readAll(repository, second), { 'docs/a.md': '# A\n', 'docs/b/c.md': '# C\n' });
  t.is((await repository.readCommit(second)).time, Date.UTC(2024, 0, 2, 3, 4, 5) / 1000);
});

test('openRepository() reads the same from loose and from packed objects and refs', async (t) => {
  const source = createRepository(t);
  for (let index = 0; index < 5; index += 1) {
    source.write('docs/a.md', `# A\n${'text\n'.repeat(500)}${index}\n`);
    source.commit(`Commit ${index}`);
    source.git('tag', '-a', `v${index}.0`, '-m', 'Tag');
  }
  const loose = await open(t, source.folder);
  const looseRefs = loose.refs;
  const looseFiles = await readAll(loose, looseRefs[0]!.oid);
  source.git('gc', '--quiet');
  t.true(readFileSync(join(source.folder, '.git/packed-refs'), 'utf8').includes('refs/tags/v4.0'));
  const packed = await open(t, source.folder);
  t.deepEqual(packed.refs, looseRefs);
  t.deepEqual(await readAll(packed, packed.refs[0]!.oid), looseFiles);
});

test('openRepository() goes on reading when another process packs the repository', async (t) => {
  const source = createRepository(t);
  source.write('docs/a.md', 'one\n');
  source.write('other/b.md', 'two\n');
  const commit = source.commit('First');
  const repository = await open(t, source.folder);
  await repository.readCommit(commit);
  source.git('gc', '--quiet', '--prune=now');
  t.deepEqual(await readAll(repository, commit), { 'docs/a.md': 'one\n', 'other/b.md': 'two\n' });
});

test('openRepository() reads a bare repository and a file:// address', async (t) => {
  const source = createRepository(t);
  const commit = source.commit('First');
  const bare = join(createFolder(t), 'bare.git');
  runGit(source.folder, 'clone', '--quiet', '--bare', source.folder, bare);
  t.is((await open(t, bare)).refs[0]?.oid, commit);
  t.is((await open(t, pathToFileURL(bare).href)).refs[0]?.oid, commit);
  t.is((await open(t, join(source.folder, '.git'))).refs[0]?.oid, commit);
});

test('openRepository() reads a linked worktree', async (t) => {
  const source = createRepository(t);
  source.write('a.md', 'one');
  const commit = source.commit('First');
  const linked = join(createFolder(t), 'linked');
  source.git('worktree', 'add', '--quiet', '-b', 'side', linked);
  const repository = await open(t, linked);
  t.deepEqual(listNames(repository), ['branch main', 'branch side']);
  t.is(repository.head, 'side');
  t.deepEqual(await readAll(repository, commit), { 'a.md': 'one' });
});

test('openRepository() peels nested tags, and those that lead to no commit, so that whoever reads them can tell', async (t) => {
  const source = createRepository(t);
  source.write('a.md', 'one');
  const commit = source.commit('First');
  source.git('tag', '-a', 'inner', '-m', 'Inner');
  source.git('tag', '-a', 'outer', 'inner', '-m', 'Outer');
  source.git('tag', 'tree', 'HEAD^{tree}');
  source.git('tag', '-a', 'blob', 'HEAD:a.md', '-m', 'Blob');
  const expected = [
    { name: 'main', kind: 'branch', oid: commit },
    { name: 'blob', kind: 'tag', oid: source.git('rev-parse', 'HEAD:a.md') },
    { name: 'inner', kind: 'tag', oid: commit },
    { name: 'outer', kind: 'tag', oid: commit },
    { name: 'tree', kind: 'tag', oid: source.git('rev-parse', 'HEAD^{tree}') },
  ] as const;
  t.deepEqual((await open(t, source.folder)).refs, expected);
  source.git('pack-refs', '--all');
  t.deepEqual((await open(t, source.folder)).refs, expected);
});

test('openRepository() reads a loose ref before the packed one of the same name', async (t) => {
  const source = createRepository(t);
  source.commit('First');
  source.git('pack-refs', '--all');
  const second = source.commit('Second');
  t.is((await open(t, source.folder)).refs[0]?.oid, second);
});

test('openRepository() follows symbolic refs and leaves out those that lead nowhere', async (t) => {
  const source = createRepository(t);
  const commit = source.commit('First');
  source.git('symbolic-ref', 'refs/heads/alias', 'refs/heads/main');
  source.git('symbolic-ref', 'refs/heads/dangling', 'refs/heads/none');
  source.git('symbolic-ref', 'refs/heads/loop', 'refs/heads/loop2');
  source.git('symbolic-ref', 'refs/heads/loop2', 'refs/heads/loop');
  const repository = await open(t, source.folder);
  t.deepEqual(listNames(repository), ['branch alias', 'branch main']);
  t.is(repository.refs[0]?.oid, commit);
});

test('openRepository() names the branch or tag of a detached HEAD', async (t) => {
  const source = createRepository(t);
  source.commit('First');
  source.git('tag', 'v1');
  source.commit('Second');
  source.git('checkout', '--quiet', '--detach', 'v1');
  t.is((await open(t, source.folder)).head, 'v1');
  source.git('checkout', '--quiet', '--detach', 'main');
  t.is((await open(t, source.folder)).head, 'main');
  source.commit('Third');
  t.is((await open(t, source.folder)).head, 'main');
  source.git('branch', '-m', 'main', 'other');
  t.is((await open(t, source.folder)).head, undefined);
});

test('openRepository() gives one ref for a shallow clone without any', async (t) => {
  const source = createRepository(t);
  source.commit('First');
  source.write('a.md', 'two');
  const commit = source.commit('Second');
  const clone = join(createFolder(t), 'clone');
  runGit(source.folder, 'clone', '--quiet', '--depth', '1', pathToFileURL(source.folder).href, clone);
  runGit(clone, 'checkout', '--quiet', '--detach');
  runGit(clone, 'branch', '--quiet', '-D', 'main');
  runGit(clone, 'remote', 'remove', 'origin');
  const repository = await open(t, clone);
  t.deepEqual(repository.refs, [{ name: 'current', kind: 'worktree', oid: commit }]);
  t.is(repository.head, 'current');
  t.deepEqual(await readAll(repository, commit), { 'a.md': 'two' });
});

test('openRepository() counts remote-tracking branches of origin where no local branch has the name', async (t) => {
  const source = createRepository(t);
  const first = source.commit('First');
  source.git('branch', 'feature/x');
  source.git('bundle', 'create', '--quiet', 'all.bundle', '--all');
  const clone = join(createFolder(t), 'clone');
  runGit(source.folder, 'clone', '--quiet', 'all.bundle', clone);
  runGit(clone, 'commit', '--quiet', '--allow-empty', '-m', 'Ahead');
  const repository = await open(t, clone);
  t.deepEqual(listNames(repository), ['branch feature/x', 'branch main']);
  t.deepEqual(
    repository.refs.map(({ oid }) => oid),
    [first, runGit(clone, 'rev-parse', 'main')],
  );
});

test('openRepository() finds the web address in origin, without credentials', async (t) => {
  const source = createRepository(t);
  source.commit('First');
  t.is((await open(t, source.folder)).webUrl, undefined);
  source.git('remote', 'add', 'origin', 'https://user:secret@host.test/o/r.git');
  t.is((await open(t, source.folder)).webUrl, 'https://host.test/o/r');
  source.git('remote', 'set-url', 'origin', 'git@host.test:o/r.git');
  t.is((await open(t, source.folder)).webUrl, 'https://host.test/o/r');
});

test('openRepository() shows no password of a URL that is mistyped into a path', async (t) => {
  for (const location of [
    'http:/me:hunter2@host.test/a.git',
    'https//me:hunter2@host.test/a.git',
    'me:hunter2@host.test:a.git',
  ]) {
    const error = await t.throwsAsync(open(t, location), undefined, location);
    t.regex(error?.message ?? '', /Cannot open "host\.test[^"]*"/);
    t.notRegex(error?.message ?? '', /hunter2/);
  }
  const error = await t.throwsAsync(open(t, '/no/such:folder/of@1.0'));
  t.regex(error?.message ?? '', /"\/no\/such:folder\/of@1\.0": the folder does not exist/);
});

test('openRepository() reads objects that a clone borrows, also over two steps', async (t) => {
  const source = createRepository(t);
  source.write('a.md', 'one');
  const commit = source.commit('First');
  const [near, far] = [join(createFolder(t), 'near'), join(createFolder(t), 'far')];
  runGit(source.folder, 'clone', '--quiet', '--shared', source.folder, near);
  runGit(source.folder, 'clone', '--quiet', '--shared', near, far);
  t.is(readdirSync(join(far, '.git/objects')).filter((name) => name.length === 2).length, 0);
  t.deepEqual(await readAll(await open(t, far), commit), { 'a.md': 'one' });
  source.git('gc', '--quiet');
  t.deepEqual(await readAll(await open(t, far), commit), { 'a.md': 'one' });
});

test('openRepository() takes hostile ref names as they are', async (t) => {
  const source = createRepository(t);
  const commit = source.commit('First');
  const names = ['--upload-pack=touch', 'a$(id)', 'x\'"<svg>', '__proto__', 'constructor', 'ünï/✓'];
  for (const name of names) {
    mkdirSync(join(source.folder, '.git/refs/heads', name, '..'), { recursive: true });
    writeFileSync(join(source.folder, '.git/refs/heads', name), `${commit}\n`);
  }
  const repository = await open(t, source.folder);
  t.deepEqual(
    repository.refs.map(({ name }) => name),
    ['main', ...names].sort(),
  );
});

test('openRepository() says that a repository has no commits', async (t) => {
  const error = await throwsCode(t, 'no-refs', () => openRepository(createRepository(t).folder, options));
  t.regex(error.message, /has no commits yet/);
});

test('openRepository() says that there is no folder, with the URL that may be meant, or a file', async (t) => {
  const folder = createFolder(t);
  writeFileSync(join(folder, 'a.bundle'), 'x');
  const missing = await throwsCode(t, 'not-a-repository', () => openRepository(join(folder, 'none'), options));
  t.regex(missing.message, /the folder does not exist/);
  const typed = await throwsCode(t, 'not-a-repository', () => openRepository('host.test/you/repo', options));
  t.regex(typed.message, /the folder does not exist; did you mean "https:\/\/host\.test\/you\/repo"\?$/);
  const file = await throwsCode(t, 'not-a-repository', () => openRepository(join(folder, 'a.bundle'), options));
  t.regex(file.message, /it is a file/);
  await throwsCode(t, 'not-a-repository', () => openRepository(join(folder, 'a.bundle', 'b'), options));
});

test('openRepository() says that a .git file leads nowhere', async (t) => {
  const folder = createFolder(t);
  writeFileSync(join(folder, '.git'), 'gitdir: /nonexistent/x\n');
  await throwsCode(t, 'not-a-repository', () => openRepository(folder, options));
  writeFileSync(join(folder, '.git'), 'something else\n');
  await throwsCode(t, 'not-a-repository', () => openRepository(folder, options));
});

test('openRepository() says that SHA-256 and reftable are not supported', async (t) => {
  const folder = createFolder(t);
  runGit(folder, 'init', '--quiet', '--object-format=sha256');
  runGit(folder, 'commit', '--quiet', '--allow-empty', '-m', 'First');
  const format = await throwsCode(t, 'not-a-repository', () => openRepository(folder, options));
  t.regex(format.message, /object format sha256 is not supported/);
  const source = createRepository(t);
  source.commit('First');
  appendFileSync(join(source.folder, '.git/config'), '[extensions]\n\trefStorage = reftable\n');
  const storage = await throwsCode(t, 'not-a-repository', () => openRepository(source.folder, options));
  t.regex(storage.message, /ref format reftable is not supported/);
});

test('openRepository() says that objects of a partial clone are missing', async (t) => {
  const source = createRepository(t);
  source.write('a.md', 'one');
  const commit = source.commit('First');
  source.git('config', 'uploadpack.allowFilter', 'true');
  const clone = join(createFolder(t), 'clone');
  const address = pathToFileURL(source.folder).href;
  runGit(source.folder, 'clone', '--quiet', '--no-checkout', '--filter=blob:none', address, clone);
  const repository = await open(t, clone);
  const error = await throwsCode(t, 'damaged-repository', () => readAll(repository, commit));
  t.regex(error.message, /^Object [0-9a-f]{40} is missing: .* is a partial clone/);
});

test('openRepository() names the object that is damaged', async (t) => {
  const source = createRepository(t);
  source.write('a.md', 'one');
  const commit = source.commit('First');
  const blob = source.git('rev-parse', 'HEAD:a.md');
  const file = join(source.folder, '.git/objects', blob.slice(0, 2), blob.slice(2));
  chmodSync(file, 0o644);
  writeFileSync(file, 'garbage');
  const repository = await open(t, source.folder);
  const error = await throwsCode(t, 'damaged-repository', () => readAll(repository, commit));
  t.true(error.message.includes(blob));
});

test('openRepository() notices a damaged pack', async (t) => {
  const source = createRepository(t);
  source.write('a.md', 'one');
  const commit = source.commit('First');
  source.git('gc', '--quiet');
  const folder = join(source.folder, '.git/objects/pack');
  const pack = join(folder, readdirSync(folder).find((name) => name.endsWith('.pack')) ?? '');
  const bytes = readFileSync(pack);
  bytes[20] = bytes[20]! ^ 0xff;
  chmodSync(pack, 0o644);
  writeFileSync(pack, bytes);
  const repository = await open(t, source.folder);
  await throwsCode(t, 'damaged-repository', () => readAll(repository, commit));
});

test('openRepository() names the ref whose file is damaged', async (t) => {
  const source = createRepository(t);
  source.commit('First');
  writeFileSync(join(source.folder, '.git/refs/heads/broken'), '');
  const error = await throwsCode(t, 'damaged-repository', () => openRepository(source.folder, options));
  t.true(error.message.includes('refs/heads/broken'));
});

test('readTree() refuses a tree with an unsafe name', async (t) => {
  const source = createRepository(t);
  source.write('a.md', 'one');
  source.commit('First');
  const blob = source.git('rev-parse', 'HEAD:a.md');
  const content = Buffer.concat([Buffer.from('100644 ..\0'), Buffer.from(blob, 'hex')]);
  source.write('tree', content);
  const tree = source.git('hash-object', '-t', 'tree', '--literally', '-w', 'tree');
  const repository = await open(t, source.folder);
  const error = await throwsCode(t, 'unsafe-name', () => repository.readTree(tree));
  t.true(error.message.includes('".."'));
});

test('readCommit() says when a version tag leads to something else', async (t) => {
  const source = createRepository(t);
  source.write('a.md', 'one');
  source.commit('First');
  source.git('tag', 'v1.0', 'HEAD^{tree}');
  source.git('pack-refs', '--all');
  const repository = await open(t, source.folder);
  const tag = repository.refs.find(({ name }) => name === 'v1.0');
  await throwsCode(t, 'no-such-ref', () => repository.readCommit(tag?.oid ?? ''));
});

test('fetch() reports every ref and has nothing to do', async (t) => {
  const source = createRepository(t);
  source.commit('First');
  const repository = await open(t, source.folder);
  rmSync(join(source.folder, '.git/objects'), { recursive: true });
  const done: string[] = [];
  await repository.fetch(repository.refs, { onFetched: ({ name }) => done.push(name) });
  t.deepEqual(done, ['main']);
});
