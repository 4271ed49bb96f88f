/** Notices about translations; see `presentNotices`. */
interface Notices {
  readonly original: string;
  readonly latest: string;
  readonly slugs: readonly string[];
  readonly pages: Readonly<
    Record<string, readonly (readonly [places: readonly number[], inStep: string, original?: string])[]>
  >;
}

/**
 * Says on a translation that its original has changed since, with a link to what has changed, where that is so in the version at
 * hand: pages name no version. The line stands in room that is empty, so nothing moves.
 */
export function tellOfOriginal(script: string): void {
  const notice = document.querySelector<HTMLElement>('#_content > .original-changed');
  const root = new URL('..', script).pathname;
  if (!notice || !location.pathname.startsWith(root)) return;
  const update = async (): Promise<void> => {
    try {
      const [, slug = '', ...rest] = location.pathname.slice(root.length).split('/');
      const { original, latest, slugs, pages } = (await (await fetch(notice.dataset['notices']!)).json()) as Notices;
      const page = decodeURIComponent(rest.join('/'))
        .replace(/(^|\/)$/, '$1index')
        .replace(/(\.html)?$/, '.html');
      const place = slugs.indexOf(slug === 'latest' ? latest : decodeURIComponent(slug));
      const found = pages[page]?.find(([places]) => places.includes(place));
      if (!found) return;
      const [, inStep, from] = found;
      const path = from === undefined ? rest.join('/') : from.split('/').map(encodeURIComponent).join('/');
      notice.querySelector('a')!.href = `${root}${original}/${slug}/${path}?compare=${encodeURIComponent(inStep)}`;
      notice.hidden = false;
    } catch {
      // Without an answer nothing is said.
    }
  };
  (window.requestIdleCallback ?? setTimeout)(update);
}
