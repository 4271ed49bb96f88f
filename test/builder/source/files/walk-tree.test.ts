import test from 'ava';
import { BuildError } from '../../../../builder/build-error.ts';
import { DEFAULT_LIMITS } from '../../../../builder/build-limits.ts';
import type { TreeEntry } from '../../../../builder/model.ts';
import { createTreeWalker } from '../../../../builder/source/files/walk-tree.ts';
import { cpuTimeMs } from '../../../helpers/cpu-time.ts';
import { createReader, submodule, symbolicLink, type TreeSketch } from '../create-reader.ts';

async function walk(tree: TreeSketch, maxFiles = 1000) {
  const reader = createReader();
  return createTreeWalker(reader, { ...DEFAULT_LIMITS, maxFiles })(reader.add(tree));
}

test('createTreeWalker() lists files of all folders in order of their paths', async (t) => {
  const { files, warnings } = await walk({ 'b.md': '1', a: { 'z.md': '2', y: { 'x.png': '3' } }, 'a.md': '4' });
  t.deepEqual(
    files.map(({ path }) => path),
    ['a.md', 'a/y/x.png', 'a/z.md', 'b.md'],
  );
  t.deepEqual(warnings, []);
});

test('createTreeWalker() leaves out hidden folders and node_modules but not hidden files', async (t) => {
  const { files } = await walk({
    '.vitepress': { 'a.md': '' },
    node_modules: { 'a.md': '' },
    '.nojekyll': '',
    'a.md': '',
  });
  t.deepEqual(
    files.map(({ path }) => path),
    ['.nojekyll', 'a.md'],
  );
});

test('createTreeWalker() lists symbolic links apart, and passes over submodules with a warning that names the path', async (t) => {
  const { files, links, warnings } = await walk({ guide: { 'link.md': symbolicLink, sub: submodule, 'a.md': '' } });
  t.deepEqual(
    files.map(({ path }) => path),
    ['guide/a.md'],
  );
  t.deepEqual(
    warnings.map(({ file, code }) => `${file} ${code}`),
    ['guide/sub submodule'],
  );
  t.deepEqual(
    links.map(({ path }) => path),
    ['guide/link.md'],
  );
});

test('createTreeWalker() passes over names some system cannot hold, with a warning', async (t) => {
  const { files, warnings } = await walk({ a: { 'con.md': '', 'x\ty.md': '', 'b\u200bc.md': '', 'ok.md': '' } });
  t.deepEqual(
    files.map(({ path }) => path),
    ['a/ok.md'],
  );
  t.deepEqual(
    warnings.map(({ file, code }) => `${file} ${code}`),
    ['a/con.md unsafe-name', 'a/x\\ty.md unsafe-name', 'a/b\\u200bc.md unsafe-name'],
  );
});

for (const [a, b] of [
  ['A.md', 'a.md'],
  ['caf\u00e9.md', 'cafe\u0301.md'],
  ['Guide', 'guide'],
] as const) {
  test(`createTreeWalker() takes the first of ${a} and ${b}, which are one name on some systems`, async (t) => {
    const value = a.endsWith('.md') ? '' : { 'x.md': '' };
    const { files, warnings } = await walk({ in: { [a]: value, [b]: value } });
    t.is(files.length, 1);
    t.deepEqual(
      warnings.map(({ file, code }) => [file, code]),
      [[`in/${b}`, 'same-name']],
    );
  });
}

test('createTreeWalker() takes the first of two entries of one name', async (t) => {
  const reader = createReader();
  const twins: readonly TreeEntry[] = ['1', '2'].map((oid) => ({ name: 'a.md', kind: 'file', oid }));
  const { files } = await createTreeWalker(reader, { ...DEFAULT_LIMITS, maxFiles: 10 })(reader.addEntries(twins));
  t.deepEqual(files, [{ path: 'a.md', oid: '1' }]);
});

for (const name of ['..', '.git', '.GIT', 'git~1', '.g\u200cit', 'a/../../x', 'x\0']) {
  test(`createTreeWalker() refuses ${JSON.stringify(name)} deep in the tree and says where`, async (t) => {
    const error = await t.throwsAsync(walk({ guide: { deep: { 'a.md': '', [name]: { x: '' } } } }), {
      code: 'unsafe-name',
    } as object);
    t.true(error instanceof BuildError);
    const shown = JSON.stringify(name).slice(1, -1).replace('\u200c', '\\u200c');
    t.is((error as BuildError).location.file, `guide/deep/${shown}`);
  });
}

test('createTreeWalker() says in which folder a tree cannot be read', async (t) => {
  const reader = createReader();
  const root = reader.add({ guide: { deep: { 'a.md': '' } } });
  const damaged = {
    ...reader,
    async readTree(oid: string) {
      const entries = await reader.readTree(oid);
      if (entries.some(({ name }) => name === 'a.md')) throw new BuildError('damaged-repository', 'Tree is damaged');
      return entries;
    },
  };
  const error = await t.throwsAsync(createTreeWalker(damaged, { ...DEFAULT_LIMITS, maxFiles: 10 })(root), {
    code: 'damaged-repository',
  } as object);
  t.is((error as BuildError).location.file, 'guide/deep/');
});

