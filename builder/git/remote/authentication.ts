import type { Credentials } from '../../../lib/repository-address.ts';

/** Answers for the credentials of one remote. */
export interface Authentication {
  /**
   * Looks for credentials after the server has requested them; false if there are none, or if those sent unasked are
   * wrong.
   */
  answerChallenge(): boolean;
  /** Returns the headers to send to this URL: the URL's own credentials, or those that the server has requested. */
  headersFor(address: string): Record<string, string>;
}

/**
 * Creates the authentication for a server: the URL's credentials, sent unasked; otherwise, when the server requests
 * them, those of the environment: `DOCBUILD_GIT_TOKEN` (as the password of `DOCBUILD_GIT_USERNAME`, or of `oauth2`), or
 * `DOCBUILD_GIT_USERNAME` and `DOCBUILD_GIT_PASSWORD`. With `DOCBUILD_GIT_HOST` the environment's go to that host only.
 * They are never sent to any origin but the URL's.
 */
export function createAuthentication(options: {
  readonly url: string;
  readonly credentials: Credentials | undefined;
  readonly environment: Readonly<Record<string, string | undefined>>;
}): Authentication {
  const { url, environment } = options;
  let active = options.credentials;
  const isOurs = (address: string) => new URL(address).origin === new URL(url).origin;
  return {
    answerChallenge() {
      if (active !== undefined) return false;
      active = findCredentials(new URL(url), environment);
      return active !== undefined;
    },
    headersFor(address): Record<string, string> {
      if (active === undefined || !isOurs(address)) return {};
      const pair = Buffer.from(`${active.username}:${active.password}`).toString('base64');
      return { Authorization: `Basic ${pair}` };
    },
  };
}

function findCredentials(url: URL, environment: Readonly<Record<string, string | undefined>>): Credentials | undefined {
  const get = (name: string) => environment[`DOCBUILD_GIT_${name}`] || undefined;
  const host = get('HOST');
  if (host !== undefined && host !== url.host && host !== url.hostname) return undefined;
  const token = get('TOKEN');
  const username = get('USERNAME');
  if (token !== undefined) return { username: username ?? 'oauth2', password: token };
  return username === undefined ? undefined : { username, password: get('PASSWORD') ?? '' };
}
