import type { Project } from '../../data/records/project.ts';
import { createBoundedMap } from '../../lib/bounded-map.ts';
import { phrase } from '../../lib/phrase.ts';
import { createTokenBuckets } from '../../lib/token-buckets.ts';
import { WRONG_SIGNATURES } from '../config/limit-settings.ts';
import { ServiceError } from '../failures/service-error.ts';
import { isSecretShort } from '../projects/project-secret.ts';

/** Wrong signatures a minute of a source that a project's right one has come from. */
const PER_KNOWN_SOURCE = 60;
/** The same of a source for a project that is being guessed at. */
const PER_SOURCE_UNDER_ATTACK = 1;
const MAX_KNOWN = 20_000;

/** Whether a signature or token of a request shows that its sender knows a secret; `none`: there is none, which is no guess. */
export type Proof = 'right' | 'wrong' | 'none';

/** Limits how fast anybody finds the secrets of projects by trying, in whichever way a request shows that its sender knows one. */
export interface SecretGuesses {
  /**
   * Returns whether a request from a source may pass; one that may not is to be refused as wrong. Throws ServiceError 429 where a source, or all
   * of them together for a project, have sent too many wrong ones.
   */
  accept(project: Pick<Project, 'name' | 'secret'>, sent: { readonly source: string; readonly proof: Proof }): boolean;
}

/**
 * Creates the limits. Beyond them a wrong proof is answered with 429. A right one still passes, or whoever guesses would
 * shut out the project's own sender; but where the secret is short enough to be found like that, one does so only from a source that
 * may send a wrong one: any at first, those that the right one has come from for longer, and each once a minute while others guess.
 */
export function createSecretGuesses(now: () => Date): SecretGuesses {
  const ofSource = createTokenBuckets(WRONG_SIGNATURES.perSource);
  const ofProject = createTokenBuckets(WRONG_SIGNATURES.perProject);
  const ofKnown = createTokenBuckets(PER_KNOWN_SOURCE);
  const underAttack = createTokenBuckets(PER_SOURCE_UNDER_ATTACK);
  const known = createBoundedMap<string, true>({ maxEntries: MAX_KNOWN });
  return {
    accept(project, { source, proof }) {
      const ms = now().getTime();
      const pair = `${project.name} ${source}`;
      // Seconds until a wrong proof of this source is answered as one.
      const wait = known.get(pair)
        ? ofKnown.look(pair, ms)
        : Math.max(ofSource.look(source, ms), ofProject.look(project.name, ms) && underAttack.look(pair, ms));
      if (proof === 'right' && (wait === 0 || !isSecretShort(project))) {
        known.set(pair, true);
        return true;
      }
      if (wait > 0) {
        throw new ServiceError('too-many-signatures', phrase`Too many wrong signatures; try again in ${wait} s`, {
          headers: { 'Retry-After': String(wait) },
          limit: 'signatures',
        });
      }
      // Who sends none has guessed nothing, and who was refused has learned nothing.
      if (proof !== 'none') {
        (known.get(pair) ? ofKnown : underAttack).take(pair, ms);
        ofSource.take(source, ms);
        ofProject.take(project.name, ms);
      }
      return false;
    },
  };
}
