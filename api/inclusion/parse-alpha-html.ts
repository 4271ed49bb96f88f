import { textContent } from 'domutils';
import { attributeOf, createFinder } from './find-elements.ts';
import { parseMarkup } from './parse-markup.ts';
import { failedPage, type ResultPage, UNKNOWN_PAGE } from './result-page.ts';
import { visibleText } from './visible-text.ts';

const findResults = createFinder('#content_left > .result.c-container[mu], #content_left > .result-op.c-container[mu]');
const findTitle = createFinder('title');
const findCaptchaLinks = createFinder('[href*="wappass."][href*="/static/captcha"]');
const CAPTCHA_TITLE = '百度安全验证';
const OVERLOADED = '网络不给力，请稍后重试';
const NOTHING = ['没有找到该URL', '很抱歉，没有找到与', '找到相关结果约0个'];

/** Reads Alpha's page of results. */
export function parseAlphaHtml(text: string): ResultPage {
  const page = parseMarkup(text);
  if (!page) return failedPage(UNKNOWN_PAGE);
  const urls = findResults(page).map((result) => attributeOf(result, 'mu') ?? '');
  const [title] = findTitle(page);
  if (title && textContent(title).trim() === CAPTCHA_TITLE) return { urls, isAnswer: false, problem: 'a captcha' };
  if (urls.length > 0) return { urls, isAnswer: true, problem: '' };
  const seen = visibleText(page);
  if (seen.includes(OVERLOADED)) return failedPage('that it is overloaded');
  if (findCaptchaLinks(page).length > 0) return failedPage('a captcha');
  return { urls, isAnswer: NOTHING.some((words) => seen.includes(words)), problem: '' };
}
