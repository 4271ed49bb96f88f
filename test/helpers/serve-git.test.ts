import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import test from 'ava';
import { createFolder, createRepository } from './create-repository.ts';
import { gitEnvironment } from './run-git.ts';
import { serveGit } from './serve-git.ts';

const run = promisify(execFile);

test('serveGit() serves a repository that git can clone, and counts requests', async (t) => {
  const repository = createRepository(t);
  repository.write('docs/a.md', '# A\n');
  repository.commit('First');
  const server = await serveGit(t, dirname(repository.folder));
  const target = join(createFolder(t), 'clone');
  await run('git', ['clone', '--quiet', `${server.url}/${basename(repository.folder)}`, target], {
    env: gitEnvironment,
  });
  t.is(readFileSync(join(target, 'docs/a.md'), 'utf8'), '# A\n');
  t.is(server.requests.filter(({ method }) => method === 'GET').length, 1);
  t.true(server.requests.some(({ method }) => method === 'POST'));
});

test('serveGit() asks for credentials when given some', async (t) => {
  const repository = createRepository(t);
  repository.commit('First');
  const server = await serveGit(t, dirname(repository.folder), { username: 'u', password: 'p' });
  const address = `${server.url}/${basename(repository.folder)}`;
  await t.throwsAsync(run('git', ['ls-remote', address], { env: gitEnvironment }));
  const { stdout } = await run('git', ['ls-remote', address.replace('//', '//u:p@')], { env: gitEnvironment });
  t.regex(stdout, /refs\/heads\/main/);
});
