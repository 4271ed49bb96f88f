import { basename, dirname } from 'node:path';
import test from 'ava';
import { createRepository } from '../helpers/create-repository.ts';
import { createServer } from '../helpers/create-server.ts';
import { serveGit } from '../helpers/serve-git.ts';
import { waitUntil } from '../helpers/wait-until.ts';
import { commitFiles } from '../helpers/write-pages.ts';

test('polls: a push that no webhook tells of is published, by one request while nothing has changed', async (t) => {
  const repository = createRepository(t);
  commitFiles(repository, { 'docs/index.md': '# One\n' });
  const git = await serveGit(t, dirname(repository.folder));
  const clock = { ms: Date.now() };
  const server = await createServer(t, '', undefined, () => new Date(clock.ms));
  const url = `${git.url}/${basename(repository.folder)}`;
  await server.operations.createProject({ name: 'guide', settings: { url, poll: '5m' } });
  const goOn = () => {
    clock.ms += 6 * 60_000;
  };
  const list = () => server.operations.listBuilds({ project: 'guide' });
  const read = async () => (await server.get('/docs/guide/en/main/')).text();
  goOn();
  await waitUntil(async () => (await list())[0]?.status === 'passing');
  t.regex(await read(), /One/, 'the first build needs no request either');
  git.requests.length = 0;
  goOn();
  await waitUntil(() => git.requests.length > 0);
  commitFiles(repository, { 'docs/index.md': '# Two\n' });
  t.is((await list()).length, 1);
  t.deepEqual(
    git.requests.map(({ method, url: path }) => `${method} ${path.replace(/^.*\/info/, '/info')}`),
    ['GET /info/refs?service=git-upload-pack'],
  );
  await waitUntil(async () => {
    goOn();
    return (await list()).length > 1;
  });
  await waitUntil(async () => (await list()).length === 2 && (await list())[0]?.status === 'passing');
  t.like((await list())[0], { ref: 'main', cause: 'poll' });
  t.regex(await read(), /Two/);
});
