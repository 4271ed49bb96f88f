import { type Credentials, hintAtUrl, parseRepositoryAddress } from '../lib/repository-address.ts';
import { BuildError } from './build-error.ts';

/** The location of a repository: on a server, or at a local path. */
export type Location =
  | { readonly kind: 'remote'; readonly url: string; readonly credentials: Credentials | undefined }
  | { readonly kind: 'path'; readonly path: string };

/**
 * Parses a location: an http(s) URL (credentials are separated), a `file://` URL, or a path. Throws `BuildError` for SSH
 * and other protocols.
 */
export function parseLocation(location: string): Location {
  const address = parseRepositoryAddress(location);
  if (address.kind === 'http') return { kind: 'remote', url: address.url, credentials: address.credentials };
  if (address.kind === 'invalid') {
    // The cause may be a password with a slash: everything before the last @ could be secret.
    throw fail(`Cannot open "${location.replace(/^(\w+:\/\/).*@/s, '$1')}": this is not a valid URL`);
  }
  if (address.kind === 'other') {
    const why = 'only http(s) URLs and local paths are supported, not SSH or other protocols';
    throw fail(`Cannot open "${stripCredentials(location)}": ${why}${hintAtUrl(location)}`);
  }
  const { path } = address;
  if (path === undefined) throw fail(`Cannot open "${location}": this is not a valid file URL`);
  if (path === '' || path.includes('\0')) {
    throw fail('Cannot open a repository: its location is empty or contains a NUL character');
  }
  return { kind: 'path', path };
}

function fail(message: string): BuildError {
  return new BuildError('not-a-repository', message);
}

/**
 * Returns the text with the credentials of every URL in it removed: `https://u:p@host/x` becomes `https://host/x`.
 * Takes a location as well as a whole message. The user of an SSH address is part of it and stays; its password goes.
 */
export function stripCredentials(text: string): string {
  return text
    .replace(/\b((?:git\+)?ssh:\/\/[^\s/?#:@]*):[^\s/?#"'<>]*@/gi, '$1@')
    .replace(/(?<!(?:^|[^a-z0-9+.-])(?:git\+)?ssh):\/\/[^\s/?#"'<>]*@/gi, '://');
}
