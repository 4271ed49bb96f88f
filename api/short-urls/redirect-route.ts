import type { Context } from 'koa';
import type { Store } from '../../data/store.ts';
import { memoize } from '../../lib/bounded-map.ts';
import { escapeHtml } from '../../lib/html-text.ts';
import { hostOf } from '../../lib/url-text.ts';
import { isCode } from '../../platform/short-urls/short-code.ts';
import { isTarget } from '../../platform/short-urls/shorten-url.ts';
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

/** Returns the route that redirects from a short URL to its long URL. */
export function redirectRoute({
  store,
  isHostBlocked,
}: {
  readonly store: Pick<Store, 'shortUrls'>;
  readonly isHostBlocked: (host: string) => boolean | Promise<boolean>;
}): Route {
  const answers = memoize(prepareAnswer, MAX_ANSWERS);
  return defineRoute({
    method: 'get',
    paths: ['/t/:code'],
    summary: 'Redirects to the long URL of a short one',
    tag: 'short URLs',
    area: 'base',
    isCrossOrigin: false,
    examples: [
      { summary: 'A short URL', path: `/t/${EXAMPLE.code}`, status: 302 },
      { summary: 'One to a host that the operator warns about', path: `/t/${EXAMPLE.unsafeCode}`, status: 200 },
      { summary: 'One that is disabled', path: `/t/${EXAMPLE.disabledCode}`, status: 410 },
      { summary: 'No such short URL', path: '/t/unknown-code', status: 404 },
    ],
    answers: {
      302: { description: '`Location` is the long URL', media: 'text/html' },
      200: { description: 'A page with a warning and the link: the operator warns about the host', media: 'text/html' },
      404: { description: 'No such short URL; a page', media: 'text/html' },
      410: { description: 'The operator has disabled it; a page', media: 'text/html' },
    },
    async handle(ctx, { params }) {
      const code = params['code'] ?? '';
      const found = isCode(code) ? await store.shortUrls.find(code) : undefined;
      const answer = found && answers(found.longUrl);
      if (!answer) return sendPage(ctx, 404, { kind: 'unknown', url: '' });
      if (found.isDisabled) return sendPage(ctx, 410, { kind: 'disabled', url: '' });
      const { longUrl } = found;
      if (await isHostBlocked(answer.host)) {
        return sendPage(ctx, 200, { kind: 'blocked', url: longUrl });
      }
      setHeaders(ctx);
      ctx.status = 302;
      ctx.res.setHeader('Location', longUrl);
      ctx.res.setHeader('Content-Type', 'text/html; charset=utf-8');
      ctx.body = answer.page;
    },
  });
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
