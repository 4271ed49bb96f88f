import test from 'ava';
import type { SetLimit } from '../../../data/records/limit.ts';
import { type Adapter, throwsData } from './adapter.ts';

const setBy = (by: string, value: number): SetLimit => ({ value, by, at: '2026-01-01T00:00:00.000Z' });

/** Declares what a store of limits does. */
export function testLimits({ name, open, reopen }: Adapter): void {
  test.serial(`${name}: limits are set several at once, taken out, and stay`, async (t) => {
    const store = await open(t);
    t.deepEqual(await store.limits.read(), {});
    const [seven, three, nine] = [setBy('boss', 7), setBy('boss', 3), setBy('other', 9)];
    const first = await store.limits.change(
      new Map([
        ['limits.changes_per_minute', seven],
        ['builds.quick', three],
      ]),
    );
    t.deepEqual(first, { 'limits.changes_per_minute': seven, 'builds.quick': three });
    await store.limits.change(
      new Map([
        ['limits.changes_per_minute', undefined],
        ['builds.quick', nine],
        ['limits.block_minutes', undefined],
      ]),
    );
    const { limits } = await reopen(store);
    t.deepEqual(await limits.read(), { 'builds.quick': nine });
  });

  test.serial(`${name}: a limit that is no whole number changes nothing`, async (t) => {
    const { limits } = await open(t);
    const three = setBy('boss', 3);
    await limits.change(new Map([['builds.quick', three]]));
    for (const value of [-1, 0.5, Number.NaN]) {
      await throwsData(t, limits.change(new Map([['limits.block_minutes', setBy('boss', value)]])), 'invalid');
    }
    t.deepEqual(await limits.read(), { 'builds.quick': three });
  });

  test.serial(`${name}: limits that are set at once are all kept`, async (t) => {
    const { limits } = await open(t);
    const keys = Array.from({ length: 20 }, (_, at) => `limits.${at}`);
    await Promise.all(keys.map((key, at) => limits.change(new Map([[key, setBy('boss', at)]]))));
    t.deepEqual(Object.keys(await limits.read()).sort(), keys.sort());
  });
}
