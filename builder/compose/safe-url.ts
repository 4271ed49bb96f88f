const SCHEMES = new Set(['http:', 'https:', 'mailto:', 'tel:', 'ftp:']);

/** Returns the URL as it may stand in `href` or `src` (still to be escaped): `#` for one that would run a script. */
export function safeUrl(url: string): string {
  const scheme = findScheme(url);
  return scheme === undefined || SCHEMES.has(scheme) ? url : '#';
}

/** Whether the URL leads to another place than a path relative to the page would: a scheme, `//host`, or `/path`. */
export function isSameFromAnyPage(url: string): boolean {
  return url.startsWith('/') || findScheme(url) !== undefined;
}

/** Browsers drop white space and control characters before they look for the scheme. */
function findScheme(url: string): string | undefined {
  if (!url.includes(':')) return undefined;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is to be removed
  return /^[a-z][a-z0-9+.-]*:/.exec(url.replace(/[\u0000-\u0020]/g, '').toLowerCase())?.[0];
}
