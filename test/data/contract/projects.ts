import test from 'ava';
import { createBuild, createDelivery, createPassed, createProject } from '../../helpers/create-records.ts';
import { type Adapter, throwsData } from './adapter.ts';

/** Declares what a store of projects does. */
export function testProjects({ name, open, reopen }: Adapter): void {
  const names = (projects: readonly { readonly name: string }[]) => projects.map((project) => project.name);

  test.serial(`${name}: projects.find() returns a project with every field`, async (t) => {
    const store = await open(t);
    const project = createProject({ meta: { note: '\u2028"\\\n\ud800 \u{1f4d6}', _sep: '' }, lang: [] });
    await store.projects.add(project);
    t.deepEqual(await (await reopen(store)).projects.find('guide'), project);
  });

  test.serial(`${name}: projects.find() returns undefined for names that only objects have`, async (t) => {
    const { projects } = await open(t);
    for (const unknown of ['', 'other', '__proto__', 'constructor']) t.is(await projects.find(unknown), undefined);
  });

  test.serial(`${name}: projects keep names and keys that objects have`, async (t) => {
    const store = await open(t);
    const meta = JSON.parse('{"__proto__": "a", "constructor": "b"}') as Record<string, string>;
    await store.projects.add(createProject({ name: '__proto__', meta }));
    const again = await reopen(store);
    t.deepEqual(Object.entries((await again.projects.find('__proto__'))!.meta), Object.entries(meta));
    t.is(await again.projects.find('constructor'), undefined);
  });

  test.serial(`${name}: projects.findByDomain() follows changes and never matches the empty domain`, async (t) => {
    const store = await open(t);
    await store.projects.add(createProject({ name: 'a', domain: 'a.example' }));
    await store.projects.add(createProject({ name: 'none' }));
    await store.projects.change('a', (project) => ({ ...project, domain: 'b.example' }));
    const { projects } = await reopen(store);
    t.is(await projects.findByDomain('a.example'), undefined);
    t.is((await projects.findByDomain('b.example'))?.name, 'a');
    t.is(await projects.findByDomain(''), undefined);
  });

  test.serial(`${name}: projects.list() returns pages in the order of names`, async (t) => {
    const store = await open(t);
    for (const one of ['m', 'z', 'a-b', 'a_b', 'a', 'ab', 'k9']) await store.projects.add(createProject({ name: one }));
    const { projects } = await reopen(store);
    const sorted = ['a', 'a-b', 'a_b', 'ab', 'k9', 'm', 'z'];
    t.deepEqual(names(await projects.list({ limit: 100 })), sorted);
    t.deepEqual(names(await projects.list({ limit: 3 })), sorted.slice(0, 3));
    t.deepEqual(names(await projects.list({ after: 'a_b', limit: 2 })), ['ab', 'k9']);
    t.deepEqual(names(await projects.list({ after: 'b', limit: 2 })), ['k9', 'm']);
    t.deepEqual(names(await projects.list({ after: 'z', limit: 2 })), []);
    for (const limit of [0, -1, Number.NaN]) t.deepEqual(await projects.list({ limit }), []);
  });

  test.serial(`${name}: projects.listNaturally() returns pages in the order in which people sort names`, async (t) => {
    const store = await open(t);
    const sorted = ['a-2', 'a-10', 'v1', 'v01', 'v1-b', 'v2', 'v2a', 'v10', 'v100', 'va'];
    for (const one of [...sorted].sort()) await store.projects.add(createProject({ name: one }));
    const { projects } = await reopen(store);
    t.deepEqual(
      names(await projects.listNaturally({ limit: 100 })).filter((one) => one !== 'v01'),
      [...['a-2', 'a-10', 'v1', 'v1-b', 'v2', 'v2a', 'v10', 'v100', 'va']],
    );
    const paged: string[] = [];
    for (let after: string | undefined; ; after = paged.at(-1)) {
      const page = await projects.listNaturally({ ...(after !== undefined && { after }), limit: 3 });
      paged.push(...names(page));
      if (page.length < 3) break;
    }
    t.deepEqual(paged, names(await projects.listNaturally({ limit: 100 })));
  });

  test.serial(`${name}: projects.listScheduled() returns those with a schedule, the next one first`, async (t) => {
    const store = await open(t);
    const at = (hour: number) => `2026-05-04T0${hour}:00:00.000Z`;
    await store.projects.add(createProject({ name: 'none' }));
    await store.projects.add(createProject({ name: 'late', schedule: '@daily', scheduledAt: at(5) }));
    await store.projects.add(createProject({ name: 'soon', schedule: '@daily', scheduledAt: at(4) }));
    const { projects } = await reopen(store);
    t.deepEqual(names(await projects.listScheduled({})), ['soon', 'late']);
    t.deepEqual(names(await projects.listScheduled({ before: at(5) })), ['soon']);
    t.deepEqual(names(await projects.listScheduled({ before: at(4) })), []);
    t.deepEqual(names(await projects.listScheduled({ limit: 1 })), ['soon']);
    await projects.change('soon', (project) => ({ ...project, scheduledAt: at(6) }));
    await projects.change('late', (project) => ({ ...project, schedule: '', scheduledAt: undefined }));
    t.deepEqual(names(await projects.listScheduled({})), ['soon']);
  });

  test.serial(
    `${name}: projects.listByRepository() returns all projects of a repository, however it is written`,
    async (t) => {
      const store = await open(t);
      await store.projects.add(createProject({ name: 'a', url: 'https://user:pass@Code.example/Owner/Guide.git' }));
      await store.projects.add(createProject({ name: 'b', url: 'git@code.example:owner/guide' }));
      await store.projects.add(createProject({ name: 'c', url: 'https://code.example/owner/guide2' }));
      const { projects } = await reopen(store);
      t.deepEqual(names(await projects.listByRepository('code.example/owner/guide')), ['a', 'b']);
      await projects.change('b', (project) => ({ ...project, url: 'https://other.example/owner/guide' }));
      t.deepEqual(names(await projects.listByRepository('code.example/owner/guide')), ['a']);
      t.deepEqual(names(await projects.listByRepository('other.example/owner/guide')), ['b']);
      t.deepEqual(await projects.listByRepository('nowhere.example/owner/guide'), []);
    },
  );

  test.serial(`${name}: projects.add() refuses a name that is taken`, async (t) => {
    const { projects } = await open(t);
    await projects.add(createProject({ secret: 'first' }));
    await throwsData(t, projects.add(createProject({ secret: 'second' })), 'taken', /^Project "guide" already exists$/);
    t.is((await projects.find('guide'))?.secret, 'first');
  });

  test.serial(`${name}: projects.add() refuses a domain that is taken, but any number without one`, async (t) => {
    const { projects } = await open(t);
    await projects.add(createProject({ name: 'a', domain: 'docs.example' }));
    await throwsData(t, projects.add(createProject({ name: 'b', domain: 'docs.example' })), 'taken', /"docs\.example"/);
    t.is(await projects.find('b'), undefined);
    await projects.add(createProject({ name: 'c' }));
    await projects.add(createProject({ name: 'd' }));
  });

  test.serial(`${name}: projects.add() lets one of two that come at once have the name`, async (t) => {
    const { projects } = await open(t);
    const tries = [1, 2, 3].map((i) => projects.add(createProject({ secret: `${i}` })));
    const outcomes = (await Promise.allSettled(tries)).map(({ status }) => status);
    t.deepEqual(outcomes, ['fulfilled', 'rejected', 'rejected']);
  });

  test.serial(`${name}: projects.change() returns the project as it is now`, async (t) => {
    const store = await open(t);
    await store.projects.add(createProject());
    const changed = await store.projects.change('guide', (project) => ({ ...project, latest: 'v2' }));
    t.deepEqual(changed, createProject({ latest: 'v2' }));
    t.deepEqual(await (await reopen(store)).projects.find('guide'), changed);
  });

  test.serial(`${name}: projects.change() refuses unknown names and domains that are taken`, async (t) => {
    const { projects } = await open(t);
    await projects.add(createProject({ name: 'a', domain: 'a.example' }));
    await projects.add(createProject({ name: 'b', domain: 'b.example' }));
    await throwsData(
      t,
      projects.change('c', (project) => project),
      'not-found',
      /^Project "c" does not exist$/,
    );
    await throwsData(
      t,
      projects.change('b', (project) => ({ ...project, domain: 'a.example' })),
      'taken',
    );
    t.is((await projects.findByDomain('a.example'))?.name, 'a');
    t.is((await projects.findByDomain('b.example'))?.name, 'b');
    t.is((await projects.change('b', (project) => ({ ...project, latest: 'x' }))).domain, 'b.example');
  });

  test.serial(`${name}: projects.remove() takes builds and deliveries along, and nothing of others`, async (t) => {
    const store = await open(t);
    const kept = createPassed({ project: 'other' });
    for (const one of ['guide', 'other']) {
      await store.projects.add(createProject({ name: one, domain: `${one}.example` }));
      await store.deliveries.add(createDelivery({ project: one }));
    }
    await store.builds.add(kept);
    const builds = [createPassed({ commit: 'c' }), createBuild()];
    for (const build of builds) await store.builds.add(build);
    t.deepEqual(await store.projects.remove('guide'), createProject({ domain: 'guide.example' }));
    const again = await reopen(store);
    t.is(await again.projects.find('guide'), undefined);
    t.is(await again.projects.findByDomain('guide.example'), undefined);
    for (const { id } of builds) t.is(await again.builds.find(id), undefined);
    t.deepEqual(await again.builds.list({ project: 'guide', limit: 9 }), []);
    t.deepEqual(await again.builds.listOpen(), []);
    t.is(await again.builds.findLastFinished('guide', 'main'), undefined);
    t.is(await again.deliveries.find('guide', 'delivery-1'), undefined);
    t.deepEqual(await again.builds.list({ project: 'other', limit: 9 }), [kept]);
    t.is((await again.deliveries.list({ project: 'other', limit: 9 })).length, 1);
  });

  test.serial(`${name}: projects.remove() returns undefined where there is none`, async (t) => {
    const { projects } = await open(t);
    t.is(await projects.remove('guide'), undefined);
  });

  test.serial(`${name}: a project that comes again has none of the builds and deliveries it had`, async (t) => {
    const store = await open(t);
    await store.projects.add(createProject());
    await store.builds.add(createPassed());
    await store.deliveries.add(createDelivery({ event: 'push' }));
    await store.projects.remove('guide');
    const build = createPassed();
    await store.projects.add(createProject());
    await store.builds.add(build);
    await store.deliveries.add(createDelivery({ event: 'release' }));
    const again = await reopen(store);
    t.deepEqual(await again.builds.list({ project: 'guide', limit: 9 }), [build]);
    t.is((await again.deliveries.find('guide', 'delivery-1'))?.event, 'release');
  });
}
