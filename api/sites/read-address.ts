import type { Context } from 'koa';
import { parseHost } from '../http/trusted-request.ts';
import type { SiteAddress } from './site.ts';

/** Returns where a request goes, or undefined for one without a path (`OPTIONS *`). */
export function readAddress(ctx: Context): SiteAddress | undefined {
  const url = ctx.req.url ?? '';
  // Clients of proxies send the whole address; its host is the one that counts (RFC 9112).
  const absolute = url.startsWith('/') ? undefined : /^https?:\/\/([^/?#@]+)(.*)$/is.exec(url);
  const target = absolute ? absolute[2]! : url;
  const host = parseHost(absolute ? absolute[1] : ctx.req.headers.host).replace(/:\d*$/, '');
  const end = target.indexOf('?');
  const path = end === -1 ? target : target.slice(0, end);
  if (path === '' && absolute) return { host, path: '/' };
  return path.startsWith('/') ? { host, path } : undefined;
}

/** Returns the query of a request with its `?`, fit for a header, or ''. */
export function readQuery(ctx: Context): string {
  const url = ctx.req.url ?? '';
  const start = url.indexOf('?');
  return start === -1 ? '' : url.slice(start).replace(/[^\x21-\x7e]/g, (char) => `%${char.charCodeAt(0).toString(16)}`);
}
