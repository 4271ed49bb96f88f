import { fileURLToPath } from 'node:url';
import { trimCharacters } from './trim-characters.ts';

/** A user name and a password, as HTTP Basic authentication wants them. */
export interface Credentials {
  readonly username: string;
  readonly password: string;
}

/** Where a repository is, as one parse of its address tells. */
export type RepositoryAddress = {
  /**
   * Equal for two addresses of one repository: host and path in lower case, without scheme, credentials, the
   * scheme's usual port, `.git` and final slashes; `github.com/owner/repo`. For a folder of this machine that is its path.
   */
  readonly key: string;
  /** Home page at the code host, without `.git` and credentials; undefined where there is none. */
  readonly webUrl: string | undefined;
} & (
  | {
      readonly kind: 'http';
      /** Without credentials, query, fragment and final slashes. */
      readonly url: string;
      /** Lower case, without port. */
      readonly hostname: string;
      readonly credentials: Credentials | undefined;
    }
  /** A folder of this machine; undefined for a `file:` URL that names none. */
  | { readonly kind: 'path'; readonly path: string | undefined }
  /** Begins like an http(s) URL, but is none. */
  | { readonly kind: 'invalid' }
  /** SSH and other protocols. */
  | { readonly kind: 'other' }
);

/** Longest text in which a home page is looked for. */
const MAX_LENGTH = 4_000;

/** Parses any text: an http(s) URL, an SSH address in either form, a `file:` URL, a path. Never throws. */
export function parseRepositoryAddress(text: string): RepositoryAddress {
  const common = { key: repositoryKey(text), webUrl: text.length > MAX_LENGTH ? undefined : findWebUrl(text) };
  const scheme = /^([a-z][a-z0-9+.-]+):\/\//i.exec(text)?.[1]?.toLowerCase();
  if (scheme === 'http' || scheme === 'https') {
    if (!URL.canParse(text)) return { ...common, kind: 'invalid' };
    const url = new URL(text);
    const { hostname, username, password } = url;
    const hasCredentials = username !== '' || password !== '';
    Object.assign(url, { username: '', password: '', hash: '', search: '' });
    return {
      ...common,
      kind: 'http',
      hostname,
      url: trimCharacters(url.href, '/'),
      credentials: hasCredentials ? { username: decode(username), password: decode(password) } : undefined,
    };
  }
  if (scheme === 'file') return { ...common, kind: 'path', path: findFilePath(text) };
  const isOther = scheme !== undefined || /^[^/\\@:]+@[^/\\@:]+:/.test(text);
  return isOther ? { ...common, kind: 'other' } : { ...common, kind: 'path', path: text };
}

/** Returns an address as it may be shown, in whatever form it is written: without user name, password and query. */
export function hideCredentials(text: string): string {
  const address = parseRepositoryAddress(text);
  if (address.kind === 'http') return address.url;
  // The cause of an invalid URL may be a password with a slash: everything before the last @ could be secret.
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(text)) return text.replace(/^([^:]+:\/\/).*@/s, '$1');
  // So may be what is neither a URL nor an absolute path, such as `https:/me:hunter2@git.example/a`.
  return address.kind === 'other' || /^\/(?!\/)[^:]*$/.test(text) ? text : text.replace(/^.*@/s, '');
}

/** A host and a path, as a browser's address bar shows them. */
const WITHOUT_SCHEME = /^(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z]{2,}(?::\d+)?\/[^\s\\]+$/i;
/** A host as within one's own network, whose server rarely speaks https: `localhost`, an IPv4 address, any name with a port. */
const NEARBY = /^(?:(?:localhost|\d+(?:\.\d+){3})(?::\d+)?|[a-z0-9-]+:\d+)\/[^\s\\@]+$/i;
/** `host.test:owner/repo`, as scp takes it without a user. */
const SCP_SHORT = /^(?:[a-z0-9-]+\.)+[a-z]{2,}:[^\s\\@]+$/i;
/** `https:/host/path`, `https//host/path` and the like; with an @, it may hold a password. */
const BROKEN_SCHEME = /^(https?)(?::\/?|\/\/)([^\s\\/@:]+(?::\d+)?\/[^\s\\@]+)$/i;

/**
 * Returns the URL that somebody means who writes an SSH address or leaves out the scheme, or some of it; undefined where
 * nothing suggests one. `github.com/owner/repo` may also be a path of this machine.
 */
