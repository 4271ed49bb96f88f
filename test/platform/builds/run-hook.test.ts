import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { readStat } from '../../../lib/process-identity.ts';
import { createHookRecords } from '../../../platform/builds/hook-records.ts';
import { runHook } from '../../../platform/builds/run-hook.ts';
import { createBuild } from '../../helpers/create-records.ts';
import { createFolder } from '../../helpers/create-repository.ts';
import { isRunning, listDescendants } from '../../helpers/is-running.ts';
import { waitUntil } from '../../helpers/wait-until.ts';

const moduleUrl = new URL('../../../platform/builds/run-hook.js', import.meta.url).href;

function createHook(
  t: ExecutionContext,
  command: string,
  signal: AbortSignal,
  { timeoutMs = 60_000, records = createHookRecords(join(createFolder(t), 'hooks')) } = {},
) {
  const lines: string[] = [];
  const folder = join(createFolder(t), 'guide');
  const log = (line: string): void => void lines.push(line);
  const build = createBuild();
  const done = runHook({ command, folder, signal, timeoutMs, records, log, name: 'before', build });
  return { lines, done };
}

test.serial('runHook() runs nothing for a build that was cancelled before', async (t) => {
  const { done, lines } = createHook(t, 'echo ran; sleep 30', AbortSignal.abort());
  t.deepEqual(await done, { status: 'cancelled', reason: 'Cancelled' });
  t.deepEqual(lines, []);
});

test.serial(
  'runHook() ends a command, with all that it started, when the build is cancelled or takes too long',
  async (t) => {
    const stop = new AbortController();
    const cancelled = createHook(t, 'sleep 30 & sleep 30', stop.signal);
    const late = createHook(t, 'sleep 30 & sleep 30', new AbortController().signal, { timeoutMs: 200 });
    stop.abort();
    t.is((await cancelled.done)?.reason, 'Cancelled');
    t.regex((await late.done)?.reason ?? '', /took longer than 0\.2 s/);
  },
);

test.serial('runHook() gives whole lines to the log, however they come', async (t) => {
  const command =
    "printf one; sleep 0.1; printf ' line\\nmore'; sleep 0.1; printf '\\n\\303'; sleep 0.1; printf '\\251 end'; exit 3";
  const { done, lines } = createHook(t, command, new AbortController().signal);
  t.regex((await done)?.reason ?? '', /failed \(exit code 3\)/);
  t.deepEqual(lines.slice(1), ['one line', 'more', '\u00e9 end']);
});

test.serial('runHook() lets a command end what it likes, and what it leaves running stays', async (t) => {
  const { done, lines } = createHook(t, 'sleep 30 >/dev/null 2>&1 & echo $!; exit 0', new AbortController().signal);
  t.is(await done, undefined);
  const pid = Number(lines[1]);
  t.true(isRunning({ pid, start: readStat(pid).start }));
  process.kill(pid);
});

test.serial(
  'runHook() lets a build wait whose command the machine cannot run, and is not sure of one that fails',
  async (t) => {
    const { signal } = new AbortController();
    const add = (): never => {
      throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
    };
    const records = { ...createHookRecords(join(createFolder(t), 'hooks')), add };
    const reason = 'The command "before" could not be run: no space left on device';
    t.deepEqual(await createHook(t, 'exit 0', signal, { records }).done, { status: 'deferred', reason });
    t.like(await createHook(t, 'exit 3', signal).done, { status: 'failing', isUnsure: true });
  },
);

test.serial('runHook() gives a command no input', async (t) => {
  const { done, lines } = createHook(t, 'cat; ls -l /proc/$$/fd/3 2>/dev/null; echo end', new AbortController().signal);
  t.is(await done, undefined);
  t.deepEqual(lines.slice(1), ['end']);
});

test.serial('a command ends with the process that runs it, when that is killed', async (t) => {
  const script = `
    const { runHook } = await import(${JSON.stringify(moduleUrl)});
    runHook({
      command: 'sleep 31 & echo $!; sleep 32',
      name: 'before',
      folder: ${JSON.stringify(createFolder(t))},
      build: { id: 'b', project: 'guide', ref: 'main' },
      signal: new AbortController().signal,
      timeoutMs: 60_000,
      records: { add() {}, remove() {} },
      log: (line) => /^\\d+$/.test(line) && console.log(line),
    });
  `;
  const parent = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  t.teardown(() => parent.kill('SIGKILL'));
  await once(parent.stdout, 'data');
  const started = listDescendants(parent.pid!);
  t.true(started.length >= 3, 'a shell, the one that watches, two commands');
  parent.kill('SIGKILL');
  await waitUntil(() => !started.some(isRunning));
});
