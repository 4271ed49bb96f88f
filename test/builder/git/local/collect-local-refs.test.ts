import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PromiseFsClient } from 'isomorphic-git';
import { collectLocalRefs } from '../../../../builder/git/local/collect-local-refs.ts';
import { createObjectReader } from '../../../../builder/git/objects/object-reader.ts';
import { openRepository } from '../../../../builder/open-repository.ts';
import { cpuTimeMs } from '../../../helpers/cpu-time.ts';
import { createRepository } from '../../../helpers/create-repository.ts';
import { execGit } from '../../../helpers/run-git.ts';
import test from '../../../helpers/serial-test.ts';

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

test('thousands of packed refs are read once', async (t) => {
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
