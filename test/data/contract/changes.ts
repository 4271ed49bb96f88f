import test from 'ava';
import { addProjects } from '../../helpers/add-projects.ts';
import { createBuild, createDelivery, createProject } from '../../helpers/create-records.ts';
import { type Adapter, throwsData } from './adapter.ts';

/** Declares what holds for changes of all kinds. */
export function testChanges({ name, open, reopen }: Adapter): void {
  test.serial(`${name}: of 1,000 changes of one record at once none is lost`, async (t) => {
    const store = await addProjects(await open(t), 'guide');
    const build = createBuild({ requests: 0 });
    await store.builds.add(build);
    const changes = Array.from({ length: 1000 }, () =>
      store.builds.change(build.id, (one) => ({ ...one, requests: one.requests + 1 })),
    );
    const counts = (await Promise.all(changes)).map(({ requests }) => requests);
    t.deepEqual(
      counts,
      counts.map((_, i) => i + 1),
    );
    t.is((await (await reopen(store)).builds.find(build.id))?.requests, 1000);
  });

  test.serial(`${name}: changes of all collections at once, each from what others made, lose nothing`, async (t) => {
    const store = await open(t);
    await store.projects.add(createProject({ versions: [] }));
    const work = Array.from({ length: 100 }, async (_, i) => {
      const build = createBuild({ commit: `${i}` });
      await store.deliveries.add(createDelivery({ id: `${i}` }));
      await store.builds.add(build);
      await store.builds.change(build.id, (one) => ({ ...one, status: 'running' }));
      await store.projects.change('guide', (one) => ({
        ...one,
        versions: [...one.versions, { ref: `${i}`, kind: 'tag', oid: build.id, builtAt: '' }],
      }));
      await store.builds.change(build.id, (one) => ({ ...one, status: 'passing' }));
    });
    await Promise.all(work);
    const again = await reopen(store);
    t.is(new Set((await again.projects.find('guide'))?.versions.map(({ ref }) => ref)).size, 100);
    t.is((await again.builds.list({ project: 'guide', limit: 1000 })).length, 100);
    t.deepEqual(await again.builds.listOpen(), []);
    t.is((await again.deliveries.list({ project: 'guide', limit: 1000 })).length, 100);
  });

  test.serial(`${name}: a change function that throws changes nothing, and its error comes through`, async (t) => {
    const store = await open(t);
    await store.projects.add(createProject());
    const fail = () => {
      throw new RangeError('no');
    };
    await t.throwsAsync(store.projects.change('guide', fail), { instanceOf: RangeError, message: 'no' });
    t.deepEqual(await (await reopen(store)).projects.find('guide'), createProject());
  });

  test.serial(`${name}: a change function that returns what it was given changes nothing`, async (t) => {
    const store = await open(t);
    await store.projects.add(createProject());
    t.deepEqual(await store.projects.change('guide', (project) => project), createProject());
    t.deepEqual(await (await reopen(store)).projects.find('guide'), createProject());
  });

  test.serial(`${name}: what callers do to their records, or to those they get, changes nothing`, async (t) => {
    const store = await open(t);
    const lang = ['en'];
    await store.projects.add(createProject({ lang }));
    lang.push('fr');
    const found = (await store.projects.find('guide')) as { meta: { x?: string }; name: string };
    t.throws(() => (found.meta.x = 'y'), { instanceOf: TypeError });
    t.throws(() => (found.name = 'y'), { instanceOf: TypeError });
    t.deepEqual(await (await reopen(store)).projects.find('guide'), createProject({ lang: ['en'] }));
  });

  test.serial(`${name}: lists that were given do not change afterwards`, async (t) => {
    const store = await open(t);
    await store.projects.add(createProject());
    await store.builds.add(createBuild());
    const lists = [
      await store.builds.listOpen(),
      await store.builds.list({ project: 'guide', limit: 9 }),
      await store.projects.list({ limit: 9 }),
      await store.projects.listByRepository('code.example/owner/guide'),
    ];
    await store.builds.add(createBuild());
    await store.projects.add(createProject({ name: 'b' }));
    t.deepEqual(
      lists.map(({ length }) => length),
      [1, 1, 1, 1],
    );
  });

  test.serial(
    `${name}: records of another shape, or too long, are refused without showing what they hold`,
    async (t) => {
      const store = await open(t);
      const secret = { hidden: 'Pa55word' } as never;
      const project = createProject({ secret });
      await throwsData(t, store.projects.add(project), 'invalid', /^Cannot keep this project: "secret"(?!.*Pa55word)/);
      await throwsData(t, store.builds.add(createBuild({ requests: Number.NaN })), 'invalid', /"requests"/);
      await throwsData(t, store.builds.add(createBuild({ status: 'done' as never })), 'invalid', /"status"/);
      await throwsData(t, store.deliveries.add(createDelivery({ id: '' })), 'invalid', /"id"/);
      const long = createBuild({ reason: 'x'.repeat(1_000_001) });
      await throwsData(t, store.builds.add(long), 'invalid', /more than 1000000 characters/);
      await store.projects.add(createProject());
      await throwsData(
        t,
        store.projects.change('guide', (one) => ({ ...one, meta: { a: 1 as never } })),
        'invalid',
      );
      await throwsData(
        t,
        store.projects.change('guide', (one) => ({ ...one, name: 'other' })),
        'invalid',
      );
      const again = await reopen(store);
      t.deepEqual(await again.projects.list({ limit: 9 }), [createProject()]);
      t.deepEqual(await again.builds.listOpen(), []);
    },
  );

  test.serial(`${name}: close() waits for changes under way, and nothing goes in or out afterwards`, async (t) => {
    const store = await open(t);
    const adding = [1, 2, 3].map((i) => store.projects.add(createProject({ name: `p${i}` })));
    await store.close();
    const outcomes = (await Promise.allSettled(adding)).map(({ status }) => status);
    t.deepEqual(outcomes, ['fulfilled', 'fulfilled', 'fulfilled']);
    await store.close();
    await throwsData(t, store.projects.add(createProject()), 'unwritable', /^The store is closed$/);
    await throwsData(t, store.projects.find('p1'), 'unwritable');
    await throwsData(t, store.builds.listOpen(), 'unwritable');
    await throwsData(t, store.deliveries.list({ project: 'p1', limit: 1 }), 'unwritable');
  });
}
