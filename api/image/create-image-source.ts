import { isIP } from 'node:net';
import type { Image } from '../../data/records/image.ts';
import type { Upstream, UpstreamAnswer } from '../upstream/create-upstream.ts';
import { readImageList } from './read-image-list.ts';

/** The service that images come from. */
export interface ImageSource {
  /**
   * Returns up to 8 images, the latest one being that of `daysAgo` days ago (at most 7). Throws an error whose message is fit
   * to be shown when there is no usable answer.
   */
  fetch(daysAgo: number, signal: AbortSignal): Promise<readonly Image[]>;
}

const IMAGES_AT_ONCE = 8;
const MAX_REDIRECTS = 3;
const HEADERS = { accept: 'application/json', 'user-agent': 'docbuild' };

/** Creates the source at an address (without a final slash) for a market. */
export function createImageSource(options: {
  readonly baseUrl: string;
  readonly market: string;
  readonly upstream: Upstream;
}): ImageSource {
  const { baseUrl, market, upstream } = options;
  const ask = async (daysAgo: number, signal: AbortSignal): Promise<UpstreamAnswer> => {
    const query = new URLSearchParams({ format: 'js', idx: `${daysAgo}`, n: `${IMAGES_AT_ONCE}`, mkt: market });
    let url = `${baseUrl}/HPImageArchive.aspx?${query}`;
    for (let i = 0; i <= MAX_REDIRECTS; i++) {
      const answer = await upstream.get(url, { headers: HEADERS, signal });
      const location = answer.headers.get('location');
      if (answer.status < 300 || answer.status >= 400 || location === undefined) return answer;
      url = followRedirect(url, location);
    }
    throw new Error(`it redirects more than ${MAX_REDIRECTS} times`);
  };
  return {
    async fetch(daysAgo, signal) {
      try {
        const { status, body } = await ask(daysAgo, signal);
        if (status !== 200) throw new Error(`the answer has status ${status}`);
        return readImageList(body, market);
      } catch (cause) {
        throw new Error(`Cannot get images from "${new URL(baseUrl).host}": ${(cause as Error).message}`, { cause });
      }
    },
  };
}

/** Returns where a redirect leads. Throws where that is no host of the same domain: the operator has named this one alone. */
function followRedirect(from: string, location: string): string {
  if (!URL.canParse(location, from)) throw new Error('it redirects to no address');
  const [old, url] = [new URL(from), new URL(location, from)];
  const isSame = url.port === old.port && domainOf(url.hostname) === domainOf(old.hostname);
  const isAsSafe = url.protocol === old.protocol || (url.protocol === 'https:' && url.port === '' && old.port === '');
  if (!isSame || !isAsSafe || url.username !== '' || url.password !== '') {
    throw new Error(`it redirects to "${url.host.slice(0, 100)}"`);
  }
  return url.href;
}

/** `www.example.com` and `cn.example.com` are hosts of `example.com`. */
function domainOf(host: string): string {
  const labels = host.split('.');
  return isIP(host.replace(/^\[|\]$/g, '')) || labels.length < 3 ? host : labels.slice(1).join('.');
}
