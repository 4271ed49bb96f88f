import type { Context } from 'koa';

/**
 * Cookies of the service. Any page on a neighbouring host (`guide.example.org` beside `docs.example.org`) can set cookies for
 * the domain that both share. A browser sends them as if they were the service's, the one with the longer path first. Over TLS
 * names begin with `__Host-`, which browsers refuse to such pages (RFC 6265bis, 4.1.3.2). Without TLS there is no such
 * protection: there, of two cookies with one name none is believed.
 */
export type CookieName = 'sessionId' | 'knownDevice' | 'controlForm' | 'language';

/** Returns the name that a cookie has in this request and its answer. */
export function cookieName({ secure }: Pick<Context, 'secure'>, name: CookieName): string {
  return secure ? `__Host-${name}` : name;
}

/** Sets a cookie for this host alone, out of reach of scripts, not sent with forms of other sites; 0 seconds remove it. */
export function setCookie(
  ctx: Context,
  fullName: string,
  { value, seconds }: { readonly value: string; readonly seconds: number },
): void {
  const parts = [`${fullName}=${value}`, 'Path=/', `Max-Age=${seconds}`, 'HttpOnly', 'SameSite=Lax'];
  ctx.append('Set-Cookie', [...parts, ...(ctx.secure ? ['Secure'] : [])].join('; '));
}

/** Returns the values of all cookies with a name that a request carries. Koa would find the first one alone. */
export function listCookies({ req }: Pick<Context, 'req'>, fullName: string): readonly string[] {
  const { cookie } = req.headers;
  if (cookie === undefined || !cookie.includes(fullName)) return [];
  return parseCookies(cookie).flatMap(({ name, value }) => (name === fullName ? [value] : []));
}

/** Returns the cookies of a `Cookie` header in their order. */
export function parseCookies(header: string): readonly { readonly name: string; readonly value: string }[] {
  return header.split(';').flatMap((pair) => {
    const at = pair.indexOf('=');
    return at < 0 ? [] : [{ name: pair.slice(0, at).trim(), value: pair.slice(at + 1).trim() }];
  });
}

/** Proxies read a few kilobytes of the headers of an answer: nginx 4 KB by default. */
const MAX_REMOVAL_CHARS = 2_500;
const MAX_LEVELS = 8;
/** Names that can stand in an answer as they are. */
const NAME = /^[\w!#$%&'*+.^`|~-]{1,200}$/;

/**
 * Returns the `Set-Cookie` fields that remove cookies which were sent with a request, whoever set them: for each domain that the
 * host is in, and each path that the requested one is in. Where that would be too long for an answer, the next request removes
 * the rest.
 */
export function removeCookies(
  names: readonly string[],
  { host, path }: { readonly host: string; readonly path: string },
): readonly string[] {
  const domains = ['', ...listDomains(host)];
  const paths = listPaths(path);
  const fields: string[] = [];
  let left = MAX_REMOVAL_CHARS;
  for (const name of names.filter((one) => NAME.test(one))) {
    for (const domain of domains) {
      for (const one of paths) {
        const field = `${name}=; Path=${one}; Max-Age=0${domain && `; Domain=${domain}`}`;
        left -= field.length + 'Set-Cookie: \r\n'.length;
        if (left < 0) return fields;
        fields.push(field);
      }
    }
  }
  return fields;
}

/** Returns the domains that a page may set cookies for which are sent to a host; none for addresses and single names. */
function listDomains(host: string): readonly string[] {
  const labels = host.replace(/:\d*$/, '').split('.');
  if (!/^[a-z]/i.test(labels.at(-1)!)) return [];
  return labels
    .slice(0, -1)
    .map((_, i) => labels.slice(i).join('.'))
    .slice(-MAX_LEVELS);
}

/** Returns the paths of cookies that are sent for a path: `/`, `/control`, `/control/`, `/control/keys`. */
function listPaths(path: string): readonly string[] {
  const known = /^(?:\/[\w.~%-]*)+/.exec(path)?.[0] ?? '/';
  const ends = [...known.matchAll(/(?<=[^/])(?=\/)|(?<=\/)|$/g)].map(({ index }) => index);
  const paths = new Set(ends.map((end) => known.slice(0, end)).filter((one) => one !== ''));
  return [...paths].slice(0, 2 * MAX_LEVELS);
}
