import type Koa from 'koa';
import type { Request } from 'koa';
import type { Settings } from '../data/config/settings.ts';
import { addressOf } from './http/trusted-request.ts';
import { isSecure } from './utility/is-secure.ts';

/**
 * Decides what requests are believed about how they came here. The host is the one in `Host`, never `X-Forwarded-Host`,
 * which many proxies pass on as their clients wrote it: proxies have to hand `Host` on. With `api.trusted_proxies` above
 * 0, the caller's address is the entry of `X-Forwarded-For` that the outermost trusted proxy added, and
 * `X-Forwarded-Proto` is the protocol; with 0 both are those of the connection.
 */
export function trustProxies(app: Koa, settings: Settings): void {
  const count = (): number => settings.current().api.trusted_proxies;
  Object.defineProperties(app.request, {
    host: {
      get(this: Request): string {
        // Clients of proxies send the whole address; its host is the one that counts (RFC 9112).
        const { url = '', headers } = this.req;
        return parseHost(url.startsWith('/') ? headers.host : (WHOLE.exec(url)?.[1] ?? headers.host));
      },
    },
    // Koa's own rules take the first entry of `X-Forwarded-Proto`, which the caller may have made up.
    protocol: {
      get(this: Request): string {
        return isSecure(this.req, count()) ? 'https' : 'http';
      },
    },
    ip: {
      get(this: Request): string {
        return addressOf(this.req, count());
      },
    },
  });
}

const WHOLE = /^https?:\/\/([^/?#@]+)/i;
const HOST = /^(?:[a-z0-9_.-]+|\[[0-9a-f:.]{2,45}\])(?::\d{0,5})?$/;

/**
 * Gives a `Host` header as names are compared: lower case, without the dot that ends a full name, with its port. '' for
 * what is missing or cannot be a host.
 */
export function parseHost(header = ''): string {
  const host = header.toLowerCase().replace(/\.+(?=(?::\d*)?$)/, '');
  return host.length <= 260 && HOST.test(host) ? host : '';
}