test('createTreeWalker() stops at the limit of files', async (t) => {
  const files = Object.fromEntries(Array.from({ length: 6 }, (_, at) => [`${at}.md`, '']));
  t.is((await walk({ a: files }, 6)).files.length, 6);
  await t.throwsAsync(walk({ a: files, 'x.md': '' }, 6), {
    code: 'too-many-files',
    message: /more than 6 files/,
  } as object);
});

/** A tree whose every level holds ten times the level below. */
function addBomb(reader: ReturnType<typeof createReader>, leaf: readonly TreeEntry[], levels: number): string {
  let oid = reader.addEntries(leaf);
  for (let level = 0; level < levels; level++) {
    oid = reader.addEntries(Array.from({ length: 10 }, (_, at) => ({ name: `d${at}`, kind: 'folder', oid })));
  }
  return oid;
}

for (const kind of ['file', 'symbolic-link', 'submodule'] as const) {
  test.serial(`createTreeWalker() stops at the limit in a tree of 10^20 entries of kind ${kind}`, async (t) => {
    const reader = createReader();
    const leaf = Array.from({ length: 10 }, (_, at): TreeEntry => ({ name: `x${at}.md`, kind, oid: '1' }));
    const bomb = addBomb(reader, leaf, 20);
    const start = cpuTimeMs();
    await t.throwsAsync(createTreeWalker(reader, DEFAULT_LIMITS)(bomb), { code: 'too-many-files' } as object);
    t.true(cpuTimeMs() - start < 2000);
    t.true(reader.readCount() < 100);
  });
}

test('createTreeWalker() reads a tree of 10^20 empty folders once a level', async (t) => {
  const reader = createReader();
  const { files } = await createTreeWalker(reader, DEFAULT_LIMITS)(addBomb(reader, [], 20));
  t.is(files.length, 0);
  t.is(reader.readCount(), 21);
});

function addChain(reader: ReturnType<typeof createReader>, levels: number, below: string): string {
  let oid = below;
  for (let level = 0; level < levels; level++) oid = reader.addEntries([{ name: 'd', kind: 'folder', oid }]);
  return oid;
}

test('createTreeWalker() refuses folders nested too deep, whatever it has walked before', async (t) => {
  const reader = createReader();
  const walker = createTreeWalker(reader, { ...DEFAULT_LIMITS, maxFiles: 10 });
  const bottom = addChain(reader, 40, reader.add({ 'a.md': '' }));
  const top = addChain(reader, 40, bottom);
  await t.throwsAsync(walker(top), { code: 'unsafe-name', message: /nested more than 64 levels, the limit/ } as object);
  t.is((await walker(bottom)).files.length, 1);
  await t.throwsAsync(walker(top), { code: 'unsafe-name', message: /nested more than 64 levels, the limit/ } as object);
});

test('createTreeWalker() stops early in a chain of 100,000 folders', async (t) => {
  const reader = createReader();
  await t.throwsAsync(
    createTreeWalker(reader, { ...DEFAULT_LIMITS, maxFiles: 10 })(addChain(reader, 100_000, reader.add({}))),
    {
      code: 'unsafe-name',
    } as object,
  );
  t.true(reader.readCount() < 100);
});

test('createTreeWalker() passes over paths that are too long to be written', async (t) => {
  const part = 'x'.repeat(200);
  const { files, warnings } = await walk({
    'a.md': '',
    [part]: { [part]: { [part]: { [part]: { [part]: { 'deep.md': '' } } } } },
  });
  t.deepEqual(
    files.map(({ path }) => path),
    ['a.md'],
  );
  t.deepEqual(
    warnings.map(({ code }) => code),
    ['unsafe-name'],
  );
  t.regex(warnings[0]!.file, /\/deep\.md$/);
});

test('createTreeWalker() passes over a folder in whose place a page is written', async (t) => {
  const { files, warnings } = await walk({ 'guide.md': '', 'guide.html': { 'a.png': '' }, 'b.html': { 'c.md': '' } });
  t.deepEqual(
    files.map(({ path }) => path),
    ['b.html/c.md', 'guide.md'],
  );
  t.deepEqual(
    warnings.map(({ file, code }) => [file, code]),
    [['guide.html', 'same-name']],
  );
});

test('createTreeWalker() walks what trees share once', async (t) => {
  const reader = createReader();
  const shared = reader.add({ 'a.md': '', deep: { 'b.md': '' } });
  const walker = createTreeWalker(reader, { ...DEFAULT_LIMITS, maxFiles: 100 });
  const roots = Array.from({ length: 5 }, (_, at) =>
    reader.addEntries([{ name: `v${at}`, kind: 'folder', oid: shared }]),
  );
  for (const root of roots) t.is((await walker(root)).files.length, 2);
  t.is(reader.readCount(), 2 + roots.length);
});
