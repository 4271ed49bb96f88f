import { attributeOf, createFinder } from './find-elements.ts';
import { parseMarkup } from './parse-markup.ts';
import { readResultLink } from './read-result-link.ts';
import { failedPage, type ResultPage, UNKNOWN_PAGE } from './result-page.ts';
import { walkElements } from './walk-elements.ts';

const findResults = createFinder('ol#b_results > li.b_algo');
const findMarks = createFinder('li.b_no');
const findCaptchas = createFinder('form[action*="/turing/captcha/"], #b_captcha, .captcha');

/** Reads Beta's page of results: their links (`h2 a`), and what says that there are none. `base` is where it came from. */
export function parseBetaHtml(text: string, base: URL): ResultPage {
  const page = parseMarkup(text);
  if (!page) return failedPage(UNKNOWN_PAGE);
  const [results, marks, captchas] = [findResults, findMarks, findCaptchas].map((find) => new Set(find(page)));
  const links: (string | undefined)[] = [];
  let isEmpty = false;
  let hasCaptcha = false;
  walkElements<'page' | 'result' | 'heading'>(page, 'page', (element, place) => {
    if (place === 'page') {
      // What stands in a result is somebody else's.
      hasCaptcha ||= captchas!.has(element);
      isEmpty ||= marks!.has(element);
      return results!.has(element) ? 'result' : 'page';
    }
    if (place === 'result') return element.name === 'h2' ? 'heading' : 'result';
    const href = element.name === 'a' ? attributeOf(element, 'href') : undefined;
    if (href !== undefined) links.push(readResultLink(href, base));
    return 'heading';
  });
  return {
    urls: links.filter((url) => url !== undefined),
    isAnswer: links.length > 0 || isEmpty,
    problem: hasCaptcha ? 'a captcha' : links.includes(undefined) ? 'links that cannot be read' : '',
  };
}
