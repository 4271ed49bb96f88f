import { z } from 'zod';
import { quoteName } from '../../lib/quote-name.ts';
import { cronError } from './cron-error.ts';
import type { Crontab } from './crontab.ts';
import { parseCrontab } from './parse-crontab.ts';

/** Most runs that one request lists. */
const MAX_TIMES = 32;
/** Longest format of times in characters. */
const MAX_FORMAT = 256;
const DEFAULT_FORMAT = '%Y-%m-%d %H:%M:%S';

/** The query as it comes. What is wrong or missing is said by `readCronQuery`, which can name the value. */
export const cronQuery = z
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
      .meta({ type: 'integer', minimum: 1, maximum: MAX_TIMES, default: 1, description: 'How many runs' }),
    query_type: z
      .string()
      .default('')
      .meta({
        enum: ['next', 'prev'],
        default: 'next',
        description: 'Runs after now, or before now with the last one first',
      }),
    format_time: z
      .string()
      .default('')
      .meta({ maxLength: MAX_FORMAT, default: DEFAULT_FORMAT, description: 'Format of the times, as of strftime' }),
  })
  .meta({ required: ['expression'] });

/** What is asked for. */
export interface CronRequest {
  readonly expression: string;
  readonly crontab: Crontab;
  readonly times: number;
  readonly isBackward: boolean;
  readonly format: string;
}

/** Reads the query; parameters without a value count as not given. Throws ApiError 400 that names parameter and value. */
export function readCronQuery(query: z.output<typeof cronQuery>): CronRequest {
  const { expression, query_times, query_type, format_time } = query;
  const times = query_times === '' ? 1 : /^\d+$/.test(query_times) ? Number(query_times) : 0;
  if (times < 1 || times > MAX_TIMES) {
    throw cronError('query_times', `${quoteName(query_times)} is no whole number from 1 to ${MAX_TIMES}`);
  }
  if (!['', 'next', 'prev'].includes(query_type)) {
    throw cronError('query_type', `${quoteName(query_type)} is neither "next" nor "prev"`);
  }
  if (format_time.length > MAX_FORMAT) {
    throw cronError(
      'format_time',
      `${quoteName(format_time)} has ${format_time.length} characters, the most is ${MAX_FORMAT}`,
    );
  }
  return {
    ...{ expression, times },
    crontab: parseCrontab(expression),
    isBackward: query_type === 'prev',
    format: format_time === '' ? DEFAULT_FORMAT : format_time,
  };
}
