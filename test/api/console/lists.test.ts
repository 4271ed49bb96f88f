import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import type { Build } from '../../../data/records/build.ts';
import { createBuildId } from '../../../data/records/build-id.ts';
import type { Project } from '../../../data/records/project.ts';
import { type ConsoleAnswer, createClient, createConsole, PASSWORD } from '../../helpers/create-console.ts';
import { createBuild, createPassed, createProject } from '../../helpers/create-records.ts';
import { createFolder, createRepository } from '../../helpers/create-repository.ts';
import { createServer } from '../../helpers/create-server.ts';
import { openStore } from '../../helpers/open-store.ts';
import { commitFiles } from '../../helpers/write-pages.ts';

const EVIL = '"><img src=x onerror=alert(1)>';

/** An operator on a server that begins with these records. */
async function createFilled(
  t: ExecutionContext,
  { projects, builds }: { readonly projects: readonly Partial<Project>[]; readonly builds: readonly Partial<Build>[] },
) {
  const folder = createFolder(t);
  const store = await openStore(t, join(folder, 'base/store'));
  // Nothing is published: the server would look for the sites.
  for (const one of projects) await store.projects.add(createProject({ versions: [], ...one }));
  for (const one of builds) {
    await store.builds.add(one.status === 'passing' ? createPassed(one) : createBuild({ status: 'failing', ...one }));
  }
  await store.close();
  const server = await createServer(t, '', folder);
  await server.operations.createUser({ account: 'boss', password: PASSWORD, isOperator: true });
  const client = createClient(server);
  await client.logIn('boss');
  return { server, client };
}

const projectsIn = ({ html }: ConsoleAnswer): readonly string[] =>
  [...html.matchAll(/<p class="title"><a href="\/control\/projects\/([^"]+)">/g)].map(([, name]) => name!);
const nextIn = ({ html }: ConsoleAnswer): string | undefined =>
  /href="([^"]+)" rel="next"/.exec(html)?.[1]?.replaceAll('&amp;', '&');
