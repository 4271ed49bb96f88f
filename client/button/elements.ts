import { createElement } from '../create-element.ts';
import type { Place } from './description.ts';

/**
 * Creates a link from a page of the site at `root` to what takes its place in a language and version, with query and hash of
 * the page at hand. `missing` marks it when that is another page.
 */
export function createLink(
  root: string,
  here: Place,
  missing: string,
  lang: string,
  version: string,
  text: Node | string,
): HTMLAnchorElement {
  const inLanguage = here.alternates.filter((alternate) => alternate.lang === lang);
  const same = inLanguage.find((alternate) => alternate.version === version);
  const link = createElement(
    'a',
    { hreflang: toTag(lang), 'aria-current': lang === here.lang && version === here.version && 'true' },
    text,
    same?.exists ? '' : createElement('small', {}, ` ${missing}`),
  );
  // The dot keeps `javascript:` and `//host` relative. A language that lacks the version leads to its newest.
  link.href = new URL(`./${(same ?? inLanguage[0]!).url}`, root).href;
  if (!link.href.startsWith(root)) link.href = root;
  link.search = location.search;
  link.hash = location.hash;
  return link;
}

/** Returns the BCP 47 tag of a language code as repositories spell it: `zh_CN` is `zh-CN`. */
export function toTag(code: string): string {
  return code.replace(/_/g, '-');
}

/** Returns the name of a language in that language. Throws for an invalid language code. */
export function nativeName(code: string): string {
  const tag = toTag(code);
  return new Intl.DisplayNames(tag, { type: 'language' }).of(tag)!;
}
