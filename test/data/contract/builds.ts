import test, { type ExecutionContext } from 'ava';
import type { Build, BuildChanges, BuildSearch, OpenBuilds } from '../../../data/records/build.ts';
import type { Delivery } from '../../../data/records/delivery.ts';
import type { Store } from '../../../data/store.ts';
import { addProjects } from '../../helpers/add-projects.ts';
import { createBuild, createDelivery, createPassed, createProject } from '../../helpers/create-records.ts';
import { type Adapter, throwsData } from './adapter.ts';

/** Declares what a store of builds does. */
export function testBuilds({ name, open: openEmpty, reopen }: Adapter): void {
  const open = async (t: ExecutionContext): Promise<Store> =>
    addProjects(await openEmpty(t), 'guide', 'guidema', 'other', 'a', 'b');
  const ids = (builds: readonly Build[]) => builds.map(({ id }) => id);
  const addAll = async ({ builds }: Store, records: readonly Build[]): Promise<void> => {
    for (const record of records) await builds.add(record);
  };

  test.serial(`${name}: builds.find() returns a build with every field, its result or undefined`, async (t) => {
    const store = await open(t);
    const [queued, passed] = [createBuild(), createPassed({ reason: 'ref "a\u0000b", line 3' })];
    await addAll(store, [queued, passed]);
    const { builds } = await reopen(store);
    t.deepEqual(await builds.find(queued.id), queued);
    t.deepEqual(await builds.find(passed.id), passed);
    t.is(await builds.find('__proto__'), undefined);
  });

  test.serial(`${name}: builds.list() returns pages of a project, newest first`, async (t) => {
    const store = await open(t);
    const records = Array.from({ length: 7 }, () => createPassed());
    // Whatever the order they came in.
    await addAll(store, [...records.slice(4), createPassed({ project: 'other' }), ...records.slice(0, 4)]);
    const { builds } = await reopen(store);
    const newest = ids(records).reverse();
    t.deepEqual(ids(await builds.list({ project: 'guide', limit: 100 })), newest);
    t.deepEqual(ids(await builds.list({ project: 'guide', limit: 2 })), newest.slice(0, 2));
    t.deepEqual(ids(await builds.list({ project: 'guide', before: newest[1]!, limit: 3 })), newest.slice(2, 5));
    t.deepEqual(ids(await builds.list({ project: 'guide', before: newest.at(-1)!, limit: 3 })), []);
    t.deepEqual(ids(await builds.list({ project: 'guide', before: `${newest[2]!}x`, limit: 1 })), [newest[2]]);
    for (const limit of [0, -1, Number.NaN]) t.deepEqual(await builds.list({ project: 'guide', limit }), []);
  });

  test.serial(`${name}: builds.list() returns those of one ref, and '' is a ref of its own`, async (t) => {
    const store = await open(t);
    const [main, all, tricky, other] = [
      createPassed(),
      createPassed({ ref: '' }),
      createPassed({ ref: 'in', project: 'guidema' }),
      createPassed({ ref: 'feature/main' }),
    ];
    await addAll(store, [main, all, tricky, other]);
    const { builds } = await reopen(store);
    t.deepEqual(ids(await builds.list({ project: 'guide', ref: 'main', limit: 9 })), [main.id]);
    t.deepEqual(ids(await builds.list({ project: 'guide', ref: '', limit: 9 })), [all.id]);
    t.deepEqual(ids(await builds.list({ project: 'guide', ref: 'main', before: main.id, limit: 9 })), []);
    t.deepEqual(ids(await builds.list({ project: 'guide', ref: 'v1', limit: 9 })), []);
  });

  test.serial(`${name}: builds.changeOpen() tells of the newest builds of a ref, and of all refs`, async (t) => {
    const store = await open(t);
    const [old, main, all, running] = [
      createPassed(),
      createPassed(),
      createPassed({ ref: '' }),
      createBuild({ status: 'running' }),
    ];
    await addAll(store, [old, main, all, createPassed({ project: 'other' }), createPassed({ ref: 'next' })]);
    const { builds } = await reopen(store);
    const look = async (project: string, ref?: string) => {
      let seen: OpenBuilds['newest'];
      const change = ({ newest }: OpenBuilds): undefined => {
        seen = newest;
      };
      t.deepEqual(await builds.changeOpen(project, change, { ref }), []);
      return seen;
    };
    t.deepEqual(await look('guide', 'main'), { ofRef: main, ofAll: all });
    t.deepEqual(await look('guide', 'gone'), { ofRef: undefined, ofAll: all });
    t.deepEqual(await look('guidema', ''), { ofRef: undefined, ofAll: undefined });
    t.is(await look('guide'), undefined);
    await builds.add(running);
    t.is((await look('guide', 'main'))?.ofRef?.id, running.id);
  });

  test.serial(
    `${name}: builds.changeOpen() records a delivery with the build that answers it, and finds that again`,
    async (t) => {
      let store = await open(t);
      const [first, second] = [createBuild(), createBuild()];
      const { build: _, ...delivery } = createDelivery({
        action: { kind: 'build', ref: 'main', commit: 'a'.repeat(40) },
      });
      const take = async (changes: BuildChanges | undefined, values: Partial<Delivery> = {}) => {
        let earlier: Build | undefined;
        const change = (open: OpenBuilds) => {
          earlier = open.earlier;
          return changes;
        };
        await store.builds.changeOpen('guide', change, { delivery: { ...delivery, ...values } });
        return earlier?.id;
      };
      t.is(await take(undefined), undefined);
      t.is(await take({ builds: [first] }), undefined);
      t.is(await store.deliveries.find('guide', delivery.id), undefined, 'nothing answers it');
      t.is(await take({ builds: [], answer: first.id }), undefined);
      t.deepEqual(await store.deliveries.find('guide', delivery.id), { ...delivery, build: first.id });
      t.is(await take(undefined), first.id);
      // Another one with the same id has a place of its own.
      const other = { action: { kind: 'remove', ref: 'main' } } as const;
      t.is(await take({ builds: [second], answer: second.id }, other), undefined);
      store = await reopen(store);
      t.is((await store.deliveries.list({ project: 'guide', limit: 9 })).length, 2);
      t.like(await store.deliveries.find('guide', delivery.id), { build: first.id });
      t.is(await take(undefined, other), second.id);
      t.is(await take(undefined), first.id);
      t.is(await take(undefined, { id: 'delivery-2' }), undefined);
      // One whose build is not known any more is handled anew.
      await store.deliveries.add({ ...delivery, id: 'delivery-3', build: 'gone' });
      t.is(await take(undefined, { id: 'delivery-3' }), undefined);
    },
  );

  test.serial(
    `${name}: builds.listEnded() returns pages of what has ended in all projects, newest first`,
    async (t) => {
      const store = await open(t);
      const records = Array.from({ length: 6 }, (_, i) => createPassed({ project: i % 2 ? 'other' : 'guide' }));
      await addAll(store, [...records.slice(3), createBuild(), ...records.slice(0, 3)]);
      await store.builds.change(records[5]!.id, (build) => ({ ...build, status: 'running' }));
      const { builds } = await reopen(store);
      const newest = ids(records.slice(0, 5)).reverse();
      t.deepEqual(ids(await builds.listEnded({ limit: 9 })), newest);
      t.deepEqual(ids(await builds.listEnded({ limit: 2 })), newest.slice(0, 2));
      t.deepEqual(ids(await builds.listEnded({ before: newest[1]!, limit: 2 })), newest.slice(2, 4));
      t.deepEqual(ids(await builds.listEnded({ before: newest.at(-1)!, limit: 2 })), []);
      t.deepEqual(await builds.listEnded({ limit: 0 }), []);
      await builds.change(records[5]!.id, (build) => ({ ...build, status: 'failing' }));
      t.deepEqual(ids(await builds.listEnded({ limit: 1 })), [records[5]!.id]);
    },
  );

  test.serial(
    `${name}: builds.searchEnded() finds by project, ref and status, by whole names or parts of them, in pages`,
    async (t) => {
      const store = await open(t);
      const make = (project: string, ref: string, status: Build['status']) => createBuild({ project, ref, status });
      const [first, second, third, fourth, fifth] = [
        make('guide', 'main', 'failing'),
        make('guidema', 'main', 'passing'),
        make('other', 'release/v2', 'failing'),
        make('guide', 'release/v2', 'passing'),
        make('guide', 'main', 'passing'),
      ] as const;
      await addAll(store, [first, second, third, fourth, fifth, make('guide', 'main', 'queued')]);
      const { builds } = await reopen(store);
      const search = async (wanted: BuildSearch) => ids((await builds.searchEnded(wanted, { limit: 9 })).builds);
      t.deepEqual(await search({}), ids([fifth, fourth, third, second, first]));
      t.deepEqual(await search({ project: 'guide' }), ids([fifth, fourth, first]));
      t.deepEqual(await search({ project: 'uid' }), ids([fifth, fourth, second, first]));
      t.deepEqual(await search({ project: 'guide', ref: 'main' }), ids([fifth, first]));
      t.deepEqual(await search({ project: 'uidem', ref: 'ai' }), ids([second]));
      t.deepEqual(await search({ ref: 'release/v2' }), ids([fourth, third]));
      t.deepEqual(await search({ ref: 'v2', status: 'failing' }), ids([third]));
      t.deepEqual(await search({ status: 'failing' }), ids([third, first]));
      t.deepEqual(await search({ status: 'queued' }), []);
      t.deepEqual(await search({ project: '__proto__', ref: 'none' }), []);
      const page = await builds.searchEnded({ project: 'guide' }, { limit: 2 });
      t.deepEqual(ids(page.builds), ids([fifth, fourth]));
      const last = await builds.searchEnded({ project: 'guide' }, { before: page.next!, limit: 2 });
      t.deepEqual([ids(last.builds), last.next], [ids([first]), undefined]);
      t.deepEqual(ids(await builds.filter({ ref: 'v2' }, [first, third, fourth])), ids([third, fourth]));
    },
  );

  test.serial(`${name}: builds.searchEnded() ends after 5,000 that do not fit, and goes on from there`, async (t) => {
    const store = await open(t);
    const rare = createBuild({ ref: 'rare', status: 'failing' });
    await store.builds.add(rare);
    const many = Array.from({ length: 5_000 }, () => createBuild({ ref: 'main', status: 'passing' }));
    for (let from = 0; from < many.length; from += 500) {
      await store.builds.changeOpen('guide', () => ({ builds: many.slice(from, from + 500) }));
    }
    const none = await store.builds.searchEnded({ ref: 'are' }, { limit: 5 });
    t.deepEqual([none.builds.length, none.next], [0, many[0]!.id]);
    const found = await store.builds.searchEnded({ ref: 'are' }, { before: none.next!, limit: 5 });
    t.deepEqual([ids(found.builds), found.next], [[rare.id], undefined]);
    t.deepEqual(ids((await store.builds.searchEnded({ ref: 'rare' }, { limit: 5 })).builds), [rare.id]);
  });

  test.serial(
    `${name}: builds.changeProject() changes a project by what is stored of a build at that moment`,
    async (t) => {
      const store = await open(t);
      const build = createBuild({ status: 'running' });
      await addAll(store, [build]);
      const end = store.builds.change(build.id, (one) => ({ ...one, status: 'interrupted' }));
      const seen: unknown[] = [];
      const see = (id: string) =>
        store.builds.changeProject('guide', id, (project, stored) => {
          seen.push(stored?.status);
          return { ...project, publishedBy: `${stored?.status}` };
        });
      // It is decided in the order in which it was asked.
      const changed = see(build.id);
      await end;
      t.like(await changed, { name: 'guide', publishedBy: 'interrupted' });
      t.like(await see('nobody knows it'), { publishedBy: 'undefined' });
      await throwsData(
        t,
        store.builds.changeProject('none', build.id, (project) => project),
        'not-found',
      );
      t.is((await (await reopen(store)).projects.find('guide'))?.publishedBy, 'undefined');
      t.deepEqual([seen.at(0), seen.at(-1)], ['interrupted', undefined]);
    },
  );

  test.serial(`${name}: builds.listNewest() and findAll() answer in the order of what was asked`, async (t) => {
    const store = await open(t);
    const [old, newest, other] = [createPassed(), createBuild(), createPassed({ project: 'other' })];
    await addAll(
      store,
      [newest, old, other].sort((a, b) => (a.id < b.id ? -1 : 1)),
    );
    const { builds } = await reopen(store);
    const listed = await builds.listNewest(['other', 'guidema', 'guide']);
    t.deepEqual(
      listed.map((build) => build?.id),
      [other.id, undefined, newest.id],
    );
    t.deepEqual(
      (await builds.findAll([other.id, '', old.id])).map((build) => build?.id),
      [other.id, undefined, old.id],
    );
  });

  test.serial(
    `${name}: builds.findLastFinished() returns the newest that passed or failed, of the ref or of all refs`,
    async (t) => {
      const store = await open(t);
      const [own, all, failed] = [createPassed(), createPassed({ ref: '' }), createPassed({ status: 'failing' })];
      t.is(await store.builds.findLastFinished('guide', 'main'), undefined);
      await addAll(store, [own]);
      t.is((await store.builds.findLastFinished('guide', 'main'))?.id, own.id);
      t.is(await store.builds.findLastFinished('guide', 'v1'), undefined);
      t.is(await store.builds.findLastFinished('guide', ''), undefined);
      await addAll(store, [all]);
      t.is((await store.builds.findLastFinished('guide', 'main'))?.id, all.id);
      t.is((await store.builds.findLastFinished('guide', 'v1'))?.id, all.id);
      await addAll(store, [failed]);
      const { builds } = await reopen(store);
      t.is((await builds.findLastFinished('guide', 'main'))?.id, failed.id);
      t.is((await builds.findLastFinished('guide', 'v1'))?.id, all.id);
      t.is((await builds.findLastFinished('guide', ''))?.id, all.id);
    },
  );

  test.serial(`${name}: builds.findLastFinished() leaves out builds that say nothing`, async (t) => {
    const store = await open(t);
    const passed = createPassed();
    const silent = (['queued', 'running', 'cancelled', 'superseded', 'interrupted'] as const).map((status) =>
      createBuild({ status }),
    );
    const failedRemoval = createPassed({ kind: 'remove', status: 'failing' });
    await addAll(store, [passed, ...silent, failedRemoval, createPassed({ project: 'other' })]);
    const { builds } = await reopen(store);
    t.is((await builds.findLastFinished('guide', 'main'))?.id, passed.id);
    t.is((await builds.findLastFinished('guide', undefined))?.id, passed.id);
  });

  test.serial(
    `${name}: builds.findLastFinished() returns nothing of a ref that was removed, until it is built again`,
    async (t) => {
      const store = await open(t);
      await addAll(store, [createPassed({ ref: '' }), createPassed(), createPassed({ kind: 'remove' })]);
      const { builds } = await reopen(store);
      t.is(await builds.findLastFinished('guide', 'main'), undefined);
      const again = createPassed({ status: 'failing' });
      await builds.add(again);
      t.is((await builds.findLastFinished('guide', 'main'))?.id, again.id);
      const [removal, all] = [createPassed({ kind: 'remove' }), createPassed({ ref: '' })];
      for (const build of [removal, all]) await builds.add(build);
      t.is((await builds.findLastFinished('guide', 'main'))?.id, all.id);
    },
  );

  test.serial(
    `${name}: builds.findLastFinished() returns the newest of the project, of any ref, without a ref`,
    async (t) => {
      const store = await open(t);
      const records = [createPassed({ ref: '' }), createPassed({ ref: 'v1' }), createPassed({ ref: 'v2' })];
      await addAll(store, records);
      const { builds } = await reopen(store);
      t.is((await builds.findLastFinished('guide', undefined))?.id, records[2]!.id);
      t.is(await builds.findLastFinished('other', undefined), undefined);
    },
  );

  test.serial(`${name}: builds.findOldestQueued() returns the one that was requested first`, async (t) => {
    const store = await open(t);
    t.is(await store.builds.findOldestQueued(), undefined);
    const running = createBuild({ status: 'running', ref: 'v1' });
    const [first, second] = [createBuild({ ref: 'v2' }), createBuild({ ref: 'v3' })];
    await addAll(store, [running, second, first]);
    t.is((await store.builds.findOldestQueued())?.id, first.id);
    await store.builds.change(first.id, (build) => ({ ...build, status: 'superseded' }));
    t.is((await store.builds.findOldestQueued())?.id, second.id);
  });

  test.serial(`${name}: builds.listOpen() returns queued and running ones of all projects, oldest first`, async (t) => {
    const store = await open(t);
    const records = [
      createBuild({ project: 'b' }),
      createBuild({ status: 'running' }),
      createPassed(),
      createBuild({ project: 'a' }),
      createBuild(),
    ];
    await addAll(store, [...records].reverse());
    await store.builds.change(records[4]!.id, (build) => ({ ...build, status: 'cancelled' }));
    const { builds } = await reopen(store);
    t.deepEqual(ids(await builds.listOpen()), [records[0]!.id, records[1]!.id, records[3]!.id]);
  });

  test.serial(`${name}: builds.add() refuses an id that is taken`, async (t) => {
    const { builds } = await open(t);
    const build = createBuild();
    await builds.add(build);
    await throwsData(t, builds.add({ ...build, project: 'other' }), 'taken');
    await throwsData(t, builds.add(createBuild({ project: 'none' })), 'not-found', /^Project "none" does not exist$/);
    t.is((await builds.find(build.id))?.project, 'guide');
    t.deepEqual(await builds.list({ project: 'other', limit: 9 }), []);
  });

  test.serial(`${name}: builds.change() returns the build as it is now, and refuses unknown ids`, async (t) => {
    const store = await open(t);
    const build = createBuild();
    await store.builds.add(build);
    const { result, finishedAt } = createPassed();
    const changed = await store.builds.change(build.id, (one) => ({ ...one, status: 'passing', result, finishedAt }));
    t.deepEqual(changed, { ...build, status: 'passing', result, finishedAt });
    const { builds } = await reopen(store);
    t.deepEqual(await builds.find(build.id), changed);
    await throwsData(
      t,
      builds.change('unknown', (one) => one),
      'not-found',
      /^Build "unknown" does not exist$/,
    );
  });

  test.serial(`${name}: builds.change() keeps id and project`, async (t) => {
    const { builds } = await open(t);
    const build = createBuild();
    await builds.add(build);
    await throwsData(
      t,
      builds.change(build.id, (one) => ({ ...one, id: `${one.id}x` })),
      'invalid',
    );
    await throwsData(
      t,
      builds.change(build.id, (one) => ({ ...one, project: 'other' })),
      'invalid',
    );
    t.deepEqual(await builds.find(build.id), build);
  });

  test.serial(
    `${name}: builds.prune() removes ended builds but the newest, never open ones, and returns their ids`,
    async (t) => {
      const store = await open(t);
      const records = [
        createBuild(),
        createPassed({ commit: 'c' }),
        createBuild({ status: 'interrupted' }),
        createBuild({ status: 'running' }),
        createPassed({ status: 'failing' }),
        createBuild({ status: 'superseded' }),
      ];
      const other = createPassed({ project: 'other' });
      await addAll(store, [...records, other]);
      const removed = await store.builds.prune('guide', 2);
      t.deepEqual([...removed].sort(), [records[1]!.id, records[2]!.id]);
      const { builds } = await reopen(store);
      const left = [records[5], records[4], records[3], records[0]].map((build) => build!.id);
      t.deepEqual(ids(await builds.list({ project: 'guide', limit: 9 })), left);
      t.deepEqual(await builds.find(other.id), other);
      t.deepEqual(await builds.prune('guide', 2), []);
      t.is((await builds.prune('guide', 0)).length, 2);
      t.is((await builds.listOpen()).length, 2);
    },
  );

  test.serial(`${name}: builds.prune() keeps what says how a published ref stands, however old it is`, async (t) => {
    const store = await open(t);
    await store.projects.change('guide', (project) => ({ ...project, versions: createProject().versions }));
    const [older, quiet, all] = [createPassed(), createPassed({ status: 'failing' }), createPassed({ ref: '' })];
    await addAll(store, [older, quiet, all, createPassed({ ref: 'gone' })]);
    await addAll(store, [createPassed({ ref: 'gone', kind: 'remove' }), createPassed({ ref: 'gone', kind: 'remove' })]);
    const busy = Array.from({ length: 5 }, () => createPassed({ ref: 'busy', status: 'failing' }));
    await addAll(store, busy);
    await store.builds.prune('guide', 2);
    const { builds } = await reopen(store);
    const left = [busy[4], busy[3], all, quiet].map((build) => build!.id);
    t.deepEqual(ids(await builds.list({ project: 'guide', limit: 99 })), left);
    t.is((await builds.findLastFinished('guide', 'main'))?.id, all.id);
    t.is(await builds.findLastFinished('guide', 'gone').then((found) => found?.id), all.id);
  });

  test.serial(`${name}: builds.prune() does not let refs that nobody published fill the disk`, async (t) => {
    const store = await open(t);
    for (let i = 0; i < 30; i++) await store.builds.add(createPassed({ ref: `made-up-${i}`, status: 'failing' }));
    await store.builds.prune('guide', 5);
    const { builds } = await reopen(store);
    const left = await builds.list({ project: 'guide', limit: 99 });
    t.deepEqual(
      left.map(({ ref }) => ref),
      Array.from({ length: 10 }, (_, i) => `made-up-${29 - i}`),
    );
  });
}