export function suggestUrl(text: string): string | undefined {
  const { kind, webUrl } = parseRepositoryAddress(text);
  if (kind === 'other') return webUrl;
  if (kind !== 'path' || text.length >= MAX_LENGTH) return undefined;
  const [, scheme, rest] = BROKEN_SCHEME.exec(text) ?? [];
  if (scheme !== undefined) return `${scheme.toLowerCase()}://${rest}`;
  if (WITHOUT_SCHEME.test(text)) return `https://${text}`;
  if (NEARBY.test(text)) return `http://${text}`;
  return SCP_SHORT.test(text) ? webUrl : undefined;
}

/** Returns `; did you mean "…"?` for such a text, otherwise ''. */
export function hintAtUrl(text: string): string {
  const url = suggestUrl(text);
  return url === undefined ? '' : `; did you mean "${url}"?`;
}

function findFilePath(url: string): string | undefined {
  try {
    return fileURLToPath(url);
  } catch {
    return undefined;
  }
}

/** An SSH or git port says nothing about the web server; an http server on this machine rarely speaks https. */
function findWebUrl(address: string): string | undefined {
  const short = /^(?:[^/\\@:\s]+@([^/\\@:\s]+)|([^/\\@:\s][^/\\@:\s.]*\.[^/\\@:\s]+)):(?!\/\/)\/*([^/].*)$/.exec(
    address,
  );
  const full = short === null ? address : `ssh://${short[1] ?? short[2]}/${short[3]}`;
  if (!URL.canParse(full)) return undefined;
  const url = new URL(full);
  if (!/^(https?|ssh|git|git\+ssh):$/.test(url.protocol) || url.hostname === '') return undefined;
  const path = trimCharacters(url.pathname, '/').replace(/\.git$/, '');
  if (path === '') return undefined;
  if (url.protocol === 'http:') return `http://${url.host}${path}`;
  return `https://${url.protocol === 'https:' ? url.host : url.hostname}${path}`;
}

/** Ports that a URL may leave out. */
const USUAL_PORTS: ReadonlyMap<string, string> = new Map([
  ['https', '443'],
  ['http', '80'],
  ['ssh', '22'],
  ['git', '9418'],
]);
const WITH_SCHEME = /^(?:git\+)?([a-z][a-z0-9.-]*):\/\/(?:[^/@]*@)*([^/]*)(.*)/is;
/** `git@host:owner/repo`, as ssh and scp write it; `host` may be an IPv6 address in brackets. */
const SSH_SHORT = /^(?:[^/@]*@)?(\[[^\]/]*\]|[^:/@]{2,}):(.*)$/s;

/** Returns the key of a repository's address, see `RepositoryAddress`. */
export function repositoryKey(url: string): string {
  const text = url.trim();
  const full = WITH_SCHEME.exec(text);
  if (full) {
    const [, scheme, authority, rest] = full;
    return cleanHost(authority!, USUAL_PORTS.get(scheme!.toLowerCase())) + cleanPath(rest!.replace(/[?#].*/s, ''));
  }
  const short = SSH_SHORT.exec(text);
  return short ? cleanHost(short[1]!, undefined) + cleanPath(short[2]!) : cleanPath(text);
}

/** Returns the key of whoever a repository belongs to: `github.com/owner`, of a folder of this machine the one around it. */
export function repositoryOwner(url: string): string {
  const key = repositoryKey(url);
  if (key.startsWith('/')) return key.slice(0, key.lastIndexOf('/'));
  const [host = '', account, ...rest] = key.split('/');
  return rest.length > 0 ? `${host}/${account}` : host;
}

/** Writes a host as browsers do (lower case, punycode, IPv6 shortened) and drops the usual port. */
function cleanHost(authority: string, usualPort: string | undefined): string {
  const port = /:(\d*)$/.exec(authority)?.[1] ?? '';
  const host = authority.replace(/:\d*$/, '').replace(/\.$/, '').toLowerCase();
  const known = URL.canParse(`https://${host}/`) ? new URL(`https://${host}/`).hostname : host;
  return port === '' || Number(port) === Number(usualPort) ? known : `${known}:${Number(port)}`;
}

function cleanPath(path: string): string {
  const parts = decode(path)
    .toLowerCase()
    .replace(/\/{2,}/g, '/');
  const bare = trimCharacters(parts, '/');
  const isNamed = bare.endsWith('.git') && !bare.endsWith('/.git');
  const named = trimCharacters(isNamed ? bare.slice(0, -'.git'.length) : bare, '/');
  return named === '' || named.startsWith('/') ? named : `/${named}`;
}

/** A lone `%` is left as it stands. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
