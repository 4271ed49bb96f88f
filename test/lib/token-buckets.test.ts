import test from 'ava';
import { createTokenBuckets } from '../../lib/token-buckets.ts';
import fc from '../helpers/fast-check.ts';

test('create-token-buckets() lets a key do as much at once as a minute allows, then at that rate', (t) => {
  const buckets = createTokenBuckets(60);
  const takes = (count: number, nowMs: number) =>
    Array.from({ length: count }, () => buckets.take('a', nowMs)).filter((waitS) => waitS === 0).length;
  t.is(takes(100, 0), 60);
  t.is(buckets.take('a', 400), 1);
  t.is(takes(5, 1_000), 1);
  t.is(takes(5, 3_500), 2);
  t.is(takes(5, 4_000), 1);
  t.is(takes(100, 10_000_000), 60);
  t.is(buckets.take('b', 10_000_000), 0);
});

test('create-token-buckets() says a wait after which it grants, and not much more', (t) => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 5_000 }), fc.array(fc.nat(90_000), { maxLength: 50 }), (perMinute, steps) => {
      const buckets = createTokenBuckets(perMinute);
      let nowMs = 0;
      let granted = 0;
      for (const step of steps) {
        nowMs += step;
        for (let i = 0; i < 3; i++) {
          const waitS = buckets.take('a', nowMs);
          if (waitS === 0) granted++;
          else {
            t.true(waitS <= Math.ceil(60 / perMinute));
            nowMs += waitS * 1000;
            t.is(buckets.take('a', nowMs), 0);
            granted++;
          }
        }
      }
      t.true(granted <= perMinute + (nowMs * perMinute) / 60_000 + 1e-6);
    }),
  );
});

test('create-token-buckets() keeps those who are seen, however many others come', (t) => {
  const buckets = createTokenBuckets(1);
  t.is(buckets.take('a', 0), 0);
  for (let i = 0; i < 100_000; i++) {
    buckets.take(`source-${i}`, 0);
    if (i % 10_000 === 0) t.is(buckets.take('a', 0), 60);
  }
});

test('create-token-buckets() gives nothing for a clock that is set back', (t) => {
  const buckets = createTokenBuckets(2);
  t.is(buckets.take('a', 60_000), 0);
  t.is(buckets.take('a', 0), 0);
  t.true(buckets.take('a', 0) > 0);
});
