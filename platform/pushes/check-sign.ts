import { createHash } from 'node:crypto';
import type { Project } from '../../data/records/project.ts';
import { phrase } from '../../lib/phrase.ts';
import { isSameSecret } from '../../lib/secrets.ts';
import { ServiceError } from '../failures/service-error.ts';
import type { SecretGuesses } from './secret-guesses.ts';

/**
 * Checks `X-Docbuild-Sign`, the lower-case hex md5 of a project's secret; an empty secret asks for nothing. Throws ServiceError 403 for a
 * wrong one, and 429 where there were too many, see `SecretGuesses`.
 */
export function checkSign(
  project: Pick<Project, 'name' | 'secret'>,
  { sign, source }: { readonly sign: string; readonly source: string },
  guesses: SecretGuesses,
): void {
  if (project.secret === '') return;
  const proof = isRight(project, sign) ? 'right' : sign === '' ? 'none' : 'wrong';
  if (guesses.accept(project, { source, proof })) return;
  throw new ServiceError(
    'forbidden',
    phrase`The header X-Docbuild-Sign must be the md5 (hex, lower case) of the project's secret`,
  );
}

function isRight({ secret }: Pick<Project, 'secret'>, sign: string): boolean {
  return isSameSecret(sign, createHash('md5').update(secret).digest('hex'));
}
