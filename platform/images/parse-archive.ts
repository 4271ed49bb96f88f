import * as z from 'zod';
import { DataError } from '../../data/data-error.ts';
import type { Image } from '../../data/records/image.ts';
import { type Day, FIRST_DAY, isDay } from './day.ts';
import { imageFields } from './image-fields.ts';

/** More than fifty years of days. */
const MAX_IMAGES = 20_000;

const day = z
  .string('must be a text')
  .transform((text) => text.replace(/^(\d{4})-(\d\d)-(\d\d)$/, '$1$2$3'))
  .refine(isDay, 'must be a day such as 20260315 or 2026-03-15');
const entrySchema = z.object(
  {
    date: day.optional(),
    /** How the source names the day. */
    enddate: day.optional(),
    market: z
      .string('must be a text')
      .regex(/^[a-z]{2}-[A-Z]{2}$/, 'must be a market such as zh-CN')
      .optional(),
    ...imageFields,
  },
  'must be an object',
);

/** The images of a file. */
export interface ImageArchive {
  readonly images: readonly Image[];
  /** Images of days before the first one, which are left out. */
  readonly tooEarly: number;
}

/**
 * Parses an archive of images: a JSON array, `{"images": […]}`, or JSON Lines, of objects with `date` (or `enddate`), `urlbase`,
 * and perhaps `title`, `copyright` and `market`. Throws DataError `invalid`, which names the place, for anything else, for a day
 * that has not begun in its market, and for a day with two different images.
 */
export function parseArchive(
  text: string,
  { market, today }: { readonly market: string; readonly today: (market: string) => Day },
): ImageArchive {
  const entries = readEntries(text.replace(/^\uFEFF/, '').trim());
  if (entries.length === 0) throw new DataError('invalid', 'The file contains no images');
  if (entries.length > MAX_IMAGES) {
    throw new DataError('invalid', `The file contains more than ${MAX_IMAGES} images`);
  }
  const byDay = new Map<string, { readonly image: Image; readonly place: string }>();
  let tooEarly = 0;
  for (const { place, value } of entries) {
    const image = parseEntry(value, place, market);
    if (image.date > today(image.market))
      throw new DataError('invalid', `${place}: day ${image.date} is in the future`);
    if (image.date < FIRST_DAY) {
      tooEarly++;
      continue;
    }
    const key = `${image.market} ${image.date}`;
    const known = byDay.get(key);
    if (known && JSON.stringify(known.image) !== JSON.stringify(image)) {
      throw new DataError('invalid', `${place}: day ${image.date} has another image in ${known.place.toLowerCase()}`);
    }
    byDay.set(key, { image, place });
  }
  return { images: [...byDay.values()].map(({ image }) => image), tooEarly };
}

interface Entry {
  /** `Image 3`, `Line 7`. */
  readonly place: string;
  readonly value: unknown;
}

function readEntries(text: string): readonly Entry[] {
  const whole = parseJson(text);
  const list = Array.isArray(whole) ? whole : (whole as { images?: unknown } | undefined)?.images;
  if (Array.isArray(list)) return list.map((value, i) => ({ place: `Image ${i + 1}`, value }));
  return text.split('\n').flatMap((line, i) => {
    if (line.trim() === '') return [];
    const place = `Line ${i + 1}`;
    const value = parseJson(line);
    if (value === undefined) throw new DataError('invalid', `${place}: not valid JSON`);
    return { place, value };
  });
}

function parseEntry(value: unknown, place: string, usualMarket: string): Image {
  const result = entrySchema.safeParse(value);
  if (!result.success) {
    const [{ path, message }] = result.error.issues as [z.core.$ZodIssue];
    throw new DataError('invalid', `${place}: ${path.length > 0 ? `"${path.join('.')}" ` : ''}${message}`);
  }
  const { date, enddate, market = usualMarket, urlbase, title, copyright } = result.data;
  const ofDay = date ?? enddate;
  if (ofDay === undefined) throw new DataError('invalid', `${place}: "date" is missing`);
  return { market, date: ofDay, urlbase, title: title ?? '', copyright: copyright ?? '' };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
