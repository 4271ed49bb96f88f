import { z } from 'zod';
import { quoteName } from '../../lib/quote-name.ts';
import type { FailureShape } from '../http/errors.ts';
import { defineRoute, type Route } from '../http/route.ts';
import { cronError } from './cron-error.ts';
import { SEARCH_YEARS } from './find-run.ts';
import { listRuns } from './list-runs.ts';
import { type CronRequest, cronQuery, readCronQuery } from './read-cron-query.ts';
import { toCalendarTime } from './strftime/calendar-time.ts';
import { formatTime } from './strftime/format-time.ts';
import { createZone } from './zone/create-zone.ts';
import type { Zone } from './zone/zone.ts';

const runs = z.object({ success: z.literal(true), message: z.null(), data: z.array(z.string()) });
const failed = z.object({ success: z.literal(false), message: z.string(), data: z.array(z.string()).max(0) });
const PATH = '/openservice/crontab';

/** Failures have an empty list of times. */
export const cronFailures: FailureShape = {
  covers: (path) => path === PATH,
  present(ctx, { message, extra }) {
    ctx.body = { success: false, message, data: [], ...extra };
  },
};

/** GET crontab: previews when a line of a Linux crontab runs, by the clocks of `timezone`. */
export function cronRoutes({
  timezone,
  now,
}: {
  readonly timezone: string;
  readonly now: () => Date;
}): readonly Route[] {
  const zone = createZone(timezone);
  return [
    defineRoute({
      method: 'get',
      paths: [PATH],
      summary: 'Previews when a crontab expression runs',
      tag: 'cron',
      area: 'hub',
      query: cronQuery,
      answers: {
        200: { description: 'The times, the nearest one first', schema: runs },
        400: { description: 'A parameter that cannot be used, or an expression that never runs', schema: failed },
      },
      examples: [
        {
          summary: 'The next two runs on weekdays at half past four',
          path: `${PATH}?expression=30%204%20*%20*%20mon-fri&query_times=2`,
          status: 200,
          answer: { success: true, message: null, data: ['2026-03-16 04:30:00', '2026-03-17 04:30:00'] },
        },
        {
          summary: 'The last run, in a format of your own',
          path: `${PATH}?expression=@monthly&query_type=prev&format_time=%25F%20is%20in%20week%20%25V`,
          status: 200,
          answer: { success: true, message: null, data: ['2026-03-01 is in week 09'] },
        },
        {
          summary: 'A value out of range',
          path: `${PATH}?expression=75%20*%20*%20*%20*`,
          status: 400,
          answer: {
            success: false,
            message: 'Parameter "expression": field 1 (minute): "75" is no number from 0 to 59',
            data: [],
          },
        },
      ],
      async handle(ctx, { query }) {
        const request = readCronQuery(query);
        ctx.set('Cache-Control', 'no-store');
        ctx.body = { success: true, message: null, data: previewRuns(request, zone, now()) };
      },
    }),
  ];
}

function previewRuns(request: CronRequest, zone: Zone, now: Date): readonly string[] {
  const { crontab, times, isBackward, format, expression } = request;
  const found = listRuns(crontab, { zone, from: now.getTime(), times, isBackward });
  if (found.length < times) {
    const last = formatTime('%F', toCalendarTime(found.at(-1) ?? now.getTime(), zone));
    const side = isBackward ? 'before' : 'after';
    throw cronError('expression', `${quoteName(expression)} does not run in the ${SEARCH_YEARS} years ${side} ${last}`);
  }
  try {
    return found.map((instant) => formatTime(format, toCalendarTime(instant, zone)));
  } catch (error) {
    if (error instanceof RangeError) throw cronError('format_time', `${quoteName(format)}: ${error.message}`);
    throw error;
  }
}
