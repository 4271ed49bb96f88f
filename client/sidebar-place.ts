const KEY = 'docbuild-sidebar';

/** Leaves the sidebar where it was scrolled to on the page before, and brings the current entry into sight. */
export function keepSidebarPlace(): void {
  const sidebar = document.querySelector<HTMLElement>('.sidebar');
  if (!sidebar) return;
  try {
    sidebar.scrollTop = Number(sessionStorage.getItem(KEY));
    addEventListener('pagehide', () => sessionStorage.setItem(KEY, String(sidebar.scrollTop)));
  } catch {
    // Storage may be forbidden; the sidebar then starts at its top.
  }
  const current = sidebar.querySelector<HTMLElement>('[aria-current="page"]');
  if (!current) return;
  const [place, frame] = [current.getBoundingClientRect(), sidebar.getBoundingClientRect()];
  if (place.top < frame.top || place.bottom > frame.bottom) {
    sidebar.scrollTop += place.top - frame.top - sidebar.clientHeight / 2;
  }
}
