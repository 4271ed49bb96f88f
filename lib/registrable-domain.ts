import { getDomain } from 'tldts';
import { memoize } from './bounded-map.ts';

/**
 * Returns the domain that somebody registered and that all hosts below it can set cookies for, by the Public Suffix List as browsers
 * use it: `example.org` for `a.b.example.org`; undefined for addresses, single names and public suffixes.
 */
export const findRegistrableDomain: (host: string) => string | undefined = memoize(
  (host) => getDomain(host, { allowPrivateDomains: true, extractHostname: false }) ?? undefined,
  1_000,
);
