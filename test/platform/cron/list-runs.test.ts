import test from 'ava';
import { parseCrontab } from '../../../platform/cron/crontab.ts';
import { listRuns } from '../../../platform/cron/find-runs.ts';
import { formatTime, toCalendarTime } from '../../../platform/cron/strftime.ts';
import { createZone } from '../../../platform/cron/zone.ts';
import { fastestMs } from '../../helpers/fastest-ms.ts';

const NOW = '2026-03-15T10:30:00Z';

/** Lists runs as their zone's clocks show them. */
function show(
  expression: string,
  { from = NOW, zone = 'UTC', times = 3, isBackward = false, format = '%F %R' } = {},
): readonly string[] {
  const place = createZone(zone);
  const runs = listRuns(parseCrontab(expression), { zone: place, from: Date.parse(from), times, isBackward });
  return runs.map((instant) => formatTime(format, toCalendarTime(instant, place)));
}

for (const [expression, next, prev] of [
  ['0 0 13 * 5', ['2026-03-20 00:00', '2026-03-27 00:00'], ['2026-03-13 00:00']],
  ['0 0 1-31 * 1', ['2026-03-16 00:00', '2026-03-17 00:00'], ['2026-03-15 00:00']],
  ['0 0 1-7 * 1', ['2026-03-16 00:00', '2026-03-23 00:00'], ['2026-03-09 00:00']],
  ['0 0 * * 7', ['2026-03-22 00:00'], ['2026-03-15 00:00']],
  ['0 0 * * 0,7', ['2026-03-22 00:00'], ['2026-03-15 00:00']],
  ['0 0 * * 1-5,0,7', ['2026-03-16 00:00'], ['2026-03-15 00:00', '2026-03-13 00:00']],
  ['*/10,*/15 * * * *', ['2026-03-15 10:40', '2026-03-15 10:45'], ['2026-03-15 10:20']],
  ['*/35 * * * *', ['2026-03-15 10:35', '2026-03-15 11:00'], ['2026-03-15 10:00']],
  ['0 0 31 * *', ['2026-03-31 00:00', '2026-05-31 00:00'], ['2026-01-31 00:00']],
  ['0 0 29 2 *', ['2028-02-29 00:00'], ['2024-02-29 00:00']],
  ['30 10 * * *', ['2026-03-16 10:30'], ['2026-03-14 10:30']],
  ['0 0 * JAN-MAR MON', ['2026-03-16 00:00'], ['2026-03-09 00:00']],
  ['0 0 */2 * 1', ['2026-03-23 00:00', '2026-04-13 00:00'], ['2026-03-09 00:00']],
  ['0 0 29 2 */7', ['2032-02-29 00:00'], ['2004-02-29 00:00']],
  ['0 0 29 2 1', ['2027-02-01 00:00', '2027-02-08 00:00'], ['2026-02-23 00:00']],
  ['@hourly', ['2026-03-15 11:00'], ['2026-03-15 10:00']],
] as const) {
  test(`list-runs() finds those of "${expression}"`, (t) => {
    t.deepEqual(show(expression, { times: next.length }), next);
    t.deepEqual(show(expression, { times: prev.length, isBackward: true }), prev);
  });
}

test('list-runs() is strict by the millisecond', (t) => {
  const at = (from: string) => [
    ...show('30 10 * * *', { from, times: 1 }),
    ...show('30 10 * * *', { from, times: 1, isBackward: true }),
  ];
  t.deepEqual(at('2026-03-15T10:29:59.999Z'), ['2026-03-15 10:30', '2026-03-14 10:30']);
  t.deepEqual(at('2026-03-15T10:30:00.000Z'), ['2026-03-16 10:30', '2026-03-14 10:30']);
  t.deepEqual(at('2026-03-15T10:30:00.001Z'), ['2026-03-16 10:30', '2026-03-15 10:30']);
});

const newYork = { zone: 'America/New_York', format: '%d %R %Z' };

test('list-runs() leaves out times that clocks skip', (t) => {
  const spring = { ...newYork, from: '2026-03-08T05:00:00Z' };
  t.deepEqual(show('30 2 * * *', spring), ['09 02:30 EDT', '10 02:30 EDT', '11 02:30 EDT']);
  t.deepEqual(show('*/30 1-3 * * *', { ...spring, times: 5 }).slice(1, 4), [
    '08 01:30 EST',
    '08 03:00 EDT',
    '08 03:30 EDT',
  ]);
  const after = { ...newYork, from: '2026-03-08T08:00:00Z', isBackward: true };
  t.deepEqual(show('30 2 * * *', { ...after, times: 1 }), ['07 02:30 EST']);
  t.deepEqual(show('*/30 * * * *', { ...after, times: 4 }), [
    '08 03:30 EDT',
    '08 03:00 EDT',
    '08 01:30 EST',
    '08 01:00 EST',
  ]);
});

