/** Ports that a URL may leave out. */
const USUAL_PORTS: ReadonlyMap<string, string> = new Map([
  ['https', '443'],
  ['http', '80'],
  ['ssh', '22'],
  ['git', '9418'],
]);
const WITH_SCHEME = /^(?:git\+)?([a-z][a-z0-9.-]*):\/\/(?:[^/@]*@)*([^/]*)(.*)$/is;
/** `git@host:owner/repo`, as ssh and scp write it; `host` may be an IPv6 address in brackets. */
const SSH_SHORT = /^(?:[^/@]*@)?(\[[^\]/]*\]|[^:/@]{2,}):(.*)$/s;

/**
 * Returns what two URLs of one repository have in common: host and path in lower case, without scheme, credentials, the
 * scheme's usual port, `.git` and final slashes; `github.com/owner/repo`. For a folder of this machine that is its path.
 */
export function repositoryKey(url: string): string {
  const text = url.trim();
  const full = WITH_SCHEME.exec(text);
  if (full) {
    const [, scheme, authority, rest] = full;
    return cleanHost(authority!, USUAL_PORTS.get(scheme!.toLowerCase())) + cleanPath(rest!.replace(/[?#].*$/s, ''));
  }
  const short = SSH_SHORT.exec(text);
  return short ? cleanHost(short[1]!, undefined) + cleanPath(short[2]!) : cleanPath(text);
}

/** Writes a host as browsers do (lower case, punycode, IPv6 shortened) and drops the usual port. */
function cleanHost(authority: string, usualPort: string | undefined): string {
  const port = /:(\d*)$/.exec(authority)?.[1] ?? '';
  const host = authority.replace(/:\d*$/, '').replace(/\.$/, '').toLowerCase();
  const known = URL.canParse(`https://${host}/`) ? new URL(`https://${host}/`).hostname : host;
  return port === '' || Number(port) === Number(usualPort) ? known : `${known}:${Number(port)}`;
}

function cleanPath(path: string): string {
  const bare = trimSlashes(
    decode(path)
      .toLowerCase()
      .replace(/\/{2,}/g, '/'),
  );
  const named = trimSlashes(bare.endsWith('.git') && !bare.endsWith('/.git') ? bare.slice(0, -'.git'.length) : bare);
  return named === '' || named.startsWith('/') ? named : `/${named}`;
}

function trimSlashes(path: string): string {
  let end = path.length;
  while (end > 0 && path[end - 1] === '/') end--;
  return path.slice(0, end);
}

function decode(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
