import { createElement } from './create-element.ts';

/** A pointer that only passes stays for less. */
const PASSING_MS = 60;
/** Pages that are requested ahead on one page. */
const MAX_PAGES = 12;

interface Connection {
  readonly saveData?: boolean;
}

/**
 * Requests a page of the site when a reader is about to follow a link to it: rests on it, reaches it with the keyboard, or begins to press
 * it. The browser keeps the answer for the click, for some minutes and once, and runs nothing of it before. Readers who save data, and
 * browsers without `prefetch`, request pages when they are opened. `script` tells the site's root.
 */
export function requestAhead(script: string): void {
  if (!createElement('link').relList.supports?.('prefetch')) return;
  const root = new URL('..', script);
  const requested = new Set<string>();
  let waiting = 0;
  const request = (url: string): void => {
    const { connection } = navigator as { readonly connection?: Connection };
    const isCareful = connection?.saveData || matchMedia('(prefers-reduced-data: reduce)').matches;
    if (isCareful || requested.has(url) || requested.size >= MAX_PAGES) return;
    requested.add(url);
    // With the headers of a page that is opened: servers may answer others with something else.
    document.head.append(createElement('link', { rel: 'prefetch', as: 'document', href: url }));
  };
  const approach = ({ type, target }: Event): void => {
    clearTimeout(waiting);
    const url = target instanceof Element ? findPage(target.closest('a'), root) : undefined;
    if (url === undefined) return;
    if (type === 'pointerdown') request(url);
    else waiting = window.setTimeout(request, PASSING_MS, url);
  };
  for (const sign of ['pointerover', 'pointerdown', 'focusin']) document.addEventListener(sign, approach);
}

/** Returns the URL of the page of this site that a link opens in the place of this page. */
function findPage(link: HTMLAnchorElement | null, root: URL): string | undefined {
  // Links of pictures are drawn, and have no address as such.
  if (!link?.protocol || link.download || (link.target && link.target !== '_self')) return undefined;
  const { origin, pathname, search } = link;
  const isPage = /(?:\/[^./]*|\.html)$/.test(pathname) && !pathname.startsWith(`${root.pathname}_docbuild/`);
  if (origin !== root.origin || !pathname.startsWith(root.pathname) || !isPage) return undefined;
  return pathname === location.pathname ? undefined : origin + pathname + search;
}
