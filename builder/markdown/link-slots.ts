import MarkdownIt from 'markdown-it';
import type { LinkSlot } from '../model.ts';
import { isAbsoluteUrl } from './html/open-addresses.ts';
import { addSlot, type PageState } from './page-state.ts';

const { mdurl } = new MarkdownIt().utils.lib;
const keptEncoded = `${mdurl.decode.defaultChars}%`;

/**
 * Returns the marker of a slot for an address that depends on where the page stands, or undefined for one that does not.
 * The slot's address is percent-decoded, except for signs that would then mean something else (`%23`, `%25`, `%2F` …).
 */
export function addLinkSlot(page: PageState, kind: LinkSlot['kind'], url: string, line: number): string | undefined {
  // Docusaurus' word for a path that is no page.
  if (url.startsWith('pathname:///')) return addLinkSlot(page, kind, url.slice('pathname://'.length), line);
  if (url === '' || isAbsoluteUrl(url)) return undefined;
  const decoded = url.includes('%') ? mdurl.decode(url, keptEncoded) : url;
  return addSlot(page, { kind, url: decoded, line: page.input.firstLine + line });
}
