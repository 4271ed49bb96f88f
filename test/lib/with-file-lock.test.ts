import { existsSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import test from 'ava';
import { withFileLock } from '../../lib/file-lock.ts';
import { createFolder } from '../helpers/create-repository.ts';
import { leaveLock, startLockHolder } from '../helpers/start-lock-holder.ts';

const within = (ms: number) => ({
  signal: AbortSignal.timeout(ms),
  createError: () => new Error('Somebody else has it'),
});
const soon = () => within(120_000);

test.serial('withFileLock() runs tasks one after the other', async (t) => {
  const file = join(createFolder(t), 'x.lock');
  const events: string[] = [];
  const run = (name: string) =>
    withFileLock(file, soon(), async () => {
      events.push(`${name} in`);
      t.true(existsSync(file));
      await sleep(20);
      events.push(`${name} out`);
    });
  await Promise.all([run('a'), run('b'), run('c')]);
  t.deepEqual(events, ['a in', 'a out', 'b in', 'b out', 'c in', 'c out']);
  t.false(existsSync(file));
});

test.serial('withFileLock() gives the lock up when the task fails', async (t) => {
  const file = join(createFolder(t), 'x.lock');
  await t.throwsAsync(
    withFileLock(file, soon(), async () => {
      throw new Error('failed');
    }),
    { message: 'failed' },
  );
  t.is(await withFileLock(file, soon(), async () => 7), 7);
});

test.serial('withFileLock() waits for a living process, and takes over when it is gone', async (t) => {
  const file = join(createFolder(t), 'x.lock');
  const other = await startLockHolder(t, file);
  await t.throwsAsync(
    withFileLock(file, within(300), async () => {}),
    {
      message: 'Somebody else has it',
    },
  );
  t.true(existsSync(file));
  const waiting = withFileLock(file, soon(), async () => 'mine');
  await sleep(150);
  other.child.kill('SIGKILL');
  t.is(await waiting, 'mine');
});

test.serial('withFileLock() takes over a lock of another machine only when it is old', async (t) => {
  const file = join(createFolder(t), 'x.lock');
  await leaveLock(t, file, { place: 'another-machine' });
  await t.throwsAsync(
    withFileLock(file, within(300), async () => {}),
    { message: 'Somebody else has it' },
  );
  utimesSync(file, 1000, 1000);
  t.is(await withFileLock(file, soon(), async () => 1), 1);
});
