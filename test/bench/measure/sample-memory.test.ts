import test from 'ava';
import { runProcess } from '../../../bench/measure/run-process.ts';

const holdMemory = 'const block = Buffer.alloc(100e6, 1); setTimeout(() => block, 1500)';

test.serial('runProcess() adds up the memory of a process and its children', async (t) => {
  const spawn = `require('node:child_process').spawn(process.execPath, ['-e', ${JSON.stringify(holdMemory)}])`;
  // It holds its own for as long as the child lives, however late that one starts.
  const parent = `const block = Buffer.alloc(100e6, 1); ${spawn}.on('exit', () => block)`;
  const run = await runProcess(process.execPath, ['-e', parent]);
  t.is(run.processes, 2);
  t.true(run.peakBytes > 200e6, `${run.peakBytes}`);
  t.true(run.peakBytes < 450e6, `${run.peakBytes}`);
  t.true(run.ms > 500, `${run.ms}`);
});

test.serial('runProcess() throws with what a failing program said', async (t) => {
  const failing = runProcess(process.execPath, ['-e', "console.error('no more paper'); process.exit(3)"]);
  await t.throwsAsync(failing, { message: /ended with code 3:\nno more paper/ });
});
