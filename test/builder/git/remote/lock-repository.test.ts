import { existsSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { withRepositoryLock } from '../../../../builder/git/remote/lock-repository.ts';
import { createFolder } from '../../../helpers/create-repository.ts';
import test from '../../../helpers/serial-test.ts';
import { leaveLock, startLockHolder } from '../../../helpers/start-lock-holder.ts';

const soon = () => AbortSignal.timeout(120_000);

test('withRepositoryLock() runs tasks one after the other', async (t) => {
  const file = join(createFolder(t), 'x.lock');
  const events: string[] = [];
  const run = (name: string) =>
    withRepositoryLock(file, soon(), async () => {
      events.push(`${name} in`);
      t.true(existsSync(file));
      await sleep(20);
      events.push(`${name} out`);
    });
  await Promise.all([run('a'), run('b'), run('c')]);
  t.deepEqual(events, ['a in', 'a out', 'b in', 'b out', 'c in', 'c out']);
  t.false(existsSync(file));
});

test('withRepositoryLock() gives the lock up when the task fails', async (t) => {
  const file = join(createFolder(t), 'x.lock');
  await t.throwsAsync(
    withRepositoryLock(file, soon(), async () => {
      throw new Error('failed');
    }),
    { message: 'failed' },
  );
  t.is(await withRepositoryLock(file, soon(), async () => 7), 7);
});

test('withRepositoryLock() waits for a living process, and takes over when it is gone', async (t) => {
  const file = join(createFolder(t), 'x.lock');
  const other = await startLockHolder(t, file);
  await t.throwsAsync(
    withRepositoryLock(file, AbortSignal.timeout(300), async () => {}),
    {
      code: 'output-busy',
    },
  );
  t.true(existsSync(file));
  const waiting = withRepositoryLock(file, soon(), async () => 'mine');
  await sleep(150);
  other.child.kill('SIGKILL');
  t.is(await waiting, 'mine');
});

test('withRepositoryLock() takes over a lock of another machine only when it is old', async (t) => {
  const file = join(createFolder(t), 'x.lock');
  await leaveLock(t, file, { place: 'another-machine' });
  await t.throwsAsync(
    withRepositoryLock(file, AbortSignal.timeout(300), async () => {}),
    { code: 'output-busy' },
  );
  utimesSync(file, 1000, 1000);
  t.is(await withRepositoryLock(file, soon(), async () => 1), 1);
});
