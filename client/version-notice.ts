import type { SharingBody } from './button/description.ts';
import { findNewest } from './button/description.ts';
import { createLink } from './button/elements.ts';
import type { SiteStorage } from './site-storage.ts';

const NAME = 'versions';
/** Versions that are remembered, the latest first. */
const MAX_VERSIONS = 50;
/** Why there is no notice: the reader has closed it, or the version is not old. */
type Reason = 'closed' | 'new';

/**
 * Gives the notice above an old version its place before the page is painted, so that nothing moves when the answer is there.
 * Only the address is known then: `script` tells the site's root. Names without a number are those of branches, not of releases.
 */
export function placeVersionNotice(script: string, storage: SiteStorage): void {
  const slug = findSlug(script);
  if (slug !== undefined && readReason(storage, slug) === undefined) document.documentElement.dataset['notice'] = '';
}

/** Says which version is read, and which one is the newest, as the header's switches and the nav button know it. */
export function setUpVersionNotice(script: string, storage: SiteStorage): void {
  const notice = document.querySelector<HTMLElement>('body > .version-notice');
  const text = notice?.querySelector('p');
  const slug = findSlug(script);
  const { docbuild } = document.body as SharingBody;
  if (!notice || !text || slug === undefined || !docbuild) return;
  const { reading = '', old = '' } = notice.dataset;
  const say = (words: string, version: string, link?: Node): void => {
    const parts = words
      .split(/(\{\w+\})/)
      .map((part) => (part === '{version}' ? version : part === '{newest}' ? (link ?? '') : part));
    text.replaceChildren(...parts);
  };
  notice.querySelector('button')!.addEventListener('click', () => {
    storeReason(storage, slug, 'closed');
    delete document.documentElement.dataset['notice'];
  });
  // Its words come at once: they are centred, and those that are there would move when others follow.
  const update = async (): Promise<void> => {
    try {
      const description = await docbuild();
      const { here, latest } = description;
      const newest = findNewest(description);
      const link =
        newest === undefined
          ? undefined
          : createLink(description, '', here.lang, newest === latest ? 'latest' : newest, newest);
      say(link ? old : reading, here.version || slug, link);
      // On the next page it has a place, or none.
      if (readReason(storage, slug) !== 'closed') storeReason(storage, slug, newest ? undefined : 'new');
    } catch {
      say(reading, slug);
    }
  };
  (window.requestIdleCallback ?? setTimeout)(update);
  // The link carries the page's hash.
  addEventListener('hashchange', update);
}

/** Returns the version in the address where it may be old. */
function findSlug(script: string): string | undefined {
  const root = new URL('..', script).pathname;
  const slug = location.pathname.startsWith(root) && location.pathname.slice(root.length).split('/')[1];
  return slug && slug !== 'latest' && /\d/.test(slug) ? slug : undefined;
}

function readReasons(storage: SiteStorage): readonly (readonly [string, Reason])[] {
  const known = storage.read(NAME);
  const isReason = (entry: unknown): entry is [string, Reason] => Array.isArray(entry) && typeof entry[1] === 'string';
  return Array.isArray(known) ? known.filter(isReason).slice(0, MAX_VERSIONS) : [];
}

function readReason(storage: SiteStorage, slug: string): Reason | undefined {
  return readReasons(storage).find(([one]) => one === slug)?.[1];
}

function storeReason(storage: SiteStorage, slug: string, reason: Reason | undefined): void {
  if (readReason(storage, slug) === reason) return;
  const others = readReasons(storage).filter(([one]) => one !== slug);
  storage.write(NAME, [...(reason ? [[slug, reason] as const] : []), ...others].slice(0, MAX_VERSIONS));
}
