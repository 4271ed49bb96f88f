import { lookup as lookUpAddresses } from 'node:dns';
import { isIP } from 'node:net';
import { Agent, EnvHttpProxyAgent, fetch as fetchByAgent } from 'undici';
import { guardLookup, HttpError } from './http-client.ts';
import { isPublicAddress } from './ip-address.ts';

/**
 * Creates a `fetch` for addresses that the operator did not name: it connects to the public internet alone, whatever a
 * name means at the moment of connecting. Throws `HttpError` `not-allowed` for all other addresses.
 */
export function createPublicFetch(isAllowed: (address: string) => boolean = isPublicAddress): typeof fetch {
  const lookup = guardLookup(lookUpAddresses, isAllowed);
  const dispatcher = new Agent({ connect: { lookup }, keepAliveTimeout: 1_000 });
  return (async (input: string, init: RequestInit) => {
    // Names that are addresses are not looked up. URL has brought `127.1` and `0x7f.1` into their usual form.
    const host = new URL(input).hostname.replace(/^\[|\]$/g, '');
    if (isIP(host) !== 0 && !isAllowed(host)) throw refuse(host);
    try {
      return await fetchByAgent(input, { ...(init as object), dispatcher });
    } catch (error) {
      throw (error as Error).cause instanceof HttpError ? refuse(host) : error;
    }
  }) as unknown as typeof fetch;
}

/** Creates a `fetch` that goes through the proxies of an environment: HTTPS_PROXY, HTTP_PROXY, except to hosts of NO_PROXY. */
export function createProxyFetch(environment: Readonly<Record<string, string | undefined>>): typeof fetch {
  const get = (name: string): string => environment[name.toLowerCase()] || environment[name] || '';
  const dispatcher = new EnvHttpProxyAgent({
    httpProxy: get('HTTP_PROXY'),
    httpsProxy: get('HTTPS_PROXY') || get('HTTP_PROXY'),
    noProxy: get('NO_PROXY'),
    keepAliveTimeout: 1_000,
  });
  return ((input: string, init: RequestInit) =>
    fetchByAgent(input, { ...(init as object), dispatcher })) as unknown as typeof fetch;
}

function refuse(host: string): HttpError {
  return new HttpError('not-allowed', `redirects to "${host}", which is not on the public internet`);
}
