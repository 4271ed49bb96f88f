import { BuildError } from '../build-error.ts';
import type { Ref } from '../model.ts';
import { markOptions } from '../option-marks.ts';
import { createRefMatcher } from './match-ref.ts';

/** Which versions to build again; all others stay as they are published. */
export interface RefUpdate {
  /** Refs that are published, with the commits they were built from. */
  readonly published: readonly Ref[];
  /** Names of branches and tags to build as the repository has them now. */
  readonly update: readonly string[];
  /**
   * Names of refs that are said to be gone. Those that still exist are built as they are now: the report may be late,
   * and the ref may have been created again.
   */
  readonly remove?: readonly string[];
}

/**
 * Returns the refs of a site after an update: those published, and the named ones at the commits they lead to now. Throws
 * `no-such-ref` for a name that does not exist, `no-refs` for one that is excluded or when nothing is left, unless that is
 * what was asked for.
 */
export function updateRefs(
  refs: readonly Ref[],
  { published, update, remove = [] }: RefUpdate,
  settings: { readonly exclude?: string | undefined; readonly latest?: string | undefined },
): readonly Ref[] {
  const isExcluded = createRefMatcher(settings.exclude ?? '');
  const find = (name: string): Ref | undefined =>
    refs.find((ref) => ref.name === name && ref.kind === 'branch') ?? refs.find((ref) => ref.name === name);
  const updated = update.map((name) => {
    const found = find(name);
    const [asked, advice] =
      name === settings.latest
        ? [', requested as latest,', `; choose another one with ${markOptions('latest')}`]
        : ['', ''];
    if (!found)
      throw new BuildError('no-such-ref', `Branch or tag "${name}"${asked} does not exist in the repository${advice}`);
    if (isExcluded(name))
      throw new BuildError('no-refs', `Branch or tag "${name}"${asked} is excluded from building${advice}`);
    return found;
  });
  const back = remove.flatMap((name) => (update.includes(name) || isExcluded(name) ? [] : (find(name) ?? [])));
  const kept = published.filter(({ name }) => !update.includes(name) && !remove.includes(name));
  if (kept.length + updated.length + back.length + remove.length === 0)
    throw new BuildError('no-refs', 'No versions are left to publish');
  return [...kept, ...updated, ...back];
}

/**
 * Returns the refs for a build that updates some: the current commits of the default branch and of the refs to update,
 * the published commits of all others.
 */
export function freezeRefs(
  refs: readonly Ref[],
  head: string | undefined,
  { published, update, remove = [] }: RefUpdate,
): readonly Ref[] {
  const moving = new Set([...update, ...remove]);
  const frozen = new Set(published.map(({ name }) => name).filter((name) => !moving.has(name)));
  const fresh = refs.filter(({ name }) => !frozen.has(name) && (moving.has(name) || name === head));
  return [...fresh, ...published.filter(({ name }) => frozen.has(name))];
}
