import test from 'ava';
import { parseCrontab } from '../../../platform/cron/crontab.ts';
import { ServiceError } from '../../../platform/failures/service-error.ts';
import fc from '../../helpers/fast-check.ts';
import { fastestMs } from '../../helpers/fastest-ms.ts';

/** Returns the message with which an expression is refused. */
function refuse(expression: string): string {
  try {
    parseCrontab(expression);
  } catch (error) {
    if (error instanceof ServiceError && error.status === 400)
      return error.message.replace('Parameter "expression": ', '');
    throw error;
  }
  return 'accepted';
}

const range = (first: number, last: number, step = 1): number[] =>
  Array.from({ length: Math.floor((last - first) / step) + 1 }, (_, index) => first + index * step);

test('parse-crontab() reads every kind of item', (t) => {
  const { minutes, hours, daysOfMonth, months, daysOfWeek } = parseCrontab(
    '*/20,7,50-53,7 1-9/4 01,31 feb-APR,12 Mon,fri',
  );
  t.deepEqual(minutes, [0, 7, 20, 40, 50, 51, 52, 53]);
  t.deepEqual(hours, [1, 5, 9]);
  t.deepEqual(daysOfMonth, [1, 31]);
  t.deepEqual(months, [2, 3, 4, 12]);
  t.deepEqual(daysOfWeek, [1, 5]);
});

for (const [text, days] of [
  ['fri-sun', [0, 5, 6]],
  ['FRI-SUN', [0, 5, 6]],
  ['6-0', [0, 6]],
  ['0,7', [0]],
  ['7', [0]],
  ['0-7', range(0, 6)],
  ['1-5,0,7', range(0, 5)],
  ['sun-sat', range(0, 6)],
  ['sun,Mon-wed/2', [0, 1, 3]],
  ['fri-sun/2', [0, 5]],
  ['*/2', [0, 2, 4, 6]],
  ['*/7', [0]],
  ['0-0', [0]],
  ['sun-sun', [0]],
  ['mon-7', [0, 1, 2, 3, 4, 5, 6]],
] as const) {
  test(`parse-crontab() reads the days of the week "${text}"`, (t) => {
    t.deepEqual(parseCrontab(`* * * * ${text}`).daysOfWeek, days);
  });
}

test('parse-crontab() takes steps beyond the range, and blanks of any number', (t) => {
  t.deepEqual(parseCrontab('  */100\t\t3-9/99   * * *\n').minutes, [0]);
  t.deepEqual(parseCrontab('  */100\t\t3-9/99   * * *\n').hours, [3]);
});

for (const [word, fields] of [
  ['@yearly', '0 0 1 1 *'],
  ['@Annually', '0 0 1 1 *'],
  ['@monthly', '0 0 1 * *'],
  ['@WEEKLY', '0 0 * * 0'],
  ['@daily', '0 0 * * *'],
  ['@midnight', '0 0 * * *'],
  ['@hourly', '0 * * * *'],
] as const) {
  test(`parse-crontab() knows ${word}`, (t) => t.deepEqual(parseCrontab(word), parseCrontab(fields)));
}

test('parse-crontab() tells from the first character whether both days must match', (t) => {
  const needsBoth = (days: string): boolean => parseCrontab(`0 0 ${days}`).needsBothDays;
  for (const days of ['* * *', '*/2 * 1', '*,5 * 1', '1 * *', '1 * */2', '* * 1']) t.true(needsBoth(days), days);
  for (const days of ['1 * 1', '1-31 * 1', '5,* * 1', '1 * 1,*', '1-31/2 * 0-7']) t.false(needsBoth(days), days);
});

test('parse-crontab() tells fixed times from recurring ones as cronie does', (t) => {
  for (const times of ['0 0', '0,30 1', '0-59 0-23', '5,* 1']) t.true(parseCrontab(`${times} * * *`).isFixed, times);
  for (const times of ['* *', '*/30 1', '5 *', '0 */2', '@hourly']) {
    t.false(parseCrontab(times.startsWith('@') ? times : `${times} * * *`).isFixed, times);
  }
});

