import { mkdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { BuildError } from '../../../builder/build-error.ts';
import type { Repository } from '../../../builder/model.ts';
import { openRepository } from '../../../builder/open-repository.ts';
import { createFolder, createRepository } from '../../helpers/create-repository.ts';

function openFolder(folder: string): Promise<Repository> {
  return openRepository(folder, { cacheFolder: '/nonexistent', environment: {} });
}

function createFiles(t: ExecutionContext, files: Record<string, string>): string {
  const folder = createFolder(t);
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), text);
  }
  return folder;
}

async function listTree(repository: Repository, oid: string): Promise<readonly string[]> {
  return (await repository.readTree(oid)).map(({ name, kind }) => `${kind} ${name}`);
}

async function readRoot(repository: Repository): Promise<string> {
  return (await repository.readCommit(repository.refs[0]!.oid)).tree;
}

test('openRepository() reads a plain folder as one ref', async (t) => {
  const folder = createFiles(t, { 'docs/a.md': '# A\n', 'README.md': 'x' });
  const repository = await openFolder(folder);
  t.is(repository.kind, 'folder');
  t.is(repository.head, 'current');
  t.is(repository.refs.length, 1);
  t.like(repository.refs[0], { name: 'current', kind: 'worktree' });
  const root = await repository.readTree(await readRoot(repository));
  t.deepEqual(
    root.map(({ name, kind }) => `${kind} ${name}`),
    ['file README.md', 'folder docs'],
  );
  const [page] = await repository.readTree(root[1]!.oid);
  t.is(Buffer.from(await repository.readBlob(page!.oid)).toString(), '# A\n');
});

test('openRepository() gives files of a folder the ids git gives them, and git its order', async (t) => {
  const source = createRepository(t);
  for (const file of ['a/x.md', 'a.md', 'a-b/x.md', 'é.md', '😀.md', 'Z.md']) source.write(file, file);
  source.commit('First');
  source.git('config', 'core.quotePath', 'false');
  const expected = source.git('ls-tree', 'HEAD').split('\n');
  const copy = createFolder(t);
  source.git('--work-tree', copy, 'checkout', '--quiet', '--force', 'HEAD', '--', '.');
  const repository = await openFolder(copy);
  const tree = await repository.readTree(await readRoot(repository));
  t.deepEqual(
    tree.map(({ name, kind, oid }) => `${kind === 'file' ? oid : ''} ${name}`),
    expected.map((line) => {
      const [, kind, oid, name] = /^\d+ (\w+) (\w+)\t(.*)$/.exec(line)!;
      return `${kind === 'blob' ? oid : ''} ${name}`;
    }),
  );
});

test('openRepository() lists what configures VitePress and VuePress, but not what they leave behind', async (t) => {
  const folder = createFiles(t, {
    'docs/.vitepress/config.ts': '',
    'docs/.vitepress/cache/x.md': '',
    'docs/.vitepress/theme/index.ts': '',
    'docs/.vuepress/public/x.png': '',
  });
  const repository = await openFolder(folder);
  const list = async (oid: string) =>
    Promise.all(
      (await repository.readTree(oid)).map(
        async (entry): Promise<unknown> => (entry.kind === 'folder' ? [entry.name, await list(entry.oid)] : entry.name),
      ),
    );
  t.deepEqual(await list(await readRoot(repository)), [
    [
      'docs',
      [
        ['.vitepress', ['config.ts']],
        ['.vuepress', [['public', ['x.png']]]],
      ],
    ],
  ]);
});

test('openRepository() leaves out node_modules and folders with a dot, but keeps dot files', async (t) => {
  const folder = createFiles(t, {
    '.docbuild.yml': '',
    '.hidden/a.md': '',
    'docs/.vitepress/b.md': '',
    'docs/.order': '',
    'docs/a.md': '',
    'docs/node_modules/c.md': '',
    'node_modules/d.md': '',
  });
  const repository = await openFolder(folder);
  const root = await readRoot(repository);
  t.deepEqual(await listTree(repository, root), ['file .docbuild.yml', 'folder docs']);
  const docs = (await repository.readTree(root))[1]!;
  t.deepEqual(await listTree(repository, docs.oid), ['file .order', 'file a.md']);
});

