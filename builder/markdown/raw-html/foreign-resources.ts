import { describeForeign, findForeignHostOfTag, refuseForeign } from '../html/foreign-hosts.ts';
import { openStyles } from '../html/open-addresses.ts';
import { addLinkSlot, type PageState, warnOnce } from '../page/page-state.ts';

/** Returns whether a `<script>` or `<link>` asks a host that it may not ask, with a warning. */
export function isForeign(page: PageState, opening: string, line: number): boolean {
  const host = findForeignHostOfTag(opening, page.options.allowedHosts);
  if (host === undefined) return false;
  const what = /^<script/i.test(opening) ? 'Script' : 'Style sheet, font or icon';
  warnOnce(page, line, 'foreign-host', describeForeign(what, host));
  return true;
}

/** Returns the text of a `<style>` with slots for URLs, and without style sheets and fonts of hosts that may not be asked. */
export function openStyleBlock(page: PageState, content: string, lineOf: (at: number) => number): string {
  const open = refuseForeign(
    (kind, url, at) => addLinkSlot(page, kind, url, lineOf(at)),
    page.options.allowedHosts,
    (host, at) => warnOnce(page, lineOf(at), 'foreign-host', describeForeign('Style sheet or font', host)),
  );
  return openStyles(content, open);
}
