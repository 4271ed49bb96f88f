import test from 'ava';
import { addDays, dayIn, isDay, msUntilNextDay } from '../../../platform/images/day.ts';
import fc from '../../helpers/fast-check.ts';

test('isDay() takes days of the calendar alone', (t) => {
  for (const day of ['20250606', '20240229', '20000229', '19991231', '00010101', '99991231']) t.true(isDay(day), day);
  const wrong = [
    '20250229',
    '21000229',
    '20250431',
    '20251301',
    '20250100',
    '20250001',
    '00000000',
    '2025066',
    '202506061',
  ];
  for (const day of [...wrong, '2025-06-06', '２０２５０６０６', ' 20250606', '20250606\n', '', 'random', '+2025061']) {
    t.false(isDay(day), day);
  }
});

test('addDays() goes over months and years', (t) => {
  t.is(addDays('20250606', -7), '20250530');
  t.is(addDays('20251231', 1), '20260101');
  t.is(addDays('20240228', 1), '20240229');
  t.notThrows(() =>
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 40_000 }), fc.integer({ min: -9000, max: 9000 }), (start, count) => {
        const day = addDays('19700101', start);
        return isDay(day) && addDays(addDays(day, count), -count) === day && addDays(day, 1) > day;
      }),
    ),
  );
});

test('dayIn() and msUntilNextDay() follow the clock of a time zone', (t) => {
  const time = new Date('2026-03-15T15:59:59.250Z');
  t.is(dayIn('UTC', time), '20260315');
  t.is(dayIn('Asia/Shanghai', time), '20260315');
  t.is(msUntilNextDay('Asia/Shanghai', time), 750);
  t.is(dayIn('Asia/Shanghai', new Date(time.getTime() + 750)), '20260316');
  t.is(msUntilNextDay('Asia/Shanghai', new Date(time.getTime() + 750)), 86_400_000);
  t.is(dayIn('America/Los_Angeles', new Date('2026-03-15T06:59:00Z')), '20260314');
  t.is(msUntilNextDay('Asia/Kolkata', new Date('2026-03-15T18:00:00Z')), 30 * 60_000);
});
