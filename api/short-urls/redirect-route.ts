import type { Context } from 'koa';
import type { OwnedShortUrl } from '../../data/records/short-url.ts';
import type { Store } from '../../data/store.ts';
import { memoize } from '../../lib/bounded-map.ts';
import { escapeHtml } from '../../lib/html-text.ts';
import { createTokenBuckets } from '../../lib/token-buckets.ts';
import { hostOf } from '../../lib/url-text.ts';
import type { Settings } from '../../platform/config/settings.ts';
import { drawQrCode } from '../../platform/short-urls/draw-qr-code.ts';
import type { RedirectCounter } from '../../platform/short-urls/redirect-counter.ts';
import { isCode } from '../../platform/short-urls/short-code.ts';
import { findState } from '../../platform/short-urls/short-url-state.ts';
import { isTarget } from '../../platform/short-urls/shorten-url.ts';
import type { Callers } from '../http/callers.ts';
import { FAILURE, LIMIT } from '../http/errors.ts';
import { readerOf } from '../http/language.ts';
import { renderPage } from '../http/pages.ts';
import { defineRoute, EXAMPLE, type Route } from '../http/route.ts';

/** The answer for a valid long URL. */
interface Answer {
  readonly host: string;
  readonly page: string;
}

/** Long URLs whose answers are kept ready: a few MB. */
const MAX_ANSWERS = 5000;
/** QR codes that are kept ready: 1 MB. */
const MAX_QR_CODES = 500;

export interface RedirectContext {
  readonly settings: Settings;
  readonly store: Pick<Store, 'shortUrls'>;
  /** Base URL of short URLs, without a final slash. */
  readonly baseUrl: string;
  readonly callers: Pick<Callers, 'sourceOf'>;
  readonly redirects: Pick<RedirectCounter, 'count'>;
  readonly isHostBlocked: (host: string) => boolean | Promise<boolean>;
  readonly now: () => Date;
}

/** Suffix that turns a code's path into that of its QR code. */
const QR_CODE = '.svg';

/** Returns the route that redirects from a short URL to its long URL, and draws its QR code. */
export function redirectRoute(context: RedirectContext): Route {
  const { store, baseUrl, redirects, isHostBlocked } = context;
  const answers = memoize(prepareAnswer, MAX_ANSWERS);
  const qrCodes = memoize((code: string) => drawQrCode(`${baseUrl}/t/${code}`), MAX_QR_CODES);
  const checkLeads = createCheck(context, answers);
  return defineRoute({
    method: 'get',
    // A second route for QR codes would be tried for each redirect.
    paths: ['/t/:code'],
    summary: 'Redirects to the long URL of a short one; with `.svg` behind the code, draws its QR code',
    tag: 'short URLs',
    area: 'base',
    examples: [
      { summary: 'A short URL', path: `/t/${EXAMPLE.code}`, status: 302 },
      { summary: 'Its QR code', path: `/t/${EXAMPLE.code}${QR_CODE}`, status: 200 },
      { summary: 'One to a host that the operator warns about', path: `/t/${EXAMPLE.unsafeCode}`, status: 200 },
      { summary: 'One that is disabled', path: `/t/${EXAMPLE.disabledCode}`, status: 410 },
      { summary: 'No such short URL', path: '/t/unknown-code', status: 404 },
    ],
    answers: {
      302: { description: '`Location` is the long URL', media: 'text/html' },
      200: {
        description: 'A page with a warning and the link: the operator warns about the host. Or the QR code',
        media: 'text/html',
        otherMedia: ['image/svg+xml'],
      },
      404: { description: 'No such short URL; a page', media: 'text/html' },
      410: { description: 'It has expired, or the operator or its owner has disabled it; a page', media: 'text/html' },
      429: {
        description:
          'No such short URL, as many before from this source (a page), or the source is blocked; `Retry-After` says for how long',
        media: 'text/html',
      },
    },
    async handle(ctx, { params }) {
      const asked = params['code'] ?? '';
      const isDrawn = asked.endsWith(QR_CODE);
      const code = isDrawn ? asked.slice(0, -QR_CODE.length) : asked;
      const found = isCode(code) ? await store.shortUrls.findOwned(code) : undefined;
      const answer = checkLeads(ctx, found);
      if (!answer) return;
      const { shortUrl } = found!;
      if (isDrawn) return sendDrawing(ctx, qrCodes(shortUrl.code));
      const { longUrl } = shortUrl;
      if (await isHostBlocked(answer.host)) {
        return sendPage(ctx, 200, { kind: 'blocked', url: longUrl });
      }
      if (isByReader(ctx)) redirects.count(shortUrl.code);
      setHeaders(ctx);
      ctx.status = 302;
      ctx.res.setHeader('Location', longUrl);
      ctx.res.setHeader('Content-Type', 'text/html; charset=utf-8');
      ctx.body = answer.page;
    },
  });
}

