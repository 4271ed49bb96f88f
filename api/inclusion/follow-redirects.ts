import type { Upstream, UpstreamAnswer } from '../upstream/create-upstream.ts';

/** An answer and the address it came from; undefined = the engine sent us elsewhere. */
export interface FollowedAnswer {
  readonly url: URL;
  readonly answer: UpstreamAnswer;
}

const MAX_HOPS = 3;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/**
 * Asks and follows redirects that lead to the same path and query of the same service, on another of its hosts or by https;
 * gives undefined for any other one: such are captchas and home pages. Throws UpstreamError.
 */
export async function followRedirects(
  upstream: Upstream,
  asked: URL,
  options: {
    readonly isSameService: (from: string, to: string) => boolean;
    readonly headers: Readonly<Record<string, string>>;
    readonly signal: AbortSignal;
  },
): Promise<FollowedAnswer | undefined> {
  const { isSameService, headers, signal } = options;
  let url = asked;
  for (let hop = 0; hop <= MAX_HOPS; hop++) {
    const answer = await upstream.get(url, { headers, signal });
    if (!REDIRECTS.has(answer.status)) return { url, answer };
    const location = answer.headers.get('location') ?? '';
    if (!URL.canParse(location, url.href)) return undefined;
    const next = new URL(location, url);
    if (!isSameService(url.hostname, next.hostname) || !isSameQuestion(asked, next)) return undefined;
    url = next;
  }
  return undefined;
}

function isSameQuestion(asked: URL, next: URL): boolean {
  const isSecure = next.protocol === asked.protocol || next.protocol === 'https:';
  // From http to https the port changes, but only where both are the usual ones.
  const isSamePort = next.port === asked.port;
  const isSamePlace = next.pathname === asked.pathname && next.username === '' && next.password === '';
  // Parameters of its own it may add.
  const keepsQuery = [...asked.searchParams].every(([name, value]) => next.searchParams.get(name) === value);
  return isSecure && isSamePort && isSamePlace && keepsQuery;
}
