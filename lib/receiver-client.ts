import { createHttpClient, HttpError } from './http-client.ts';
import { isAmongNetworks, isPublicAddress } from './ip-address.ts';

/** Sends requests to URLs that operators and owners of projects name, and ignores what the answers say. */
export interface ReceiverClient {
  /** Sends a request once. Returns why it failed, '' = it was answered with a status from 200 to 299. */
  send(
    request: {
      readonly url: string;
      readonly method: string;
      readonly headers: Readonly<Record<string, string>>;
      /** '' = none. */
      readonly body: string;
    },
    signal?: AbortSignal,
  ): Promise<string>;
  /** Aborts what is being sent. */
  close(): Promise<void>;
}

const TIMEOUT_MS = 10_000;
/** Bodies of answers are ignored; one that is not longer leaves the connection open. */
const MAX_ANSWER_BYTES = 100_000;

/** Creates the client. Redirects are not followed: the URL is to be changed instead. */
export function createReceiverClient(options: {
  /** Returns addresses and ranges that may be reached besides those of the public internet. */
  readonly allowed: () => readonly string[];
  /** The key of the configuration that lists them: `cdn.allowed`. */
  readonly allowedKey: string;
  /** Default: 10 s. */
  readonly timeoutMs?: number | undefined;
}): ReceiverClient {
  const { allowed, allowedKey, timeoutMs = TIMEOUT_MS } = options;
  const client = createHttpClient({
    timeoutMs,
    maxBytes: MAX_ANSWER_BYTES,
    isGuarded: true,
    isAllowedAddress: (address) => isPublicAddress(address) || isAmongNetworks(address, allowed()),
  });
  return {
    async send({ url, method, headers, body }, signal) {
      try {
        const { status } = await client.send(url, {
          method,
          headers,
          isBodyIgnored: true,
          ...(body !== '' && { body }),
          ...(signal && { signal }),
        });
        return status >= 200 && status < 300 ? '' : `"${new URL(url).host}" answered ${status}`;
      } catch (error) {
        if (!(error instanceof HttpError)) throw error;
        const hint = error.code === 'not-allowed' ? `; allow it with "${allowedKey}" in the configuration` : '';
        return error.message + hint;
      }
    },
    close: () => client.close(),
  };
}
