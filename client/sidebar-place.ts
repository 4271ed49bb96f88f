import type { SiteStorage } from './site-storage.ts';

const PLACE = 'sidebar';
const GROUPS = 'groups';
/** Groups that are remembered, the latest first. */
const MAX_GROUPS = 100;

let restored: HTMLElement | null = null;

/**
 * Leaves the sidebar as it was on the page before, groups opened or closed and the place scrolled to, as soon as it is
 * there and before it is painted. Brings the current entry into sight.
 */
export function keepSidebar(storages: { readonly choices: SiteStorage; readonly session: SiteStorage }): void {
  const restore = (): void => {
    const sidebar = document.querySelector<HTMLElement>('.sidebar');
    // Its next neighbour is there: it is complete.
    if (!sidebar || sidebar === restored || (document.readyState === 'loading' && !sidebar.nextElementSibling)) return;
    restored = sidebar;
    observer.disconnect();
    keepGroups(sidebar, storages.choices);
    // Frames wait for style sheets, without which nothing can be scrolled.
    requestAnimationFrame(() => keepPlace(sidebar, storages.session));
  };
  const observer = new MutationObserver(restore);
  observer.observe(document, { childList: true, subtree: true });
  // Also for the body by which a preview replaces the one before.
  document.addEventListener('DOMContentLoaded', () => {
    observer.disconnect();
    restore();
  });
}

function keepPlace(sidebar: HTMLElement, session: SiteStorage): void {
  let place = Number(session.read(PLACE) ?? 0);
  sidebar.scrollTop = place;
  const savePlace = (): void => {
    place = sidebar.scrollTop;
  };
  sidebar.addEventListener('scroll', savePlace, { passive: true });
  // Asking for it only then would have the browser lay the page out once more, with the next one waiting.
  addEventListener('pagehide', () => sidebar.isConnected && session.write(PLACE, place));
  const current = sidebar.querySelector<HTMLElement>('[aria-current="page"]');
  if (!current) return;
  const [entry, frame] = [current.getBoundingClientRect(), sidebar.getBoundingClientRect()];
  if (entry.top < frame.top || entry.bottom > frame.bottom) {
    sidebar.scrollTop += entry.top - frame.top - sidebar.clientHeight / 2;
  }
}

function keepGroups(sidebar: HTMLElement, choices: SiteStorage): void {
  const known = readGroups(choices);
  if (known.size > 0) {
    for (const group of sidebar.querySelectorAll('details')) {
      const isOpen = known.get(nameOf(group));
      // The current page is always in sight.
      if (isOpen !== undefined && !group.querySelector('[aria-current="page"]')) group.open = isOpen;
    }
  }
  sidebar.addEventListener('click', ({ target }) => {
    const group = (target as Element).closest('summary')?.parentElement as HTMLDetailsElement | undefined;
    if (!group) return;
    // The click has not opened it yet.
    const name = nameOf(group);
    const others = [...readGroups(choices)].filter(([other]) => other !== name);
    choices.write(GROUPS, [[name, !group.open], ...others].slice(0, MAX_GROUPS));
  });
}

/** Returns the titles that lead to a group, which are the same on all pages. */
function nameOf(group: Element): string {
  const titles: string[] = [];
  for (let at: Element | null | undefined = group; at; at = at.parentElement?.closest('details')) {
    titles.push((at.previousElementSibling ?? at.firstElementChild)?.textContent ?? '');
  }
  return titles.reverse().join('\n');
}

function readGroups(choices: SiteStorage): ReadonlyMap<string, boolean> {
  const groups = choices.read(GROUPS);
  const isGroup = (entry: unknown): entry is [string, boolean] => Array.isArray(entry) && typeof entry[1] === 'boolean';
  return new Map(Array.isArray(groups) ? groups.filter(isGroup).slice(0, MAX_GROUPS) : []);
}
