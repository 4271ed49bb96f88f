import { phrase } from '../../lib/phrase.ts';
import { ServiceError } from '../../platform/failures/service-error.ts';
import { readForm } from '../http/bodies.ts';
import { cookieName, setCookie } from '../http/cookies.ts';
import { isLanguage } from '../http/language.ts';
import { defineRoute, type Route } from '../http/route.ts';

const YEAR_S = 365 * 86_400;

/**
 * POST docbuild/language: remembers the language of pages and returns to the page whose form was sent. A page of another site
 * may send it, too: it changes nothing but the language, and pages that do not reveal where one was send `Origin: null`.
 */
export function languageRoute(): Route {
  return defineRoute({
    method: 'post',
    paths: ['/docbuild/language'],
    summary: 'Remembers the language of pages and messages in a cookie',
    tag: 'service',
    answers: { 303: { description: 'To the page `to`' } },
    async handle(ctx) {
      const form = await readForm(ctx);
      const language = form.get('language');
      if (!isLanguage(language))
        throw new ServiceError('bad-request', phrase`Field "language" must be "en" or "zh-CN"`);
      setCookie(ctx, cookieName(ctx, 'language'), { value: language, seconds: YEAR_S });
      ctx.status = 303;
      ctx.set('Cache-Control', 'no-store');
      ctx.set('Location', parseTarget(form.get('to')));
      ctx.body = '';
    },
  });
}

const ORIGIN = 'http://service.invalid';
const MAX_LENGTH = 8_000;

/** Returns the page to return to: always a path of this host with its query. */
function parseTarget(text = ''): string {
  if (text.length > MAX_LENGTH || !text.startsWith('/') || !URL.canParse(text, ORIGIN)) return '/';
  const { origin, pathname, search } = new URL(text, ORIGIN);
  // Two slashes at the beginning of a path would be a host.
  return origin === ORIGIN && !pathname.startsWith('//') ? pathname + search : '/';
}
