import { basename, dirname } from 'node:path';
import test from 'ava';
import { DEFAULT_LIMITS } from '../../../builder/index.ts';
import type { BuildProcesses } from '../../../platform/builds/build-processes.ts';
import { runBuild } from '../../../platform/builds/run-build.ts';
import { createBuild, createProject } from '../../helpers/create-records.ts';
import { createRepository } from '../../helpers/create-repository.ts';
import { createServer } from '../../helpers/create-server.ts';
import { serveGit } from '../../helpers/serve-git.ts';
import { commitFiles } from '../../helpers/write-pages.ts';

test('server: messages of builds name what operator and author can change, not options of docbuild site', async (t) => {
  const repository = createRepository(t);
  commitFiles(repository, { 'docs/index.md': '# One\n', 'docs/big.md': `# Big\n${'word '.repeat(250_000)}` });
  repository.git('branch', 'release/1.x');
  repository.git('branch', 'release-1.x');
  const server = await createServer(t, 'builds: {max_page_mb: 1}\n');
  const build = async (settings: { readonly sourceDir?: string; readonly meta?: Record<string, string> }) => {
    const name = `guide${settings.sourceDir ?? ''}`;
    await server.operations.createProject({ name, settings: { url: repository.folder, ...settings } });
    const { id } = await server.operations.build({ name, all: true });
    const { reason } = await server.operations.waitForBuild({ id });
    const paths = [`builds/${id}/log`, `builds/${id}/problems`, `projects/${name}`, `builds/${id}`];
    const texts = await Promise.all(paths.map(async (path) => (await server.get(`/docbuild/${path}`)).text()));
    for (const text of [reason, ...texts]) t.notRegex(text, /--(?:exclude|latest|max|source|refs|timeout)|\{option/);
    return { reason, problems: texts[1]!, log: texts[0]! };
  };
  const { problems } = await build({});
  t.regex(problems, /raise it with \\"builds\.max_page_mb\\" in the server's configuration/);
  t.regex(
    problems,
    /exclude one of them with \\"docbuild project update -t meta:excluded_branch=… guide\\" or \\"excluded\\" in \.docbuild\.yml/,
  );
  const { reason, log } = await build({ sourceDir: 'manual' });
  t.regex(reason, /set the folder of the documentation with "docbuild project update -t sourceDir:… guidemanual"/);
  t.true(log.includes(reason));
});

test('server: a build for a latest that cannot be built says how to choose another one', async (t) => {
  const repository = createRepository(t);
  commitFiles(repository, { 'docs/index.md': '# One\n' });
  repository.git('branch', '0.x');
  const server = await createServer(t);
  const { operations } = server;
  await operations.createProject({ name: 'guide', settings: { url: repository.folder } });
  const build = async (all: boolean) => {
    const { id } = await operations.build({ name: 'guide', all });
    const { status, reason } = await operations.waitForBuild({ id });
    return `${status} ${reason}`;
  };
  const advice =
    /^failing .*"nosuch", requested as latest, .*; choose another one with "docbuild project update -t latest:… guide" or "latest" in \.docbuild\.yml$/;
  t.regex(await build(true), /^passing/);
  await operations.updateProject({ name: 'guide', changes: 'latest:nosuch' });
  t.regex(await build(true), advice);
  t.regex(await build(false), advice);
  await operations.updateProject({ name: 'guide', changes: 'latest:0.x,meta:excluded_branch=0.x' });
  t.regex(
    await build(true),
    /"0\.x", requested as latest, .*; choose another one with "docbuild project update -t latest:/,
  );
  await t.throwsAsync(build(false), {
    message: `Ref "0.x", the project's "latest", is excluded by its meta field "excluded_branch"; change one of them`,
  });
});

test('server: a build that takes too long says how to give its project more time', async (t) => {
  const repository = createRepository(t);
  commitFiles(repository, { 'docs/index.md': '# One\n' });
  const git = await serveGit(t, dirname(repository.folder));
  git.holdAfterBytes = 10;
  const server = await createServer(t);
  const url = `${git.url}/${basename(repository.folder)}/.git`;
  await server.operations.createProject({ name: 'guide', settings: { url, timeout: 1 } });
  const { id } = await server.operations.build({ name: 'guide', all: true });
  const { status, reason } = await server.operations.waitForBuild({ id });
  t.is(status, 'failing');
  t.regex(reason, /longer than 1 s, the limit for .*; raise it with "docbuild project update -t timeout:… guide"/);
});

test('runBuild() says the same of a build that did not end itself when its time was up, and was killed', async (t) => {
  const outcome = await runBuild(
    { build: createBuild({ project: 'guide' }), project: createProject({ name: 'guide', timeout: 7 }), isAsked: true },
    {
      settings: {
        sitesFolder: '/sites',
        cacheFolder: '/cache',
        limits: DEFAULT_LIMITS,
        templatesFolder: '',
        extensionsFile: '',
        codeHosts: [],
        isShared: false,
        buttonOf: () => ({ script: '', api: '' }),
        siteUrlOf: () => undefined,
        now: () => new Date(),
      },
      sites: { publish: () => Promise.reject(new Error('published')) },
      processes: {
        async run(_, { timeoutMs }) {
          t.true(timeoutMs > 7_000 && timeoutMs < 20_000, 'it has its own time, and some seconds to end itself');
          return { kind: 'timeout' };
        },
      } as Partial<BuildProcesses> as BuildProcesses,
      hookRecords: {} as never,
      signal: new AbortController().signal,
      log() {},
      onPublished: () => t.fail('published'),
    },
  );
  t.is(outcome.status, 'failing');
  t.regex(
    (outcome as { reason: string }).reason,
    /^The build took longer than 7 s, the limit for .*; raise it with "docbuild project update -t timeout:… guide"$/,
  );
});