test('openRepository() reports symbolic links and never follows them', async (t) => {
  const outside = createFiles(t, { 'secret.md': 'secret' });
  const folder = createFiles(t, { 'a.md': 'x' });
  symlinkSync(outside, join(folder, 'folder-link'));
  symlinkSync(join(outside, 'secret.md'), join(folder, 'link.md'));
  symlinkSync('.', join(folder, 'loop'));
  symlinkSync('nowhere', join(folder, 'dead'));
  const repository = await openFolder(folder);
  const root = await repository.readTree(await readRoot(repository));
  t.deepEqual(
    root.map(({ name, kind }) => `${kind} ${name}`),
    ['file a.md', 'symbolic-link dead', 'symbolic-link folder-link', 'symbolic-link link.md', 'symbolic-link loop'],
  );
  t.is(Buffer.from(await repository.readBlob(root[1]!.oid)).toString(), 'nowhere');
  await t.throwsAsync(repository.readTree(root[2]!.oid), { instanceOf: BuildError });
});

test('openRepository() refuses a file that became a symbolic link after the folder was opened', async (t) => {
  const outside = createFiles(t, { 'secret.md': 'secret' });
  const folder = createFiles(t, { 'docs/a.md': 'x', 'docs/b.md': 'x' });
  const repository = await openFolder(folder);
  rmSync(join(folder, 'docs/a.md'));
  symlinkSync(join(outside, 'secret.md'), join(folder, 'docs/a.md'));
  const [docs] = await repository.readTree(await readRoot(repository));
  const error = await t.throwsAsync(repository.readTree(docs!.oid), { instanceOf: BuildError });
  t.true(error?.message.includes('a.md'));
});

test('openRepository() gives another id when a file below changes, else the same', async (t) => {
  const folder = createFiles(t, { 'docs/deep/a.md': 'one', 'b.md': 'two' });
  const readOid = async () => (await openFolder(folder)).refs[0]?.oid;
  const first = await readOid();
  t.is(await readOid(), first);
  writeFileSync(join(folder, 'docs/deep/a.md'), 'new');
  const second = await readOid();
  t.not(second, first);
  writeFileSync(join(folder, 'docs/c.md'), '');
  t.not(await readOid(), second);
});

test('readBlob() says when a file was changed meanwhile', async (t) => {
  const folder = createFiles(t, { 'a.md': 'one' });
  const repository = await openFolder(folder);
  const [file] = await repository.readTree(await readRoot(repository));
  writeFileSync(join(folder, 'a.md'), 'two');
  const error = await t.throwsAsync(repository.readBlob(file!.oid), { instanceOf: BuildError });
  t.regex(error?.message ?? '', /was changed while it was being read/);
});

test('readCommit() of a folder gives the time of its newest file', async (t) => {
  const folder = createFiles(t, { 'docs/a.md': 'one', 'b.md': 'two' });
  utimesSync(join(folder, 'docs/a.md'), 1000, 2_000_000);
  utimesSync(join(folder, 'b.md'), 1000, 1_000_000);
  const repository = await openFolder(folder);
  t.is((await repository.readCommit(repository.refs[0]!.oid)).time, 2_000_000);
});

test('openRepository() takes a folder inside a work tree for a plain folder', async (t) => {
  const source = createRepository(t);
  source.write('docs/a.md', 'x');
  source.commit('First');
  t.is((await openFolder(join(source.folder, 'docs'))).kind, 'folder');
});

test('openRepository() reads an empty folder', async (t) => {
  const repository = await openFolder(createFolder(t));
  t.deepEqual(await repository.readTree(await readRoot(repository)), []);
});
