import test, { type ExecutionContext } from 'ava';
import type { Notification, WaitingCounts } from '../../../data/records/notification.ts';
import type { Store } from '../../../data/store.ts';
import { addProjects } from '../../helpers/add-projects.ts';
import { createNotification } from '../../helpers/create-records.ts';
import { type Adapter, throwsData } from './adapter.ts';

/** Declares what a store of notifications does. */
export function testNotifications({ name, open: openEmpty, reopen }: Adapter): void {
  const open = async (t: ExecutionContext): Promise<Store> => addProjects(await openEmpty(t), 'guide', 'other');
  const put = (store: Store, values: Partial<Notification> = {}) => {
    const record = createNotification(values);
    return store.notifications.change(record.project, record.ref, () => record);
  };
  const refs = (notifications: readonly Notification[]) => notifications.map(({ ref }) => ref);
  const time = (second: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString();

  test.serial(`${name}: notifications.change() puts, replaces and removes the one of a version`, async (t) => {
    const store = await open(t);
    t.is(await store.notifications.change('guide', 'main', (old) => old), undefined);
    const own = await put(store);
    await put(store, { project: 'other', ref: '' });
    t.deepEqual(own, createNotification({ build: own!.build }));
    const changed = await store.notifications.change('guide', 'main', (old) => ({ ...old!, state: 'mended' }));
    const { notifications } = await reopen(store);
    t.deepEqual(await notifications.find('guide', 'main'), { ...own!, state: 'mended' });
    t.deepEqual(changed, { ...own!, state: 'mended' });
    t.is((await notifications.find('other', ''))?.ref, '');
    t.is(await notifications.change('guide', 'main', () => undefined), undefined);
    t.is(await notifications.find('guide', 'main'), undefined);
    const unknown = notifications.change('none', 'main', () => createNotification({ project: 'none' }));
    await throwsData(t, unknown, 'not-found', /"none"/);
  });

  test.serial(
    `${name}: notifications are listed by project, by failing versions and by when they are to be sent`,
    async (t) => {
      const store = await open(t);
      await put(store, { ref: 'a', at: time(3), nextAt: time(9) });
      await put(store, { ref: 'b', at: time(1), nextAt: time(8), state: 'mended' });
      await put(store, { ref: 'c', at: time(2), nextAt: '', delivery: 'delivered' });
      await put(store, { project: 'other', ref: 'd', nextAt: time(7) });
      const { notifications, projects } = await reopen(store);
      t.deepEqual(refs(await notifications.list({ project: 'guide', limit: 9 })), ['a', 'c', 'b']);
      t.deepEqual(refs(await notifications.list({ project: 'guide', limit: 1 })), ['a']);
      t.deepEqual(refs(await notifications.listFailing('guide')), ['c', 'a']);
      t.deepEqual(refs(await notifications.listWaiting()), ['d', 'b', 'a']);
      await projects.remove('guide');
      t.deepEqual(refs(await notifications.listWaiting()), ['d']);
      t.is(await notifications.find('guide', 'a'), undefined);
    },
  );

  test.serial(`${name}: notifications.change() tells how many others wait, of the project and in all`, async (t) => {
    const store = await open(t);
    for (const ref of ['a', 'b', 'c']) await put(store, { ref });
    await put(store, { project: 'other' });
    await put(store, { ref: 'd', delivery: 'dropped', nextAt: '' });
    const seen: WaitingCounts[] = [];
    for (const ref of ['a', 'd', 'e']) {
      await store.notifications.change('guide', ref, (old, waiting) => {
        seen.push(waiting);
        return old;
      });
    }
    t.deepEqual(seen, [
      { ofProject: 2, inAll: 3 },
      { ofProject: 3, inAll: 4 },
      { ofProject: 3, inAll: 4 },
    ]);
  });

  test.serial(`${name}: notifications.changeAll() changes those of several versions, all or none`, async (t) => {
    const store = await open(t);
    await put(store, { ref: 'a' });
    await put(store, { ref: 'd' });
    await put(store, { project: 'other' });
    const seen: WaitingCounts[] = [];
    const change = (ref: string, old: Notification | undefined, waiting: WaitingCounts) => {
      seen.push(waiting);
      return ref === 'd' ? undefined : { ...createNotification({ ref }), ...old, errors: 7 };
    };
    const changed = await store.notifications.changeAll('guide', ['a', 'b', 'd', 'c'], change);
    t.deepEqual(
      changed.map((one) => one && [one.ref, one.errors]),
      [['a', 7], ['b', 7], undefined, ['c', 7]],
    );
    t.deepEqual(
      seen.map(({ ofProject, inAll }) => [ofProject, inAll]),
      [
        [1, 2],
        [2, 3],
        [2, 3],
        [2, 3],
      ],
    );
    const wrong = store.notifications.changeAll('guide', ['e', 'f'], (ref) =>
      createNotification({ ref, id: ref === 'f' ? '' : 'msg_2' }),
    );
    await throwsData(t, wrong, 'invalid', /"id"/);
    const { notifications } = await reopen(store);
    const kept = await notifications.list({ project: 'guide', limit: 9 });
    t.deepEqual([...refs(kept)].sort(), ['a', 'b', 'c']);
    await throwsData(
      t,
      notifications.changeAll('none', ['a'], () => undefined),
      'not-found',
      /"none"/,
    );
  });

  test.serial(
    `${name}: of mended versions the newest 50 notifications of a project are kept, and all that wait`,
    async (t) => {
      const store = await open(t);
      await put(store, { ref: 'waits', state: 'mended', at: time(0) });
      for (let i = 1; i <= 52; i++) {
        await put(store, { ref: `v${i}`, state: 'mended', at: time(i), delivery: 'delivered', nextAt: '' });
      }
      await put(store, { project: 'other', state: 'mended', at: time(0), delivery: 'none', nextAt: '' });
      const kept = refs(await store.notifications.list({ project: 'guide', limit: 99 }));
      t.is(kept.length, 51);
      t.deepEqual([kept[0], kept.at(-2), kept.at(-1)], ['v52', 'v3', 'waits']);
      t.is((await store.notifications.list({ project: 'other', limit: 9 })).length, 1);
    },
  );
}
