import type { Context } from 'koa';
import { renderPage } from './render-page.ts';

/** What pages for people may do: they show text from repositories, and have the service's origin. */
export const PAGE_HEADERS: Readonly<Record<string, string>> = {
  'Content-Security-Policy':
    "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'strict-origin-when-cross-origin',
};

/** Answers with a page for people from a template of `templates/console/`. */
export function sendPage(ctx: Context, template: string, model: object): void {
  ctx.type = 'html';
  ctx.set(PAGE_HEADERS);
  ctx.set('Cache-Control', 'no-cache');
  ctx.body = renderPage(template, model);
}
