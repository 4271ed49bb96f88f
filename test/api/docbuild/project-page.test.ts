import { createRepository } from '../../helpers/create-repository.ts';
import { createServer } from '../../helpers/create-server.ts';
import test from '../../helpers/serial-test.ts';
import { commitFiles } from '../../helpers/write-pages.ts';

test('the page of a project lists branches before tags, the newest first, however they were built', async (t) => {
  const repository = createRepository(t);
  commitFiles(repository, { 'docs/index.md': '# Home\n' });
  for (const tag of ['v1.10', 'v1.9', 'v2.0']) repository.git('tag', tag);
  repository.git('branch', 'next');
  const server = await createServer(t);
  await server.operations.createProject({ name: 'guide', settings: { url: repository.folder } });
  for (const ref of ['v1.9', 'v2.0', 'main', 'next', 'v1.10']) {
    const { id } = await server.operations.build({ name: 'guide', ref });
    t.is((await server.operations.waitForBuild({ id })).status, 'passing');
  }
  const { versions } = await server.operations.getProject({ name: 'guide' });
  t.deepEqual(
    versions.map(({ ref }) => ref),
    ['main', 'next', 'v2.0', 'v1.10', 'v1.9'],
  );
  const page = await (await server.get('/docbuild/projects/guide')).text();
  const listed = [...page.matchAll(/<tr><td>([^<]+)<\/td><td><a class="status/g)].map(([, ref]) => ref);
  t.deepEqual(listed, ['main', 'next', 'v2.0', 'v1.10', 'v1.9']);
});
