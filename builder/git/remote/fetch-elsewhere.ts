import { lookup as lookUpAddresses } from 'node:dns';
import { isIP } from 'node:net';
import { Agent, fetch as fetchByAgent } from 'undici';
import { guardLookup, HttpError } from '../../../lib/http-client.ts';
import { isPublicAddress } from '../../../lib/ip-address.ts';
import { BuildError } from '../../build-error.ts';

/**
 * Creates a `fetch` for addresses that the operator did not name: it connects to the public internet alone, whatever a
 * name means at the moment of connecting. Throws BuildError `network` for all other addresses.
 */
export function createFetchElsewhere(isAllowed: (address: string) => boolean = isPublicAddress): typeof fetch {
  const lookup = guardLookup(lookUpAddresses, isAllowed);
  const dispatcher = new Agent({ connect: { lookup }, keepAliveTimeout: 1_000 });
  return (async (input: string, init: RequestInit) => {
    // Names that are addresses are not looked up. URL has brought `127.1` and `0x7f.1` into their usual form.
    const host = new URL(input).hostname.replace(/^\[|\]$/g, '');
    if (isIP(host) !== 0 && !isAllowed(host)) throw refuse(host);
    try {
      return await fetchByAgent(input, { ...(init as object), dispatcher });
    } catch (error) {
      const { cause } = error as Error;
      throw cause instanceof HttpError ? refuse(host) : error;
    }
  }) as unknown as typeof fetch;
}

function refuse(host: string): BuildError {
  return new BuildError(
    'network',
    `The repository's server redirects to "${host}", which is not on the public internet; if that is intended, use that URL as the repository's`,
  );
}
