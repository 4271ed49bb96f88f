import type { Context } from 'koa';
import * as z from 'zod';
import type { Image } from '../../data/records/image.ts';
import { complaint } from '../../lib/issue-phrase.ts';
import { type Phrase, phrase } from '../../lib/phrase.ts';
import { quoteName } from '../../lib/quote-name.ts';
import { ServiceError } from '../../platform/failures/service-error.ts';
import type { DailyImages, FoundImage } from '../../platform/images/daily-images.ts';
import { FIRST_DAY, isDay } from '../../platform/images/day.ts';
import { languageOf, translate } from '../http/language.ts';
import { defineRoute, failure, type Route } from '../http/route.ts';

/** Values of the parameter `p`. */
const SIZES = ['720p', '1080p', '4k'] as const;
type Size = (typeof SIZES)[number];

const DESKTOP: Readonly<Record<Size, string>> = {
  '720p': '_1280x720.jpg',
  '1080p': '_1920x1080.jpg',
  '4k': '_UHD.jpg',
};
const MOBILE: Readonly<Record<Exclude<Size, '4k'>, string>> = { '720p': '_720x1280.jpg', '1080p': '_1080x1920.jpg' };

/** A size and shape of an image; there is no 4k for mobile devices. */
type Format =
  | { readonly isMobile: false; readonly size: Size }
  | { readonly isMobile: true; readonly size: Exclude<Size, '4k'> };

const SIZE_LIST = SIZES.map((size) => `"${size}"`).join(', ');
const flag = (description: string) => z.string().max(100).optional().describe(description);
const query = z.object({
  mobile: flag('If present, whatever its value: the image for mobile devices'),
  p: z
    .string()
    .toLowerCase()
    .refine((value) => value === '' || isSize(value), complaint`must be one of ${SIZE_LIST}`)
    .optional()
    .describe(`Size: ${SIZE_LIST}; 4k not with mobile. Default: 1080p`),
  json: flag('If present, whatever its value: JSON, like the header `Accept: application/json`'),
  d: z
    .string()
    .max(100, complaint`must not have more than 100 characters`)
    .optional()
    .describe(`Day as YYYYMMDD, from ${FIRST_DAY} on, or \`random\`. Default: today`),
});
const answer = z.object({
  success: z.literal(true),
  message: z.string().describe('Empty, or why it is the image of an earlier day'),
  data: z.object({
    copyright: z.string(),
    date: z.string(),
    imgurl: z.string(),
    title: z.string(),
    urlbase: z.string(),
  }),
});

/** Images of past days never change. */
const PAST = 'public, max-age=86400';
/** Longest time in seconds that today's answer is cached: the source may still change it. */
const TODAY_S = 3600;

/** Returns the route of the daily image, which has two paths. */
export function imageRoutes({ dailyImages: images }: { readonly dailyImages: DailyImages }): readonly Route[] {
  return [
    defineRoute({
      method: 'get',
      paths: ['/openservice/betapic', '/openservice/bingpic'],
      summary: 'Returns the daily image of today or another day',
      tag: 'image',
      area: 'hub',
      limit: 'image',
      isCrossOrigin: true,
      query,
      headers: { Accept: '`application/json` requests JSON' },
      answers: {
        200: { description: 'The image, where JSON is requested', schema: answer },
        302: { description: 'Redirect to the image', media: 'text/html' },
        400: failure('A parameter is invalid or the day is in the future'),
        404: failure('There is no image of that day'),
        502: failure('The image is not available now, or the operator has not configured a source'),
      },
      examples: [
        {
          summary: 'Today’s image as JSON',
          path: '/openservice/betapic?json&p=4k',
          status: 200,
          answer: {
            success: true,
            message: '',
            data: {
              copyright: 'A place (© somebody)',
              date: '20260315',
              imgurl: 'https://images.example/th?id=OHR.Place_UHD.jpg',
              title: 'A place',
              urlbase: '/th?id=OHR.Place',
            },
          },
          varies: ['data.imgurl'],
        },
        { summary: 'Any day’s image for mobile devices', path: '/openservice/bingpic?mobile&d=random', status: 302 },
        {
          summary: 'A size that does not exist for mobile devices',
          path: '/openservice/betapic?mobile&p=4k',
          status: 400,
          answer: { success: false, message: 'Parameter "p": "4k" does not exist for mobile devices' },
        },
        {
          summary: 'A day without an image',
          path: '/openservice/betapic?d=20250607',
          status: 404,
          answer: { success: false, message: 'There is no image of 20250607' },
        },
        {
          summary: 'A day before the first one',
          path: '/openservice/betapic?d=20250605',
          status: 400,
          answer: { success: false, message: `Parameter "d": the first image is that of ${FIRST_DAY}` },
        },
      ],
      async handle(ctx, { query: { mobile, p, json, d } }) {
        const format = chooseFormat(p, mobile !== undefined);
        const { image, why } = getImage(await find(images, d ?? ''), images);
        const imgurl = imageUrl(images.baseUrl, image, format);
        ctx.vary('Accept');
        ctx.set('Cache-Control', d === 'random' ? 'no-store' : chooseCaching(images, image.date, why !== undefined));
        if (json === undefined && !prefersJson(ctx)) return redirect(ctx, imgurl);
        const { copyright, date, title, urlbase } = image;
        const message = why ? translate(why, languageOf(ctx)) : '';
        ctx.body = { success: true, message, data: { copyright, date, imgurl, title, urlbase } };
      },
    }),
  ];
}

