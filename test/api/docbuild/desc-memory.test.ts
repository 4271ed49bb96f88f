import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import test from 'ava';
import { createRepository } from '../../helpers/create-repository.ts';
import { createServer } from '../../helpers/create-server.ts';
import { commitFiles } from '../../helpers/write-pages.ts';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** Bytes of buffers that are in use; what is garbage is given back a little after it was found. */
async function measure(): Promise<number> {
  const seen: number[] = [];
  for (let round = 0; round < 10; round++) {
    collect();
    await new Promise((resolve) => setTimeout(resolve, 20));
    seen.push(process.memoryUsage().arrayBuffers);
  }
  return Math.min(...seen);
}

test('desc: asking for ever new paths of a project with many versions does not fill the memory', async (t) => {
  const repository = createRepository(t);
  commitFiles(repository, { 'docs/index.md': '# One\n' });
  for (let at = 0; at < 150; at++) repository.git('tag', `v1.${at}.0`);
  const server = await createServer(t);
  await server.operations.createProject({ name: 'guide', settings: { url: repository.folder } });
  const { id } = await server.operations.build({ name: 'guide', all: true });
  t.is((await server.operations.waitForBuild({ id })).status, 'passing');
  let asked = 0;
  const ask = async (from: number, to: number): Promise<void> => {
    for (let at = from; at < to; at++) {
      const answer = await server.get(`/docbuild/desc/guide?path=/en/main/${at}-${'x'.repeat(1_000)}`);
      asked += (await answer.arrayBuffer()).byteLength;
    }
  };
  // Fills what is kept, see `MAX_KEPT_BYTES`.
  await ask(0, 600);
  const before = await measure();
  asked = 0;
  await ask(600, 1_200);
  t.true(asked > 12_000_000, 'what is kept would show');
  const grown = (await measure()) - before;
  t.true(grown < asked / 2, `${grown} of ${asked} bytes`);
});
