import { isIP } from 'node:net';
import * as z from 'zod';
import type { Image } from '../../data/records/image.ts';
import { HTTP_FAILURES, type HttpClient, HttpError } from '../../lib/http-client.ts';
import { type Phrase, phrase } from '../../lib/phrase.ts';
import { FIRST_DAY, isDay } from './day.ts';
import { imageFields } from './image-fields.ts';

/** The service that images come from. */
export interface ImageSource {
  /**
   * Returns up to 8 images, the latest one being that of `daysAgo` days ago (at most 7). Throws ImageSourceError
   * when there is no usable answer.
   */
  fetch(daysAgo: number, signal: AbortSignal): Promise<readonly Image[]>;
}

/** The source has no usable answer; the message, for the operator, names its host. */
export class ImageSourceError extends Error {
  override readonly name = 'ImageSourceError';
  /** For callers. */
  readonly wording: Phrase;

  constructor(message: string, wording: Phrase, options?: ErrorOptions) {
    super(message, options);
    this.wording = wording;
  }
}

const IMAGES_AT_ONCE = 8;
const HEADERS = { accept: 'application/json', 'user-agent': 'docbuild' };

/** Creates the source with a base URL (without a final slash) for a market. */
export function createImageSource(options: {
  readonly baseUrl: string;
  readonly market: string;
  readonly client: HttpClient;
}): ImageSource {
  const { baseUrl, market, client } = options;
  return {
    async fetch(daysAgo, signal) {
      const query = new URLSearchParams({ format: 'js', idx: `${daysAgo}`, n: `${IMAGES_AT_ONCE}`, mkt: market });
      try {
        const url = `${baseUrl}/HPImageArchive.aspx?${query}`;
        const { status, body } = await client.send(url, { headers: HEADERS, signal, mayFollow: isSameService });
        if (status !== 200) throw unusable(phrase`the answer has status ${status}`);
        return parseImageList(body, market);
      } catch (cause) {
        if (cause instanceof HttpError) {
          throw new ImageSourceError(`Cannot get images: ${cause.message}`, HTTP_FAILURES[cause.code], { cause });
        }
        if (!(cause instanceof ImageSourceError)) throw cause;
        const { host } = new URL(baseUrl);
        throw new ImageSourceError(`Cannot get images from "${host}": ${cause.message}`, cause.wording, { cause });
      }
    },
  };
}

/** Redirects may lead to hosts of the same domain: the operator has named this one only. */
function isSameService(to: URL, from: URL): boolean {
  const isSamePort = to.port === from.port && (to.protocol === from.protocol || to.port === '');
  return isSamePort && domainOf(to.hostname) === domainOf(from.hostname);
}

/** `www.example.com` and `cn.example.com` are hosts of `example.com`. */
function domainOf(host: string): string {
  const labels = host.split('.');
  return isIP(host.replace(/^\[|\]$/g, '')) || labels.length < 3 ? host : labels.slice(1).join('.');
}

/** More than any answer has. */
const MAX_IMAGES = 100;
const entrySchema = z.object({
  startdate: z.string().refine(isDay).optional(),
  fullstartdate: z
    .string()
    .regex(/^\d{12}$/)
    .optional(),
  enddate: z.string().refine(isDay),
  ...imageFields,
});
const listSchema = z.object({ images: z.array(z.unknown()).max(MAX_IMAGES).nullable() });

/**
 * Parses the answer of the service: `{"images": [{"startdate", "fullstartdate", "enddate", "urlbase", "title",
 * "copyright"}, …]}`. Images of another shape or from before the first day are left out. Throws ImageSourceError
 * when the answer is not such a list, or contains no image of the right shape.
 */
export function parseImageList(body: Buffer, market: string): readonly Image[] {
  const result = listSchema.safeParse(parseJson(body));
  if (!result.success) throw unusable(phrase`the answer is not a list of images`);
  const entries = (result.data.images ?? []).flatMap((value) => entrySchema.safeParse(value).data ?? []);
  if (entries.length === 0) throw unusable(phrase`the answer contains no usable image`);
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
function findDay({ startdate, fullstartdate, enddate }: z.infer<typeof entrySchema>, market: string): string {
  const isSameDay = fullstartdate !== undefined && Number(fullstartdate.slice(8, 10)) < 12;
  return market !== 'zh-CN' && isSameDay && startdate !== undefined ? startdate : enddate;
}

function unusable(wording: Phrase): ImageSourceError {
  return new ImageSourceError(String(wording), wording);
}

function parseJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8').replace(/^\uFEFF/, ''));
  } catch {
    return undefined;
  }
}
