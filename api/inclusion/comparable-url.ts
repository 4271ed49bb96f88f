/** Characters that mean the same with and without percent-encoding; encoders differ about the last five. */
const PLAIN = /^[\w\-.~!'()*]$/;

/** No address that can be asked about is longer. */
const MAX_LENGTH = 8192;

/**
 * Returns what two addresses of one page have in common: without scheme, `www.`, default port, fragment, final slashes of
 * the path, an empty query; host in lower case and punycode, percent-encoding alike. undefined for what is no http(s) address.
 */
export function comparableUrl(text: string): string | undefined {
  if (text.length > MAX_LENGTH || !URL.canParse(text)) return undefined;
  const { protocol, hostname, port, pathname, search } = new URL(text);
  if (protocol !== 'http:' && protocol !== 'https:') return undefined;
  let end = pathname.length;
  while (pathname[end - 1] === '/') end--;
  const host = withoutWww(hostname.endsWith('.') ? hostname.slice(0, -1) : hostname);
  return host + (port && `:${port}`) + alike(pathname.slice(0, end)) + alike(search);
}

/** `www.com` is a domain of its own. */
function withoutWww(host: string): string {
  const rest = host.startsWith('www.') ? host.slice(4) : '';
  return rest.includes('.') ? rest : host;
}

function alike(text: string): string {
  return text.replace(/%[0-9a-f]{2}/gi, (code) => {
    const character = String.fromCharCode(Number.parseInt(code.slice(1), 16));
    return PLAIN.test(character) ? character : code.toUpperCase();
  });
}
