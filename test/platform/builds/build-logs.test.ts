import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { createBuildLogs } from '../../../platform/builds/build-logs.ts';
import { createLogFiles } from '../../../platform/builds/log-storages.ts';
import { createFolder } from '../../helpers/create-repository.ts';

test('build logs: lines hold nothing that acts upon terminals or ends an event', async (t) => {
  const logs = createBuildLogs(createLogFiles(createFolder(t)));
  const log = await logs.open('guide', 'one');
  log.write('10 %\r50 %\r100 %\r\nred: \x1b[1;31mno\x1b[0m\x1b]0;title\x07 bell\x07\r\nevent: end\x1b');
  log.write('family 👨‍👩‍👧\tمرحبا \ud800');
  const lines = ['100 %', 'red: no bell\ufffd', 'event: end\ufffd', 'family 👨‍👩‍👧\tمرحبا \ufffd'];
  t.is(await logs.read('guide', 'one'), `${lines.join('\n')}\n`);
  await log.close();
  t.is(await logs.read('guide', 'one'), `${lines.join('\n')}\n`);
});

test('build logs: where no file can be made, the log is there as long as the build runs', async (t) => {
  const folder = createFolder(t);
  writeFileSync(join(folder, 'guide'), 'in the way');
  const logs = createBuildLogs(createLogFiles(folder));
  const log = await logs.open('guide', 'one');
  log.write('Reading');
  t.is(await logs.read('guide', 'one'), 'Reading\n');
  await log.close();
});
