import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { BuildError, type BuildErrorCode } from '../../../../builder/build-error.ts';
import type { RawObject } from '../../../../builder/git/objects/object-folders.ts';
import { storePack } from '../../../../builder/git/objects/store-pack.ts';
import { type ReceptionOptions, receivePack } from '../../../../builder/git/remote/receive-pack.ts';
import { AnswerError } from '../../../../builder/git/remote/remote-errors.ts';
import { cpuTimeMs } from '../../../helpers/cpu-time.ts';
import { createFolder } from '../../../helpers/create-repository.ts';
import { blobId, encodeDelta, encodeDistance, encodeEntry, encodePack, KIND } from '../../../helpers/encode-pack.ts';
import { runGit } from '../../../helpers/run-git.ts';

const LIMITS = { maxObjectBytes: 3_000_000, maxTotalBytes: 10_000_000 };

interface Stored {
  readonly oids: readonly string[];
  /** The pack as it is on disk. */
  readonly bytes: Buffer;
}

/** Receives and completes a pack that arrives in parts of a size. */
async function store(
  t: ExecutionContext,
  pack: Uint8Array,
  options: {
    readonly partBytes?: number;
    readonly bases?: ReadonlyMap<string, RawObject>;
    readonly limits?: Pick<ReceptionOptions, 'maxObjectBytes' | 'maxTotalBytes'>;
    readonly signal?: AbortSignal;
  } = {},
): Promise<Stored> {
  const { partBytes = 70_000, bases, limits = LIMITS, signal = AbortSignal.timeout(60_000) } = options;
  const folder = createFolder(t);
  const readBase = async (oid: string) => bases?.get(oid);
  let oids: readonly string[] = [];
  const name = await storePack(folder, signal, async (file) => {
    const received = await receivePack(split(Buffer.from(pack), partBytes), file, { ...limits, readBase, signal });
    const { entries } = received;
    oids = Array.from({ length: entries.count }, (_, entry) =>
      entries.oids.toString('hex', entry * 20, entry * 20 + 20),
    );
    return received;
  });
  return { oids, bytes: name === undefined ? Buffer.alloc(0) : readFileSync(join(folder, `${name}.pack`)) };
}

async function* split(bytes: Buffer, partBytes: number): AsyncGenerator<Buffer, void, undefined> {
  for (let at = 0; at < bytes.length; at += partBytes) yield bytes.subarray(at, at + partBytes);
}

async function throwsAnswer(t: ExecutionContext, pack: Uint8Array, message: RegExp): Promise<void> {
  await t.throwsAsync(store(t, pack), { instanceOf: AnswerError, message });
}

async function throwsCode(t: ExecutionContext, pack: Uint8Array, code: BuildErrorCode): Promise<void> {
  const error = await t.throwsAsync(store(t, pack), { instanceOf: BuildError });
  t.is(error?.code, code, error?.message);
}

const blob = (content: string | Uint8Array) => encodeEntry(KIND.blob, Buffer.from(content));
const against = (oid: string, delta: Buffer) => encodeEntry(KIND.deltaById, delta, { base: Buffer.from(oid, 'hex') });

test('a pack is the same however it arrives', async (t) => {
  const large = randomBytes(1_500_000);
  const base = blob('base');
  const delta = encodeEntry(KIND.deltaByOffset, encodeDelta(4, 5, 0x90, 4, 1, 0x21), {
    base: encodeDistance(base.length),
  });
  const pack = encodePack([base, delta, blob(''), blob(large), blob(Buffer.alloc(1_200_000)), blob('end')]);
  const expected = ['base', 'base!', '', large, Buffer.alloc(1_200_000), 'end'].map(blobId);
  for (const partBytes of [pack.length, 64 * 1024, 1000]) {
    const { oids, bytes } = await store(t, pack, { partBytes });
    t.deepEqual(oids, expected);
    t.true(bytes.equals(pack));
  }
  const small = encodePack([base, delta, blob('')]);
  t.deepEqual((await store(t, small, { partBytes: 1 })).oids, expected.slice(0, 3));
});

