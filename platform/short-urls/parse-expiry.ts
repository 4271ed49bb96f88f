import * as z from 'zod';
import { DataError } from '../../data/data-error.ts';
import { phrase } from '../../lib/phrase.ts';
import { createCalendar } from '../quotas/calendar.ts';

const DAY_MS = 86_400_000;
const MAX_DAYS = 3_660;
const timeSchema = z.iso.datetime({ offset: true });

/**
 * Parses when a short URL expires, in the future: a day (`2026-05-04`), at whose end it does in the time zone of the service, or
 * a time with its offset (ISO 8601). Returns it as ISO 8601 in UTC; undefined for '' = never. Throws DataError `invalid`.
 */
export function parseExpiry(
  text: string,
  { now, timezone }: { readonly now: Date; readonly timezone: string },
): string | undefined {
  const given = text.trim();
  if (given === '') return undefined;
  const ms = timeSchema.safeParse(given).success ? Date.parse(given) : findEnd(given, timezone);
  if (ms === undefined || Number.isNaN(ms)) {
    throw new DataError(
      'invalid',
      phrase`Field "expires_at" must be a day such as 2026-05-04, or a time such as 2026-05-04T12:00:00Z`,
    );
  }
  if (ms <= now.getTime()) throw new DataError('invalid', phrase`Field "expires_at" must be in the future`);
  if (ms > now.getTime() + MAX_DAYS * DAY_MS)
    throw new DataError(
      'invalid',
      phrase`Field "expires_at" must be at most ${MAX_DAYS} days ahead; without it, a short URL never expires`,
    );
  return new Date(ms).toISOString();
}

/** Returns when a day ends in a time zone, ms since 1970; undefined for anything that is no day there. */
function findEnd(day: string, timezone: string): number | undefined {
  if (!z.iso.date().safeParse(day).success) return undefined;
  const calendar = createCalendar(timezone);
  // Wherever it is, a day lasts at one of these moments.
  const moments = ['T00:00:00Z', 'T12:00:00Z', 'T23:59:59Z'].map((time) => Date.parse(day + time));
  return moments.map(calendar).find(({ name }) => name === day)?.endMs;
}
