import MarkdownIt from 'markdown-it';
import { addSlot, type PageState } from './page-state.ts';

const { mdurl } = new MarkdownIt().utils.lib;
const keptEncoded = `${mdurl.decode.defaultChars}%`;

/** Tells whether an address leads out of the site: it has a scheme, or starts with `//`. */
export function isAbsoluteUrl(url: string): boolean {
  return url.startsWith('//') || /^[a-z][a-z0-9+.-]*:/i.test(url);
}

/**
 * Gives the marker of a slot for an address that depends on where the page stands, or undefined for one that does not.
 * The slot's address is percent-decoded, except for signs that would then mean something else (`%23`, `%25`, `%2F` …).
 */
export function addLinkSlot(page: PageState, kind: 'link' | 'image', url: string, line: number): string | undefined {
  if (url === '' || isAbsoluteUrl(url)) return undefined;
  const decoded = url.includes('%') ? mdurl.decode(url, keptEncoded) : url;
  return addSlot(page, { kind, url: decoded, line: page.input.firstLine + line });
}
