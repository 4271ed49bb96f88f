import { createHash } from 'node:crypto';
import type { Project } from '../../data/records/project.ts';
import { createBoundedMap } from '../../lib/bounded-map.ts';
import { phrase } from '../../lib/phrase.ts';
import { isSameSecret } from '../../lib/secrets.ts';
import { createTokenBuckets } from '../../lib/token-buckets.ts';
import { WRONG_SIGNATURES } from '../../platform/config/limit-settings.ts';
import { isSecretShort } from '../../platform/projects/project-secret.ts';
import { ApiError } from '../http/errors.ts';

/** Wrong signatures a minute of a source that a project's right one has come from. */
const PER_KNOWN_SOURCE = 60;
/** The same of a source for a project that is being guessed at. */
const PER_SOURCE_UNDER_ATTACK = 1;
const MAX_KNOWN = 20_000;

/**
 * Checks `X-Docbuild-Sign`, the lower-case hex md5 of a project's secret; an empty secret asks for nothing. Throws ApiError 403 for a
 * wrong one, and 429 where a source, or all of them together for a project, have sent too many.
 */
export type CheckSign = (
  project: Pick<Project, 'name' | 'secret'>,
  sent: { readonly sign: string; readonly source: string },
) => void;

/**
 * Creates the check. Beyond the limits a wrong signature is answered with 429. A right one still passes, or whoever guesses would
 * shut out the project's own sender; but where the secret is short enough to be found like that, one does so only from a source that
 * may send a wrong one: any at first, those that the right one has come from for longer, and each once a minute while others guess.
 */
export function createCheckSign(now: () => Date): CheckSign {
  const ofSource = createTokenBuckets(WRONG_SIGNATURES.perSource);
  const ofProject = createTokenBuckets(WRONG_SIGNATURES.perProject);
  const ofKnown = createTokenBuckets(PER_KNOWN_SOURCE);
  const underAttack = createTokenBuckets(PER_SOURCE_UNDER_ATTACK);
  const known = createBoundedMap<string, true>({ maxEntries: MAX_KNOWN });
  return (project, { sign, source }) => {
    if (project.secret === '') return;
    const ms = now().getTime();
    const pair = `${project.name} ${source}`;
    // Seconds until a wrong signature of this source is answered as one.
    const wait = known.get(pair)
      ? ofKnown.look(pair, ms)
      : Math.max(ofSource.look(source, ms), ofProject.look(project.name, ms) && underAttack.look(pair, ms));
    if (isRight(project, sign) && (wait === 0 || !isSecretShort(project))) {
      known.set(pair, true);
      return;
    }
    if (wait > 0) {
      throw new ApiError(429, 'too-many-signatures', phrase`Too many wrong signatures; try again in ${wait} s`, {
        headers: { 'Retry-After': String(wait) },
        limit: 'signatures',
      });
    }
    // Who sends none has guessed nothing, and who was refused has learned nothing.
    if (sign !== '') {
      (known.get(pair) ? ofKnown : underAttack).take(pair, ms);
      ofSource.take(source, ms);
      ofProject.take(project.name, ms);
    }
    throw new ApiError(
      403,
      'forbidden',
      phrase`The header X-Docbuild-Sign must be the md5 (hex, lower case) of the project's secret`,
    );
  };
}

function isRight({ secret }: Pick<Project, 'secret'>, sign: string): boolean {
  return isSameSecret(sign, createHash('md5').update(secret).digest('hex'));
}