const refsIn = ({ html }: ConsoleAnswer): readonly string[] =>
  [...html.matchAll(/docbuild\/builds\/[0-9a-z]{20}">([^<]+)</g)].map(([, ref]) => ref!);

test('projects: are listed in natural order, and found by name, repository and status, page by page', async (t) => {
  const many = Array.from({ length: 120 }, (_, i) => `guide-v${i + 1}`);
  const { client } = await createFilled(t, {
    projects: [
      ...many.map((name) => ({ name, url: 'https://user:hidden@code.example/team/guides.git' })),
      { name: 'api', failing: [{ ref: 'v1', build: 'x', errors: 2, reason: 'docs/a.md:3: Not closed' }] },
      { name: 'cron', schedule: '@daily', scheduledAt: '2099-01-01T00:00:00.000Z' },
    ],
    builds: [
      { project: 'api', status: 'passing' },
      { project: 'cron', status: 'cancelled' },
      ...many.slice(0, 60).map((project) => ({ project, status: 'failing' as const })),
      { project: 'guide-v3', status: 'passing' },
    ],
  });
  const first = await client.get('/control/projects');
  t.deepEqual(projectsIn(first), ['api', 'cron', ...many.slice(0, 48)]);
  const second = await client.get(nextIn(first)!);
  t.deepEqual(projectsIn(second), many.slice(48, 98));
  t.deepEqual(projectsIn(await client.get(nextIn(second)!)), many.slice(98));
  t.regex(first.html, /v1: docs\/a\.md:3: Not closed/);
  t.regex(first.html, /Next scheduled build: <time datetime="20\d\d-/);

  const find = async (query: string) => projectsIn(await client.get(`/control/projects?${query}`));
  t.deepEqual(await find('q=V10'), ['guide-v10', ...many.slice(99, 109)]);
  t.deepEqual(await find('q=code.example/owner'), ['api', 'cron']);
  t.deepEqual(await find('q=hidden'), [], 'credentials are not searched');
  t.deepEqual(await find('status=passing'), ['guide-v3']);
  t.deepEqual(
    await find('status=none&q=v6'),
    many.filter((name) => /v6\d$/.test(name) && name !== 'guide-v60'),
  );
  t.deepEqual(await find('status=stopped'), ['cron']);
  t.deepEqual(await find('status=scheduled'), ['cron']);
  t.deepEqual((await find('status=nonsense')).length, 50);
  const failing = await client.get('/control/projects?status=failing&q=guide-v');
  const expected = many.slice(0, 60).filter((name) => name !== 'guide-v3');
  t.deepEqual(projectsIn(failing), expected.slice(0, 50));
  t.regex(nextIn(failing)!, /q=guide-v&status=failing&after=guide-v51/);
  t.deepEqual(projectsIn(await client.get(nextIn(failing)!)), expected.slice(50));
  const none = await client.get(`/control/projects?q=${encodeURIComponent(EVIL)}`);
  t.regex(none.html, /No project fits/);
  t.notRegex(none.html, /<img src=x/);
});

test('builds: are found by project, ref and status, and a search stays on its pages', async (t) => {
  const at = Date.now() - 3_600_000;
  const refs = ['main', 'v2', 'v10'];
  const { client } = await createFilled(t, {
    projects: [{ name: 'guide' }, { name: 'guide-two' }],
    builds: Array.from({ length: 180 }, (_, i) => ({
      id: createBuildId(at + i),
      project: i % 2 ? 'guide-two' : 'guide',
      ref: refs[i % 3]!,
      status: i % 5 === 0 ? ('failing' as const) : ('passing' as const),
    })),
  });
  const count = async (query: string): Promise<number> => {
    let found = 0;
    for (let path: string | undefined = `/control/builds?${query}`; path !== undefined; ) {
      const page = await client.get(path);
      found += refsIn(page).length;
      path = nextIn(page);
    }
    return found;
  };
  t.is(await count(''), 180);
  t.is(await count('project=guide'), 90, 'a whole name');
  t.is(await count('project=UIDE'), 180, 'a part of one');
  t.is(await count('status=failing'), 36);
  t.is(await count('ref=v10'), 60);
  t.is(await count('ref=v1'), 60);
  t.is(await count('project=guide&ref=v2&status=failing'), 6);
  t.is(await count('project=none'), 0);
  t.is(await count('status=queued'), 0);
  const page = await client.get('/control/builds?project=guide&status=passing');
  t.regex(nextIn(page)!, /^\/control\/builds\?project=guide&status=passing&before=\w{20}$/);
  t.regex(page.html, /<option value="passing" selected>/);
  t.notRegex(page.html, /Waiting and running/);
  t.notRegex((await client.get(`/control/builds?ref=${encodeURIComponent(EVIL)}`)).html, /<img src=x/);
});

test('lists say how long a build took, of which commit, how large the site is, and why it failed in one line', async (t) => {
  const commit = '0123456789abcdef0123456789abcdef01234567';
  const times = { startedAt: '2026-05-04T03:00:00.000Z', finishedAt: '2026-05-04T03:01:05.400Z' };
  const result = { ...createPassed().result!, errors: 2, firstError: 'docs/b.md:7: Cannot read' };
  const reason = `docs/a.md:3: <b>Wrong</b>\nsecond line ${'x'.repeat(500)}`;
  const { client } = await createFilled(t, {
    projects: [{ name: 'guide' }],
    builds: [
      { status: 'passing', ref: 'v1', commit, ...times, result },
      { status: 'failing', ref: 'v2', commit, ...times, finishedAt: '2026-05-04T05:03:00.000Z', reason },
    ],
  });
  for (const path of ['/control/builds', '/control/projects/guide']) {
    const { html } = await client.get(path);
    t.regex(html, /1 min 5 s · <code title="0123456789abcdef[^"]+">0123456789<\/code> · 123 kB/, path);
    t.regex(html, /2 h 3 min · <code/, path);
    t.regex(html, /<p class="first bad"><span lang="en">docs\/a\.md:3: &lt;b&gt;Wrong&lt;\/b&gt;<\/span><\/p>/, path);
    t.regex(html, /docs\/b\.md:7: Cannot read/, path);
    t.notRegex(html, /second line/, path);
  }
  t.regex(
    (await client.get('/control/projects')).html,
    /docs\/a\.md:3: &lt;b&gt;Wrong[\s\S]*Last build: v2,[\s\S]*2 h 3 min/,
  );
});

test('retry: a failed build is requested again by one click, and the page says what it did', async (t) => {
  const { server, operator, user, logIn } = await createConsole(t, 'builds: {concurrency: 1}\n');
  const repository = createRepository(t);
  commitFiles(repository, { 'docs/index.md': '# One\n' });
  const settings = { url: repository.folder, before: 'test -e ok || { touch ok; exit 7; }' };
  await server.operations.createProject({ name: 'guide', settings });
  const { id } = await server.operations.build({ name: 'guide', all: true });
  t.is((await server.operations.waitForBuild({ id })).status, 'failing');
  const client = await logIn(operator);
  const page = await client.get('/control/builds?project=guide&status=failing');
  t.regex(page.html, /The command &quot;before&quot; failed \(exit code 7\)|before.*failed/);
  const action = /action="(\/control\/builds\/[^"]+\/retry[^"]*)"/.exec(page.html)![1]!.replaceAll('&amp;', '&');
  const done = await client.post(action);
  t.is(done.location, '/control/builds?project=guide&status=failing&flash=build-retried', 'the search stays');
  t.regex((await client.get(done.location!)).html, /The build has been requested again/);
  const [again] = await server.operations.listBuilds({ project: 'guide', limit: 1 });
  t.like(again, { ref: '', cause: 'console', kind: 'build' });
  t.is((await server.operations.waitForBuild({ id: again!.id })).status, 'passing');
  t.like((await server.operations.listAudit({}))[0], { action: 'retryBuild', target: id });
  t.notRegex((await client.get('/control/builds?status=passing')).html, /\/retry/);

  t.is((await client.post('/control/builds/nothing/retry')).status, 404);
  t.is((await client.post('/control/projects/guide/retry', { id: 'nothing' })).status, 404);
  await server.operations.updateProject({ name: 'guide', settings: { before: 'sleep 300' } });
  const running = await server.operations.build({ name: 'guide', ref: 'main' });
  t.is((await client.post(`/control/builds/${running.id}/retry`)).status, 400, 'it has not ended');
  const waits = await client.post('/control/projects/guide/retry', { id });
  const joins = await client.post('/control/projects/guide/retry', { id });
  t.deepEqual(
    [waits.location, joins.location],
    ['/control/projects/guide?flash=build-retried', '/control/projects/guide?flash=retry-joined'],
  );
  for (const { id } of await server.operations.listBuilds({ isOpen: true }))
    await server.operations.cancelBuild({ id });
  await client.post(`/control/builds/${running.id}/retry`);
  t.like((await server.operations.listBuilds({ limit: 1 }))[0], { ref: 'main' });
  const reader = await logIn(user);
  await reader.get('/control/');
  t.is((await reader.post(`/control/builds/${id}/retry`)).status, 404);
  for (const { id } of await server.operations.listBuilds({ isOpen: true }))
    await server.operations.cancelBuild({ id });
});

test('retry: of a push to a branch that is no version, nothing more is published than before', async (t) => {
  const { server, client } = await createFilled(t, {
    projects: [{ name: 'guide', url: '/nowhere', meta: { excluded_branch: 'wip' } }],
    builds: [
      { ref: 'feature/x', cause: 'webhook' },
      { ref: 'feature/y', cause: 'api' },
      { ref: 'wip', cause: 'webhook' },
      { ref: 'gone', cause: 'webhook', kind: 'remove' },
    ],
  });
  await client.get('/control/builds');
  const [gone, wip, asked, pushed] = await server.operations.listBuilds({ project: 'guide' });
  await client.post(`/control/builds/${pushed!.id}/retry`);
  t.like((await server.operations.listBuilds({ limit: 1 }))[0], { ref: 'feature/x', cause: 'webhook' });
  await client.post(`/control/builds/${asked!.id}/retry`);
  t.like((await server.operations.listBuilds({ limit: 1 }))[0], { ref: 'feature/y', cause: 'console' });
  const excluded = await client.post(`/control/builds/${wip!.id}/retry`);
  t.is(excluded.status, 400);
  t.regex(excluded.html, /&quot;wip&quot; is excluded/);
  t.regex((await client.post(`/control/builds/${gone!.id}/retry`)).html, /is not published any more/);
});

test('schedule: is set by form and command, shown with its time zone and next run, and refused where it runs too often', async (t) => {
  const clock = { time: new Date('2026-05-04T00:00:00.000Z') };
  const { server, operator, logIn } = await createConsole(t, 'timezone: Asia/Shanghai\n', () => clock.time);
  const repository = createRepository(t);
  commitFiles(repository, { 'docs/index.md': '# One\n' });
  await server.operations.createProject({ name: 'guide', settings: { url: repository.folder, schedule: '0 3 * * *' } });
  const client = await logIn(operator);
  const page = await client.get('/control/projects/guide');
  t.regex(
    page.html,
    /<code>0 3 \* \* \*<\/code> \(Asia\/Shanghai\); next build <time datetime="2026-05-04T19:00:00.000Z">/,
  );
  const form = await client.get('/control/projects/guide/edit');
  t.regex(form.html, /name="schedule" value="0 3 \* \* \*"/);
  t.regex(form.html, /in the time zone Asia\/Shanghai; at least 5 minutes apart/);
  const fingerprint = /name="fingerprint" value="([^"]+)"/.exec(form.html)![1]!;
  const save = (schedule: string, used = fingerprint) =>
    client.post('/control/projects/guide/edit', {
      fingerprint: used,
      url: repository.folder,
      show_nav: '1',
      secret_kind: 'keep',
      password: PASSWORD,
      schedule,
      source: '',
    });
  const often = await save('* * * * *');
  t.is(often.status, 400);
  t.regex(often.html, /runs every 1 minute at times; the least distance is 5 minutes/);
  t.regex(often.html, /name="schedule" value="\* \* \* \* \*"/);
  t.regex((await save('x')).html, /has 1 field instead of 5/);
  t.is((await save('@hourly')).location, '/control/projects/guide?flash=project-changed');
  t.is((await server.operations.getProject({ name: 'guide' })).scheduledAt, '2026-05-04T01:00:00.000Z');
  const changed = await server.operations.updateProject({ name: 'guide', changes: 'schedule:0,30 4 * * mon-fri' });
  t.deepEqual([changed.schedule, changed.scheduledAt], ['0,30 4 * * mon-fri', '2026-05-04T20:00:00.000Z']);
  const none = await server.operations.updateProject({ name: 'guide', changes: 'schedule:' });
  t.deepEqual([none.schedule, none.scheduledAt], ['', undefined]);
});

test('poll: is set by form and command, shown with the last comparison, and refused where it is no interval', async (t) => {
  const { server, operator, logIn } = await createConsole(t, 'builds: {poll_minutes: 90}\n');
  const repository = createRepository(t);
  commitFiles(repository, { 'docs/index.md': '# One\n' });
  await server.operations.createProject({ name: 'guide', settings: { url: repository.folder } });
  const client = await logIn(operator);
  const page = async () => (await client.get('/control/projects/guide')).html;
  t.regex(await page(), /Comparison with the repository<\/dt><dd>every 90 minutes, as set for the server/);
  const form = await client.get('/control/projects/guide/edit');
  t.regex(form.html, /Empty: every 90 minutes/);
  const fingerprint = /name="fingerprint" value="([^"]+)"/.exec(form.html)![1]!;
  const save = (poll: string) =>
    client.post('/control/projects/guide/edit', {
      fingerprint,
      url: repository.folder,
      show_nav: '1',
      secret_kind: 'keep',
      password: PASSWORD,
      poll,
      source: '',
    });
  t.regex((await save('soon')).html, /must be an interval from &quot;1m&quot; to &quot;30d&quot;/);
  t.is((await save('5m')).location, '/control/projects/guide?flash=project-changed');
  t.regex(await page(), /<dd>every 5m/);
  const off = await server.operations.updateProject({ name: 'guide', changes: 'poll:off' });
  t.is(off.poll, 'off');
  t.regex(await page(), /Comparison with the repository<\/dt><dd>never/);
});

test('schedule: what was missed while the server was down is built once when it starts, and shown as scheduled', async (t) => {
  const repository = createRepository(t);
  commitFiles(repository, { 'docs/index.md': '# One\n' });
  const { server, client } = await createFilled(t, {
    projects: [{ name: 'guide', url: repository.folder, schedule: '@daily', scheduledAt: '2026-05-04T00:00:00.000Z' }],
    builds: [],
  });
  for (;;) {
    const [build] = await server.operations.listBuilds({ project: 'guide' });
    if (build && (await server.operations.waitForBuild({ id: build.id })).status === 'passing') break;
  }
  const all = await server.operations.listBuilds({ project: 'guide' });
  t.is(all.length, 1);
  t.like(all[0], { ref: '', isScheduled: true });
  t.true((await server.operations.getProject({ name: 'guide' })).scheduledAt! > new Date().toISOString());
  t.regex((await client.get('/control/builds')).html, /requested by schedule/);
  t.regex(await (await server.get(`/docbuild/builds/${all[0]!.id}`, { Accept: 'text/html' })).text(), /<dd>schedule/);
});
