import { hostOf } from '../../lib/url-text.ts';
import { BuildError } from '../build-error.ts';

/** The name of a host in lower case, with `*.` before it for all below, or `*` for all hosts. */
export const HOST_PATTERN = /^(?:\*|(?:\*\.)?[a-z0-9](?:[a-z0-9.-]{0,250}[a-z0-9])?)$/;

/** Returns the hosts of a list with commas between them. Throws `bad-option`. */
export function parseHosts(text: string): readonly string[] {
  const hosts = text.split(',').map((host) => host.trim().toLowerCase());
  const bad = hosts.find((host) => !HOST_PATTERN.test(host));
  if (bad !== undefined) throw new BuildError('bad-option', `"${bad}" is not a host such as "fonts.example.com"`);
  return hosts;
}

/**
 * Returns the hosts that pages may load scripts, style sheets and fonts from, the site's own included unless the site is also
 * served below a path: that host may have much else.
 */
export function listAllowedHosts({
  allowedHosts = [],
  baseUrl,
  alsoBelow,
}: {
  readonly allowedHosts?: readonly string[] | undefined;
  readonly baseUrl: string | undefined;
  readonly alsoBelow?: string | undefined;
}): readonly string[] {
  return baseUrl === undefined || alsoBelow !== undefined ? allowedHosts : [...allowedHosts, hostOf(new URL(baseUrl))];
}
