import { createElement } from '../create-element.ts';

const MAX_PAGES = 6;

/** Creates the rows that are shown before anything is typed: queries of before, and under a label the site's top pages. */
export function createStartRows(
  queries: readonly string[],
  label: string,
  search: (query: string) => void,
  close: () => void,
): readonly HTMLElement[] {
  const rows = queries.map((query) => {
    const row = createElement('div', { role: 'option', class: 'search-recent', dir: 'auto' }, query);
    row.addEventListener('click', () => search(query));
    return row;
  });
  const links = listTopPages().map(({ href, textContent }) =>
    createElement('a', { role: 'option', href, tabindex: '-1' }, textContent!),
  );
  for (const link of links) link.addEventListener('click', close);
  const group = createElement(
    'div',
    { role: 'group', 'aria-label': label },
    createElement('p', { 'aria-hidden': 'true' }, label),
    ...links,
  );
  return [...rows, ...(links[0] ? [group] : [])];
}

/**
 * Returns links to the first pages of each section of the sidebar, or else of the header, of each as many as there is room for. Other
 * sites are nothing that search finds.
 */
function listTopPages(): readonly HTMLAnchorElement[] {
  const readSections = (parent: string): readonly (readonly HTMLAnchorElement[])[] =>
    [...document.querySelectorAll(`#_sidebar > ${parent} > li`)].map((section) =>
      [...section.querySelectorAll<HTMLAnchorElement>('a[href]:not([aria-current])')].filter(
        ({ origin }) => origin === location.origin,
      ),
    );
  const sidebar = readSections(':not(.drawer-links)');
  const sections = sidebar.flat()[0] ? sidebar : readSections('.drawer-links');
  const chosen = new Set<HTMLAnchorElement>();
  for (let rank = 0; rank < MAX_PAGES; rank++) {
    for (const { [rank]: link } of sections) if (link && chosen.size < MAX_PAGES) chosen.add(link);
  }
  return sections.flat().filter((link) => chosen.has(link));
}
