import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import test, { type ExecutionContext } from 'ava';
import { writeDurably } from '../../lib/durable-file.ts';
import { createFolder } from '../helpers/create-repository.ts';

async function createFile(t: ExecutionContext) {
  const path = join(createFolder(t), 'x.json');
  const folder = await open(join(path, '..'), 'r');
  t.teardown(() => folder.close());
  const write = (buffers: readonly Buffer[], beforeSwitch = () => {}): Promise<void> =>
    writeDurably(path, buffers, { folder, beforeSwitch });
  return { path, folder: join(path, '..'), write };
}

test('writeDurably() replaces a file and keeps what it held before', async (t) => {
  const { path, folder, write } = await createFile(t);
  await write([Buffer.from('one')]);
  t.deepEqual(readdirSync(folder), ['x.json']);
  t.is(statSync(path).mode & 0o777, 0o600);
  await write([Buffer.from('two')]);
  await write([Buffer.from('thr'), Buffer.alloc(0), Buffer.from('ee')]);
  t.deepEqual(readdirSync(folder), ['x.json', 'x.json.bak']);
  t.is(readFileSync(path, 'utf8'), 'three');
  t.is(readFileSync(`${path}.bak`, 'utf8'), 'two');
});

// `cp -a` and tar take a file with several names for another one that had its inode number earlier in the copy.
test('writeDurably() never gives a file two names, and its path always leads to one', async (t) => {
  const { path, write } = await createFile(t);
  await write([Buffer.from('0')]);
  const watching = new Worker(
    `const { parentPort, workerData } = require('node:worker_threads');
    const { statSync } = require('node:fs');
    let isDone = false;
    parentPort.on('message', () => { isDone = true; });
    const names = new Set();
    let looks = 0;
    (function look() {
      for (let i = 0; i < 100; i++) names.add(statSync(workerData, { throwIfNoEntry: false })?.nlink);
      looks++;
      if (isDone) parentPort.postMessage({ names: [...names], looks });
      else setImmediate(look);
    })();`,
    { eval: true, workerData: path },
  );
  await once(watching, 'online');
  for (let i = 1; i <= 300; i++) await write([Buffer.from(`${i}`)]);
  watching.postMessage('done');
  const [{ names, looks }] = (await once(watching, 'message')) as [{ names: readonly number[]; looks: number }];
  await watching.terminate();
  t.true(looks > 10, `${looks}`);
  t.deepEqual(names, [1]);
  t.is(readFileSync(`${path}.bak`, 'utf8'), '299');
});

test('writeDurably() writes more buffers than the system takes in one call', async (t) => {
  const { path, write } = await createFile(t);
  const buffers = Array.from({ length: 3000 }, (_, i) => Buffer.from(`${i}\n`));
  await write(buffers);
  t.deepEqual(readFileSync(path), Buffer.concat(buffers));
});

test('writeDurably() changes nothing where the caller objects at the last moment', async (t) => {
  const { path, folder, write } = await createFile(t);
  await write([Buffer.from('one')]);
  const object = (): void => {
    t.true(existsSync(`${path}.tmp`), 'all is written by then');
    throw new RangeError('no');
  };
  await t.throwsAsync(write([Buffer.from('two')], object), { instanceOf: RangeError });
  t.deepEqual(readdirSync(folder), ['x.json']);
  t.is(readFileSync(path, 'utf8'), 'one');
});

test('writeDurably() rejects with the error of the system and leaves the file as it was', async (t) => {
  const { path, write } = await createFile(t);
  await write([Buffer.from('one')]);
  mkdirSync(`${path}.tmp`);
  await t.throwsAsync(write([Buffer.from('two')]), { code: 'EISDIR' });
  t.is(readFileSync(path, 'utf8'), 'one');
  rmSync(`${path}.tmp`, { recursive: true });
  await write([Buffer.from('two')]);
  t.is(readFileSync(path, 'utf8'), 'two');
});
