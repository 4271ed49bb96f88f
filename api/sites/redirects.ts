import { encodePath } from '../../lib/url-text.ts';
import { chooseHome } from '../../platform/sites/choose-home.ts';
import { parseRequestTarget } from '../http/trusted-request.ts';
import { sendText } from './file-answer.ts';
import type { Headers } from './representation.ts';
import type { SiteRequest } from './site-request.ts';

/** Redirects to another path of the same site; the query remains. */
export function redirect(request: SiteRequest, path: string): void {
  sendRedirect(request, 301, `${request.site.basePath}${encodePath(path)}${readQuery(request)}`);
}

/**
 * Answers for a page that only leads elsewhere, at a path of the site. What an author moved is moved for good; the homes of the
 * site and of its languages change with versions, and that of the site with its reader. Returns false where the page itself has
 * to say where it leads.
 */
export function answerMoved(request: SiteRequest, path: string, url: string): boolean {
  const { ctx, site } = request;
  const location = locate(request, path, url);
  if (location === undefined) return false;
  if (path === '/index.html' && site.homes !== undefined && site.homes.length > 1) {
    const home = chooseHome(site.homes, ctx.req.headers['accept-language'])!;
    sendRedirect(request, 302, `${site.basePath}/${encodePath(home.path)}${readQuery(request)}`, {
      // Shared caches that ignore `Vary` would give all readers the language of the first.
      caching: 'private, no-cache',
      headers: ['Vary', 'Accept-Language'],
    });
    return true;
  }
  const [, folder] = /^\/(?:([^/]+)\/)?index\.html$/.exec(path) ?? [path, path];
  const isHome = folder === undefined || site.languages.includes(folder);
  sendRedirect(request, isHome ? 302 : 301, location);
  return true;
}

function sendRedirect(
  { ctx, site }: SiteRequest,
  status: 301 | 302,
  location: string,
  { caching, headers = [] }: { readonly caching?: string; readonly headers?: Headers } = {},
): void {
  // By default browsers ask each time: a publish may put something else there.
  const age = status === 301 ? (site.cdn?.age ?? []) : [];
  const more = ['Location', location, ...headers, ...age];
  sendText(ctx, { status, text: `Moved to ${location}`, isShared: site.isShared, caching, headers: more });
}

/** Stands for the host of the request, which a proxy may have changed. */
const HERE = 'http://site.invalid';

/**
 * Returns where a URL leads from a page, as the browser would find it there, with the query of the request as long as it stays
 * on the host. Undefined for what no redirect may lead to.
 */
function locate(request: SiteRequest, path: string, url: string): string | undefined {
  const base = `${HERE}${request.site.basePath}${encodePath(path)}`;
  if (!URL.canParse(url, base)) return undefined;
  const target = new URL(url, base);
  const ownPath = new URL(base).pathname;
  const isHere = target.origin === HERE;
  // `#`, which a page has in place of a script, and whatever else the server takes for the same page.
  if (isHere && ['', '.html', 'index.html', '/index.html'].some((end) => target.pathname + end === ownPath))
    return undefined;
  if (isHere || target.host === parseRequestTarget(request.ctx.req).host) {
    const queries = [target.search, readQuery(request)].map((query) => query.slice(1));
    target.search = queries.filter(Boolean).join('&');
  }
  // Two slashes would begin with another host.
  if (isHere) return target.pathname.replace(/^\/+/, '/') + target.search + target.hash;
  return /^https?:$/.test(target.protocol) ? target.href : undefined;
}

/** Returns the query of a request with its `?`, safe for a header, or ''. */
function readQuery({ ctx }: SiteRequest): string {
  const url = ctx.req.url ?? '';
  const start = url.indexOf('?');
  return start === -1 ? '' : url.slice(start).replace(/[^\x21-\x7e]/g, (char) => `%${char.charCodeAt(0).toString(16)}`);
}
