import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { DEFAULT_LIMITS } from '../../../builder/index.ts';
import type { Build } from '../../../data/records/build.ts';
import { createBuildProcesses } from '../../../platform/builds/build-processes.ts';
import { createHookRecords } from '../../../platform/builds/hook-records.ts';
import { crashed } from '../../../platform/builds/queue/build-states.ts';
import { type BuildSettings, runBuild } from '../../../platform/builds/run-build.ts';
import { createBuild, createProject } from '../../helpers/create-records.ts';
import { createFolder, createRepository } from '../../helpers/create-repository.ts';
import { createServer } from '../../helpers/create-server.ts';
import { listDescendants, type SeenProcess } from '../../helpers/is-running.ts';
import { serveS3 } from '../../helpers/serve-s3.ts';
import { waitUntil } from '../../helpers/wait-until.ts';
import { commitFiles } from '../../helpers/write-pages.ts';

/** A repository with one page, and how it is built. */
function createPlace(t: ExecutionContext, values: Partial<BuildSettings> = {}, before = '') {
  const repository = createRepository(t);
  commitFiles(repository, { 'docs/index.md': '# One\n' });
  const folder = createFolder(t);
  const processes = createBuildProcesses();
  t.teardown(() => processes.close());
  const settings = {
    sitesFolder: join(folder, 'sites'),
    cacheFolder: join(folder, 'cache'),
    limits: DEFAULT_LIMITS,
    templatesFolder: '',
    extensionsFile: '',
    codeHosts: [],
    isShared: false,
    buttonOf: () => ({ script: '', api: '' }),
    siteUrlOf: () => undefined,
    now: () => new Date(),
    ...values,
  };
  const project = createProject({ name: 'guide', url: repository.folder, versions: [], before });
  return {
    run: (build: Build, mayPublish = async () => true) =>
      runBuild(
        { build, project, isAsked: true },
        {
          settings,
          processes,
          mayPublish,
          sites: { publish: async () => undefined },
          hookRecords: createHookRecords(join(folder, 'hooks')),
          signal: new AbortController().signal,
          log() {},
          onPublished() {},
        },
      ),
  };
}

test.serial('runBuild(): a build whose process is killed waits twice, and fails the third time', async (t) => {
  const { run } = createPlace(t);
  const kill = async (): Promise<boolean> => {
    const isOfBuild = ({ pid }: SeenProcess) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('build-process');
    for (const { pid } of listDescendants(process.pid).filter(isOfBuild)) process.kill(pid, 'SIGKILL');
    return true;
  };
  let build = createBuild({ project: 'guide', ref: 'main' });
  for (const seconds of [15, 30]) {
    const outcome = await run(build, kill);
    t.like(outcome, { status: 'deferred', isCrash: true });
    t.regex((outcome as { reason: string }).reason, /^The build was killed by the system at the step "Publishing"/);
    const time = new Date();
    build = { ...build, ...crashed(build, time) };
    t.is(Date.parse(build.notBefore!) - time.getTime(), seconds * 1_000);
  }
  t.like(await run(build, kill), { status: 'failing', isUnsure: true });
  t.is((await run(build)).status, 'passing');
});

test.serial('runBuild(): what cannot be read of the server, or fails in its command, is no sure failure', async (t) => {
  const build = createBuild({ project: 'guide', ref: 'main' });
  for (const place of [createPlace(t, { templatesFolder: '/nowhere' }), createPlace(t, {}, 'exit 1')]) {
    t.like(await place.run(build), { status: 'failing', isUnsure: true });
  }
});

test.serial(
  'server: a push that finds S3 away until its time is up is put back, and published when S3 answers',
  async (t) => {
    process.env.AWS_ACCESS_KEY_ID = 'key';
    process.env.AWS_SECRET_ACCESS_KEY = 'secret';
    t.teardown(() => {
      delete process.env.AWS_ACCESS_KEY_ID;
      delete process.env.AWS_SECRET_ACCESS_KEY;
    });
    const s3 = await serveS3(t);
    const repository = createRepository(t);
    commitFiles(repository, { 'docs/index.md': '# One\n' });
    const { operations, get } = await createServer(t, `sites: s3://docs?endpoint=${s3.url}\n`);
    await operations.createProject({ name: 'guide', settings: { url: repository.folder } });
    const first = await operations.build({ name: 'guide', all: true });
    t.is((await operations.waitForBuild({ id: first.id })).status, 'passing');
    await operations.updateProject({ name: 'guide', changes: 'timeout:8' });
    commitFiles(repository, { 'docs/index.md': '# Two\n' });
    s3.fault = (method) => (method === 'PUT' ? 'never' : undefined);
    const { id } = await operations.build({ name: 'guide', all: true });
    const find = async () => (await operations.listBuilds({ project: 'guide' })).find((build) => build.id === id)!;
    await waitUntil(async () => (await find()).status === 'queued' && (await find()).reason !== '');
    t.is((await find()).reason, 'Cannot upload the site: it took longer than 8 s');
    t.regex(await (await get('/docs/guide/en/main/')).text(), /One/, 'readers have what they had');
    s3.fault = undefined;
    t.is((await operations.waitForBuild({ id })).status, 'passing');
    await waitUntil(async () => /Two/.test(await (await get('/docs/guide/en/main/')).text()));
  },
);
