import { z } from 'zod';
import { FIRST_DAY, isDay } from '../../data/images/day.ts';
import type { Image } from '../../data/records/image.ts';

/** More than any answer has. */
const MAX_IMAGES = 100;
/** No host, no credentials, no line ends, nothing but the id of a picture. */
const URLBASE = /^\/th\?id=[\w.-]{1,200}$/;

const text = (most: number) =>
  z
    .string()
    .max(10_000)
    .transform((value) =>
      value
        .replace(/\p{Cc}+/gu, ' ')
        .trim()
        .slice(0, most),
    );
const entry = z.object({
  startdate: z.string().refine(isDay).optional(),
  fullstartdate: z
    .string()
    .regex(/^\d{12}$/)
    .optional(),
  enddate: z.string().refine(isDay),
  urlbase: z.string().regex(URLBASE),
  title: text(500).nullish(),
  copyright: text(2000).nullish(),
});
const list = z.object({ images: z.array(z.unknown()).max(MAX_IMAGES).nullable() });

/**
 * Reads the answer of the image service: `{"images": [{"startdate", "fullstartdate", "enddate", "urlbase", "title",
 * "copyright"}, …]}`. Images of a wrong shape or from before the first day are left out. Throws an error that says what is
 * wrong when the answer is no such list, or when it has no image of the right shape.
 */
export function readImageList(body: Buffer, market: string): readonly Image[] {
  const result = list.safeParse(parseJson(body));
  if (!result.success) throw new Error('the answer is no list of images');
  const { images } = result.data;
  const entries = (images ?? []).flatMap((value) => {
    const { data } = entry.safeParse(value);
    return data ? [data] : [];
  });
  if (entries.length === 0) throw new Error('the answer has no usable image');
  return entries
    .map((value) => ({
      market,
      date: findDay(value, market),
      urlbase: value.urlbase,
      title: value.title ?? '',
      copyright: value.copyright ?? '',
    }))
    .filter(({ date }) => date >= FIRST_DAY);
}

/**
 * Returns the local day of an image. Each begins at midnight of its market, given in UTC: an early hour is on the same day in
 * UTC (America), a late one on the day before (Asia, Europe), which is then `enddate`. For zh-CN it is always `enddate`.
 */
function findDay({ startdate, fullstartdate, enddate }: z.infer<typeof entry>, market: string): string {
  const isSameDay = fullstartdate !== undefined && Number(fullstartdate.slice(8, 10)) < 12;
  return market !== 'zh-CN' && isSameDay && startdate !== undefined ? startdate : enddate;
}

function parseJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8').replace(/^\uFEFF/, ''));
  } catch {
    return undefined;
  }
}
