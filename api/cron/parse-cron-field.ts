import { quoteName } from '../../lib/quote-name.ts';
import { cronError } from './cron-error.ts';
import type { CronField } from './crontab.ts';

/** `*`, a value or a range, and a step. */
const ITEM = /^(?:(\*)|(\w+)(?:-(\w+))?)(?:\/(\w+))?$/;

/**
 * Reads one field: a list of values, ranges and `*`, the latter two with steps. Returns the values, ascending and each
 * once; Sunday stays 0 or 7 as it is written. Throws ApiError 400 that names field and value.
 */
export function parseCronField(text: string, field: CronField): readonly number[] {
  const values = new Set<number>();
  for (const item of text.split(',')) {
    const { first, last, step } = parseItem(item, text, field);
    for (let value = first; value <= last; value += step) values.add(value);
  }
  return [...values].sort((a, b) => a - b);
}

interface Span {
  readonly first: number;
  readonly last: number;
  readonly step: number;
}

function parseItem(item: string, text: string, field: CronField): Span {
  if (item === '') throw fieldError(field, text, 'has an empty item in its list');
  const match = ITEM.exec(item);
  if (!match) throw fieldError(field, item, `is no ${describeValues(field)}, range "a-b", "*" or step "*/n"`);
  const [, star, start, end, stepText] = match;
  const step = stepText === undefined ? 1 : parseStep(stepText, item, field);
  if (star !== undefined) return { first: field.low, last: field.high, step };
  const first = parseValue(start!, item, field);
  if (end === undefined) {
    if (stepText === undefined) return { first, last: first, step };
    throw fieldError(field, item, `has a step without a range; write "${start}-${field.high}/${stepText}"`);
  }
  const named = parseValue(end, item, field);
  // A week may be said to end on Sunday: fri-sun, 6-0.
  const last = named === 0 && first > 0 && field.high === 7 ? 7 : named;
  if (first > last) throw fieldError(field, item, 'is a range that ends before it begins');
  return { first, last, step };
}

function parseValue(text: string, item: string, field: CronField): number {
  const index = field.names.indexOf(text.toLowerCase());
  if (index !== -1) return field.low + index;
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (value >= field.low && value <= field.high) return value;
  const part = text === item ? 'is' : `has ${quoteName(text)}, which is`;
  throw fieldError(field, item, `${part} no ${describeValues(field)}`);
}

function parseStep(text: string, item: string, field: CronField): number {
  const step = /^\d+$/.test(text) ? Number(text) : 0;
  if (step === 0) throw fieldError(field, item, `has the step ${quoteName(text)}, which is no number from 1 on`);
  return step;
}

function describeValues({ low, high, names }: CronField): string {
  const numbers = `number from ${low} to ${high}`;
  return names.length === 0 ? numbers : `${numbers} or name from ${names[0]} to ${names.at(-1)}`;
}

function fieldError({ position, title }: CronField, value: string, message: string): Error {
  return cronError('expression', `field ${position} (${title}): ${quoteName(value)} ${message}`);
}
