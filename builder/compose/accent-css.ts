/**
 * Returns the CSS that replaces the theme's accent colour: a shade of it that can be read on a light page, and one for a
 * dark page. Any CSS colour will do; `''` for a text that cannot be one. A browser too old for it keeps the theme's own.
 */
export function accentCss(accent: string): string {
  if (!/^[\w#%.,()/ +-]{1,100}$/.test(accent)) return '';
  const light = `oklch(from ${accent} min(l,.5) c h)`;
  const dark = `oklch(from ${accent} max(l,.76) min(c,.15) h)`;
  return `@supports (color:oklch(from red l c h)){:root{--accent-light:${light};--accent-dark:${dark}}}\n`;
}