test('list-runs() lets fixed times run once where clocks repeat them', (t) => {
  const autumn = { ...newYork, from: '2026-11-01T05:00:00Z' };
  t.deepEqual(show('30 1 * * *', { ...autumn, times: 2 }), ['01 01:30 EDT', '02 01:30 EST']);
  t.deepEqual(show('0,30 1,2 * * *', { ...autumn, times: 4 }), [
    '01 01:30 EDT',
    '01 02:00 EST',
    '01 02:30 EST',
    '02 01:00 EST',
  ]);
  const second = { ...newYork, from: '2026-11-01T06:15:00Z' };
  t.deepEqual(show('30 1 * * *', { ...second, times: 1 }), ['02 01:30 EST']);
  t.deepEqual(show('30 1 * * *', { ...second, times: 2, isBackward: true }), ['01 01:30 EDT', '31 01:30 EDT']);
  t.deepEqual(show('15 1 * * *', { ...second, times: 1, isBackward: true }), ['01 01:15 EDT']);
});

test('list-runs() lets recurring times run in both passes', (t) => {
  const autumn = { ...newYork, from: '2026-11-01T05:00:00Z', times: 4 };
  t.deepEqual(show('*/30 * * * *', autumn), ['01 01:30 EDT', '01 01:00 EST', '01 01:30 EST', '01 02:00 EST']);
  t.deepEqual(show('*/30 1 * * *', autumn), ['01 01:30 EDT', '01 01:00 EST', '01 01:30 EST', '02 01:00 EST']);
  t.deepEqual(show('15 * * * *', { ...autumn, times: 3 }), ['01 01:15 EDT', '01 01:15 EST', '01 02:15 EST']);
  const back = { ...newYork, from: '2026-11-01T06:30:00Z', isBackward: true, times: 4 };
  t.deepEqual(show('*/30 * * * *', back), ['01 01:00 EST', '01 01:30 EDT', '01 01:00 EDT', '01 00:30 EDT']);
});

test('list-runs() knows clocks that change by half an hour, at midnight, and by a whole day', (t) => {
  const lordHowe = { zone: 'Australia/Lord_Howe', format: '%d %R %z' };
  t.deepEqual(show('*/15 * * * *', { ...lordHowe, from: '2026-04-04T14:30:00Z', times: 4 }), [
    ...['05 01:45 +1100', '05 01:30 +1030', '05 01:45 +1030', '05 02:00 +1030'],
  ]);
  t.deepEqual(show('15 2 * * *', { ...lordHowe, from: '2026-10-03T10:00:00Z', times: 1 }), ['05 02:15 +1100']);
  const beirut = { zone: 'Asia/Beirut', from: '2026-03-27T22:30:00Z' };
  t.deepEqual(show('0 0 * * *', { ...beirut, times: 2 }), ['2026-03-30 00:00', '2026-03-31 00:00']);
  t.deepEqual(show('0 * 29 3 *', { ...beirut, times: 1 }), ['2026-03-29 01:00']);
  const apia = { zone: 'Pacific/Apia', format: '%F %R', from: '2011-12-29T12:00:00Z' };
  t.deepEqual(show('0 12 * * *', { ...apia, times: 2 }), ['2011-12-29 12:00', '2011-12-31 12:00']);
  t.deepEqual(show('0 12 30 12 *', { ...apia, times: 1 }), ['2012-12-30 12:00']);
  t.deepEqual(show('0 12 30 * *', { ...apia, from: '2012-01-15T00:00:00Z', times: 1, isBackward: true }), [
    '2011-11-30 12:00',
  ]);
});

test('list-runs() ends after sixty years without a run', (t) => {
  const never = { zone: 'America/New_York', from: NOW };
  t.deepEqual(show('30 2 8-14 3 */7', never), []);
  t.deepEqual(show('30 2 8-14 3 */7', { ...never, isBackward: true, times: 1 }), ['2006-03-12 02:30']);
});

test('list-runs() finds 32 of the rarest runs within 50 ms of work', (t) => {
  const [from, times] = [NOW, 32];
  for (const zone of ['UTC', 'America/New_York']) {
    for (const expression of [
      '0 0 29 2 *',
      '0 0 29 2 */7',
      '0 0 29 2 1',
      '59 23 31 12 *',
      '30 2 8-14 3 */7',
      '* 2 8-14 3 */7',
    ]) {
      for (const isBackward of [false, true]) {
        const ms = fastestMs(() => show(expression, { from, times, zone, isBackward }));
        t.true(ms < 50, `${expression} took ${ms} ms`);
      }
    }
  }
});
