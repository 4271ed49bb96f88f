const KEY = 'docbuild-theme';

/** Applies the theme chosen earlier on this site to the page; storage may be forbidden. */
export function applyStoredTheme(): void {
  applyTheme(readTheme());
}

/** Shows the switch and lets it choose between light, dark, and what the system says. */
export function setUpThemeSwitch(): void {
  const label = document.querySelector<HTMLElement>('.theme-switch');
  const select = label?.querySelector('select');
  if (!label || !select) return;
  const show = (theme: string): void => {
    applyTheme(theme);
    select.value = theme;
  };
  show(readTheme());
  label.hidden = false;
  select.addEventListener('change', () => {
    applyTheme(select.value);
    try {
      localStorage.setItem(KEY, select.value);
    } catch {
      // The choice then holds for this page only.
    }
  });
  window.addEventListener('storage', (event) => {
    if (event.key === KEY) show(readTheme());
  });
}

function readTheme(): string {
  try {
    const theme = localStorage.getItem(KEY);
    return theme === 'light' || theme === 'dark' ? theme : 'system';
  } catch {
    return 'system';
  }
}

function applyTheme(theme: string): void {
  document.documentElement.dataset.theme = theme;
}
