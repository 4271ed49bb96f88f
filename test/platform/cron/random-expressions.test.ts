import test from 'ava';
import { parseCrontab } from '../../../platform/cron/crontab.ts';
import { listRuns } from '../../../platform/cron/find-runs.ts';
import { createZone } from '../../../platform/cron/zone.ts';
import fc from '../../helpers/fast-check.ts';
import { createReferenceClock, listReferenceRuns, referenceExpression } from './create-reference.ts';

const ZONES = ['UTC', 'America/New_York', 'Europe/Berlin', 'Australia/Lord_Howe', 'Asia/Shanghai', 'Africa/Casablanca'];
const EXPRESSIONS_PER_ZONE = 120;
const TIMES = 4;

for (const timeZone of ZONES) {
  test(`list-runs() equals a look at every minute in ${timeZone}`, (t) => {
    const zone = createZone(timeZone);
    const clock = createReferenceClock(timeZone, 2023, 2030);
    const middle = { min: Date.UTC(2025, 6), max: Date.UTC(2027, 6) };
    const near = clock.changes.filter((change) => change > middle.min && change < middle.max);
    const anywhere = fc.integer(middle);
    const byHours = fc.integer({ min: -4 * 3_600_000, max: 4 * 3_600_000 });
    const instant = fc.oneof(anywhere, ...near.map((change) => byHours.map((by) => change + by)));
    const from = fc
      .tuple(instant, fc.boolean())
      .map(([ms, isWhole]) => (isWhole ? Math.floor(ms / 60_000) * 60_000 : ms));
    let count = 0;
    fc.assert(
      fc.property(referenceExpression, from, (expression, start) => {
        for (const isBackward of [false, true]) {
          const expected = listReferenceRuns(expression, { clock, from: start, times: TIMES, isBackward });
          const found = isPossible(expression.text)
            ? listRuns(parseCrontab(expression.text), { zone, from: start, times: TIMES, isBackward })
            : [];
          // The table ends after some years; what the search finds beyond is not looked at.
          const known = found.filter((run) => run >= clock.first && run < clock.last);
          const show = (runs: readonly number[]) => runs.map((run) => new Date(run).toISOString()).join(' ');
          if (show(known) !== show(expected)) {
            throw new Error(
              `${expression.text} ${isBackward ? 'before' : 'after'} ${new Date(start).toISOString()}: ${show(known)} instead of ${show(expected)}`,
            );
          }
          count += expected.length;
        }
      }),
      { numRuns: EXPRESSIONS_PER_ZONE },
    );
    t.true(count > 2 * EXPRESSIONS_PER_ZONE, 'most expressions run');
  });
}

/** false = days that no month has, which are refused. */
function isPossible(text: string): boolean {
  try {
    parseCrontab(text);
    return true;
  } catch (error) {
    if (error instanceof Error && error.message.includes('never runs')) return false;
    throw error;
  }
}
