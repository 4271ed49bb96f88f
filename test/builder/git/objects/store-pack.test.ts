import { randomBytes } from 'node:crypto';
import { chmodSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import { openObjectStore } from '../../../../builder/git/objects/object-store.ts';
import { mergePacks } from '../../../../builder/git/objects/store-pack.ts';
import { listPacks } from '../../../helpers/cached-repository.ts';
import { createRandomHistory } from '../../../helpers/create-random-history.ts';
import { createFolder } from '../../../helpers/create-repository.ts';
import { listObjects } from '../../../helpers/list-objects.ts';
import { execGit, runGit } from '../../../helpers/run-git.ts';
import test from '../../../helpers/serial-test.ts';

/** Makes a repository with so many packs, each of all there was at its time, with deltas of both kinds. */
function createPacks(t: ExecutionContext, count: number): string {
  const { folder, step } = createRandomHistory(t, 7);
  const packs = createFolder(t);
  for (let index = 0; index < count; index += 1) {
    step();
    const args = [
      '-c',
      'pack.threads=1',
      'pack-objects',
      '--quiet',
      '--all',
      '--no-reuse-delta',
      '--no-reuse-object',
      '--depth=20',
    ];
    if (index % 2 === 0) args.push('--delta-base-offset');
    execGit([...args, join(packs, 'pack')], { cwd: folder });
  }
  const target = createFolder(t);
  runGit(target, 'clone', '--quiet', '--bare', '--no-local', folder, '.');
  for (const name of readdirSync(packs)) {
    writeFileSync(join(target, 'objects/pack', name), readFileSync(join(packs, name)));
  }
  return target;
}

const signal = AbortSignal.timeout(300_000);

test('mergePacks() joins many packs into few that hold every object once', async (t) => {
  const folder = createPacks(t, 30);
  const before = listObjects(folder);
  const store = openObjectStore(folder);
  const [first] = before.keys();
  await store.read(first!);
  await mergePacks(join(folder, 'objects/pack'), signal);
  const packs = listPacks(folder);
  t.is(packs.length, 1);
  for (const path of packs) {
    t.is(runGit(folder, 'index-pack', '--strict', '-o', join(createFolder(t), 'x.idx'), path).length, 40);
    t.regex(runGit(folder, 'verify-pack', '-v', path), /chain length = [2-9]/);
  }
  const after = listObjects(folder);
  t.deepEqual([...after.keys()].sort(), [...before.keys()].sort());
  // One reader that began before, and one that begins now.
  const late = openObjectStore(folder);
  for (const [oid, { bytes }] of before) {
    t.true((await store.read(oid))?.bytes.equals(bytes), oid);
    t.true((await late.read(oid))?.bytes.equals(bytes), oid);
  }
  store.forget();
  late.forget();
});

test('mergePacks() leaves a large pack alone, and does nothing where packs are few', async (t) => {
  const folder = createPacks(t, 26);
  const noise = join(folder, 'noise');
  writeFileSync(noise, randomBytes(2_000_000));
  const blob = runGit(folder, 'hash-object', '-w', 'noise');
  execGit(['pack-objects', '--quiet', 'objects/pack/pack'], { cwd: folder, input: blob });
  const before = listPacks(folder);
  await mergePacks(join(folder, 'objects/pack'), signal);
  const after = listPacks(folder);
  t.is(after.length, 2);
  t.is(after.filter((name) => before.includes(name)).length, 1);
  await mergePacks(join(folder, 'objects/pack'), signal);
  t.deepEqual(listPacks(folder), after);
});

test('mergePacks() changes nothing when packs are damaged', async (t) => {
  const folder = createPacks(t, 26);
  const packs = listPacks(folder);
  for (const path of packs) {
    const bytes = readFileSync(path);
    bytes[bytes.length >> 1]! ^= 1;
    chmodSync(path, 0o644);
    writeFileSync(path, bytes);
  }
  await t.throwsAsync(mergePacks(join(folder, 'objects/pack'), signal), { code: 'damaged-repository' });
  t.deepEqual(listPacks(folder), packs);
  t.deepEqual(
    readdirSync(join(folder, 'objects/pack')).filter((name) => name.endsWith('.tmp')),
    [],
  );
});
