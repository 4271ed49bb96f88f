import test from 'ava';
import { createOutboxEntry } from '../../helpers/create-records.ts';
import { type Adapter, throwsData } from './adapter.ts';

/** Declares what a store of purges does. */
export function testPurges({ name, open, reopen }: Adapter): void {
  test.serial(
    `${name}: purges.change() puts, replaces and removes the one of a project, which need not exist`,
    async (t) => {
      const { purges } = await open(t);
      t.is(await purges.change('guide', (old) => old), undefined);
      t.deepEqual(await purges.change('guide', () => createOutboxEntry({ project: 'other' })), createOutboxEntry());
      t.deepEqual(await purges.change('guide', (old) => ({ ...old!, left: 1 })), createOutboxEntry({ left: 1 }));
      t.deepEqual(await purges.find('guide'), createOutboxEntry({ left: 1 }));
      await throwsData(
        t,
        purges.change('guide', (old) => ({ ...old!, left: 'many' as never })),
        'invalid',
      );
      t.is(await purges.change('guide', () => undefined), undefined);
      t.is(await purges.find('guide'), undefined);
    },
  );

  test.serial(
    `${name}: purges are listed by when they are to be sent, also after their projects are gone`,
    async (t) => {
      const store = await open(t);
      const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString();
      for (const [project, nextAt] of [
        ['a', at(3)],
        ['b', ''],
        ['c', at(1)],
        ['d', at(2)],
      ] as const) {
        await store.purges.change(project, () => createOutboxEntry({ project, nextAt }));
      }
      await store.projects.remove('c');
      const { purges } = await reopen(store);
      const list = async (limit: number) => (await purges.listWaiting({ limit })).map(({ project }) => project);
      t.deepEqual(await list(9), ['c', 'd', 'a']);
      t.deepEqual(await list(2), ['c', 'd']);
      t.is(await purges.countWaiting(), 3);
    },
  );
}
