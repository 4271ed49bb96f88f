import test from 'ava';
import { createEntryId, ENTRY_ID, startEntryIdsBehind } from '../../../data/records/entry-id.ts';

test('createEntryId() gives ids that sort in the order of creation, whatever the clock says', (t) => {
  const year = 365 * 86_400_000;
  const now = Date.now();
  const clock = [now, now, now + year, now + year, now, now - year, now + 2 * year, now];
  const ids = [...clock, ...Array.from({ length: 70_000 }, () => now)].map((ms) => createEntryId(ms));
  for (const id of ids) if (!ENTRY_ID.test(id)) t.fail(id);
  t.deepEqual(ids.toSorted(), ids);
  t.is(new Set(ids).size, ids.length);
});

test('startEntryIdsBehind() lets ids sort behind those of a process whose clock was ahead', (t) => {
  const last = `${new Date(Date.now() + 10 * 365 * 86_400_000).toISOString()} ffff00000000`;
  startEntryIdsBehind(last);
  const next = createEntryId(Date.now());
  t.true(next > last);
  startEntryIdsBehind('2026-05-04T12:00:00.000Z ffffffffffff');
  startEntryIdsBehind('no id');
  t.true(createEntryId(Date.now()) > next);
});
