import { chmodSync, cpSync, linkSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { openObjectStore } from '../../../../builder/git/objects/object-store.ts';
import { addEntry, createEntries, encodeIndex } from '../../../../builder/git/objects/pack-entries.ts';
import { FormatError } from '../../../../builder/git/objects/pack-entry.ts';
import { cpuTimeMs } from '../../../helpers/cpu-time.ts';
import { createRandom } from '../../../helpers/create-random.ts';
import { createRandomHistory } from '../../../helpers/create-random-history.ts';
import { createFolder, createRepository } from '../../../helpers/create-repository.ts';
import { blobId, encodeDelta, encodeDistance, encodeEntry, encodePack, KIND } from '../../../helpers/encode-pack.ts';
import { listObjects } from '../../../helpers/list-objects.ts';
import { listOpenFiles } from '../../../helpers/open-files.ts';
import { runGit } from '../../../helpers/run-git.ts';

/** Compares every object of a git folder with what the git binary says; returns how many there are. */
async function compareAll(t: ExecutionContext, gitFolder: string): Promise<number> {
  const store = openObjectStore(gitFolder);
  t.teardown(store.forget);
  const objects = listObjects(gitFolder);
  for (const [oid, expected] of objects) {
    const found = await store.read(oid);
    t.true(found?.type === expected.type && found.bytes.equals(expected.bytes), oid);
  }
  return objects.size;
}

function createHistory(t: ExecutionContext, seed: number): string {
  const { folder, step } = createRandomHistory(t, seed);
  for (let count = 0; count < 12; count += 1) step();
  return folder;
}

function findPack(gitFolder: string): string {
  const folder = join(gitFolder, 'objects/pack');
  return join(folder, readdirSync(folder).find((name) => name.endsWith('.pack')) ?? '');
}

for (const [name, args] of [
  ['with deltas by offset', []],
  ['with deltas by id', ['-c', 'repack.useDeltaBaseOffset=false']],
  ['with an index of version 1', ['-c', 'pack.indexVersion=1']],
] as const) {
  test(`objects of a pack ${name} are what git says`, async (t) => {
    const folder = createHistory(t, 1);
    runGit(folder, ...args, 'repack', '-a', '-d', '-f', '--depth=20', '--window=20', '--quiet');
    runGit(folder, 'prune-packed');
    t.true((await compareAll(t, folder)) > 40);
    t.regex(runGit(folder, 'verify-pack', '-v', findPack(folder).replace('.pack', '.idx')), /chain length = [2-9]/);
  });
}

test('objects are found where an index has offsets of 64 bits', async (t) => {
  const folder = createHistory(t, 2);
  runGit(folder, 'repack', '-a', '-d', '--quiet');
  const pack = findPack(folder);
  rmSync(pack.replace('.pack', '.idx'));
  runGit(folder, 'index-pack', '--index-version=2,0x40', pack);
  await compareAll(t, folder);
});

test('objects of several packs, loose ones and borrowed ones are what git says', async (t) => {
  const folder = createHistory(t, 3);
  const borrower = join(createFolder(t), 'borrower');
  runGit(folder, 'clone', '--quiet', '--bare', '--shared', folder, borrower);
  runGit(borrower, 'commit-tree', '-m', 'Loose', 'HEAD^{tree}');
  runGit(folder, 'repack', '-d', '--quiet');
  t.true((await compareAll(t, borrower)) > 40);
});

test('an object that somebody packs after the folders were listed is found', async (t) => {
  const source = createRepository(t);
  source.write('a.md', 'one');
  const commit = source.commit('First');
  const store = openObjectStore(join(source.folder, '.git'));
  t.teardown(store.forget);
  t.is(await store.read(blobId('none')), undefined);
  source.git('gc', '--quiet', '--prune=now');
  const reads = await Promise.all([commit, blobId('one'), blobId('none'), commit].map((oid) => store.read(oid)));
  t.deepEqual(
    reads.map((found) => found?.type),
    ['commit', 'blob', undefined, 'commit'],
  );
});

test('a damaged copy of an object is passed over when there is a whole one', async (t) => {
  const source = createRepository(t);
  source.write('a.md', 'one');
  source.commit('First');
  const git = join(source.folder, '.git');
  cpSync(join(git, 'objects'), join(git, 'kept'), { recursive: true });
  source.git('gc', '--quiet', '--prune=now');
  flip(findPack(git), 14);
  cpSync(join(git, 'kept'), join(git, 'objects'), { recursive: true });
  await compareAll(t, git);
});

function flip(file: string, at: number, mask = 0xff): void {
  const bytes = readFileSync(file);
  bytes[at] = bytes[at]! ^ mask;
  chmodSync(file, 0o644);
  writeFileSync(file, bytes);
}

test('a pack or an index with a flipped byte, or cut off, never gives a wrong object', async (t) => {
  const folder = createHistory(t, 4);
  runGit(folder, 'repack', '-a', '-d', '-f', '--quiet');
  const objects = listObjects(folder);
  const pack = findPack(folder);
  const files = [pack, pack.replace('.pack', '.idx')].map((file) => [file, readFileSync(file)] as const);
  const random = createRandom(4);
  let damaged = 0;
  for (let round = 0; round < 60; round += 1) {
    const [file, whole] = files[round % 2]!;
    const bytes = round % 6 < 4 ? Buffer.from(whole) : whole.subarray(0, random.below(whole.length));
    if (round % 6 < 4) bytes[random.below(bytes.length)]! ^= 1 << random.below(8);
    chmodSync(file, 0o644);
    writeFileSync(file, bytes);
    const store = openObjectStore(folder);
    for (const [oid, expected] of objects) {
      try {
        const found = await store.read(oid);
        if (found) t.true(found.type === expected.type && found.bytes.equals(expected.bytes), oid);
        else damaged += 1;
      } catch (error) {
        t.true(error instanceof FormatError, String(error));
        damaged += 1;
      }
    }
    store.forget();
    writeFileSync(file, whole);
  }
  t.true(damaged > 100);
});

/** Stores a pack with an index that says where its entries begin and which objects they are. */
function storePack(t: ExecutionContext, entries: readonly { readonly bytes: Buffer; readonly oid: string }[]): string {
  const folder = createFolder(t);
  mkdirSync(join(folder, 'objects/pack'), { recursive: true });
  const pack = encodePack(entries.map(({ bytes }) => bytes));
  const table = createEntries(1);
  let at = 12;
  for (const { bytes, oid } of entries) {
    const entry = addEntry(table, at, 0);
    table.oids.write(oid, entry * 20, 'hex');
    at += bytes.length;
  }
  const index = encodeIndex(table, pack.subarray(-20));
  writeFileSync(join(folder, 'objects/pack/pack-x.pack'), pack);
  writeFileSync(join(folder, 'objects/pack/pack-x.idx'), index);
  return folder;
}

async function throwsFormat(t: ExecutionContext, folder: string, oid: string, message: RegExp): Promise<void> {
  const store = openObjectStore(folder);
  t.teardown(store.forget);
  const start = cpuTimeMs();
  await t.throwsAsync(store.read(oid), { instanceOf: FormatError, message });
  t.true(cpuTimeMs() - start < 5_000);
}

const [A, B] = [blobId('a'), blobId('b')];
const same = encodeDelta(1, 1, 0x90, 1);

test.serial('deltas that lead in a circle are refused', async (t) => {
  const against = (oid: string) => encodeEntry(KIND.deltaById, same, { base: Buffer.from(oid, 'hex') });
  const folder = storePack(t, [
    { oid: A, bytes: against(B) },
    { oid: B, bytes: against(A) },
  ]);
  await throwsFormat(t, folder, A, /chain of deltas is too long or circular/);
});

test.serial('a delta whose base is missing, outside the pack or itself is refused', async (t) => {
  const oid = Buffer.from(B, 'hex');
  const read = (kind: number, base: Buffer, message: RegExp) =>
    throwsFormat(t, storePack(t, [{ oid: A, bytes: encodeEntry(kind, same, { base }) }]), A, message);
  await read(KIND.deltaById, oid, /base of a delta is not in its pack/);
  await read(KIND.deltaByOffset, encodeDistance(100), /outside the pack/);
  await read(KIND.deltaByOffset, encodeDistance(0), /its own base/);
});

test.serial('a delta that reaches beyond its base, its result or its own end is refused', async (t) => {
  const base = encodeEntry(KIND.blob, Buffer.from('a'));
  for (const delta of [
    encodeDelta(1, 1, 0x91, 1, 1),
    encodeDelta(1, 1, 0x98, 255, 1),
    encodeDelta(1, 1, 0x90, 2),
    encodeDelta(1, 3, 0x90, 1),
    encodeDelta(1, 1, 0x90, 1, 0x90, 1),
    encodeDelta(1, 1, 5, 65),
    encodeDelta(1, 1, 0),
    encodeDelta(1, 1, 0xff),
    encodeDelta(2, 1, 0x90, 1),
    Buffer.from([1]),
    Buffer.alloc(30, 255),
  ]) {
    const bytes = encodeEntry(KIND.deltaByOffset, delta, { base: encodeDistance(base.length) });
    const folder = storePack(t, [
      { oid: A, bytes: base },
      { oid: B, bytes },
    ]);
    await throwsFormat(t, folder, B, /a delta /);
  }
});

test.serial('an object that declares an absurd size, another size or an unknown type is refused', async (t) => {
  const read = (bytes: Buffer, message: RegExp) => throwsFormat(t, storePack(t, [{ oid: A, bytes }]), A, message);
  const content = Buffer.from('a');
  await read(encodeEntry(KIND.blob, content, { size: 2 ** 45 }), /more than/);
  await read(encodeEntry(KIND.blob, content, { size: 2 ** 33 }), /more than/);
  await read(Buffer.alloc(40, 0xbf), /an endless size/);
  await read(encodeEntry(KIND.blob, content, { size: 2 }), /not have the size it declares/);
  await read(encodeEntry(KIND.blob, Buffer.alloc(1000), { size: 100 }), /not have the size it declares/);
  await read(encodeEntry(5, content), /unknown type 5/);
  await read(encodeEntry(KIND.blob, Buffer.from('b')), /that of another object/);
  const huge = encodeEntry(KIND.deltaByOffset, encodeDelta(1, 2 ** 40, 0x90, 1), { base: encodeDistance(10) });
  const base = encodeEntry(KIND.blob, content);
  const folder = storePack(t, [
    { oid: A, bytes: base },
    { oid: B, bytes: Buffer.concat([huge.subarray(0, 1), encodeDistance(base.length), huge.subarray(2)]) },
  ]);
  await throwsFormat(t, folder, B, /more than/);
});

test('packs that are only asked whether they have an object are not opened', async (t) => {
  const folder = createHistory(t, 6);
  runGit(folder, 'repack', '-a', '-d', '--quiet');
  const pack = findPack(folder);
  for (let number = 0; number < 200; number += 1) {
    for (const ending of ['pack', 'idx']) {
      linkSync(pack.replace(/pack$/, ending), join(folder, `objects/pack/pack-${number}.${ending}`));
    }
  }
  const store = openObjectStore(folder);
  for (const oid of listObjects(folder).keys()) {
    t.true(store.has(oid));
    t.truthy(await store.read(oid));
  }
  t.true(listOpenFiles(folder).length <= 3);
  store.forget();
  t.deepEqual(listOpenFiles(folder), []);
});

test('timers fire while many objects are read', async (t) => {
  const folder = createHistory(t, 5);
  runGit(folder, 'repack', '-a', '-d', '--quiet');
  const oids = [...listObjects(folder).keys()];
  const store = openObjectStore(folder);
  t.teardown(store.forget);
  let ticks = 0;
  const timer = setInterval(() => ticks++, 5);
  for (let round = 0; round < 10_000 && ticks <= 3; round++) for (const oid of oids) await store.read(oid);
  clearInterval(timer);
  t.true(ticks > 3, `${ticks} ticks`);
});
