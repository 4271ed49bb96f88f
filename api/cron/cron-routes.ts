import * as z from 'zod';
import { memoize } from '../../lib/bounded-map.ts';
import { phrase } from '../../lib/phrase.ts';
import { quoteName } from '../../lib/quote-name.ts';
import { type Crontab, cronError, parseCrontab } from '../../platform/cron/crontab.ts';
import { listRuns, SEARCH_YEARS } from '../../platform/cron/find-runs.ts';
import { FormatError, formatTime, toCalendarTime } from '../../platform/cron/strftime.ts';
import { createZone, type Zone } from '../../platform/cron/zone.ts';
import type { FailureShape } from '../http/errors.ts';
import { defineRoute, type Route } from '../http/route.ts';

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

/** Returns the route that previews when a line of a Linux crontab runs in a time zone. */
export function cronRoutes({
  timezone,
  now,
}: {
  readonly timezone: string;
  readonly now: () => Date;
}): readonly Route[] {
  const zoneOf = memoize((name) => createZone(name), MAX_ZONES);
  return [
    defineRoute({
      method: 'get',
      paths: [PATH],
      summary: 'Previews when a crontab expression runs',
      tag: 'cron',
      area: 'hub',
      limit: 'crontab',
      isCrossOrigin: true,
      query: cronQuery,
      answers: {
        200: { description: 'The times, nearest first', schema: runs },
        400: { description: 'An invalid parameter, or an expression that never runs', schema: failed },
      },
      examples: [
        {
          summary: 'The next two runs on weekdays at half past four',
          path: `${PATH}?expression=30%204%20*%20*%20mon-fri&query_times=2`,
          status: 200,
          answer: { success: true, message: null, data: ['2026-03-16 04:30:00', '2026-03-17 04:30:00'] },
        },
        {
          summary: 'The last run, in a custom format',
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
            message: 'Parameter "expression": field 1 (minute): "75" is not a number from 0 to 59',
            data: [],
          },
        },
      ],
      async handle(ctx, { query }) {
        const request = parseCronQuery(query, timezone);
        const zone = zoneOf(request.timezone);
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
    const shown = quoteName(expression);
    throw cronError(
      'expression',
      isBackward
        ? phrase`${shown} does not run in the ${SEARCH_YEARS} years before ${last}`
        : phrase`${shown} does not run in the ${SEARCH_YEARS} years after ${last}`,
    );
  }
  try {
    return found.map((instant) => formatTime(format, toCalendarTime(instant, zone)));
  } catch (error) {
    if (error instanceof FormatError) throw cronError('format_time', phrase`${quoteName(format)}: ${error.wording}`);
    throw error;
  }
}

/** Most runs in one answer. */
const MAX_TIMES = 32;
/** Time zones that are kept ready. */
const MAX_ZONES = 100;
/** Longest time format in characters. */
const MAX_FORMAT = 256;
const DEFAULT_FORMAT = '%Y-%m-%d %H:%M:%S';

/** The unvalidated query. `parseCronQuery` reports what is wrong or missing, because it can name the value. */
const cronQuery = z
  .object({
    expression: z
      .string()
      .default('')
      .meta({
        description: 'Five fields of a Linux crontab, or @yearly @annually @monthly @weekly @daily @midnight @hourly',
        examples: ['30 4 * * mon-fri'],
      }),
    query_times: z
      .string()
      .default('')
      .meta({ type: 'integer', minimum: 1, maximum: MAX_TIMES, default: 1, description: 'Number of runs' }),
    query_type: z
      .string()
      .default('')
      .meta({
        enum: ['next', 'prev'],
        default: 'next',
        description: 'Runs after now, or before now with the latest first',
      }),
    format_time: z
      .string()
      .default('')
      .meta({ maxLength: MAX_FORMAT, default: DEFAULT_FORMAT, description: 'Format of the times for strftime' }),
    timezone: z
      .string()
      .default('')
      .meta({
        description: 'Time zone of the IANA database; default: that of the service',
        examples: ['Asia/Shanghai'],
      }),
  })
  .meta({ required: ['expression'] });

/** A valid query. */
interface CronRequest {
  readonly expression: string;
  readonly crontab: Crontab;
  readonly times: number;
  readonly isBackward: boolean;
  readonly format: string;
  /** As the IANA database writes it. */
  readonly timezone: string;
}

/** Parses the query; empty parameters count as missing, `usualZone` is the time zone then. Throws ServiceError 400 that names parameter and value. */
function parseCronQuery(query: z.output<typeof cronQuery>, usualZone: string): CronRequest {
  const { expression, query_times, query_type, format_time, timezone } = query;
  const times = query_times === '' ? 1 : /^\d+$/.test(query_times) ? Number(query_times) : 0;
  if (times < 1 || times > MAX_TIMES) {
    throw cronError('query_times', phrase`${quoteName(query_times)} is not a whole number from 1 to ${MAX_TIMES}`);
  }
  if (!['', 'next', 'prev'].includes(query_type)) {
    throw cronError('query_type', phrase`${quoteName(query_type)} is neither "next" nor "prev"`);
  }
  if (format_time.length > MAX_FORMAT) {
    throw cronError(
      'format_time',
      phrase`${quoteName(format_time)} has ${format_time.length} characters, the maximum is ${MAX_FORMAT}`,
    );
  }
  return {
    expression,
    times,
    crontab: parseCrontab(expression),
    isBackward: query_type === 'prev',
    format: format_time === '' ? DEFAULT_FORMAT : format_time,
    timezone: timezone === '' ? usualZone : parseTimeZone(timezone),
  };
}

/** Returns a time zone as the database writes it, so that few are kept. */
function parseTimeZone(text: string): string {
  try {
    // An offset such as +08:00 is none, which not all versions of Node know.
    if (/^[a-z]/i.test(text)) return new Intl.DateTimeFormat('en', { timeZone: text }).resolvedOptions().timeZone;
  } catch {
    // The message below says it.
  }
  throw cronError('timezone', phrase`${quoteName(text)} is not a time zone such as UTC or Asia/Shanghai`);
}