function isSize(value: string): value is Size {
  return (SIZES as readonly string[]).includes(value);
}

function chooseFormat(p: string | undefined, isMobile: boolean): Format {
  const size = p !== undefined && isSize(p) ? p : '1080p';
  if (!isMobile) return { isMobile, size };
  if (size === '4k') throw badParameter('p', phrase`"4k" does not exist for mobile devices`);
  return { isMobile, size };
}

async function find(images: DailyImages, asked: string): Promise<FoundImage & { readonly day?: string }> {
  if (asked === '') return await images.findToday();
  if (asked === 'random') return await images.findAny(Math.random());
  if (!isDay(asked)) throw badParameter('d', phrase`${quoteName(asked)} is neither a date as YYYYMMDD nor "random"`);
  if (asked < FIRST_DAY) throw badParameter('d', phrase`the first image is that of ${FIRST_DAY}`);
  const today = images.today();
  if (asked > today) throw badParameter('d', phrase`${asked} is in the future; today is ${today}`);
  return { ...(await images.find(asked)), day: asked };
}

function getImage(
  found: FoundImage & { readonly day?: string },
  images: DailyImages,
): { readonly image: Image; readonly why?: Phrase } {
  if (found.kind === 'found') return { image: found.image };
  if (found.kind === 'earlier') {
    const { image, reason } = found;
    const why = phrase`This is the image of ${image.date}; that of ${images.today()} is not available: ${reason}`;
    return { image, why };
  }
  const what = found.day === undefined ? phrase`the daily image` : phrase`the image of ${found.day}`;
  if (found.kind === 'missing') throw new ServiceError('not-found', phrase`There is no image of ${found.day}`);
  throw new ServiceError('upstream', phrase`Cannot return ${what}: ${found.reason}`);
}

function chooseCaching(images: DailyImages, date: string, isEarlier: boolean): string {
  if (isEarlier) return 'public, max-age=60';
  if (date !== images.today()) return PAST;
  return `public, max-age=${Math.max(1, Math.min(TODAY_S, Math.floor(images.msUntilTomorrow() / 1000)))}`;
}

function redirect(ctx: Context, address: string): void {
  ctx.status = 302;
  ctx.redirect(address);
}

function badParameter(name: string, message: string | Phrase): ServiceError {
  return new ServiceError('bad-request', phrase`Parameter "${name}": ${message}`);
}

/** Returns the URL of an image below `baseUrl`, which has no final slash. */
function imageUrl(baseUrl: string, { urlbase }: Pick<Image, 'urlbase'>, format: Format): string {
  return baseUrl + urlbase + (format.isMobile ? MOBILE[format.size] : DESKTOP[format.size]);
}

/**
 * Checks whether a client prefers JSON to an image (a JPEG), by names and weights of `Accept`. A client that accepts anything
 * gets the image.
 */
export function prefersJson(ctx: Pick<Context, 'accepts'>): boolean {
  const accepted = ctx.accepts('image/jpeg', 'application/json', 'application/json;charset=utf-8');
  return typeof accepted === 'string' && accepted.startsWith('application/json');
}
