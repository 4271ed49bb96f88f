import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import type { PromiseFsClient } from 'isomorphic-git';
import { collectLocalRefs } from '../../../../builder/git/local/collect-local-refs.ts';
import { createObjectReader } from '../../../../builder/git/objects/object-reader.ts';
import { openRepository } from '../../../../builder/open-repository.ts';
import { cpuTimeMs } from '../../../helpers/cpu-time.ts';
import { createRepository } from '../../../helpers/create-repository.ts';
import { execGit } from '../../../helpers/run-git.ts';

test('a ref that is packed, or a folder that goes, while refs are listed takes no other with it', async (t) => {
  const source = createRepository(t);
  const oid = source.commit('First');
  for (const name of ['a/one', 'a/two', 'b']) source.git('branch', name);
  const gitdir = join(source.folder, '.git');
  const reader = createObjectReader({ gitFolder: gitdir, commonFolder: gitdir });
  t.teardown(reader.forget);
  const { readdir } = reader.files.promises;
  let isPacked = false;
  const files = {
    ...reader.files.promises,
    async readdir(path: string) {
      const names = (await readdir(path)) as string[];
      // git packs all refs and removes their folders, once the first folder was listed.
      if (!isPacked && path.endsWith('/refs/heads')) {
        isPacked = true;
        source.git('pack-refs', '--all');
      }
      return names;
    },
  };
  const refs = await collectLocalRefs({ fs: { promises: files } as PromiseFsClient, gitdir }, reader);
  t.deepEqual(
    refs.map((ref) => `${ref.name} ${ref.oid}`),
    ['a/one', 'a/two', 'b', 'main'].map((name) => `${name} ${oid}`),
  );
});

test('refs that cannot be read are an error, not a repository without them', async (t) => {
  const source = createRepository(t);
  source.commit('First');
  const gitdir = join(source.folder, '.git');
  const reader = createObjectReader({ gitFolder: gitdir, commonFolder: gitdir });
  t.teardown(reader.forget);
  const readdir = async () => {
    throw Object.assign(new Error('EACCES: permission denied'), { code: 'EACCES' });
  };
  const fs = { promises: { ...reader.files.promises, readdir } } as unknown as PromiseFsClient;
  await t.throwsAsync(collectLocalRefs({ fs, gitdir }, reader), { message: /Cannot read the refs: EACCES/ });
});

test.serial('thousands of packed refs are read once', async (t) => {
  const source = createRepository(t);
  const oid = source.commit('First');
  const lines = Array.from({ length: 5_000 }, (_, number) => `${oid} refs/tags/v${number}\n`);
  writeFileSync(join(source.folder, '.git/packed-refs'), lines.join(''));
  const started = cpuTimeMs();
  const repository = await openRepository(source.folder, { cacheFolder: '/nonexistent', environment: {} });
  t.is(repository.refs.length, 5_001);
  t.true(cpuTimeMs() - started < 2_500);
  await repository.close();
});

test.serial('what a commit calls its tree is no path, and an author line made to be slow is not', async (t) => {
  const source = createRepository(t);
  source.commit('First');
  const tree = source.git('rev-parse', 'HEAD^{tree}');
  const write = (text: string): string => {
    const args = ['hash-object', '-t', 'commit', '-w', '--stdin', '--literally'];
    return execGit(args, { cwd: source.folder, input: text }).toString().trim();
  };
  const repository = await openRepository(source.folder, { cacheFolder: '/nonexistent', environment: {} });
  t.teardown(() => repository.close());
  for (const path of ['../../../../dev/zero', '/dev/zero', '']) {
    const oid = write(`tree ${path}\nauthor A <a@b> 1 +0000\ncommitter A <a@b> 1 +0000\n\nx\n`);
    await t.throwsAsync(repository.readCommit(oid), { code: 'damaged-repository', message: /names no tree/ });
    await t.throwsAsync(repository.readTree(path), { code: 'damaged-repository', message: /is missing/ });
  }
  const author = `${' <'.repeat(600)}${'> '.repeat(600)}\rx`;
  const oid = write(`tree ${tree}\nauthor ${author}\ncommitter ${author}\n\nx\n`);
  const started = cpuTimeMs();
  t.deepEqual(await repository.readCommit(oid), { tree, time: 0 });
  t.true(cpuTimeMs() - started < 1_000);
});

test('refs lead to refs alone, and are read as git reads them', async (t) => {
  const source = createRepository(t);
  const oid = source.commit('First');
  const heads = join(source.folder, '.git/refs/heads');
  writeFileSync(join(heads, 'spaced'), `${oid} and more\n`);
  symlinkSync('.', join(heads, 'loop'));
  writeFileSync(join(source.folder, '.git/HEAD'), 'ref:\trefs/heads/spaced\n');
  writeFileSync(join(source.folder, '.git/packed-refs'), `${oid} refs/tags/v1  \r\n\n${oid} refs/tags/v2\r\n`);
  const repository = await openRepository(source.folder, { cacheFolder: '/nonexistent', environment: {} });
  t.is(repository.head, 'spaced');
  t.deepEqual(
    repository.refs.map(({ name }) => name),
    ['main', 'spaced', 'v1', 'v2'],
  );
  await repository.close();
  for (const text of ['ref: ../../../../../../dev/zero\n', 'main\n', '']) {
    writeFileSync(join(heads, 'odd'), text);
    const opened = openRepository(source.folder, { cacheFolder: '/nonexistent', environment: {} });
    await t.throwsAsync(opened, { code: 'damaged-repository', message: /"refs\/heads\/odd" is damaged/ }, text);
  }
});

test('a commit whose author cannot be parsed is read as git reads it', async (t) => {
  const source = createRepository(t);
  source.commit('First');
  const tree = source.git('rev-parse', 'HEAD^{tree}');
  for (const [line, time] of [
    ['x <x@example.test> 1234567890', 0],
    ['no address 1234567890 +0000', 1_234_567_890],
    ['', 0],
  ] as const) {
    const text = `tree ${tree}\nauthor ${line}\ncommitter ${line}\n\nOld\n`;
    const args = ['hash-object', '-t', 'commit', '-w', '--stdin', '--literally'];
    const oid = execGit(args, { cwd: source.folder, input: text }).toString().trim();
    const repository = await openRepository(source.folder, { cacheFolder: '/nonexistent', environment: {} });
    t.deepEqual(await repository.readCommit(oid), { tree, time }, line);
    await repository.close();
  }
});
