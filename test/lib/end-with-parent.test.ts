import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import test, { type ExecutionContext } from 'ava';
import { readStat } from '../../lib/process-identity.ts';
import { isRunning } from '../helpers/is-running.ts';
import { waitUntil } from '../helpers/wait-until.ts';

const module = fileURLToPath(new URL('../../lib/end-with-parent.js', import.meta.url));

/** Starts a process whose child calls `endWithParent` and is busy from then on; returns both, and when the child began. */
async function startFamily(t: ExecutionContext, ask: string) {
  const child = `
    const { endWithParent } = await import(${JSON.stringify(module)});
    endWithParent(${ask});
    await new Promise((resolve) => setTimeout(resolve, 200));
    console.log(process.pid);
    setTimeout(() => { for (;;); }, 10);
  `;
  const parent = spawn(
    process.execPath,
    [
      '--input-type=module',
      '-e',
      `import { spawn } from 'node:child_process';
      spawn(process.execPath, ['--input-type=module', '-e', ${JSON.stringify(child)}], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });`,
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const [output] = (await once(parent.stdout, 'data')) as [Buffer];
  const pid = Number(output.toString());
  const { start } = readStat(pid);
  t.teardown(() => {
    parent.kill('SIGKILL');
    if (isRunning({ pid, start })) process.kill(pid, 'SIGKILL');
  });
  return { parent, child: { pid, start } };
}

for (const [how, ask] of [
  ['by the system', ''],
  ['by a thread of its own', '() => false'],
] as const) {
  test(`endWithParent() ends a process that is busy ${how}, once its parent is killed`, async (t) => {
    const { parent, child } = await startFamily(t, ask);
    t.true(isRunning(child));
    parent.kill('SIGKILL');
    await waitUntil(() => !isRunning(child));
    t.false(isRunning(child));
  });
}