/**
 * Creates the function that returns the answer for a short URL that leads somewhere; for any other one, it sends a page and
 * returns undefined.
 */
function createCheck(
  { settings, callers, now }: RedirectContext,
  answers: (longUrl: string) => Answer | undefined,
): (ctx: Context, found: OwnedShortUrl | undefined) => Answer | undefined {
  const guesses = createTokenBuckets(() => settings.current().utility.short_url.unknown_per_minute);
  return (ctx, found) => {
    const answer = found && answers(found.shortUrl.longUrl);
    if (!answer) {
      const waitS = guesses.take(callers.sourceOf(ctx), now().getTime());
      if (waitS > 0) {
        ctx.state[FAILURE] = 'limited';
        ctx.state[LIMIT] = 'unknown-codes';
        ctx.set('Retry-After', `${waitS}`);
      }
      sendPage(ctx, waitS > 0 ? 429 : 404, { kind: waitS > 0 ? 'limited' : 'unknown', url: '' });
      return undefined;
    }
    const state = findState(found, now);
    if (state === 'active') return answer;
    sendPage(ctx, 410, { kind: state, url: '' });
    return undefined;
  };
}

function sendDrawing(ctx: Context, svg: string): void {
  setHeaders(ctx);
  ctx.status = 200;
  ctx.set('Content-Security-Policy', "default-src 'none'");
  ctx.set('X-Content-Type-Options', 'nosniff');
  ctx.set('Content-Type', 'image/svg+xml');
  ctx.body = svg;
}

/** Programs that fetch a link before anybody follows it, or instead: those that say so, and well-known previews. */
const PROGRAMS = /(?<!cu)bot\b|crawl|spider|slurp|preview|facebookexternalhit|whatsapp|embedly/i;

/** Returns whether somebody follows a short URL, as far as the request tells. */
function isByReader({ method, req: { headers } }: Context): boolean {
  if (method === 'HEAD') return false;
  const purpose = headers['sec-purpose'] ?? headers['purpose'] ?? headers['x-purpose'] ?? headers['x-moz'];
  if (purpose !== undefined && /prefetch|preview/i.test(String(purpose))) return false;
  return !PROGRAMS.test(headers['user-agent'] ?? '');
}

/** Returns undefined for an invalid target: the store may have been edited by hand. */
function prepareAnswer(longUrl: string): Answer | undefined {
  if (!isTarget(longUrl) || !URL.canParse(longUrl)) return undefined;
  const shown = escapeHtml(longUrl);
  return {
    host: hostOf(new URL(longUrl)),
    page: `<!doctype html><title>Moved</title><a href="${shown}">${shown}</a>\n`,
  };
}

function sendPage(ctx: Context, status: number, model: { readonly kind: string; readonly url: string }): void {
  setHeaders(ctx);
  ctx.status = status;
  ctx.set('Content-Security-Policy', "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'");
  ctx.set('X-Robots-Tag', 'noindex');
  ctx.set('X-Content-Type-Options', 'nosniff');
  ctx.type = 'html';
  ctx.body = renderPage('short-url.njk', model, readerOf(ctx));
}

/** Nothing is cached, so that a disabled short URL stops working at once; the target does not learn where its link was. */
function setHeaders(ctx: Context): void {
  ctx.res.setHeader('Cache-Control', 'no-store');
  ctx.res.setHeader('Referrer-Policy', 'no-referrer');
}
