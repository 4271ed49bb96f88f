import { textContent } from 'domutils';
import { createFinder, type MarkupElement } from './find-elements.ts';
import { parseMarkup } from './parse-markup.ts';
import { readResultLink } from './read-result-link.ts';
import { failedPage, type ResultPage, UNKNOWN_PAGE } from './result-page.ts';

const findChannels = createFinder('rss > channel', { xmlMode: true });
const findItems = createFinder('rss > channel > item', { xmlMode: true });
/** Ten results have some 10,000 characters. */
const MAX_LENGTH = 500_000;
const END = /<\/rss\s*>\s*(?:<!--[^>]*-->\s*)*$/;

/** Reads Beta's RSS; a page of HTML in its place is a captcha or the like. `base` is the address it was asked at. */
export function parseBetaRss(text: string, base: URL): ResultPage {
  if (/^\s*(?:<!doctype\s+html|<html)/i.test(text.slice(0, 500))) return failedPage('a page of HTML, not RSS');
  // What was cut off may have held the result.
  if (text.length > MAX_LENGTH || !END.test(text.slice(-1000))) return failedPage(UNKNOWN_PAGE);
  const feed = parseMarkup(text, { xmlMode: true });
  if (!feed || findChannels(feed).length === 0) return failedPage(UNKNOWN_PAGE);
  const links = findItems(feed).map((item) => readItemLink(item, base));
  return {
    urls: links.filter((url) => url !== undefined),
    isAnswer: true,
    problem: links.includes(undefined) ? 'links that cannot be read' : '',
  };
}

/** Links of items are whole addresses; gives undefined where there is none, or one that cannot be read. */
function readItemLink(item: MarkupElement, base: URL): string | undefined {
  const link = item.children.find((child) => 'name' in child && child.name === 'link');
  const text = link ? textContent(link).trim() : '';
  return /^(?:https?:)?\/\//i.test(text) ? readResultLink(text, base) : undefined;
}
