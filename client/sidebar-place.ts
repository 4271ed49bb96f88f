import type { SiteStorage } from './site-storage.ts';

const NAME = 'sidebar';

/** Leaves the sidebar where it was scrolled to on the page before, and brings the current entry into sight. */
export function keepSidebarPlace(storage: SiteStorage): void {
  const sidebar = document.querySelector<HTMLElement>('.sidebar');
  if (!sidebar) return;
  sidebar.scrollTop = Number(storage.read(NAME) ?? 0);
  addEventListener('pagehide', () => storage.write(NAME, sidebar.scrollTop));
  const current = sidebar.querySelector<HTMLElement>('[aria-current="page"]');
  if (!current) return;
  const [place, frame] = [current.getBoundingClientRect(), sidebar.getBoundingClientRect()];
  if (place.top < frame.top || place.bottom > frame.bottom) {
    sidebar.scrollTop += place.top - frame.top - sidebar.clientHeight / 2;
  }
}
