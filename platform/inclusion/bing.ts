import { textContent } from 'domutils';
import { phrase } from '../../lib/phrase.ts';
import type { Config } from '../config/config-schema.ts';
import {
  BROKEN_LINK,
  CAPTCHA,
  CUT_OFF,
  createUrlOf,
  type Engine,
  failedPage,
  type ResultPage,
  UNKNOWN_PAGE,
} from './engine.ts';
import { attributeOf, createFinder, type MarkupElement, parseMarkup, walkElements } from './markup.ts';

/** Bing, which the contract calls Beta. */
export function createBing(config: Config['utility']['beta']): Engine {
  const { base_url, rss_query, html_query, timeout_s, concurrency } = config;
  return {
    name: 'beta',
    title: 'Beta',
    methods: [
      { name: 'rss', urlOf: createUrlOf(base_url, rss_query), parse: parseBingRss },
      { name: 'html', urlOf: createUrlOf(base_url, html_query), parse: parseBingHtml },
    ],
    queryText: ({ url }) => url,
    isSameService: (from, to) => withoutCountry(from) === withoutCountry(to),
    timeoutMs: timeout_s * 1000,
    concurrency,
  };
}

/** Bing redirects from `www` to the host of a country, such as `cn`, and back. */
function withoutCountry(host: string): string {
  const rest = /^(?:www|[a-z]{2})\.(.+)$/.exec(host)?.[1] ?? '';
  return rest.includes('.') ? rest : host;
}

const findChannels = createFinder('rss > channel', { xmlMode: true });
const findItems = createFinder('rss > channel > item', { xmlMode: true });
/** Ten results have about 10,000 characters. */
const MAX_RSS_LENGTH = 500_000;
const RSS_END = /<\/rss\s*>\s*(?:<!--[^>]*-->\s*)*$/;

/** Parses Bing's RSS; a page of HTML in its place is a captcha or the like. `base` is its URL. */
export function parseBingRss(text: string, base: URL): ResultPage {
  if (/^\s*(?:<!doctype\s+html|<html)/i.test(text.slice(0, 500)))
    return failedPage(phrase`the answer is HTML, not RSS`);
  // The part that is cut off may have held the result.
  if (text.length > MAX_RSS_LENGTH || !RSS_END.test(text.slice(-1000))) return failedPage(UNKNOWN_PAGE);
  const feed = parseMarkup(text, { xmlMode: true });
  if (!feed || findChannels(feed).length === 0) return failedPage(UNKNOWN_PAGE);
  const links = findItems(feed).map((item) => findItemLink(item, base));
  return {
    urls: links.filter((url) => url !== undefined),
    isAnswer: true,
    problem: links.includes(undefined) ? BROKEN_LINK : undefined,
  };
}

/** Links of items are absolute; returns undefined for a missing or unreadable one. */
function findItemLink(item: MarkupElement, base: URL): string | undefined {
  const link = item.children.find((child) => 'name' in child && child.name === 'link');
  const text = link ? textContent(link).trim() : '';
  return /^(?:https?:)?\/\//i.test(text) ? resolveResultLink(text, base) : undefined;
}

const findResults = createFinder('ol#b_results > li.b_algo');
const findMarks = createFinder('li.b_no');
const findCaptchas = createFinder('form[action*="/turing/captcha/"], #b_captcha, .captcha');

/** Parses Bing's result page: the links of results (`h2 a`), and the mark that there are none. `base` is its URL. */
export function parseBingHtml(text: string, base: URL): ResultPage {
  const page = parseMarkup(text);
  if (!page) return failedPage(UNKNOWN_PAGE);
  const [results, marks, captchas] = [findResults, findMarks, findCaptchas].map((find) => new Set(find(page)));
  const links: (string | undefined)[] = [];
  let isEmpty = false;
  let hasCaptcha = false;
  walkElements<'page' | 'result' | 'heading'>(page, 'page', (element, place) => {
    if (place === 'page') {
      // The content of a result belongs to another site.
      hasCaptcha ||= captchas!.has(element);
      isEmpty ||= marks!.has(element);
      return results!.has(element) ? 'result' : 'page';
    }
    if (place === 'result') return element.name === 'h2' ? 'heading' : 'result';
    const href = element.name === 'a' ? attributeOf(element, 'href') : undefined;
    if (href !== undefined) links.push(resolveResultLink(href, base));
    return 'heading';
  });
  return {
    urls: links.filter((url) => url !== undefined),
    isAnswer: links.length > 0 || isEmpty,
    problem: hasCaptcha ? CAPTCHA : links.includes(undefined) ? BROKEN_LINK : page.isWhole ? undefined : CUT_OFF,
  };
}

/**
 * Returns where a result of Bing leads: the URL itself, or that inside its tracking link (`/ck/a?…&u=a1<base64url>`);
 * undefined for a tracking link that cannot be read.
 */
function resolveResultLink(href: string, base: URL): string | undefined {
  if (!URL.canParse(href, base.href)) return href;
  const url = new URL(href, base);
  const coded = url.pathname === '/ck/a' ? url.searchParams.get('u') : null;
  if (coded === null) return url.href;
  if (!/^a1[\w-]+=*$/.test(coded)) return undefined;
  const target = Buffer.from(coded.slice(2), 'base64url').toString();
  return URL.canParse(target, base.href) ? new URL(target, base).href : undefined;
}
