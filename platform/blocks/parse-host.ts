/** Longest name of a host. */
const MAX_LENGTH = 253;

/**
 * Gives a host as browsers write it (lower case, punycode, addresses in their usual form) without a final dot; undefined for
 * what is no host.
 */
export function parseHost(text: string): string | undefined {
  const given = text.trim();
  if (given.length === 0 || given.length > MAX_LENGTH || /[\s/?#@\\%]/.test(given)) return undefined;
  const bare = given.includes(':') && !given.startsWith('[') ? `[${given}]` : given;
  if (!URL.canParse(`http://${bare}/`)) return undefined;
  const { hostname, port } = new URL(`http://${bare}/`);
  const host = hostname.replace(/\.+$/, '');
  return port !== '' || host === '' ? undefined : host;
}

/** Gives a host and the domains that it lies in, the host first. */
export function listDomains(host: string): readonly string[] {
  const parts = host.split('.');
  return parts.map((_, i) => parts.slice(i).join('.'));
}
