import fc, { type Arbitrary } from '../../helpers/fast-check.ts';

/** One field as text and as the values it stands for. */
export interface ReferenceField {
  readonly text: string;
  readonly values: ReadonlySet<number>;
}

/** An expression whose meaning is known without reading it. */
export interface ReferenceExpression {
  readonly text: string;
  readonly fields: readonly [ReferenceField, ReferenceField, ReferenceField, ReferenceField, ReferenceField];
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

/** Generates one field. `hot` are values that are worth trying more often than others. */
function field(
  low: number,
  high: number,
  hot: readonly number[],
  names: readonly string[] = [],
): Arbitrary<ReferenceField> {
  const value = fc.oneof(fc.constantFrom(...hot), fc.integer({ min: low, max: high }));
  const print = (number: number, style: number): string => {
    const name = names[number - low];
    if (name === undefined || style < 3) return style === 1 ? String(number).padStart(2, '0') : String(number);
    return style === 3 ? name : style === 4 ? name.toUpperCase() : name[0]!.toUpperCase() + name.slice(1);
  };
  const style = fc.nat(5);
  const span = (first: number, last: number, step: number): number[] => {
    const values: number[] = [];
    for (let number = first; number <= last; number += step) values.push(number);
    return values;
  };
  const star = fc
    .oneof({ weight: 2, arbitrary: fc.constant(1) }, { weight: 1, arbitrary: fc.integer({ min: 1, max: high + 5 }) })
    .map((step) => ({ text: step === 1 ? '*' : `*/${step}`, values: span(low, high, step) }));
  const single = fc.tuple(value, style).map(([number, as]) => ({ text: print(number, as), values: [number] }));
  const range = fc.tuple(value, value, fc.integer({ min: 1, max: 12 }), style, style).map(([a, b, step, as, bs]) => {
    const [first, last] = a <= b ? [a, b] : [b, a];
    return {
      text: `${print(first, as)}-${print(last, bs)}${step === 1 ? '' : `/${step}`}`,
      values: span(first, last, step),
    };
  });
  const items = fc.array(
    fc.oneof({ weight: 5, arbitrary: single }, { weight: 3, arbitrary: range }, { weight: 1, arbitrary: star }),
    {
      minLength: 1,
      maxLength: 3,
    },
  );
  return fc
    .oneof({ weight: 2, arbitrary: star.map((item) => [item]) }, { weight: 3, arbitrary: items })
    .map((list) => ({
      text: list.map(({ text }) => text).join(','),
      values: new Set(list.flatMap(({ values }) => values)),
    }));
}

/** Generates expressions; hours of the night, when clocks are changed, come often. */
export const referenceExpression: Arbitrary<ReferenceExpression> = fc
  .tuple(
    field(0, 59, [0, 15, 30, 45]),
    field(0, 23, [0, 1, 2, 3]),
    field(1, 31, [1, 8, 29, 30, 31]),
    field(1, 12, [2, 3, 4, 10, 11], MONTHS),
    field(0, 7, [0, 7], DAYS),
  )
  .map((fields) => ({ fields, text: fields.map(({ text }) => text).join(' ') }));

/** A zone's clocks, looked up in a table made by a way of its own. */
export interface ReferenceClock {
  readonly first: number;
  readonly last: number;
  /** Returns the offset at an instant in minutes. */
  readonly offsetAt: (instant: number) => number;
  /** Instants at which the offset changes. */
  readonly changes: readonly number[];
}

const QUARTER = 900_000;

/** Makes the table of offsets for some years, a quarter of an hour an entry. */
export function createReferenceClock(timeZone: string, fromYear: number, toYear: number): ReferenceClock {
  const format = new Intl.DateTimeFormat('en-GB', { timeZone, timeZoneName: 'longOffset' });
  const [first, last] = [Date.UTC(fromYear, 0), Date.UTC(toYear, 0)];
  const read = (instant: number): number => {
    const text = format.formatToParts(instant).find(({ type }) => type === 'timeZoneName')!.value;
    const [, sign, hours, minutes] = /^GMT(?:([+-])(\d\d):(\d\d))?$/.exec(text)!;
    return (sign === '-' ? -1 : 1) * (Number(hours ?? 0) * 60 + Number(minutes ?? 0));
  };
  const offsets: number[] = [];
  const changes: number[] = [];
  for (let instant = first, start = read(first), end: number; instant < last; instant += 4 * QUARTER, start = end) {
    end = read(instant + 4 * QUARTER);
    const quarters =
      start === end ? [start, start, start, start] : [0, 1, 2, 3].map((index) => read(instant + index * QUARTER));
    for (const offset of quarters) {
      if (offsets.length > 0 && offset !== offsets.at(-1)) changes.push(first + offsets.length * QUARTER);
      offsets.push(offset);
    }
  }
  return { first, last, changes, offsetAt: (instant) => offsets[Math.floor((instant - first) / QUARTER)]! };
}

/**
 * Lists runs by asking of minute after minute whether it is one, but for those of a quarter of an hour, a day or a month
 * of which none can be; ends with the table of the clock.
 */
export function listReferenceRuns(
  { fields }: ReferenceExpression,
  { clock, from, times, isBackward }: { clock: ReferenceClock; from: number; times: number; isBackward: boolean },
): readonly number[] {
  const [minutes, hours, dates, months, weekdays] = fields;
  const isDay = (shown: Date): boolean => {
    if (!months.values.has(shown.getUTCMonth() + 1)) return false;
    const byDate = dates.values.has(shown.getUTCDate());
    const byWeek = weekdays.values.has(shown.getUTCDay()) || (shown.getUTCDay() === 0 && weekdays.values.has(7));
    return dates.text.startsWith('*') || weekdays.text.startsWith('*') ? byDate && byWeek : byDate || byWeek;
  };
  const isFixed = !minutes.text.startsWith('*') && !hours.text.startsWith('*');
  const wasShown = (instant: number, offset: number): boolean =>
    clock.changes.some((change) => {
      const put = clock.offsetAt(change - 1) - offset;
      return change <= instant && instant - change < put * 60_000;
    });
  const runs: number[] = [];
  const step = isBackward ? -60_000 : 60_000;
  const isWithinMonth = (shown: Date): boolean => shown.getUTCDate() > 2 && shown.getUTCDate() < 27;
  let instant = isBackward ? Math.ceil(from / 60_000) * 60_000 : Math.floor(from / 60_000) * 60_000;
  for (instant += step; instant >= clock.first && instant < clock.last && runs.length < times; instant += step) {
    const offset = clock.offsetAt(instant);
    const shown = new Date(instant + offset * 60_000);
    if (!months.values.has(shown.getUTCMonth() + 1) && isWithinMonth(shown)) {
      // A day on is the same month.
      instant += step * (24 * 60 - 1);
    } else if (!isDay(shown)) {
      // Still far from midnight: an hour on is the same day.
      if (isBackward ? shown.getUTCHours() > 3 : shown.getUTCHours() < 20) instant += step * 59;
    } else if (!hours.values.has(shown.getUTCHours())) {
      // The offset, and so the hour, is the same up to the end of a quarter.
      instant += isBackward ? -(instant % QUARTER) : QUARTER - 60_000 - (instant % QUARTER);
    } else if (minutes.values.has(shown.getUTCMinutes())) {
      if (!isFixed || !wasShown(instant, offset)) runs.push(instant);
    }
  }
  return runs;
}
