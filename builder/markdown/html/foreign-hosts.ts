import { hostOf } from '../../../lib/url-text.ts';

/** Replaces the URL of a style sheet or font that may not be loaded: nothing is asked for it. */
export const NO_RESOURCE = 'data:,';

/**
 * Returns the host that a browser would ask for a URL, unless it is allowed. `allowed` are names, `*.example.com` for all
 * below one, or `*`. Undefined for URLs of the site itself.
 */
export function findForeignHost(url: string, allowed: readonly string[]): string | undefined {
  // Browsers drop line breaks and tabs, and take `\` for `/`.
  const clean = url
    .trim()
    .replace(/[\t\n\r]/g, '')
    .replaceAll('\\', '/');
  const address = clean.startsWith('//') ? `https:${clean}` : clean;
  if (!/^https?:/i.test(address) || !URL.canParse(address)) return undefined;
  const host = hostOf(new URL(address));
  const isAllowed = allowed.some(
    (name) => name === '*' || name === host || (name.startsWith('*.') && host.endsWith(name.slice(1))),
  );
  return isAllowed ? undefined : host;
}

/** Returns what an author is told about something that is left out. */
export function describeForeign(what: string, host: string): string {
  return `${what} of "${host}" left out: name the host in "allowedHosts" if readers' browsers may ask it`;
}
