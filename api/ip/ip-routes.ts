import type { Context } from 'koa';
import * as z from 'zod';
import { type IpAddress, parseAddress } from '../../lib/ip-address.ts';
import { complaint } from '../../lib/issue-phrase.ts';
import { phrase } from '../../lib/phrase.ts';
import { quoteName } from '../../lib/quote-name.ts';
import { ServiceError } from '../../platform/failures/service-error.ts';
import type { IpRegions } from '../../platform/ip/ip-regions.ts';
import { UNKNOWN_REGION } from '../../platform/ip/region.ts';
import type { Callers } from '../http/callers.ts';
import { defineRoute, envelope, failure, type Route } from '../http/route.ts';

const query = z.object({
  ip: z
    .string()
    .max(100, complaint`must not have more than 100 characters`)
    .optional()
    .describe('IPv4 or IPv6 address; default: that of the caller'),
});
const own = z.object({ ip: z.string() });
const whole = own.extend({
  country: z.string(),
  province: z.string(),
  city: z.string(),
  isp: z.string().describe('The provider of the connection; for reserved ranges, their purpose'),
});
const TAG = 'ip';
const KNOWN = { ip: '223.5.5.5', country: '中国', province: '浙江省', city: '杭州市', isp: '阿里云' };
const NO_DATA = 'Where addresses are used is not known here: the data of the lookup are missing';
const RESERVED = { ip: '127.0.0.1', country: '', province: '', city: '', isp: 'Loopback' };

/** Returns the routes that say where an IP address is used. */
export function ipRoutes({
  ipRegions,
  callers,
}: {
  readonly ipRegions: IpRegions;
  readonly callers: Pick<Callers, 'addressOf'>;
}): readonly Route[] {
  const findCaller = (ctx: Context): IpAddress => {
    const address = parseAddress(callers.addressOf(ctx));
    if (!address) throw new ServiceError('bad-request', phrase`The IP address of the caller is unknown`);
    return address;
  };
  const describe = async (ctx: Context, address: IpAddress, caching?: string): Promise<void> => {
    const region = await ipRegions.find(address);
    const { country, province, city, isp } = region ?? UNKNOWN_REGION;
    const data = { ip: address.text, country, province, city, isp };
    if (region) send(ctx, data, caching);
    else send(ctx, data, 'no-store', NO_DATA);
  };
  return [
    defineRoute({
      method: 'get',
      paths: ['/openservice/ip/rest'],
      summary: 'Returns country, province, city and provider of an IP address',
      tag: TAG,
      area: 'hub',
      limit: 'ip',
      isCrossOrigin: true,
      query,
      answers: { 200: { description: 'The address', schema: envelope(whole) }, 400: failure('Not an IP address') },
      examples: [
        {
          summary: 'A public address',
          path: '/openservice/ip/rest?ip=223.5.5.5',
          status: 200,
          answer: { success: true, message: '', data: KNOWN },
        },
        {
          summary: 'Not an address',
          path: '/openservice/ip/rest?ip=256.1.1.1',
          status: 400,
          answer: { success: false, message: 'Parameter "ip": "256.1.1.1" is not an IPv4 or IPv6 address' },
        },
      ],
      async handle(ctx, { query: { ip = '' } }) {
        if (ip.trim() === '') return await describe(ctx, findCaller(ctx));
        const address = parseAddress(ip);
        if (!address) {
          throw new ServiceError(
            'bad-request',
            phrase`Parameter "ip": ${quoteName(ip)} is not an IPv4 or IPv6 address`,
          );
        }
        await describe(ctx, address, 'public, max-age=600');
      },
    }),
    defineRoute({
      method: 'get',
      paths: ['/openservice/ip/myip'],
      summary: 'Returns the IP address of the caller',
      tag: TAG,
      area: 'hub',
      limit: 'ip',
      isCrossOrigin: true,
      answers: { 200: { description: 'The address', schema: envelope(own) } },
      examples: [
        {
          summary: 'Your own address',
          path: '/openservice/ip/myip',
          status: 200,
          answer: { success: true, message: '', data: { ip: '127.0.0.1' } },
        },
      ],
      async handle(ctx) {
        send(ctx, { ip: findCaller(ctx).text });
      },
    }),
    defineRoute({
      method: 'get',
      paths: ['/openservice/ip/addr'],
      summary: 'Returns the IP address of the caller with its country, province, city and provider',
      tag: TAG,
      area: 'hub',
      limit: 'ip',
      isCrossOrigin: true,
      answers: { 200: { description: 'The address', schema: envelope(whole) } },
      examples: [
        {
          summary: 'Your own address and where it is used',
          path: '/openservice/ip/addr',
          status: 200,
          answer: { success: true, message: '', data: RESERVED },
        },
      ],
      async handle(ctx) {
        await describe(ctx, findCaller(ctx));
      },
    }),
  ];
}

function send(ctx: Context, data: object, caching = 'no-store', message = ''): void {
  ctx.set('Cache-Control', caching);
  ctx.body = { success: true, message, data };
}
