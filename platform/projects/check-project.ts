import { DataError } from '../../data/data-error.ts';
import type { Project } from '../../data/records/project.ts';
import { phrase } from '../../lib/phrase.ts';
import { parseRepositoryAddress } from '../../lib/repository-address.ts';
import { isRefExcluded } from '../builds/excluded-refs.ts';

/** Throws DataError `invalid` for settings that do not go together: notifications without a secret, a pattern that is none. */
export function checkProject(project: Project): void {
  checkExcluded(project);
  checkNotifications(project);
}

/** Returns whether a repository's URL has a name or a password. */
export function hasCredentials(url: string): boolean {
  const address = parseRepositoryAddress(url);
  return address.kind === 'http' && address.credentials !== undefined;
}

/** Throws DataError `invalid` for a repository with credentials, unless everybody may read what it contains. */
export function checkConsent(url: string, isPublic = false): void {
  if (isPublic || !hasCredentials(url)) return;
  throw new DataError(
    'invalid',
    phrase`The URL has credentials, but everybody who reaches the server may read documentation, builds and logs of the project; if that is meant, agree to it (on the command line with --public)`,
  );
}

function checkNotifications({ notify, notifySecret }: Project): void {
  if (notify === '' || notifySecret !== '') return;
  const message = phrase`Field "notify" needs "notifySecret", since notifications are signed; --generate-notify-secret makes one`;
  throw new DataError('invalid', message);
}

/** Throws DataError `invalid` for a list of excluded refs that is none. */
export function checkExcluded(project: Pick<Project, 'meta'>): void {
  try {
    isRefExcluded(project, '');
  } catch (cause) {
    throw new DataError('invalid', phrase`Meta field "excluded_branch": ${(cause as Error).message}`, { cause });
  }
}
