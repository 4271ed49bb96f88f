import { fileURLToPath } from 'node:url';
import { BuildError } from '../build-error.ts';
import { stripCredentials } from './strip-credentials.ts';

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
      `Cannot open "${stripCredentials(location)}": only http(s) URLs and local paths are supported, not SSH or other protocols`,
    );
  }
  if (location === '' || location.includes('\0')) {
    throw new BuildError(
      'not-a-repository',
      'Cannot open a repository: its location is empty or contains a NUL character',
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
    throw new BuildError('not-a-repository', `Cannot open "${shown}": this is not a valid URL`);
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
    throw new BuildError('not-a-repository', `Cannot open "${location}": this is not a valid file URL`, { cause });
  }
}
