import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import { createHookRecords } from '../../../platform/builds/hook-records.ts';
import { runHook } from '../../../platform/builds/run-hook.ts';
import { createBuild } from '../../helpers/create-records.ts';
import { createFolder } from '../../helpers/create-repository.ts';
import test from '../../helpers/serial-test.ts';

function createHook(t: ExecutionContext, command: string, signal: AbortSignal, timeoutMs = 60_000) {
  const lines: string[] = [];
  const folder = join(createFolder(t), 'guide');
  const log = (line: string): void => void lines.push(line);
  const records = createHookRecords(join(createFolder(t), 'hooks'));
  const build = createBuild();
  const done = runHook({ ...{ command, folder, signal, timeoutMs, records, log }, name: 'before', build });
  return { lines, done };
}

test('runHook() runs nothing for a build that was cancelled before', async (t) => {
  const { done, lines } = createHook(t, 'echo ran; sleep 30', AbortSignal.abort());
  t.is(await done, 'Cancelled');
  t.deepEqual(lines, []);
});

test('runHook() ends a command, with all that it started, when the build is cancelled or takes too long', async (t) => {
  const stop = new AbortController();
  const cancelled = createHook(t, 'sleep 30 & sleep 30', stop.signal);
  const late = createHook(t, 'sleep 30 & sleep 30', new AbortController().signal, 200);
  stop.abort();
  t.is(await cancelled.done, 'Cancelled');
  t.regex((await late.done) ?? '', /took longer than 0\.2 s/);
});

test('runHook() gives whole lines to the log, however they come', async (t) => {
  const command =
    "printf one; sleep 0.1; printf ' line\\nmore'; sleep 0.1; printf '\\n\\303'; sleep 0.1; printf '\\251 end'; exit 3";
  const { done, lines } = createHook(t, command, new AbortController().signal);
  t.regex((await done) ?? '', /failed \(exit code 3\)/);
  t.deepEqual(lines.slice(1), ['one line', 'more', '\u00e9 end']);
});
