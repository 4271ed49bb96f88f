import type { SiteStorage } from './site-storage.ts';

const NAME = 'theme';

/** Applies the theme chosen earlier on this site to the page. */
export function applyStoredTheme(storage: SiteStorage): void {
  applyTheme(readTheme(storage));
}

/** Shows the switch and lets it choose between light, dark, and what the system says. */
export function setUpThemeSwitch(storage: SiteStorage): void {
  const label = document.querySelector<HTMLElement>('.theme-switch');
  const select = label?.querySelector('select');
  if (!label || !select) return;
  const show = (theme: string): void => {
    applyTheme(theme);
    select.value = theme;
  };
  show(readTheme(storage));
  label.hidden = false;
  select.addEventListener('change', () => {
    applyTheme(select.value);
    storage.write(NAME, select.value);
  });
  window.addEventListener('storage', (event) => {
    if (storage.nameOf(event) === NAME) show(readTheme(storage));
  });
}

function readTheme(storage: SiteStorage): string {
  const theme = storage.read(NAME);
  return theme === 'light' || theme === 'dark' ? theme : 'system';
}

function applyTheme(theme: string): void {
  document.documentElement.dataset.theme = theme;
}
