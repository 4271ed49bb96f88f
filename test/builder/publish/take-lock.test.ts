import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { takeLock } from '../../../builder/publish/take-lock.ts';
import { createFolder } from '../../helpers/create-repository.ts';

/** An id that no process has: that of one which has just ended. */
function deadPid(): number {
  return spawnSync(process.execPath, ['-e', '']).pid;
}

test('takeLock() takes a free lock once and leaves nothing behind', (t) => {
  const path = join(createFolder(t), 'lock');
  const lock = takeLock(path);
  t.is(readFileSync(path, 'utf8'), `${process.pid} ${hostname()}\n`);
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
  'a living process': () => `${process.ppid} ${hostname()}\n`,
  'another machine': () => '1 elsewhere\n',
};
for (const [title, text] of Object.entries(held)) {
  test(`takeLock() leaves the lock of ${title}`, (t) => {
    const path = join(createFolder(t), 'lock');
    writeFileSync(path, text());
    t.is(takeLock(path), undefined);
    t.is(readFileSync(path, 'utf8'), text());
  });
}

const stale: Readonly<Record<string, (path: string) => void>> = {
  'a process that is gone': (path) => writeFileSync(path, `${deadPid()} ${hostname()}\n`),
  'an earlier process with the same id': (path) => writeFileSync(path, `${process.pid} ${hostname()}\n`),
  'another machine that fell silent': (path) => {
    writeFileSync(path, '1 elsewhere\n');
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
