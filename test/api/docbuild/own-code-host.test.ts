import { basename, dirname } from 'node:path';
import test from 'ava';
import { createRepository } from '../../helpers/create-repository.ts';
import { createServer } from '../../helpers/create-server.ts';
import { serveGit } from '../../helpers/serve-git.ts';
import { signGitlab } from '../../helpers/sign-webhook.ts';
import { commitFiles } from '../../helpers/write-pages.ts';

test('a host that the configuration calls a GitLab has the links, and the name, of one', async (t) => {
  const repository = createRepository(t);
  commitFiles(repository, { 'docs/index.md': '# Guide\n\n[Code](../src/x.ts)\n', 'src/x.ts': 'export {};\n' });
  const git = await serveGit(t, dirname(repository.folder));
  const url = `${git.url}/${basename(repository.folder)}`;
  const server = await createServer(t, 'code_hosts: {127.0.0.1: gitlab}');
  await server.operations.createProject({ name: 'guide', settings: { url } });
  const { id } = await server.operations.build({ name: 'guide', all: true });
  const { status, reason } = await server.operations.waitForBuild({ id });
  t.is(status, 'passing', reason);
  const page = await (await server.get('/docs/guide/en/main/')).text();
  const home = url.replace(/\.git$/, '');
  t.true(page.includes(`${home}/-/edit/main/docs/index.md`), page);
  t.true(page.includes(`${home}/-/blob/main/src/x.ts`));
  const { data } = (await (await server.get('/docbuild/desc/guide')).json()) as { data: { gsp: string; url: string } };
  t.deepEqual([data.gsp, data.url], ['GitLab', home]);
  t.is((await server.operations.getProject({ name: 'guide' })).gsp, 'GitLab');
  const push = signGitlab('Push Hook', { ref: 'refs/heads/main', after: repository.git('rev-parse', 'HEAD').trim() });
  const answer = await server.post(
    '/docbuild/webhook/guide',
    push.rawBody.toString(),
    push.headers as Record<string, string>,
  );
  t.is(answer.status, 201);
  const { build } = (await answer.json()) as { build: { id: string } };
  const { commit } = await server.operations.waitForBuild(build);
  const shown = await (await server.get(`/docbuild/builds/${build.id}`, { accept: 'text/html' })).text();
  t.true(shown.includes(`<a href="${home}/-/commit/${commit}">`), shown);
  await server.operations.updateProject({ name: 'guide', changes: 'hideGit:true' });
  t.notRegex(await (await server.get(`/docbuild/builds/${build.id}`, { accept: 'text/html' })).text(), /\/-\/commit\//);
});
