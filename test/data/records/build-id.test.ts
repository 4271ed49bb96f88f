import test from 'ava';
import { createBuildId, startBuildIdsBehind } from '../../../data/records/build-id.ts';

const NOW = Date.parse('2031-01-01T00:00:00Z');

test('createBuildId() returns ids in the order of creation, also when the clock is set back or stands still', (t) => {
  const ids = [0, 5, 5, -60_000, 4, 6].map((ms) => createBuildId(NOW + ms));
  t.deepEqual([...ids].sort(), ids);
  const many = Array.from({ length: 50_000 }, () => createBuildId(NOW));
  t.deepEqual([...many].sort(), many);
  t.true(many.every((id) => /^[0-9a-z]{20}$/.test(id)));
});

test('startBuildIdsBehind() lets ids sort behind those of a process whose clock was ahead', (t) => {
  const ahead = (NOW + 3_600_000).toString(36).padStart(9, '0');
  const last = `${ahead}zzzzzzzzzzz`;
  startBuildIdsBehind(last);
  t.true(createBuildId(NOW) > last);
  startBuildIdsBehind('000000000zzzzzzzzzzz');
  startBuildIdsBehind('no id');
  t.true(createBuildId(NOW) > last);
});
