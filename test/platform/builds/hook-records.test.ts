import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import { listGroup, readPlace } from '../../../lib/process-identity.ts';
import { createHookRecords } from '../../../platform/builds/hook-records.ts';
import { createFolder } from '../../helpers/create-repository.ts';
import { testIf } from '../../helpers/test-if.ts';

const BUILD = '0mmrj9dc0000q1w2e3r4';
const linuxTest = testIf(existsSync('/proc/self/stat'), 'no /proc');

/** Starts a command in a process group of its own, which has begun when it prints something. Returns the group's id. */
async function startGroup(t: ExecutionContext, command: string, env: Record<string, string> = {}): Promise<number> {
  const child = spawn('sh', ['-c', command], { detached: true, env: { PATH: process.env['PATH'], ...env } });
  t.teardown(() => {
    if (listGroup(child.pid!).length > 0) process.kill(-child.pid!, 'SIGKILL');
  });
  await once(child.stdout, 'data');
  return child.pid!;
}

function createRecords(t: ExecutionContext) {
  const folder = join(createFolder(t), 'hooks');
  const file = join(folder, `${BUILD}.json`);
  return { folder, file, records: createHookRecords(folder) };
}

linuxTest('hook records: what an earlier process left running is ended with all that it started', async (t) => {
  const { folder, records } = createRecords(t);
  const group = await startGroup(t, 'sleep 300 & echo ready; sleep 300');
  records.add(BUILD, group);
  t.deepEqual(await createHookRecords(folder).endLeft(), [BUILD]);
  t.deepEqual([listGroup(group), readdirSync(folder)], [[], []]);
  t.deepEqual(await createHookRecords(folder).endLeft(), []);
});

linuxTest('hook records: what a command started is ended when the command itself has ended', async (t) => {
  const { records } = createRecords(t);
  const group = await startGroup(t, 'sleep 300 & echo ready; read line', { DOCBUILD_BUILD: BUILD });
  records.add(BUILD, group);
  process.kill(group, 'SIGKILL');
  while (listGroup(group).includes(group)) await new Promise((resolve) => setTimeout(resolve, 10));
  t.is(listGroup(group).length, 1);
  t.deepEqual(await records.endLeft(), [BUILD]);
  t.deepEqual(listGroup(group), []);
});

linuxTest('hook records: others that have got the number, here or on another machine, go on running', async (t) => {
  const { file, records } = createRecords(t);
  const group = await startGroup(t, 'echo ready; sleep 300', { DOCBUILD_BUILD: 'another' });
  records.add(BUILD, group);
  const record = JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>;
  t.is(record['place'], readPlace());
  for (const wrong of [{ start: '1' }, { place: 'elsewhere' }]) {
    writeFileSync(file, JSON.stringify({ ...record, ...wrong }));
    t.deepEqual(await records.endLeft(), [], JSON.stringify(wrong));
    t.deepEqual([listGroup(group).includes(group), existsSync(file)], [true, false]);
  }
  writeFileSync(file, '{"group":');
  t.deepEqual(await records.endLeft(), []);
  t.false(existsSync(file));
});
