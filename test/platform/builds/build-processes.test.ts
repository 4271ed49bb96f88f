import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createBuildProcesses } from '../../../platform/builds/build-processes.ts';
import { createFolder, createRepository } from '../../helpers/create-repository.ts';
import test from '../../helpers/serial-test.ts';

test('build processes: a build that asks whether it may publish, and may not, leaves everything as it was', async (t) => {
  const repository = createRepository(t);
  repository.write('docs/README.md', '# First\n');
  repository.commit('First');
  const folder = createFolder(t);
  const out = join(folder, 'site');
  const processes = createBuildProcesses();
  t.teardown(() => processes.close());
  const asked: boolean[] = [];
  const build = async (answer: boolean, isAsking = true) => {
    const options = { repository: repository.folder, out, cacheFolder: join(folder, 'cache') };
    const context = { signal: new AbortController().signal, timeoutMs: 60_000, onProgress() {} };
    const mayPublish = async (): Promise<boolean> => {
      asked.push(existsSync(out));
      return answer;
    };
    return (await processes.run({ options, words: {}, isAsking }, { ...context, mayPublish })).kind;
  };
  t.is(await build(false), 'cancelled');
  t.false(existsSync(out));
  t.is(await build(true), 'done');
  t.true(existsSync(join(out, 'versions.json')));
  t.deepEqual(asked, [false, false]);
  repository.write('docs/README.md', '# Second\n');
  repository.commit('Second');
  t.is(await build(false, false), 'done');
  t.is(asked.length, 2);
});
