import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import test, { type ExecutionContext } from 'ava';
import { BuildError } from '../../../builder/build-error.ts';
import { checkPack } from '../../../builder/git/check-pack.ts';
import { createRepository } from '../../helpers/create-repository.ts';

const limits = { maxObjectBytes: 1_000_000, maxTotalBytes: 3_000_000 };
const blob = 3;
const deltaByOffset = 6;

function encodeHeader(type: number, size: number): Buffer {
  const bytes = [(type << 4) | (size & 15)];
  for (let rest = size >> 4; rest > 0; rest >>= 7) {
    bytes[bytes.length - 1]! |= 128;
    bytes.push(rest & 127);
  }
  return Buffer.from(bytes);
}

function encodePack(...objects: readonly Buffer[]): Buffer {
  const head = Buffer.from('PACK\0\0\0\x02\0\0\0\0');
  head.writeUInt32BE(objects.length, 8);
  const body = Buffer.concat([head, ...objects]);
  return Buffer.concat([body, createHash('sha1').update(body).digest()]);
}

function encodeBlob(content: Buffer, size = content.length): Buffer {
  return Buffer.concat([encodeHeader(blob, size), deflateSync(content)]);
}

function throwsLimit(t: ExecutionContext, pack: Buffer): void {
  const error = t.throws(() => checkPack(pack, limits), { instanceOf: BuildError });
  t.is(error?.code, 'fetch-limit', error?.message);
}

test('checkPack() counts the objects of a real pack, deltas included', (t) => {
  const source = createRepository(t);
  const text = Array.from({ length: 400 }, (_, index) => `line ${index}\n`).join('');
  for (let index = 0; index < 5; index += 1) {
    source.write('a.md', `${text}${index}\n`);
    source.write(`b${index}.md`, '');
    source.commit(`Commit ${index}`);
  }
  source.git('gc', '--quiet', '--aggressive');
  const folder = join(source.folder, '.git/objects/pack');
  const name = readdirSync(folder).find((file) => file.endsWith('.pack')) ?? '';
  const expected = Number(/in-pack: (\d+)/.exec(source.git('count-objects', '-v'))?.[1]);
  t.regex(source.git('verify-pack', '-v', join(folder, name)), /chain length/);
  t.is(checkPack(readFileSync(join(folder, name)), limits), expected);
});

test('checkPack() refuses a pack that was cut off', (t) => {
  const pack = encodePack(encodeBlob(Buffer.from('hello')));
  t.is(checkPack(pack, limits), 1);
  for (const length of [0, 10, 31, pack.length - 1]) {
    const error = t.throws(() => checkPack(pack.subarray(0, length), limits), { instanceOf: BuildError });
    t.is(error?.code, 'network');
  }
});

test('checkPack() refuses an object that says it is too large', (t) => {
  throwsLimit(t, encodePack(encodeBlob(Buffer.alloc(1_000_001))));
});

test('checkPack() refuses an object that is larger than it says', (t) => {
  const error = t.throws(() => checkPack(encodePack(encodeBlob(Buffer.alloc(900_000), 10)), limits), {
    instanceOf: BuildError,
  });
  t.is(error?.code, 'damaged-repository');
});

test('checkPack() refuses many objects that are too large together', (t) => {
  throwsLimit(t, encodePack(...Array.from({ length: 4 }, () => encodeBlob(Buffer.alloc(900_000)))));
});

test('checkPack() refuses a delta that makes too much of its source', (t) => {
  const base = encodeBlob(Buffer.alloc(70_000));
  // Source size, target size (both 1: it lies), then copies of 64 KiB: one byte each.
  const delta = Buffer.concat([Buffer.from([1, 1]), Buffer.alloc(20, 128)]);
  const small = Buffer.concat([
    encodeHeader(deltaByOffset, delta.length),
    Buffer.from([base.length & 127]),
    deflateSync(delta),
  ]);
  throwsLimit(t, encodePack(base, small));
});
