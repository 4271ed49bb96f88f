import { textContent } from 'domutils';
import { decodeHTMLStrict } from 'entities';
import type { Config } from '../config/config-schema.ts';
import {
  CAPTCHA,
  CUT_OFF,
  createUrlOf,
  type Engine,
  failedPage,
  OVERLOADED,
  type ResultPage,
  UNKNOWN_PAGE,
} from './engine.ts';
import type { Target } from './inclusion-query.ts';
import { attributeOf, createFinder, parseMarkup, visibleText } from './markup.ts';

/** Baidu, which the contract calls Alpha. */
export function createBaidu(config: Config['utility']['alpha']): Engine {
  const { base_url, json_query, html_query, timeout_s, concurrency } = config;
  return {
    name: 'alpha',
    title: 'Alpha',
    methods: [
      { name: 'json', urlOf: createUrlOf(base_url, json_query), parse: parseBaiduJson },
      { name: 'html', urlOf: createUrlOf(base_url, html_query), parse: parseBaiduHtml },
    ],
    queryText: baiduQueryText,
    isSameService: (from, to) => from.replace(/^www\./, '') === to.replace(/^www\./, ''),
    timeoutMs: timeout_s * 1000,
    concurrency,
  };
}

/** Baidu cuts longer queries: 38 Chinese characters, each of which counts as 2. */
const MAX_WIDTH = 76;

/**
 * Returns what Baidu is asked: the URL, decoded where it is too long otherwise, and if that is too long as well
 * `site:<host> inurl:<path>`.
 */
export function baiduQueryText({ url }: Target): string {
  if (url.length <= MAX_WIDTH) return url;
  const readable = decode(url);
  if (widthOf(readable) <= MAX_WIDTH) return readable;
  const { hostname, pathname, search } = new URL(url);
  const path = pathname + search;
  return path === '/' ? `site:${hostname}` : `site:${hostname} inurl:${path}`;
}

function widthOf(text: string): number {
  let width = 0;
  for (const character of text) width += character < '\u{80}' ? 1 : 2;
  return width;
}

function decode(url: string): string {
  try {
    return decodeURI(url);
  } catch {
    return url; // percent-encoded, but not as UTF-8
  }
}

/** Ten results have about 20,000 characters. */
const MAX_JSON_LENGTH = 200_000;

/** Parses Baidu's JSON, which may contain control characters and invalid escapes in strings. */
export function parseBaiduJson(text: string): ResultPage {
  const feed = field(parseLoosely(text), 'feed');
  const entries = field(feed, 'entry');
  const isNone = Number(field(feed, 'all') ?? Number.NaN) === 0;
  if (!Array.isArray(entries))
    return isNone ? { urls: [], isAnswer: true, problem: undefined } : failedPage(UNKNOWN_PAGE);
  const urls: string[] = [];
  let isAnswer = isNone;
  for (const entry of entries as unknown[]) {
    const url = field(entry, 'url');
    if (typeof url !== 'string' || url === '') continue;
    isAnswer = true;
    // Without a time, Baidu knows the URL but does not have the page. Time 0 is a page that is not sorted in yet.
    const time = field(entry, 'time');
    if (typeof time === 'string' && time.trim() === '') continue;
    urls.push(url);
    if (url.includes('&')) urls.push(decodeHTMLStrict(url));
  }
  return { urls, isAnswer, problem: undefined };
}

function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined;
}

/** Returns undefined for anything that is not JSON even when repaired. */
function parseLoosely(text: string): unknown {
  if (text.length > MAX_JSON_LENGTH) return undefined;
  const start = text.trimStart();
  // A page of HTML is not worth repairing.
  if (!start.startsWith('{')) return undefined;
  return tryParse(start) ?? (/[\p{Cc}\\]/u.test(start) ? tryParse(repair(start)) : undefined);
}

function repair(text: string): string {
  return text
    .replace(/\p{Cc}+/gu, ' ')
    .replace(/\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})|\\/g, (found) => (found === '\\' ? '\\\\' : found));
}

function tryParse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const findResults = createFinder('#content_left > .result.c-container[mu], #content_left > .result-op.c-container[mu]');
const findTitle = createFinder('title');
const findCaptchaLinks = createFinder('[href*="wappass."][href*="/static/captcha"]');
const CAPTCHA_TITLE = '百度安全验证';
const OVERLOADED_WORDS = '网络不给力，请稍后重试';
const NOTHING = ['没有找到该URL', '很抱歉，没有找到与', '找到相关结果约0个'];

/** Parses Baidu's result page. */
export function parseBaiduHtml(text: string): ResultPage {
  const page = parseMarkup(text);
  if (!page) return failedPage(UNKNOWN_PAGE);
  const urls = findResults(page).map((result) => attributeOf(result, 'mu') ?? '');
  const [title] = findTitle(page);
  if (title && textContent(title).trim() === CAPTCHA_TITLE) return { urls, isAnswer: false, problem: CAPTCHA };
  const problem = page.isWhole ? undefined : CUT_OFF;
  if (urls.length > 0) return { urls, isAnswer: true, problem };
  const seen = visibleText(page);
  if (seen.includes(OVERLOADED_WORDS)) return failedPage(OVERLOADED);
  if (findCaptchaLinks(page).length > 0) return failedPage(CAPTCHA);
  return { urls, isAnswer: NOTHING.some((words) => seen.includes(words)), problem };
}
