import { createElement } from './create-element.ts';
import type { SiteStorage } from './site-storage.ts';

const NAME = 'gone';
/** Characters of a page's title that are remembered. */
const MAX_TITLE = 200;

/**
 * Says, on the page nearest to one that is not there, which page its reader came for. The link that leads there is one to another
 * version or language with a note after its text (`createLink`); what is remembered lasts for one page.
 */
export function setUpGoneNotice(session: SiteStorage): void {
  document.addEventListener('click', (event) => {
    // The nav button's links are in a shadow root.
    const link = event
      .composedPath()
      .find((node) => node instanceof HTMLAnchorElement && node.hreflang && node.querySelector('small'));
    const title = document.querySelector('main h1')?.cloneNode(true) as Element | undefined;
    for (const anchor of title?.querySelectorAll('.anchor') ?? []) anchor.remove();
    const text = title?.textContent?.trim().slice(0, MAX_TITLE);
    if (link && text) session.write(NAME, [(link as HTMLAnchorElement).pathname, text]);
  });
  const known = session.read(NAME);
  if (!Array.isArray(known) || known[0] !== location.pathname || typeof known[1] !== 'string') return;
  session.write(NAME, null);
  const [, page] = known as [string, string];
  const say = (): boolean => {
    const main = document.querySelector('main');
    const words = document.querySelector<HTMLElement>('.switches')?.dataset['words']?.split('|').at(-1);
    if (!main || !words) return false;
    main.prepend(
      createElement(
        'p',
        { class: 'notice', role: 'status' },
        words.replace('{page}', () => page),
      ),
    );
    return true;
  };
  if (say()) return;
  // Before the first paint, while the page is still read: nothing moves.
  const observer = new MutationObserver(() => {
    if (say()) observer.disconnect();
  });
  observer.observe(document, { childList: true, subtree: true });
  document.addEventListener('DOMContentLoaded', () => observer.disconnect());
}
