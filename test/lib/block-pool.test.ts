import { setTimeout as sleep } from 'node:timers/promises';
import test from 'ava';
import { createBlockPool } from '../../lib/block-pool.ts';

const options = { blockBytes: 10, blocksPerSlab: 4, idleMs: 20 };

test('blocks never share memory, and are used again', (t) => {
  const pool = createBlockPool(options);
  const blocks = Array.from({ length: 10 }, () => pool.take());
  for (const [at, block] of blocks.entries()) {
    t.is(block.length, 10);
    block.fill(at);
  }
  for (const [at, block] of blocks.entries()) t.true(block.every((value) => value === at));
  t.is(pool.size, 120);
  pool.giveBack(blocks);
  const again = Array.from({ length: 12 }, () => pool.take());
  t.is(
    new Set(again.map(({ buffer, byteOffset }) => `${blocks.findIndex((one) => one.buffer === buffer)} ${byteOffset}`))
      .size,
    12,
  );
  t.is(pool.size, 120);
});

test('what a rush has left goes, what is in use stays', async (t) => {
  const pool = createBlockPool(options);
  const first = pool.take();
  const rush = Array.from({ length: 99 }, () => pool.take());
  t.is(pool.size, 1_000);
  pool.giveBack(rush);
  while (pool.size > 40) await sleep(5);
  const used = Array.from({ length: 3 }, () => pool.take());
  t.true(used.every(({ buffer }) => buffer === first.buffer));
  t.is(pool.size, 40);
  pool.giveBack([first, ...used]);
  while (pool.size > 0) await sleep(5);
  t.is(pool.take().length, 10);
});