test.serial('a pack that arrives in many small parts takes no longer', async (t) => {
  const pack = encodePack(Array.from({ length: 200 }, () => blob(randomBytes(20_000))));
  const start = cpuTimeMs();
  await store(t, pack, { partBytes: 100 });
  const used = cpuTimeMs() - start;
  t.true(used < 1_500, `${used} ms of work`);
});

test('bases that are missing in a pack are added to it, each once', async (t) => {
  const base = { type: 'blob', bytes: Buffer.from('base') } as const;
  const bases = new Map([[blobId('base'), base]]);
  const change = (text: string) => encodeDelta(4, 4 + text.length, 0x90, 4, text.length, ...Buffer.from(text));
  // The third builds upon the second, the fourth upon what comes only after it.
  const pack = encodePack([
    against(blobId('base'), change('1')),
    against(blobId('base'), change('2')),
    against(blobId('base2'), encodeDelta(5, 6, 0x90, 5, 1, 0x33)),
    against(blobId('base5'), encodeDelta(5, 6, 0x90, 5, 1, 0x34)),
    against(blobId('base'), change('5')),
  ]);
  const { oids, bytes } = await store(t, pack, { bases });
  t.deepEqual(oids, ['base1', 'base2', 'base23', 'base54', 'base5', 'base'].map(blobId));
  const folder = createFolder(t);
  runGit(folder, 'init', '--quiet', '--bare');
  const path = join(folder, 'x.pack');
  writeFileSync(path, bytes);
  t.regex(runGit(folder, 'index-pack', '--strict', path), /^[0-9a-f]{40}$/);
});

test.serial('deltas that name their bases by id are made in any order, each once', async (t) => {
  const count = 3_000;
  // Each adds a letter to the one before it, and all stand in front of their bases.
  const text = (length: number): string => 'x'.repeat(length + 1);
  const grow = (length: number) => encodeDelta(length, length + 1, 0x90 | 0x20, length & 255, length >> 8, 1, 0x78);
  const entries = Array.from({ length: count }, (_, index) => {
    const length = count - index;
    return against(blobId(text(length - 1)), grow(length));
  });
  const started = cpuTimeMs();
  const { oids } = await store(t, encodePack([...entries, blob('x')]));
  t.is(oids.length, count + 1);
  t.is(oids[0], blobId(text(count)));
  t.true(cpuTimeMs() - started < 3_000);
  const missing = Array.from({ length: 300 }, (_, index) =>
    against(blobId(`none ${index}`), encodeDelta(1, 1, 0x90, 1)),
  );
  await throwsCode(t, encodePack(missing), 'damaged-repository');
});

test('deltas without a base, or in a circle, are refused', async (t) => {
  const [a, b] = [blobId('a'), blobId('b')];
  const same = encodeDelta(1, 1, 0x90, 1);
  await throwsCode(t, encodePack([against(a, same)]), 'damaged-repository');
  await throwsCode(t, encodePack([against(a, same), against(b, same)]), 'damaged-repository');
  const lost = encodeEntry(KIND.deltaByOffset, same, { base: encodeDistance(5) });
  await throwsAnswer(t, encodePack([blob('a'), lost]), /a base that is not an object/);
});

test('a pack that was cut off, goes on or was damaged on its way is refused', async (t) => {
  const pack = encodePack([blob('hello'), blob(randomBytes(1_500_000))]);
  for (const length of [0, 5, 12, 13, 20, 1_000_000, pack.length - 21, pack.length - 20, pack.length - 1]) {
    await throwsAnswer(t, pack.subarray(0, length), /cut off|damaged/);
  }
  await throwsAnswer(t, Buffer.concat([pack, Buffer.from('x')]), /continues after its end/);
  // The checksum is then taken for an object, which may be of any kind and size.
  await t.throwsAsync(store(t, encodePack([blob('a')], 2)), { message: /damaged|cut off|more than/ });
  await throwsAnswer(t, encodePack([blob('a'), blob('b')], 1), /continues after its end/);
  const wrong = Buffer.from(pack);
  wrong[wrong.length - 1]! ^= 1;
  await throwsAnswer(t, wrong, /checksum is wrong/);
  for (const at of [0, 7, 12, 14, 30, 500_000, pack.length - 1]) {
    const changed = Buffer.from(pack);
    changed[at]! ^= 1;
    await t.throwsAsync(store(t, changed), { message: /damaged|more than/ });
  }
});

