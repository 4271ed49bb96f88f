import test, { type ExecutionContext } from 'ava';
import type { Delivery } from '../../../data/records/delivery.ts';
import type { Store } from '../../../data/store.ts';
import { addProjects } from '../../helpers/add-projects.ts';
import { createDelivery } from '../../helpers/create-records.ts';
import { type Adapter, throwsData } from './adapter.ts';

/** Declares what a store of deliveries does. */
export function testDeliveries({ name, open: openEmpty, reopen }: Adapter): void {
  const open = async (t: ExecutionContext): Promise<Store> => addProjects(await openEmpty(t), 'guide', 'other');
  const ids = (deliveries: readonly Delivery[]) => deliveries.map(({ id }) => id);
  const times = [
    '2026-01-01T00:00:00.000Z',
    '2026-01-01T00:00:00.250Z',
    '2026-01-01T00:00:01Z',
    '2026-01-02T00:00:00Z',
  ];

  test.serial(`${name}: deliveries.find() returns a delivery of this project with every field`, async (t) => {
    const store = await open(t);
    const [own, other] = [createDelivery(), createDelivery({ project: 'other', action: undefined, build: '' })];
    await store.deliveries.add(own);
    await store.deliveries.add(other);
    const { deliveries } = await reopen(store);
    t.deepEqual(await deliveries.find('guide', 'delivery-1'), own);
    t.deepEqual(await deliveries.find('other', 'delivery-1'), other);
    t.is(await deliveries.find('guide', 'delivery-2'), undefined);
    t.is(await deliveries.find('guid', 'edelivery-1'), undefined);
  });

  test.serial(`${name}: deliveries.list() returns those of a project, newest first`, async (t) => {
    const store = await open(t);
    for (const i of [2, 0, 3, 1]) {
      await store.deliveries.add(createDelivery({ id: `${9 - i}`, receivedAt: times[i]! }));
      await store.deliveries.add(createDelivery({ project: 'other', id: `${i}`, receivedAt: times[i]! }));
    }
    const { deliveries } = await reopen(store);
    t.deepEqual(ids(await deliveries.list({ project: 'guide', limit: 9 })), ['6', '7', '8', '9']);
    t.deepEqual(ids(await deliveries.list({ project: 'guide', limit: 2 })), ['6', '7']);
    t.deepEqual(await deliveries.list({ project: 'none', limit: 2 }), []);
    for (const limit of [0, -1, Number.NaN]) t.deepEqual(await deliveries.list({ project: 'guide', limit }), []);
  });

  test.serial(`${name}: deliveries.add() takes the place of the same delivery, and of no other`, async (t) => {
    const store = await open(t);
    const add = (values: Partial<Delivery>) => store.deliveries.add(createDelivery({ build: '', ...values }));
    await Promise.all([add({}), add({ answer: 'again' })]);
    const [one] = await store.deliveries.list({ project: 'guide', limit: 9 });
    t.is(one?.answer, 'again');
    await throwsData(t, add({ project: 'none' }), 'not-found', /"none"/);
    const other = { action: { kind: 'build', ref: 'next', commit: '' } } as const;
    for (const answer of ['other', 'the same']) await add({ ...other, answer });
    const { deliveries } = await reopen(store);
    const answers = (await deliveries.list({ project: 'guide', limit: 9 })).map(({ answer }) => answer);
    t.deepEqual(answers.sort(), ['again', 'the same']);
    t.is((await deliveries.find('guide', 'delivery-1'))?.answer, 'again');
  });

  test.serial(`${name}: deliveries.change() returns the delivery as it is now, and refuses unknown ones`, async (t) => {
    const store = await open(t);
    await store.deliveries.add(createDelivery({ build: '' }));
    const changed = await store.deliveries.change('guide', 'delivery-1', (one) => ({
      ...one,
      build: 'b1',
      status: 200,
    }));
    t.deepEqual(changed, createDelivery({ build: 'b1', status: 200 }));
    const { deliveries } = await reopen(store);
    t.deepEqual(await deliveries.find('guide', 'delivery-1'), changed);
    await throwsData(
      t,
      deliveries.change('other', 'delivery-1', (one) => one),
      'not-found',
      /"delivery-1".*"other"/,
    );
  });

  test.serial(`${name}: deliveries.prune() removes those of a project but the newest`, async (t) => {
    const store = await open(t);
    for (const [i, receivedAt] of times.entries()) {
      await store.deliveries.add(createDelivery({ id: `${i}`, receivedAt }));
      await store.deliveries.add(createDelivery({ project: 'other', id: `${i}`, receivedAt }));
    }
    await store.deliveries.prune('guide', 2);
    const { deliveries } = await reopen(store);
    t.deepEqual(ids(await deliveries.list({ project: 'guide', limit: 9 })), ['3', '2']);
    t.is((await deliveries.list({ project: 'other', limit: 9 })).length, 4);
    await deliveries.prune('guide', 0);
    t.deepEqual(await deliveries.list({ project: 'guide', limit: 9 }), []);
  });

  test.serial(`${name}: deliveries.prune() takes first what was received while the clock was ahead`, async (t) => {
    const store = await open(t);
    const received = ['2027-05-04T12:00:00Z', '2027-05-04T12:00:01Z', '2026-05-04T12:00:00Z', '2026-05-04T12:00:01Z'];
    for (const [i, receivedAt] of received.entries()) {
      await store.deliveries.add(createDelivery({ id: `${i}`, receivedAt }));
    }
    const nowIso = '2026-05-04T12:00:01.000Z';
    await store.deliveries.prune('guide', 3, nowIso);
    const { deliveries } = await reopen(store);
    t.deepEqual(ids(await deliveries.list({ project: 'guide', limit: 9 })), ['1', '3', '2']);
    await deliveries.prune('guide', 1, nowIso);
    t.deepEqual(ids(await deliveries.list({ project: 'guide', limit: 9 })), ['3']);
  });
}
