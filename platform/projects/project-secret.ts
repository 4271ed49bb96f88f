import { DataError } from '../../data/data-error.ts';
import type { Project } from '../../data/records/project.ts';
import { phrase } from '../../lib/phrase.ts';

/** The fewest characters of a secret that nobody finds by trying signatures of requests: 62^16 is more than 2^95. */
export const MIN_SECRET_LENGTH = 16;

/** Checks whether a project has a secret that might be guessed. */
export function isSecretShort({ secret }: Pick<Project, 'secret'>): boolean {
  return secret !== '' && [...secret].length < MIN_SECRET_LENGTH;
}

/**
 * Throws DataError `invalid` for a new secret that might be guessed. `before` is the project as it was: a short secret that it has
 * had since before there was a limit stays, since code hosts know it.
 */
export function checkNewSecret(project: Pick<Project, 'secret'>, before?: Pick<Project, 'secret'>): void {
  if (project.secret === before?.secret || !isSecretShort(project)) return;
  throw new DataError(
    'invalid',
    phrase`Field "secret" must have at least ${MIN_SECRET_LENGTH} characters, or whoever tries long enough finds it; let docbuild make one (on the command line with --generate-secret)`,
  );
}
