import { BuildError } from '../build-error.ts';
import type { Ref, Repository } from '../model.ts';
import type { RefUpdate } from '../refs/update-refs.ts';

/**
 * Gives the names of published versions that a failed update leaves as they are, but whose commits are nowhere any more:
 * a branch was moved by force, and server and cache have thrown its old commit away. None where the error is not about
 * missing commits. Throws `no-such-ref` for a version whose ref is gone, too: nobody can build it.
 */
export async function findLostVersions(
  repository: Repository,
  { published, update, remove = [] }: RefUpdate,
  error: unknown,
): Promise<readonly string[]> {
  if (!isMissing(error)) return [];
  const lost: string[] = [];
  for (const ref of published) {
    if (update.includes(ref.name) || remove.includes(ref.name) || (await canBeRead(repository, ref))) continue;
    if (!repository.refs.some(({ name }) => name === ref.name)) throw goneError(ref, error);
    lost.push(ref.name);
  }
  return lost;
}

async function canBeRead(repository: Repository, ref: Ref): Promise<boolean> {
  try {
    await repository.fetch([ref]);
    await repository.readCommit(ref.oid);
    return true;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof BuildError && (error.code === 'no-such-ref' || error.code === 'damaged-repository');
}

function goneError({ name }: Ref, cause: unknown): BuildError {
  const why = `neither its commit nor a branch or tag "${name}" is in the repository any more`;
  return new BuildError(
    'no-such-ref',
    `Version "${name}" is published, but ${why}: take it out by building all versions`,
    {
      cause,
    },
  );
}
