import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import { createFolder, createRepository, type TestRepository } from '../../helpers/create-repository.ts';
import { compareTrees, hashTree } from '../../helpers/hash-tree.ts';
import { diskTest, mountDisk } from '../../helpers/mount-disk.ts';
import { asNobody, canRunAsNobody, isRoot } from '../../helpers/run-as-nobody.ts';
import { type FinishedProcess, runDocbuild } from '../../helpers/run-docbuild.ts';
import { testIf } from '../../helpers/test-if.ts';
import { commitFiles } from '../../helpers/write-pages.ts';

const userTest = testIf(canRunAsNobody(), 'the project lies where another user cannot read it');
const otherUserTest = testIf(isRoot && canRunAsNobody(), 'only root can publish as somebody else');

function createPages(t: ExecutionContext, count: number): TestRepository {
  const repository = createRepository(t);
  commitFiles(
    repository,
    Object.fromEntries(Array.from({ length: count }, (_, n) => [`docs/p${n}.md`, `# ${n}\n\n${'text '.repeat(2000)}`])),
  );
  return repository;
}

/** Returns a folder everybody may enter and, if asked, write to. */
function createOpenFolder(t: ExecutionContext, mode: number): string {
  const folder = createFolder(t);
  chmodSync(folder, mode);
  t.teardown(() => chmodSync(folder, 0o755));
  return folder;
}

function build(
  repository: string,
  out: string,
  cache: string,
  through: readonly string[] = [],
): Promise<FinishedProcess> {
  return runDocbuild(['site', repository, '-o', out, '--cache', cache, '--title', 'T', '--jobs', '1'], {
    through,
    env: { HOME: cache },
  });
}

userTest('docbuild site says that it may not write where the output should stand, and touches nothing', async (t) => {
  const repository = createPages(t, 2);
  chmodSync(repository.folder, 0o755);
  const folder = createOpenFolder(t, 0o555);
  const cache = createOpenFolder(t, 0o777);
  const first = await build(repository.folder, join(folder, 'out'), cache, asNobody);
  t.is(first.code, 1);
  t.regex(first.stderr, /Error: Cannot write to ".*out" or beside it \(EACCES\); check the permissions/);
  t.deepEqual(readdirSync(folder), []);
});

otherUserTest('docbuild site says that it may not replace what another user published', async (t) => {
  const repository = createPages(t, 2);
  chmodSync(repository.folder, 0o755);
  const folder = createOpenFolder(t, 0o755);
  const out = join(folder, 'out');
  t.is((await build(repository.folder, out, createFolder(t))).code, 0);
  commitFiles(repository, { 'docs/more.md': '# More\n' });
  const before = hashTree(folder);
  const { code, stderr } = await build(repository.folder, out, createOpenFolder(t, 0o777), asNobody);
  t.is(code, 1);
  t.regex(stderr, /Error: Cannot write to ".*out" or beside it \(EACCES\)/);
  t.deepEqual(compareTrees(before, hashTree(folder)), []);
});

userTest('docbuild site says that it may not read the repository', async (t) => {
  const repository = createPages(t, 2);
  const folder = createOpenFolder(t, 0o777);
  chmodSync(repository.folder, isRoot ? 0o700 : 0o000);
  t.teardown(() => chmodSync(repository.folder, 0o755));
  const { code, stderr } = await build(repository.folder, join(folder, 'out'), createOpenFolder(t, 0o777), asNobody);
  t.is(code, 1);
  t.regex(stderr, /\nError: Cannot (?:open|read) .*(?:EACCES|permission)/);
});

userTest('docbuild site says that one page of a plain folder may not be read', async (t) => {
  const repository = createPages(t, 2);
  const folder = createOpenFolder(t, 0o777);
  execFileSync('rm', ['-r', join(repository.folder, '.git')]);
  chmodSync(repository.folder, 0o755);
  chmodSync(join(repository.folder, 'docs/p1.md'), 0o000);
  const { code, stderr } = await build(repository.folder, join(folder, 'out'), createOpenFolder(t, 0o777), asNobody);
  t.is(code, 1);
  t.regex(stderr, /\nError: .*p1\.md.*(?:EACCES|permission)/);
});

diskTest(
  'docbuild site that fills the disk fails, keeps the old site, and works again when there is room',
  async (t) => {
    const disk = mountDisk(t, 'size=4m');
    const repository = createPages(t, 20);
    const cache = createFolder(t);
    const out = join(disk, 'out');
    t.is((await build(repository.folder, out, cache)).code, 0);
    const before = hashTree(out);
    const more = Object.fromEntries(
      Array.from({ length: 500 }, (_, n) => [`docs/q${n}.md`, `# ${n}\n\n${'text '.repeat(2000)}`]),
    );
    commitFiles(repository, more);
    for (let round = 0; round < 2; round++) {
      const { code, stderr } = await build(repository.folder, out, cache);
      t.is(code, 1);
      t.regex(stderr, /Error: No space left to write the site to ".*out"; the old one is still in place\n$/);
      t.deepEqual(compareTrees(before, hashTree(out)), []);
    }
    repository.git('reset', '--quiet', '--hard', 'HEAD~1');
    commitFiles(repository, { 'docs/small.md': '# Small\n' });
    t.is((await build(repository.folder, out, cache)).code, 0);
    t.true(hashTree(out).has('en/main/small.html'));
  },
);

diskTest('docbuild site builds though there is no room for its cache', async (t) => {
  const disk = mountDisk(t, 'size=1m');
  const repository = createPages(t, 200);
  const out = join(createFolder(t), 'out');
  mkdirSync(join(disk, 'cache'));
  const { code, stderr } = await build(repository.folder, out, join(disk, 'cache'));
  t.is(code, 0, stderr);
  t.true(hashTree(out).has('en/main/p199.html'));
});
