import type { Build } from '../../../data/records/build.ts';
import { createWaitingList } from '../../../platform/builds/waiting-list.ts';
import test from '../../helpers/serial-test.ts';

const build = (id: string, project: string, ref = 'main') => ({ id, project, ref }) as Build;

test('waiting list: projects take turns, builds of one project keep their order', (t) => {
  const list = createWaitingList();
  for (const id of ['a1', 'a2', 'a3', 'b1', 'c1', 'b2']) list.add(build(id, id[0]!), id[0]!);
  const order: (string | undefined)[] = [];
  for (let next = list.takeNext(() => true); next; next = list.takeNext(() => true)) order.push(next.build.id);
  t.deepEqual(order, ['a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
  t.is(list.size, 0);
});

test('waiting list: projects that are not free are passed over and keep their turn', (t) => {
  const list = createWaitingList();
  for (const id of ['a1', 'b1']) list.add(build(id, id[0]!), id[0]!);
  t.is(list.takeNext(({ project }) => project !== 'a')?.build.id, 'b1');
  t.is(
    list.takeNext(() => false),
    undefined,
  );
  t.is(list.takeNext(() => true)?.build.id, 'a1');
});

test('waiting list: builds are found by ref, replaced and removed', (t) => {
  const list = createWaitingList();
  list.add(build('a1', 'a', 'main'), 'a');
  list.add(build('a2', 'a', 'dev'), 'a');
  list.replace({ ...build('a2', 'a', 'dev'), requests: 2 });
  t.is(list.list('a', 'dev')[0]?.requests, 2);
  t.true(list.remove('a1'));
  t.false(list.remove('a1'));
  t.deepEqual(
    list.list('a').map(({ id }) => id),
    ['a2'],
  );
  t.is(list.size, 1);
});

test('waiting list: owners take turns however many projects they have', (t) => {
  const list = createWaitingList();
  for (const id of ['a1', 'b1', 'c1', 'd1', 'a2']) list.add(build(id, id[0]!), id[0] === 'd' ? 'small' : 'large');
  const order: (string | undefined)[] = [];
  for (let next = list.takeNext(() => true); next; next = list.takeNext(() => true)) {
    order.push(`${next.build.id} ${next.owner}`);
  }
  t.deepEqual(order, ['a1 large', 'd1 small', 'b1 large', 'c1 large', 'a2 large']);
});

test('waiting list: only the oldest build of a project is looked at', (t) => {
  const list = createWaitingList();
  for (const id of ['a1', 'a2', 'b1']) list.add(build(id, id[0]!), 'one');
  t.false(list.has(({ id }) => id === 'a2'));
  t.true(list.has(({ id }) => id === 'b1'));
  t.is(list.size, 3);
});
