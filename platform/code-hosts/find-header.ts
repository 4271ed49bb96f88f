import type { IncomingHttpHeaders } from 'node:http';

/** Returns a header (name in lower case) that was sent once; undefined for a missing one or for one sent as a list. */
export function findHeader(headers: IncomingHttpHeaders, name: string): string | undefined {
  const value = Object.hasOwn(headers, name) ? headers[name] : undefined;
  return typeof value === 'string' ? value : undefined;
}
