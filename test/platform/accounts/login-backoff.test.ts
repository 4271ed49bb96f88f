import test from 'ava';
import { createBackoff } from '../../../platform/accounts/login-backoff.ts';

function create() {
  const clock = { ms: 0 };
  const options = { free: 3, firstMs: 1000, mostMs: 5000, forgetMs: 60_000 };
  return { clock, slow: createBackoff(options, () => clock.ms) };
}

test('createBackoff() lets some attempts through, then doubles the wait up to a limit', (t) => {
  const { clock, slow } = create();
  const waits: number[] = [];
  for (let i = 0; i < 8; i++) {
    slow.count('a');
    waits.push(slow.waitMs('a'));
    clock.ms += slow.waitMs('a');
  }
  t.deepEqual(waits, [0, 0, 1000, 2000, 4000, 5000, 5000, 5000]);
  t.is(slow.waitMs('b'), 0);
  t.is(slow.waitMs('__proto__'), 0);
});

test('createBackoff() keeps nobody waiting for a clock that was ahead', (t) => {
  const { clock, slow } = create();
  clock.ms = 1e11;
  for (let i = 0; i < 8; i++) slow.count('a');
  t.is(slow.waitMs('a'), 5000);
  clock.ms = 1e10;
  t.is(slow.waitMs('a'), 0);
  slow.count('a');
  t.is(slow.waitMs('a'), 0, 'it starts again');
});

test('createBackoff() forgets who does not try for a while', (t) => {
  const { clock, slow } = create();
  for (let i = 0; i < 9; i++) slow.count('a');
  t.is(slow.waitMs('a'), 5000);
  clock.ms += 60_000;
  t.is(slow.waitMs('a'), 0);
  slow.count('a');
  t.is(slow.waitMs('a'), 0);
});

test('createBackoff() takes back one attempt or all of them', (t) => {
  const { slow } = create();
  for (let i = 0; i < 3; i++) slow.count('a');
  slow.forgive('a');
  t.is(slow.waitMs('a'), 0);
  slow.count('a');
  t.is(slow.waitMs('a'), 1000);
  slow.forget('a');
  slow.forgive('a');
  t.is(slow.waitMs('a'), 0);
});

test('createBackoff() remembers a limited number of keys, those seen last', (t) => {
  const { slow } = create();
  for (let i = 0; i < 3; i++) slow.count('old');
  for (let i = 0; i < 3; i++) slow.count('kept');
  for (let i = 0; i < 49_999; i++) slow.count(`${i}`);
  t.is(slow.waitMs('old'), 0);
  t.is(slow.waitMs('kept'), 1000);
});
