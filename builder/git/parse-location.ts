import { fileURLToPath } from 'node:url';
import { BuildError } from '../build-error.ts';

/** A user name and a password, as HTTP Basic authentication wants them. */
export interface Credentials {
  readonly username: string;
  readonly password: string;
}

/** Where a repository is: on a server, or at a path of this machine. */
export type Location =
  | { readonly kind: 'remote'; readonly url: string; readonly credentials: Credentials | undefined }
  | { readonly kind: 'path'; readonly path: string };

/**
 * Returns what a location means: an http(s) URL (its credentials taken out), a `file://` URL, or a path.
 * Throws `BuildError` for SSH and other protocols.
 */
export function parseLocation(location: string): Location {
  const scheme = /^([a-z][a-z0-9+.-]+):\/\//i.exec(location)?.[1]?.toLowerCase();
  if (scheme === 'http' || scheme === 'https') return parseRemote(location);
  if (scheme === 'file') return { kind: 'path', path: parseFileUrl(location) };
  if (scheme !== undefined || /^[^/\\@:]+@[^/\\@:]+:/.test(location)) {
    throw new BuildError(
      'not-a-repository',
      `Cannot open "${stripCredentials(location)}": only http(s) addresses and local paths work, not SSH or other protocols`,
    );
  }
  if (location === '' || location.includes('\0')) {
    throw new BuildError(
      'not-a-repository',
      'Cannot open a repository: its location is empty or holds a NUL character',
    );
  }
  return { kind: 'path', path: location };
}

function parseRemote(location: string): Location {
  let url: URL;
  try {
    url = new URL(location);
  } catch {
    // What is wrong may be a password with a slash in it: everything before the last @ could be secret.
    const shown = location.replace(/^(\w+:\/\/).*@/s, '$1');
    throw new BuildError('not-a-repository', `Cannot open "${shown}": this is no valid address`);
  }
  const credentials =
    url.username === '' && url.password === ''
      ? undefined
      : { username: decodePart(url.username), password: decodePart(url.password) };
  url.username = '';
  url.password = '';
  url.hash = '';
  url.search = '';
  return { kind: 'remote', url: url.href.replace(/\/+$/, ''), credentials };
}

/** A lone `%` in a password is left as it stands. */
function decodePart(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function parseFileUrl(location: string): string {
  try {
    return fileURLToPath(location);
  } catch (cause) {
    throw new BuildError('not-a-repository', `Cannot open "${location}": this is no valid file address`, { cause });
  }
}

/**
 * Returns the text with the credentials of every URL in it removed: `https://u:p@host/x` becomes `https://host/x`.
 * Takes a location as well as a whole message. The user of an SSH address is part of it and stays; its password goes.
 */
export function stripCredentials(text: string): string {
  return text
    .replace(/\b((?:git\+)?ssh:\/\/[^\s/?#:@]*):[^\s/?#"'<>]*@/gi, '$1@')
    .replace(/\b((?!ssh:|git\+ssh:)[a-z][a-z0-9+.-]*:\/\/)[^\s/?#"'<>]*@/gi, '$1');
}

/**
 * Returns the https address of a repository's home page from its clone address (`https://host/o/r.git`,
 * `git@host:o/r.git`, `ssh://git@host:22/o/r`): no `.git`, no credentials. Undefined for anything else.
 */
export function findWebUrl(address: string): string | undefined {
  const short = /^(?:[^/\\@:\s]+@([^/\\@:\s]+)|([^/\\@:\s]+\.[^/\\@:\s]+)):(?!\/\/)\/*(.+)$/.exec(address);
  let url: URL;
  try {
    url = new URL(short === null ? address : `ssh://${short[1] ?? short[2]}/${short[3]}`);
  } catch {
    return undefined;
  }
  if (!/^(https?|ssh|git|git\+ssh):$/.test(url.protocol) || url.hostname === '') return undefined;
  const path = url.pathname.replace(/\/+$/, '').replace(/\.git$/, '');
  if (path === '' || path === '/') return undefined;
  // An SSH or git port says nothing about the web server; an http server on this machine rarely speaks https.
  if (url.protocol === 'http:') return `http://${url.host}${path}`;
  return `https://${url.protocol === 'https:' ? url.host : url.hostname}${path}`;
}
