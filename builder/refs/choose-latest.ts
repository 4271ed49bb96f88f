import { BuildError } from '../build-error.ts';
import { type DatedRef, parseVersion, sortVersions } from './sort-versions.ts';

/**
 * Returns the ref that `latest` stands for: the one asked for, else the repository's HEAD, else the newest release among the
 * tags, else the newest tag or branch.
 * Throws `no-such-ref` when the one asked for is not among the refs to build.
 */
export function chooseLatest<T extends DatedRef>(
  refs: readonly T[],
  options: { readonly asked: string | undefined; readonly head: string | undefined },
): T {
  if (options.asked !== undefined) {
    const found = refs.find((ref) => ref.name === options.asked);
    if (found) return found;
    throw new BuildError('no-such-ref', `Ref "${options.asked}", requested as latest, is not among the refs to build`);
  }
  const sorted = sortVersions(refs, undefined);
  const tags = sorted.filter((ref) => ref.kind === 'tag');
  const release = tags.find((tag) => parseVersion(tag.name)?.prerelease.length === 0);
  return refs.find((ref) => ref.name === options.head) ?? release ?? tags[0] ?? sorted[0]!;
}
