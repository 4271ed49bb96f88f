import type { Context } from 'koa';
import { z } from 'zod';
import { quoteName } from '../../lib/quote-name.ts';
import { ApiError } from '../http/errors.ts';
import { defineRoute, failure, type Route } from '../http/route.ts';
import type { Platform } from '../platform.ts';
import type { DailyImages, FoundImage } from './create-daily-images.ts';
import { FIRST_DAY, isDay } from './day.ts';
import { type Format, imageAddress, SIZES, type Size } from './image-address.ts';
import { prefersJson } from './prefers-json.ts';

const SIZE_LIST = SIZES.map((size) => `"${size}"`).join(', ');
const flag = (description: string) => z.string().max(100).optional().describe(description);
const query = z.object({
  mobile: flag('Its presence alone selects the picture for mobile devices'),
  p: z
    .string()
    .toLowerCase()
    .refine((value) => value === '' || isSize(value), `must be one of ${SIZE_LIST}`)
    .optional()
    .describe(`Size: ${SIZE_LIST}; 4k not with mobile. Default: 1080p`),
  json: flag('Its presence alone asks for JSON, as does the header `Accept: application/json`'),
  d: z
    .string()
    .max(100, 'must not have more than 100 characters')
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

/** Images of days gone by never change. */
const PAST = 'public, max-age=86400';
/** Longest time in seconds that today's answer is kept: the source may still change its mind. */
const TODAY_S = 3600;

/** GET betapic, also called bingpic: the picture of a day. */
export function imageRoutes({ dailyImages: images }: Pick<Platform, 'dailyImages'>): readonly Route[] {
  return [
    defineRoute({
      method: 'get',
      paths: ['/openservice/betapic', '/openservice/bingpic'],
      summary: 'Gives the daily image, of today or another day',
      tag: 'image',
      area: 'hub',
      query,
      headers: { Accept: '`application/json` asks for JSON' },
      answers: {
        200: { description: 'The image, where JSON is asked for', schema: answer },
        302: { description: 'Redirect to the image', media: 'text/html' },
        400: failure('A parameter is wrong, or the day is still to come'),
        404: failure('There is no image of that day'),
        502: failure('The image cannot be had now, or the operator has not configured where images come from'),
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
          summary: 'A size that there is not for mobile devices',
          path: '/openservice/betapic?mobile&p=4k',
          status: 400,
          answer: { success: false, message: 'Parameter "p": "4k" is not there for mobile devices' },
        },
        {
          summary: 'A day of which there is no image',
          path: '/openservice/betapic?d=20250607',
          status: 404,
          answer: { success: false, message: 'There is no image of 20250607' },
        },
        {
          summary: 'A day before the first one',
          path: '/openservice/betapic?d=20250605',
          status: 400,
          answer: { success: false, message: `Parameter "d": there are images from ${FIRST_DAY} on` },
        },
      ],
      async handle(ctx, { query: { mobile, p, json, d } }) {
        const format = chooseFormat(p, mobile !== undefined);
        const { image, message } = getImage(await find(images, d ?? ''), images);
        const imgurl = imageAddress(images.baseUrl, image, format);
        ctx.vary('Accept');
        ctx.set('Cache-Control', d === 'random' ? 'no-store' : chooseCaching(images, image.date, message));
        if (json === undefined && !prefersJson(ctx.get('Accept'))) return redirect(ctx, imgurl);
        const { copyright, date, title, urlbase } = image;
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
  if (size === '4k') throw badParameter('p', '"4k" is not there for mobile devices');
  return { isMobile, size };
}

async function find(images: DailyImages, asked: string): Promise<FoundImage & { readonly day?: string }> {
  if (asked === '') return await images.findToday();
  if (asked === 'random') return await images.findAny(Math.random());
  if (!isDay(asked))
    throw badParameter('d', `${quoteName(asked)} is no day of the calendar as YYYYMMDD, and not "random"`);
  if (asked < FIRST_DAY) throw badParameter('d', `there are images from ${FIRST_DAY} on`);
  const today = images.today();
  if (asked > today) throw badParameter('d', `${asked} is still to come; today is ${today}`);
  return { ...(await images.find(asked)), day: asked };
}

function getImage(found: FoundImage & { readonly day?: string }, images: DailyImages) {
  if (found.kind === 'found') return { image: found.image, message: '' };
  if (found.kind === 'earlier') {
    const { image, reason } = found;
    return { image, message: `This is the image of ${image.date}; that of ${images.today()} is not here: ${reason}` };
  }
  const what = found.day === undefined ? 'the daily image' : `the image of ${found.day}`;
  if (found.kind === 'missing') throw new ApiError(404, 'not-found', `There is no image of ${found.day}`);
  throw new ApiError(502, 'upstream', `Cannot give ${what}: ${found.reason}`, { expose: true });
}

function chooseCaching(images: DailyImages, date: string, message: string): string {
  if (message !== '') return 'public, max-age=60';
  if (date !== images.today()) return PAST;
  return `public, max-age=${Math.max(1, Math.min(TODAY_S, Math.floor(images.msUntilTomorrow() / 1000)))}`;
}

function redirect(ctx: Context, address: string): void {
  ctx.status = 302;
  ctx.redirect(address);
}

function badParameter(name: string, message: string): ApiError {
  return new ApiError(400, 'bad-request', `Parameter "${name}": ${message}`);
}
