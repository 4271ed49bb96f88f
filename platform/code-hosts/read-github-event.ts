import { z } from 'zod';
import { quoteName } from '../../../lib/quote-name.ts';
import { checkShape } from './check-shape.ts';
import { checkRefName } from './parse-ref.ts';
import { type Meaning, readPush } from './read-push.ts';

const actionSchema = z.object({ action: z.string() });
const releaseSchema = z.object({ release: z.object({ tag_name: z.string() }) });

/**
 * Reads an event of GitHub. A release builds its tag on action `released` alone: sent once, when a release that is no
 * pre-release is published, or a pre-release becomes one; `published` comes beside it, and the tag of a pre-release has
 * a push of its own. Throws ApiError 400.
 */
export function readGithubEvent(event: string, payload: unknown): Meaning {
  if (event === 'ping') return { kind: 'ping' };
  if (event === 'push') return readPush(payload);
  if (event !== 'release') return { kind: 'ignored', why: `event ${quoteName(event)} builds nothing` };
  const { action } = checkShape(actionSchema, payload, 'release');
  if (action !== 'released') return { kind: 'ignored', why: `release action ${quoteName(action)} builds nothing` };
  const { release } = checkShape(releaseSchema, payload, 'release');
  return { kind: 'build', ref: checkRefName(release.tag_name), refKind: 'tag', commit: '' };
}
