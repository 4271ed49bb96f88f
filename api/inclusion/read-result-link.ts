/**
 * Returns where a result of Beta leads: the address itself, or the one in its counting link (`/ck/a?…&u=a1<base64url>`).
 * undefined for a counting link that cannot be read.
 */
export function readResultLink(href: string, base: URL): string | undefined {
  if (!URL.canParse(href, base.href)) return href;
  const url = new URL(href, base);
  const coded = url.pathname === '/ck/a' ? url.searchParams.get('u') : null;
  if (coded === null) return url.href;
  if (!/^a1[\w-]+=*$/.test(coded)) return undefined;
  const target = Buffer.from(coded.slice(2), 'base64url').toString();
  return URL.canParse(target, base.href) ? new URL(target, base).href : undefined;
}
