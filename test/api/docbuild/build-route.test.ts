import test from 'ava';
import { drawIcon } from '../../../platform/projects/draw-icon.ts';
import { throwsData } from '../../data/contract/adapter.ts';
import { createRepository } from '../../helpers/create-repository.ts';
import { createServer } from '../../helpers/create-server.ts';
import { commitFiles } from '../../helpers/write-pages.ts';

test('drawIcon() gives a small PNG that differs between names', (t) => {
  const [one, two] = [drawIcon('one'), drawIcon('two')];
  t.regex(one, /^data:image\/png;base64,iVBORw0KGgo/);
  t.is(drawIcon('one'), one);
  t.not(one, two);
  t.true(one.length < 1000);
});

test('POST build: latest, and no branch, is the version that latest means; before the first build it is all', async (t) => {
  const server = await createServer(t);
  const repository = createRepository(t);
  commitFiles(repository, { 'docs/index.md': '# One\n' });
  repository.git('tag', 'v1');
  await server.operations.createProject({ name: 'guide', settings: { url: repository.folder } });
  const post = async (query: string) => {
    const answer = await fetch(`${server.origin}/docbuild/build/guide${query}`, { method: 'POST' });
    const { branch, build } = (await answer.json()) as { branch: string; build: { id: string } };
    const ended = await server.operations.waitForBuild({ id: build.id });
    t.is(ended.status, 'passing', ended.reason);
    return [answer.status, branch, ended.ref, ended.result!.versions];
  };
  t.deepEqual(await post(''), [201, 'latest', '', 2]);
  t.deepEqual(await post('?branch=latest'), [201, 'main', 'main', 2]);
  t.deepEqual(await post(''), [201, 'main', 'main', 2]);
  await server.operations.updateProject({ name: 'guide', changes: 'latest:v1' });
  t.deepEqual(await post('?branch=latest'), [201, 'v1', 'v1', 2]);
  t.is((await server.operations.build({ name: 'guide', ref: 'latest' })).ref, 'v1');
});

test('POST build refuses names that git forbids with the words that webhooks are refused with', async (t) => {
  const server = await createServer(t);
  const repository = createRepository(t);
  await server.operations.createProject({ name: 'guide', settings: { url: repository.folder } });
  const names = [
    'a..b',
    'a b',
    '-x',
    '.a',
    'a/',
    'a.lock',
    'a~1',
    '@',
    'a@{1}',
    'a\\b',
    'a//b',
    'a:b',
    'x'.repeat(256),
  ];
  for (const branch of names) {
    const hook = await server.post(
      '/docbuild/webhook/guide',
      JSON.stringify({ ref: `refs/heads/${branch}`, after: '1'.repeat(40) }),
      { 'X-GitHub-Event': 'push' },
    );
    const { message } = (await hook.json()) as { message: string };
    t.is(hook.status, 400, branch);
    t.regex(message, /^Cannot use ref "/);
    const form = new URLSearchParams({ branch });
    for (const answer of [
      await fetch(`${server.origin}/docbuild/build/guide?${form}`, { method: 'POST' }),
      await fetch(`${server.origin}/docbuild/build/guide`, { method: 'POST', body: form }),
    ]) {
      t.is(answer.status, 400, branch);
      t.deepEqual(await answer.json(), { success: false, message }, branch);
    }
    await throwsData(t, server.operations.build({ name: 'guide', ref: branch }), 'invalid', /^Cannot use ref "/);
    await throwsData(t, server.operations.updateProject({ name: 'guide', changes: `latest:${branch}` }), 'invalid');
  }
  t.deepEqual(await server.operations.listBuilds({ project: 'guide' }), []);
});

test('POST build without a branch builds all as long as there is no site, also where the project says what latest is', async (t) => {
  const server = await createServer(t);
  const repository = createRepository(t);
  commitFiles(repository, { 'docs/index.md': '# One\n' });
  repository.git('tag', 'v1');
  for (const name of ['posted', 'asked', 'named']) {
    await server.operations.createProject({ name, settings: { url: repository.folder, latest: 'v1' } });
  }
  const post = async (query: string) => {
    const answer = await fetch(`${server.origin}/docbuild/build/${query}`, { method: 'POST' });
    const { branch, build } = (await answer.json()) as { branch: string; build: { id: string } };
    const { ref, result } = await server.operations.waitForBuild({ id: build.id });
    return [branch, ref, result!.versions];
  };
  t.deepEqual(await post('posted'), ['latest', '', 2]);
  t.deepEqual(await post('posted'), ['v1', 'v1', 2]);
  t.deepEqual(await post('named?branch=latest'), ['v1', 'v1', 2], 'a name is what it stands for');
  const { id, ref } = await server.operations.build({ name: 'asked' });
  t.is(ref, '');
  t.is((await server.operations.waitForBuild({ id })).result!.versions, 2);
  t.is((await server.operations.build({ name: 'asked' })).ref, 'v1');
});

test('GET badge and POST build know a version by its ref, and the badge also by what readers call it', async (t) => {
  const server = await createServer(t);
  const repository = createRepository(t);
  commitFiles(repository, { 'docs/index.md': '# One\n', '.docbuild.yml': 'slug: {main: dev}\n' });
  await server.operations.createProject({ name: 'guide', settings: { url: repository.folder } });
  const build = async () => {
    const answer = await fetch(`${server.origin}/docbuild/build/guide`, { method: 'POST' });
    const { build: made } = (await answer.json()) as { build: { id: string } };
    return (await server.operations.waitForBuild({ id: made.id })).ref;
  };
  t.deepEqual([await build(), await build()], ['', 'main']);
  for (const branch of ['', 'latest', 'main', 'dev', 'nope']) {
    const badge = await (await server.get(`/docbuild/badge/guide?branch=${branch}`)).text();
    t.is(/docs: (\w+)/.exec(badge)?.[1], branch === 'nope' ? 'unknown' : 'passing', branch);
  }
  t.is((await server.get('/docs/guide/en/dev/')).status, 200);
});
