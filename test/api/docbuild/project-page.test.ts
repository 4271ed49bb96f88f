import test from 'ava';
import { createRepository } from '../../helpers/create-repository.ts';
import { createServer } from '../../helpers/create-server.ts';
import { sendToHost } from '../../helpers/send-to-host.ts';
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

test('the page of a project opens the webhook of its own code host, and URLs of the configuration', async (t) => {
  const server = await createServer(
    t,
    'api: {port: 0, docs_api_url: "https://docs.example.org"}\ndocs: {domain: docs.example.org}\n',
  );
  await server.operations.createProject({
    name: 'guide',
    settings: { url: 'https://gitlab.example.org/you/guide', showNav: false },
  });
  const asked = { host: 'docs.example.org', path: '/docbuild/projects/guide' };
  const { text: page } = await sendToHost(server.origin, asked);
  t.deepEqual(
    page.match(/<details open>\s*<summary>[^<]+/g)?.map((one) => one.split('>').at(-1)),
    ['GitLab'],
  );
  t.regex(page, /Pages of this site have no button/);
  const text = page.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&quot;', '"');
  for (const line of [
    '<script defer src="https://docs.example.org/docbuild/assets/docbuild.js" data-project="guide"></script>',
    '[![docs](https://docs.example.org/docbuild/badge/guide)](https://guide.docs.example.org/)',
    'https://docs.example.org/docbuild/webhook/guide</pre>',
  ]) {
    t.true(text.includes(line), line);
  }
  t.false(page.includes(server.origin));
});