test('objects that are too large, or lie about their size, are refused', async (t) => {
  await throwsCode(t, encodePack([blob(Buffer.alloc(LIMITS.maxObjectBytes + 1))]), 'fetch-limit');
  await throwsCode(t, encodePack([encodeEntry(KIND.blob, Buffer.from('a'), { size: 2 ** 40 })]), 'fetch-limit');
  await throwsAnswer(
    t,
    encodePack([encodeEntry(KIND.blob, Buffer.alloc(1000), { size: 10 })]),
    /not have the size it declares/,
  );
  await throwsAnswer(
    t,
    encodePack([encodeEntry(KIND.blob, Buffer.alloc(1000), { size: 2000 })]),
    /not have the size it declares/,
  );
  const bomb = Buffer.alloc(20_000_000);
  await throwsAnswer(
    t,
    encodePack([encodeEntry(KIND.blob, bomb, { size: 1_100_000 })]),
    /not have the size it declares/,
  );
  await throwsAnswer(
    t,
    encodePack([encodeEntry(KIND.blob, Buffer.alloc(9), { size: 2_000_000 })]),
    /not have the size it declares/,
  );
  const many = Array.from({ length: 4 }, (_, index) => blob(Buffer.alloc(2_900_000, index)));
  await throwsCode(t, encodePack(many), 'fetch-limit');
});

test('deltas that make too much of their bases are refused', async (t) => {
  const base = blob(Buffer.alloc(70_000));
  const copies = Array.from({ length: 60 }, () => 0x80);
  const delta = (to: number) =>
    encodeEntry(KIND.deltaByOffset, encodeDelta(70_000, to, ...copies), { base: encodeDistance(base.length) });
  await throwsCode(t, encodePack([base, delta(60 * 65_536)]), 'fetch-limit');
  await throwsAnswer(t, encodePack([base, delta(1)]), /reaches beyond/);
  const half = encodeEntry(KIND.deltaByOffset, encodeDelta(70_000, 30 * 65_536, ...copies.slice(30)), {
    base: encodeDistance(base.length),
  });
  await t.notThrowsAsync(store(t, encodePack([base, half])));
});

test('a pack that says it holds more objects than can be is refused before memory is taken for them', async (t) => {
  await throwsCode(t, encodePack([blob('a')], 2 ** 32 - 1), 'fetch-limit');
});

test('long chains of large objects are resolved in little memory, and given up when time is up', async (t) => {
  // A comb: each object has two deltas, the next one and one that ends there, so that all have to be come back to.
  const size = 300_000;
  const entries: Buffer[] = [blob(Buffer.alloc(size))];
  const starts = [12];
  const expected = [blobId(Buffer.alloc(size))];
  const add = (base: number, letters: Buffer): number => {
    const start = starts.at(-1)! + entries.at(-1)!.length;
    const delta = encodeDelta(
      size,
      size,
      ...[letters.length, ...letters],
      0xf1,
      letters.length,
      ...sizeBytes(size - letters.length),
    );
    entries.push(encodeEntry(KIND.deltaByOffset, delta, { base: encodeDistance(start - starts[base]!) }));
    starts.push(start);
    expected.push(blobId(Buffer.concat([letters, Buffer.alloc(size - letters.length)])));
    return entries.length - 1;
  };
  for (let index = 1, last = 0; index <= 250; index += 1) {
    add(last, Buffer.from([index, 1]));
    last = add(last, Buffer.from([index, 2]));
  }
  const limits = { maxObjectBytes: size, maxTotalBytes: 1e9 };
  const { oids } = await store(t, encodePack(entries), { limits });
  t.deepEqual(oids, expected);
  const given = store(t, encodePack(entries), { limits, signal: AbortSignal.abort(new Error('Time is up')) });
  await t.throwsAsync(given, { message: 'Time is up' });
});

function sizeBytes(size: number): number[] {
  return [size & 255, (size >> 8) & 255, size >> 16];
}
