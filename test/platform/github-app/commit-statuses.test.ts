import test from 'ava';
import type { Build } from '../../../data/records/build.ts';
import { createAppSetup, DOCS_API_URL, grant, INSTALLATION } from '../../helpers/create-app-setup.ts';
import { createHookProject } from '../../helpers/create-records.ts';

const A = 'a'.repeat(40);
const B = 'b'.repeat(40);
const counts = {
  versions: 1,
  languages: 1,
  pages: 12,
  rendered: 3,
  reused: 9,
  errors: 0,
  warnings: 0,
  bytes: 1,
  ms: 1234,
  fetchMs: 1,
};

function createBuild(fields: Partial<Build>): Build {
  return {
    id: 'build1',
    project: 'guide',
    kind: 'build',
    ref: 'main',
    cause: 'webhook',
    status: 'queued',
    commit: A,
    reason: '',
    requests: 1,
    retryOf: '',
    interruptions: undefined,
    notBefore: undefined,
    isUnsure: undefined,
    createdAt: '',
    startedAt: '',
    finishedAt: '',
    result: undefined,
    isScheduled: undefined,
    run: undefined,
    ...fields,
  };
}

test.serial('commit-statuses report() shows pending, then success, with the page of the build', async (t) => {
  const { app, repository, problems } = await createAppSetup(t);
  app.reportStatus(createBuild({}));
  app.reportStatus(createBuild({ status: 'running' }));
  app.reportStatus(createBuild({ status: 'passing', result: counts }));
  await app.settle();
  const shared = { sha: A, context: 'docbuild/guide', target_url: `${DOCS_API_URL}/docbuild/builds/build1` };
  t.deepEqual(repository.statuses, [
    { ...shared, state: 'pending', description: 'The documentation is queued' },
    { ...shared, state: 'success', description: '12 pages in 1.2 s' },
  ]);
  t.deepEqual(problems, []);
});

test.serial('commit-statuses report() shows why a build failed, in a line', async (t) => {
  const { app, repository } = await createAppSetup(t);
  app.reportStatus(createBuild({ status: 'failing', reason: `docs/a.md:3: ${'x'.repeat(300)}\nmore` }));
  await app.settle();
  t.is(repository.statuses[0]?.state, 'failure');
  t.is(repository.statuses[0]?.description?.length, 140);
});

test.serial('commit-statuses report() ends what is pending on all commits of a build that was joined', async (t) => {
  const { app, repository } = await createAppSetup(t);
  for (const commit of [A, B]) app.reportStatus(createBuild({ commit }));
  app.reportStatus(createBuild({ status: 'passing', commit: B }));
  await app.settle();
  t.deepEqual(
    repository.statuses.map(({ sha, state }) => `${sha![0]} ${state}`),
    ['a pending', 'b pending', 'a success', 'b success'],
  );
});

test.serial(
  'commit-statuses report() ends builds that nobody will finish, and leaves interrupted ones pending',
  async (t) => {
    const { app, repository } = await createAppSetup(t);
    for (const status of ['cancelled', 'superseded', 'interrupted'] as const)
      app.reportStatus(createBuild({ status, id: status }));
    await app.settle();
    t.deepEqual(
      repository.statuses.map(({ state }) => state),
      ['error', 'error'],
    );
  },
);

test.serial('commit-statuses report() tries nothing without the permission, or without a commit', async (t) => {
  const { app, github, repository, problems } = await createAppSetup(t);
  app.reportStatus(createBuild({ commit: '' }));
  app.reportStatus(createBuild({ kind: 'remove' }));
  app.reportStatus(createBuild({ project: '__proto__' }));
  await app.settle();
  t.deepEqual(github.calls, []);
  github.permissions.set(INSTALLATION, { repository_hooks: 'write', statuses: 'read' });
  app.reportStatus(createBuild({}));
  app.reportStatus(createBuild({ status: 'failing', reason: 'x' }));
  await app.settle();
  t.deepEqual(github.calls, ['GET /repos/codertocat/hello-world/installation']);
  t.deepEqual([...repository.statuses, ...problems], []);
});

test.serial('commit-statuses report() tries nothing for repositories elsewhere', async (t) => {
  const { app, github } = await createAppSetup(t, [createHookProject({ url: 'https://gitee.com/a/b' })]);
  app.reportStatus(createBuild({}));
  await app.settle();
  t.deepEqual(github.calls, []);
});

test.serial('commit-statuses report() gets over a server error, and tells of one that stays', async (t) => {
  const { app, github, repository, problems } = await createAppSetup(t);
  github.troubles.push({ match: /statuses/, status: 500, times: 1 });
  app.reportStatus(createBuild({}));
  await app.settle();
  t.is(repository.statuses.length, 1);
  github.troubles.push({ match: /statuses/, status: 422, message: 'No commit found for SHA', times: 1 });
  app.reportStatus(createBuild({ status: 'passing' }));
  await app.settle();
  t.regex(problems.join(), /^Cannot report build build1: GitHub answered 422 .*"No commit found for SHA"$/);
});

test.serial('commit-statuses report() takes permissions from the token where the event named none', async (t) => {
  const { app, github, repository, send } = await createAppSetup(t);
  const event = { ...grant('Codertocat/Hello-World'), installation: { id: INSTALLATION } };
  await send('installation', event);
  app.reportStatus(createBuild({}));
  await app.settle();
  t.is(repository.statuses.length, 1);
  github.permissions.set(INSTALLATION, { repository_hooks: 'write', statuses: 'read' });
  await send('installation', { ...event, installation: { id: INSTALLATION, permissions: { statuses: 'read' } } });
  app.reportStatus(createBuild({ status: 'passing' }));
  await app.settle();
  t.is(repository.statuses.length, 1);
});
