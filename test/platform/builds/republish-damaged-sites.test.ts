import { cpSync, existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { createRepository } from '../../helpers/create-repository.ts';
import { createServer, type TestServer } from '../../helpers/create-server.ts';
import { commitFiles } from '../../helpers/write-pages.ts';

const site = ({ folder }: TestServer) => join(folder, 'base/sites/guide/site');

/** Waits for the build that was begun by the start, if any. */
async function waitForMending(server: TestServer): Promise<readonly string[]> {
  const page = await (await server.get('/docbuild/projects/guide')).text();
  const ids = [...page.matchAll(/<td><a href="\/docbuild\/builds\/([0-9a-z]{20})"/g)].map(([, id]) => id!);
  const builds = await Promise.all(ids.map((id) => server.operations.waitForBuild({ id })));
  return builds.filter(({ cause }) => cause === 'start').map(({ kind, status }) => `${kind} ${status}`);
}

test('republishDamagedSites() publishes a site again that is missing or came in a copy, and leaves others alone', async (t) => {
  const repository = createRepository(t);
  commitFiles(repository, { 'docs/index.md': '# One\n' });
  const first = await createServer(t);
  await first.operations.createProject({ name: 'guide', settings: { url: repository.folder } });
  await first.operations.createProject({ name: 'empty', settings: { url: repository.folder } });
  const { id } = await first.operations.build({ name: 'guide', all: true });
  t.is((await first.operations.waitForBuild({ id })).status, 'passing');
  commitFiles(repository, { 'docs/index.md': '# Two\n' });
  await first.close();

  const second = await createServer(t, '', first.folder);
  t.deepEqual(await waitForMending(second), []);
  await second.close();

  rmSync(site(second), { recursive: true });
  const third = await createServer(t, '', first.folder);
  t.deepEqual(await waitForMending(third), ['refresh passing']);
  t.regex(await (await third.get('/docs/guide/en/main/')).text(), />Two /);
  await third.close();

  cpSync(site(third), `${site(third)}.copy`, { recursive: true });
  rmSync(site(third), { recursive: true });
  cpSync(`${site(third)}.copy`, site(third), { recursive: true });
  rmSync(join(site(third), '.docbuild.json'));
  rmSync(join(site(third), 'en/main'), { recursive: true });
  const fourth = await createServer(t, '', first.folder);
  t.deepEqual(await waitForMending(fourth), ['refresh passing', 'refresh passing']);
  t.regex(await (await fourth.get('/docs/guide/en/main/')).text(), />Two /);
  t.true(existsSync(join(site(fourth), '.docbuild.json')));
});
