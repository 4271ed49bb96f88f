import test from 'ava';
import { createCalendar } from '../../../platform/quotas/calendar.ts';
import fc from '../../helpers/fast-check.ts';

const cases: readonly (readonly [zone: string, now: string, day: string, end: string])[] = [
  ['UTC', '2026-05-04T23:59:59.999Z', '2026-05-04', '2026-05-05T00:00:00.000Z'],
  ['Asia/Shanghai', '2026-05-04T16:00:00.000Z', '2026-05-05', '2026-05-05T16:00:00.000Z'],
  // Days of 23 and 25 hours.
  ['Europe/Berlin', '2026-03-29T00:30:00.000Z', '2026-03-29', '2026-03-29T22:00:00.000Z'],
  ['Europe/Berlin', '2026-10-24T22:00:00.000Z', '2026-10-25', '2026-10-25T23:00:00.000Z'],
  ['America/New_York', '2026-11-01T05:59:00.000Z', '2026-11-01', '2026-11-02T05:00:00.000Z'],
  // The clock jumps from 00:00 to 01:00.
  ['Africa/Cairo', '2026-04-23T12:00:00.000Z', '2026-04-23', '2026-04-23T22:00:00.000Z'],
  ['Asia/Beirut', '2026-03-28T12:00:00.000Z', '2026-03-28', '2026-03-28T22:00:00.000Z'],
  // The clock goes back from 24:00 to 23:00.
  ['Asia/Beirut', '2026-10-24T20:30:00.000Z', '2026-10-24', '2026-10-24T22:00:00.000Z'],
  ['Asia/Beirut', '2026-10-24T21:30:00.000Z', '2026-10-24', '2026-10-24T22:00:00.000Z'],
  // A date that never was.
  ['Pacific/Apia', '2011-12-30T05:00:00.000Z', '2011-12-29', '2011-12-30T10:00:00.000Z'],
  ['Asia/Kathmandu', '2026-05-04T18:15:00.000Z', '2026-05-05', '2026-05-05T18:15:00.000Z'],
];
for (const [zone, now, name, end] of cases) {
  test(`createCalendar() turns the day of ${now} in ${zone}`, (t) => {
    t.deepEqual(createCalendar(zone)(Date.parse(now)), { name, endMs: Date.parse(end) });
  });
}

test('createCalendar() returns the same day until its end and another one from there on, at any time', (t) => {
  const zone = fc.constantFrom('UTC', 'Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Beirut');
  const start = Date.parse('2024-01-01');
  fc.assert(
    fc.property(
      zone,
      fc.integer({ min: 0, max: 3 * 365 * 86_400_000 }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      (one, ms, part) => {
        const { name, endMs } = createCalendar(one)(start + ms);
        const inside = Math.floor(start + ms + part * (endMs - 1 - start - ms));
        t.is(createCalendar(one)(inside).name, name);
        t.not(createCalendar(one)(endMs).name, name);
      },
    ),
    { numRuns: 70 },
  );
});