for (const [expression, message] of [
  ['60 * * * *', 'field 1 (minute): "60" is not a number from 0 to 59'],
  ['* 24 * * *', 'field 2 (hour): "24" is not a number from 0 to 23'],
  ['* * 0 * *', 'field 3 (day of month): "0" is not a number from 1 to 31'],
  ['* * * 13 *', 'field 4 (month): "13" is not a number from 1 to 12 or name from jan to dec'],
  ['* * * * 8', 'field 5 (day of week): "8" is not a number from 0 to 7 or name from sun to sat'],
  ['5/15 * * * *', 'field 1 (minute): "5/15" has a step without a range; write "5-59/15"'],
  ['*/0 * * * *', 'field 1 (minute): "*/0" has the step "0", which is not a number from 1'],
  ['*/x * * * *', 'field 1 (minute): "*/x" has the step "x", which is not a number from 1'],
  ['* 5-3 * * *', 'field 2 (hour): "5-3" is a range that ends before it begins'],
  ['* 5-0 * * *', 'field 2 (hour): "5-0" is a range that ends before it begins'],
  ['* * * * 5-1', 'field 5 (day of week): "5-1" is a range that ends before it begins'],
  ['* * * dec-jan *', 'field 4 (month): "dec-jan" is a range that ends before it begins'],
  ['1,,2 * * * *', 'field 1 (minute): "1,,2" has an empty item in its list'],
  ['1, * * * *', 'field 1 (minute): "1," has an empty item in its list'],
  ['0-60 * * * *', 'field 1 (minute): "0-60" contains "60", which is not a number from 0 to 59'],
  ['@reboot', '"@reboot" runs when the machine starts, not at certain times'],
  ['@Reboot', '"@reboot" runs when the machine starts, not at certain times'],
  ['* * * *', '"* * * *" has 4 fields instead of 5: minute, hour, day of month, month, day of week'],
  ['0 0 0 * * *', '"0 0 0 * * *" has 6 fields instead of 5: minute, hour, day of month, month, day of week'],
  ['hello', '"hello" has 1 field instead of 5: minute, hour, day of month, month, day of week'],
  ['', 'is missing; five fields are needed, such as "30 4 * * mon-fri"'],
  [' \n', 'is missing; five fields are needed, such as "30 4 * * mon-fri"'],
  ['0 0 30 2 *', '"0 0 30 2 *" never runs: no month of "2" (field 4) has day "30" (field 3)'],
  [
    '0 0 31 4,6,sep,11 */2',
    '"0 0 31 4,6,sep,11 */2" never runs: no month of "4,6,sep,11" (field 4) has day "31" (field 3)',
  ],
] as const) {
  test(`parse-crontab() refuses "${JSON.stringify(expression).slice(1, -1)}"`, (t) =>
    t.is(refuse(expression), message));
}

test('parse-crontab() refuses what other schedulers take, and names the field', (t) => {
  for (const part of [
    '?',
    'L',
    'H',
    '1#2',
    '15W',
    '%',
    '~',
    '1~5',
    '*5',
    '-1',
    '1-',
    '--',
    '1-2-3',
    '*-5',
    '1.5',
    '+1',
    '0x5',
  ]) {
    t.regex(refuse(`* * ${part} * *`), /^field 3 \(day of month\): "[^"]+"/, part);
  }
  for (const part of ['monday', 'jan', 'fri#2', '5L', 'mon-', '/2', '*/2/2', 'lun', '١']) {
    t.regex(refuse(`* * * * ${part}`), /^field 5 \(day of week\): "[^"]+"/, part);
  }
  for (const word of ['@minutely', '@', '@every 5m', '@daily x', '@constructor'])
    t.regex(refuse(word), /is not one of @yearly/);
  t.regex(refuse('*\n* * * *'), /^"\*\ufffd\* \* \* \*" has 4 fields/);
  t.is(refuse('0 0 30 2 1'), 'accepted', 'either day is enough');
});

test('parse-crontab() answers hostile expressions at once', (t) => {
  const ms = fastestMs(() => {
    for (const piece of ['*', ' ', '*/', '1,', '1-', '@', '* ', '*/2,', '0-59,', '\t*', 'jan-', '9']) {
      t.regex(refuse(piece.repeat(100_000 / piece.length)), /^has \d+ characters, the maximum is 1000$/);
      refuse(piece.repeat(1000 / piece.length));
      refuse(`${piece.repeat(900 / piece.length)} * * * *`);
    }
  });
  t.true(ms < 200, `${ms} ms`);
});

test('parse-crontab() gives lists in range or refuses, whatever it is given', (t) => {
  const piece = fc.constantFrom(
    ...'0 1 5 7 9 12 31 59 60 * / - , sun mon JAN dec ? L @ ~ # %'.split(' '),
    ' ',
    ' ',
    ' ',
    ' ',
  );
  t.notThrows(() =>
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 20 }).map((pieces) => pieces.join('')),
        (expression) => {
          if (refuse(expression) !== 'accepted') return;
          const { minutes, hours, daysOfMonth, months, daysOfWeek } = parseCrontab(expression);
          const limits = [
            [minutes, 0, 59],
            [hours, 0, 23],
            [daysOfMonth, 1, 31],
            [months, 1, 12],
            [daysOfWeek, 0, 6],
          ] as const;
          for (const [values, low, high] of limits) {
            t.true(
              values.length > 0 &&
                values.every(
                  (value, index) => value >= low && value <= high && (index === 0 || value > values[index - 1]!),
                ),
            );
          }
        },
      ),
      { numRuns: 1_000 },
    ),
  );
});
