import test from 'ava';
import { createSharedBudget } from '../../lib/shared-budget.ts';
import fc from '../helpers/fast-check.ts';

test('create-shared-budget() lets one owner push out nobody but itself', (t) => {
  const lost: string[] = [];
  const budget = createSharedBudget(100);
  budget.open('honest', () => lost.push('honest')).grow(40);
  for (let i = 0; i < 10; i++) budget.open('attacker', () => lost.push(`attacker ${i}`)).grow(20);
  t.deepEqual(lost, ['attacker 0', 'attacker 1', 'attacker 2', 'attacker 3', 'attacker 4', 'attacker 5', 'attacker 6']);
  t.is(budget.used, 100);
});

test('create-shared-budget() takes from those of many owners who hold for longest', (t) => {
  const lost: number[] = [];
  const budget = createSharedBudget(100);
  for (let i = 0; i < 15; i++) budget.open(`owner ${i}`, () => lost.push(i)).grow(10);
  t.deepEqual(lost, [0, 1, 2, 3, 4]);
});

test('create-shared-budget() takes neither what is pinned nor what has been given back', (t) => {
  const lost: string[] = [];
  const budget = createSharedBudget(100);
  const pinned = budget.open('a', () => lost.push('pinned'));
  pinned.grow(90);
  pinned.pin();
  const other = budget.open('b', () => lost.push('other'));
  other.grow(20);
  other.grow(20);
  t.deepEqual(lost, ['other']);
  t.is(budget.used, 90);
  pinned.release();
  pinned.release();
  t.is(budget.used, 0);
});

test('create-shared-budget() never holds more than its limit, and loses each share once', (t) => {
  t.notThrows(() =>
    fc.assert(
      fc.property(
        fc.array(
          fc.record({ owner: fc.nat(4), share: fc.nat(9), by: fc.integer({ min: 1, max: 60 }), end: fc.boolean() }),
        ),
        (steps) => {
          const budget = createSharedBudget(100);
          const shares = new Map<string, { size: number; isLost: boolean; share: ReturnType<typeof budget.open> }>();
          for (const { owner, share, by, end } of steps) {
            const key = `${owner} ${share}`;
            if (!shares.has(key)) {
              const state = { size: 0, isLost: false };
              const opened = budget.open(`${owner}`, () => {
                if (state.isLost) throw new Error('lost twice');
                Object.assign(shares.get(key)!, { size: 0, isLost: true });
              });
              shares.set(key, { ...state, share: opened });
            }
            const held = shares.get(key)!;
            held.share.grow(by);
            if (!held.isLost) held.size += by;
            if (end) {
              held.share.release();
              shares.delete(key);
            }
            if (budget.used > 100) throw new Error(`${budget.used} are held`);
          }
          const sum = [...shares.values()].reduce((total, { size }) => total + size, 0);
          if (budget.used !== sum) throw new Error(`${budget.used} are held, not ${sum}`);
        },
      ),
    ),
  );
});
