import { spawn, spawnSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { type FileLock, type LockTimes, takeLock, tryLock } from '../../lib/file-lock.ts';
import { createFolder } from '../helpers/create-repository.ts';
import { editLock, HOLD_LOCK, leaveLock, startLockHolder } from '../helpers/start-lock-holder.ts';
import { testIf } from '../helpers/test-if.ts';

const QUICK: LockTimes = { heartbeatMs: 20, silentMs: 300 };
/** Nobody gives signs, and nobody waits for one. */
const SILENT: LockTimes = { heartbeatMs: 1e6, silentMs: 1e6 };

function createPath(t: ExecutionContext): string {
  return join(createFolder(t), 'lock');
}

/** Takes a lock that must be free, until the end of the test. */
async function take(t: ExecutionContext, path: string, times = QUICK): Promise<FileLock> {
  const { lock } = await takeLock(path, times);
  if (!lock) throw new Error('The lock is busy');
  t.teardown(() => lock.release());
  return lock;
}

async function isBusy(t: ExecutionContext, path: string, holder: string): Promise<void> {
  t.deepEqual(await takeLock(path, QUICK), { lock: undefined, holder });
  t.is(tryLock(path), undefined);
}

/** Lets a file look untouched for so long. */
function age(path: string, ms: number): void {
  const past = new Date(Date.now() - ms);
  utimesSync(path, past, past);
}

test.serial('a lock is held by one, and by the next one when it is released', async (t) => {
  const path = createPath(t);
  const lock = await take(t, path);
  t.true(lock.isHeld());
  await isBusy(t, path, `process ${process.pid}`);
  lock.release();
  t.false(lock.isHeld());
  t.deepEqual(readdirSync(dirname(path)), []);
  const next = tryLock(path)!;
  lock.release();
  t.true(next.isHeld());
  t.deepEqual(readdirSync(dirname(path)), ['lock']);
  next.release();
  t.deepEqual(readdirSync(dirname(path)), []);
});

test.serial('takeLock() lets one of many that come at once have the lock', async (t) => {
  const path = createPath(t);
  const outcomes = await Promise.all(Array.from({ length: 20 }, () => takeLock(path, QUICK)));
  t.is(outcomes.filter(({ lock }) => lock).length, 1);
  for (const { lock } of outcomes) lock?.release();
});

test.serial('takeLock() names the process that holds the lock, and takes over when it was killed', async (t) => {
  const path = createPath(t);
  const { child, closed, said } = await startLockHolder(t, path);
  t.is(said, 'held');
  await isBusy(t, path, `process ${child.pid}`);
  child.kill('SIGSTOP');
  await isBusy(t, path, `process ${child.pid}`);
  child.kill('SIGKILL');
  await closed;
  t.true(existsSync(path));
  const start = performance.now();
  t.true((await take(t, path, { ...QUICK, silentMs: 60_000 })).isHeld());
  t.true(performance.now() - start < 30_000, 'it does not wait for a sign of life');
});

test.serial('tryLock() takes over when the holder was killed', async (t) => {
  const path = createPath(t);
  const { child, closed } = await startLockHolder(t, path);
  t.is(tryLock(path), undefined);
  child.kill('SIGKILL');
  await closed;
  const lock = tryLock(path);
  t.true(lock?.isHeld());
  lock?.release();
});

test.serial('one of several processes takes over a lock that was left behind', async (t) => {
  for (let round = 0; round < 3; round++) {
    const path = createPath(t);
    const dead = await startLockHolder(t, path);
    dead.child.kill('SIGKILL');
    await dead.closed;
    const holders = await Promise.all(Array.from({ length: 4 }, () => startLockHolder(t, path)));
    t.deepEqual(holders.map(({ said }) => said.replace(/^busy.*/, 'busy')).sort(), ['busy', 'busy', 'busy', 'held']);
    for (const { child, closed } of holders) {
      child.kill('SIGKILL');
      await closed;
    }
  }
});

const stale: Readonly<Record<string, (path: string) => void>> = {
  'whose process id is another process by now': (path) => editLock(path, { start: '1' }),
  'whose process is gone': (path) => editLock(path, { pid: spawnSync(process.execPath, ['-e', '']).pid }),
  'that came in a copy': (path) => {
    copyFileSync(path, `${path}.copy`);
    rmSync(path);
    copyFileSync(`${path}.copy`, path);
    rmSync(`${path}.copy`);
  },
  'of another machine that nobody has touched for a minute': (path) => {
    editLock(path, { place: 'elsewhere 1 2' });
    age(path, 61_000);
  },
  'of a process whose start nobody knows, untouched for ten minutes': (path) => {
    editLock(path, { pid: process.ppid, start: '' });
    age(path, 601_000);
  },
  'of an earlier process with the id of this one, where nothing tells starts': (path) => {
    const text = readFileSync(path, 'utf8');
    rmSync(path);
    writeFileSync(path, text);
    editLock(path, { pid: process.pid, start: '', inode: String(statSync(path, { bigint: true }).ino) });
  },
  'that a crash of the machine left blank': (path) => writeFileSync(path, '\0\0\0\0'),
  'that is no lock and that nobody has touched for a minute': (path) => {
    writeFileSync(path, `${process.ppid} host\n`);
    age(path, 61_000);
  },
};
for (const [title, spoil] of Object.entries(stale)) {
  test.serial(`takeLock() takes over a lock ${title}, at once`, async (t) => {
    const path = createPath(t);
    const lock = await take(t, path, SILENT);
    spoil(path);
    const next = await take(t, path, SILENT);
    t.false(lock.isHeld());
    lock.release();
    t.true(next.isHeld());
    t.deepEqual(readdirSync(dirname(path)), ['lock']);
  });

  test.serial(`tryLock() takes over a lock ${title}`, async (t) => {
    const path = createPath(t);
    const { child } = await startLockHolder(t, path);
    child.kill('SIGSTOP');
    t.is(tryLock(path), undefined);
    spoil(path);
    const next = tryLock(path);
    t.true(next?.isHeld());
    t.deepEqual(readdirSync(dirname(path)), ['lock']);
    next?.release();
  });
}

const doubtful: Readonly<Record<string, (path: string) => void>> = {
  'of another machine': (path) => editLock(path, { place: 'elsewhere 1 2', pid: 77 }),
  'of a running process whose start nobody knows': (path) => editLock(path, { pid: process.ppid, start: '' }),
  'that is no lock': (path) => writeFileSync(path, '{"pid":-1}'),
};
for (const [title, spoil] of Object.entries(doubtful)) {
  test.serial(`tryLock() leaves a lock ${title}`, async (t) => {
    const path = createPath(t);
    await leaveLock(t, path);
    spoil(path);
    const text = readFileSync(path, 'utf8');
    t.is(tryLock(path), undefined);
    t.is(readFileSync(path, 'utf8'), text);
    t.deepEqual(readdirSync(dirname(path)), ['lock']);
  });
}

test.serial(
  'takeLock() leaves the lock of another machine that gives signs, and takes one that gives none',
  async (t) => {
    const path = createPath(t);
    const lock = await take(t, path);
    editLock(path, { place: 'elsewhere 1 2', pid: 77 });
    t.deepEqual(await takeLock(path, QUICK), { lock: undefined, holder: 'process 77 on "elsewhere"' });
    lock.release();
    const silent = await take(t, path, { ...QUICK, heartbeatMs: 1e6 });
    editLock(path, { place: 'elsewhere 1 2', pid: 77 });
    t.true((await take(t, path)).isHeld());
    t.false(silent.isHeld());
  },
);

test.serial('takeLock() takes over a file that is no lock when nobody touches it', async (t) => {
  for (const text of ['', '{', '[]', 'null', '{"pid":-1}']) {
    const path = createPath(t);
    writeFileSync(path, text);
    t.true((await take(t, path)).isHeld(), text);
  }
});

test.serial(
  'tryLock() is not held up by the guard of a process that was killed while it removed a stale lock',
  async (t) => {
    const path = createPath(t);
    const guard = `${path}.guard`;
    await leaveLock(t, path);
    await leaveLock(t, guard);
    const lock = tryLock(path)!;
    t.true(lock.isHeld());
    t.false(existsSync(guard));
    lock.release();
    // One without a name is nobody's: a machine that crashed may leave such a file.
    await leaveLock(t, path);
    writeFileSync(guard, '');
    const second = tryLock(path)!;
    t.true(second.isHeld());
    second.release();
    // One of a process that lives is left to it.
    await leaveLock(t, path);
    const own = await take(t, `${path}.own`);
    writeFileSync(guard, readFileSync(`${path}.own`, 'utf8'));
    editLock(guard, { inode: String(statSync(guard).ino) });
    t.is(tryLock(path), undefined);
    rmSync(guard);
    own.release();
  },
);

test.serial('a lock leaves nothing of processes that were killed before they had it', async (t) => {
  const path = createPath(t);
  for (const name of ['0123456789ab.tmp', 'guard.0123456789ab.tmp']) writeFileSync(`${path}.${name}`, '');
  writeFileSync(`${path}.other.tmp`, '');
  const lock = tryLock(path)!;
  t.deepEqual(readdirSync(dirname(path)).sort(), ['lock', 'lock.other.tmp']);
  lock.release();
});

test.serial('takeLock() is not held up by a guard that was left behind', async (t) => {
  const path = createPath(t);
  writeFileSync(path, '{}');
  writeFileSync(`${path}.guard`, '');
  for (const file of [path, `${path}.guard`]) age(file, 3_600_000);
  t.true((await take(t, path)).isHeld());
  t.deepEqual(readdirSync(dirname(path)), ['lock']);
});

test.serial('a holder is told that its folder was replaced, and takeLock() lets another task have it', async (t) => {
  const path = createPath(t);
  const lock = await take(t, path);
  rmSync(dirname(path), { recursive: true });
  mkdirSync(dirname(path));
  t.false(lock.isHeld());
  const next = await take(t, path);
  lock.release();
  t.true(next.isHeld());
});

test.serial('tryLock() frees nothing for other tasks of this process when the file was removed', (t) => {
  const path = createPath(t);
  const lock = tryLock(path)!;
  rmSync(path);
  t.is(tryLock(path), undefined);
  lock.release();
  const next = tryLock(path);
  t.true(next?.isHeld());
  next?.release();
});

test.serial('a lock in a folder that does not exist is an error of the system', async (t) => {
  const path = join(createPath(t), 'lock');
  t.throws(() => tryLock(path), { code: 'ENOENT' });
  await t.throwsAsync(takeLock(path), { code: 'ENOENT' });
});

testIf(process.platform === 'linux', 'zombies are looked for in /proc')(
  'takeLock() takes over from a process that ended and that nobody has reaped',
  async (t) => {
    const path = createPath(t);
    // The shell becomes a program that never asks after its child.
    const script = `"$0" "$1" "$2" < /dev/zero > /dev/null & echo $!; exec sleep 60`;
    const parent = spawn('sh', ['-c', script, process.execPath, HOLD_LOCK, path], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    t.teardown(() => parent.kill('SIGKILL'));
    const pid = Number(await new Promise((resolve) => parent.stdout.once('data', resolve)));
    while (!existsSync(path)) await new Promise((resolve) => setTimeout(resolve, 10));
    process.kill(pid, 'SIGKILL');
    while (!/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'latin1'))) await new Promise(setImmediate);
    t.true((await take(t, path, { heartbeatMs: 20, silentMs: 60_000 })).isHeld());
  },
);
