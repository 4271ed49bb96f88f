import { selectSimilar } from '../lib/similar-names.ts';
import type { SharingBody } from './button/description.ts';

/**
 * Shows, on the page for an address without a page, the navigation of the version and language of the address, and in it the page
 * whose address is most like the one that was asked for. The navigation stands below what `listed` waits for, and is not pushed down by it.
 */
export async function showNearest(listed: Promise<void>): Promise<void> {
  const home = document.querySelector<HTMLAnchorElement>('main.message > .actions > a');
  const nav = document.querySelector<HTMLElement>('main.message > .all-pages');
  const nearest = document.querySelector<HTMLElement>('main.message > .nearest');
  if (!home || !nav || !nearest) return;
  const root = new URL((await findHome()) ?? home.href);
  const answer = await fetch(root);
  if (!answer.ok) return;
  const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
  const list = page.querySelector('#_sidebar > ul:not(.drawer-links)');
  if (!list) return;
  const byPath = new Map<string, HTMLAnchorElement>();
  for (const link of list.querySelectorAll<HTMLAnchorElement>('a')) {
    const url = new URL(link.getAttribute('href')!, answer.url);
    link.href = url.href;
    if (url.href.startsWith(root.href)) byPath.set(nameOf(url.pathname, root.pathname), link);
  }
  for (const group of list.querySelectorAll('details')) group.open = true;
  nav.append(document.adoptNode(list));
  listed.then(() => {
    nav.hidden = false;
  });
  // The server may have named the page above one that is gone.
  if (!nearest.hidden) return;
  const [name] = selectSimilar(nameOf(location.pathname, root.pathname), byPath.keys(), 1);
  const found = name === undefined ? undefined : byPath.get(name);
  if (!found) return;
  const link = nearest.querySelector('a')!;
  link.href = found.href;
  link.textContent = found.textContent;
  nearest.hidden = false;
}

/** Returns the home of the version and language that the address names, if there is one: some hosts have one such page for all. */
async function findHome(): Promise<string | undefined> {
  try {
    const { here, refs, versions, single, site } = await (document.body as SharingBody).docbuild!();
    if (single) return site + (here.lang === Object.keys(versions)[0] ? '' : `${here.lang}/`);
    if (here.version) return `${site}${here.lang}/${refs[here.version]?.slug ?? here.version}/`;
  } catch {
    // Without an answer, that of the page's own language is as good.
  }
  return undefined;
}

/** Returns the path of a page in its version. */
function nameOf(pathname: string, root: string): string {
  const depth = root.split('/').length - 1;
  return decodeURI(pathname)
    .split('/')
    .slice(depth)
    .join('/')
    .replace(/\.html$/, '');
}
