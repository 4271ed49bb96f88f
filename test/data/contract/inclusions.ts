import test from 'ava';
import type { Inclusion } from '../../../data/records/inclusion.ts';
import { type Adapter, throwsData } from './adapter.ts';

const at = (day: number): string => `2026-03-${String(day).padStart(2, '0')}T00:00:00.000Z`;
const create = (values: Partial<Inclusion> = {}): Inclusion => ({
  engine: 'alpha',
  url: 'page.example/a?b=1',
  foundAt: at(1),
  ...values,
});

/** Declares what a store of inclusions does. */
export function testInclusions({ name, open, reopen }: Adapter): void {
  test.serial(`${name}: inclusions.find() returns what was put for this engine and address`, async (t) => {
    const store = await open(t);
    const [alpha, beta] = [create(), create({ engine: 'beta', foundAt: at(2) })];
    await store.inclusions.put(alpha);
    await store.inclusions.put(beta);
    const { inclusions } = await reopen(store);
    t.deepEqual(await inclusions.find('alpha', alpha.url), alpha);
    t.deepEqual(await inclusions.find('beta', alpha.url), beta);
    for (const url of ['', 'page.example/a', '__proto__', 'constructor'])
      t.is(await inclusions.find('alpha', url), undefined);
  });

  test.serial(`${name}: inclusions.put() replaces, and refuses what is none`, async (t) => {
    const store = await open(t);
    await store.inclusions.put(create());
    await Promise.all([
      store.inclusions.put(create({ foundAt: at(3) })),
      store.inclusions.put(create({ foundAt: at(4) })),
    ]);
    await throwsData(t, store.inclusions.put(create({ url: '' })), 'invalid');
    await throwsData(t, store.inclusions.put(create({ engine: 'gamma' as never })), 'invalid');
    const { inclusions } = await reopen(store);
    t.deepEqual(await inclusions.find('alpha', create().url), create({ foundAt: at(4) }));
  });

  test.serial(`${name}: inclusions.remove() removes one, and minds none that is not there`, async (t) => {
    const store = await open(t);
    await store.inclusions.put(create());
    await store.inclusions.put(create({ engine: 'beta' }));
    await store.inclusions.remove('alpha', create().url);
    await store.inclusions.remove('alpha', create().url);
    const { inclusions } = await reopen(store);
    t.is(await inclusions.find('alpha', create().url), undefined);
    t.deepEqual(await inclusions.find('beta', create().url), create({ engine: 'beta' }));
  });

  test.serial(
    `${name}: inclusions.prune() keeps the newest of both engines, and none from before a time`,
    async (t) => {
      const store = await open(t);
      for (const day of [3, 1, 5, 2, 4]) {
        await store.inclusions.put(create({ url: `p/${day}`, foundAt: at(day), engine: day % 2 ? 'alpha' : 'beta' }));
      }
      const left = async (inclusions: typeof store.inclusions): Promise<number[]> => {
        const found = await Promise.all(
          [1, 2, 3, 4, 5].map((day) => inclusions.find(day % 2 ? 'alpha' : 'beta', `p/${day}`)),
        );
        return found.flatMap((one) => (one ? [Number(one.url.slice(2))] : []));
      };
      await store.inclusions.prune({ keep: 9, before: at(1) });
      t.deepEqual(await left(store.inclusions), [1, 2, 3, 4, 5]);
      await store.inclusions.prune({ keep: 4, before: at(1) });
      t.deepEqual(await left(store.inclusions), [2, 3, 4, 5]);
      await store.inclusions.put(create({ engine: 'beta', url: 'p/2', foundAt: at(6) }));
      await store.inclusions.prune({ keep: 3, before: at(4) });
      const { inclusions } = await reopen(store);
      t.deepEqual(await left(inclusions), [2, 4, 5]);
      await inclusions.prune({ keep: 0, before: '' });
      t.deepEqual(await left(inclusions), []);
    },
  );
}
