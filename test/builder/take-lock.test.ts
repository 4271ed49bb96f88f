import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { takeLock } from '../../builder/take-lock.ts';
import { createFolder } from '../helpers/create-repository.ts';

/** An id that no process has: that of one which has just ended. */
function deadPid(): number {
  return spawnSync(process.execPath, ['-e', '']).pid;
}

/** Gives the start of a process as the lock has it. */
function startOf(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]!;
  } catch {
    return '-';
  }
}

test('takeLock() takes a free lock once and leaves nothing behind', (t) => {
  const path = join(createFolder(t), 'lock');
  const lock = takeLock(path);
  t.regex(readFileSync(path, 'utf8'), new RegExp(`^${process.pid} [0-9-]+ ${hostname()} ${statSync(path).ino}\n$`));
  t.is(takeLock(path), undefined);
  lock!.release();
  t.deepEqual(readdirSync(join(path, '..')), []);
  const again = takeLock(path);
  t.truthy(again);
  again!.release();
});

test('takeLock() releases once', (t) => {
  const path = join(createFolder(t), 'lock');
  const first = takeLock(path)!;
  first.release();
  const second = takeLock(path)!;
  first.release();
  t.true(existsSync(path));
  second.release();
});

const held: Readonly<Record<string, () => string>> = {
  'a living process': () => `${process.ppid} ${startOf(process.ppid)} ${hostname()}\n`,
  'another machine': () => '1 1 elsewhere\n',
};
for (const [title, text] of Object.entries(held)) {
  test(`takeLock() leaves the lock of ${title}`, (t) => {
    const path = join(createFolder(t), 'lock');
    writeFileSync(path, text());
    t.is(takeLock(path), undefined);
    t.is(readFileSync(path, 'utf8'), text());
  });
}

test('takeLock() takes no notice of a lock that came in a copy, though its process lives', (t) => {
  const folder = createFolder(t);
  const path = join(folder, 'lock');
  const own = () => `${process.ppid} ${startOf(process.ppid)} ${hostname()}`;
  writeFileSync(path, '');
  writeFileSync(path, `${own()} ${statSync(path).ino}\n`);
  t.is(takeLock(path), undefined);
  const copy = join(folder, 'copy');
  copyFileSync(path, copy);
  const lock = takeLock(copy);
  t.truthy(lock);
  lock!.release();
  rmSync(path);
});

const stale: Readonly<Record<string, (path: string) => void>> = {
  'a process that is gone': (path) => writeFileSync(path, `${deadPid()} 1 ${hostname()}\n`),
  'an earlier process with the same id': (path) => writeFileSync(path, `${process.pid} 1 ${hostname()}\n`),
  'a process whose id another one has by now': (path) => {
    writeFileSync(path, `${process.ppid} 1 ${hostname()}\n`);
    const past = new Date(Date.now() - 700_000);
    utimesSync(path, past, past);
  },
  'another machine that fell silent': (path) => {
    writeFileSync(path, '1 1 elsewhere\n');
    const past = new Date(Date.now() - 120_000);
    utimesSync(path, past, past);
  },
  'nobody: an empty file': (path) => writeFileSync(path, ''),
  'nobody: no number': (path) => writeFileSync(path, 'NaN host\n'),
  'nobody: minus one': (path) => writeFileSync(path, '-1 host\n'),
};
for (const [title, write] of Object.entries(stale)) {
  test(`takeLock() takes over the lock of ${title}`, (t) => {
    const path = join(createFolder(t), 'lock');
    write(path);
    const lock = takeLock(path);
    t.truthy(lock);
    t.deepEqual(readdirSync(join(path, '..')), ['lock']);
    lock!.release();
    t.deepEqual(readdirSync(join(path, '..')), []);
  });
}
