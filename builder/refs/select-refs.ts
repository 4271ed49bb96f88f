import { isChannel } from '../../lib/branch-words.ts';
import { parseVersionName } from '../../lib/version-name.ts';
import { BuildError } from '../build-error.ts';
import type { Ref } from '../model.ts';
import { markOptions } from '../option-marks.ts';
import { createRefMatcher, isGlob, parseRefList } from './match-ref.ts';

export interface RefSelection {
  /** Names and globs; undefined = what is named like a version. */
  readonly include?: string | undefined;
  readonly exclude?: string | undefined;
  /** The ref that `latest` is to stand for. */
  readonly latest?: string | undefined;
  /** The default branch. */
  readonly head?: string | undefined;
}

export interface SelectedRefs {
  readonly refs: readonly Ref[];
  /** Branches that nobody excludes, but that are not named like versions. */
  readonly leftOut: readonly Ref[];
}

/** The purpose of a build that is not for all versions alike. */
export interface RefUpdate {
  /** Refs that are published, with the commits they were built from. */
  readonly published: readonly Ref[];
  /** Others publish, too: where the folder of this build has another commit of a version that cannot be built, `published` counts. */
  readonly isShared?: boolean | undefined;
  /** Names of branches and tags that the build is for; it fails where one of them cannot be built. Undefined = none more than others. */
  readonly update?: readonly string[] | undefined;
  /** Names of refs that are said to be gone. Those that still exist are built: the report may be late, and the ref created again. */
  readonly remove?: readonly string[] | undefined;
  /** Somebody asked for `update` by name: a branch is built that is not named like a version. */
  readonly isAsked?: boolean | undefined;
}

/** Returns whether a ref is taken for a version: a tag, the default branch, a line of versions, a channel such as `next`. */
export function isVersionRef({ name, kind }: Pick<Ref, 'name' | 'kind'>, head: string | undefined): boolean {
  return kind !== 'branch' || name === head || isChannel(name) || parseVersionName(name, true) !== undefined;
}

/**
 * Returns the refs to build: those that `include` names, else what is named like a version, without those that `exclude`
 * names; with an update also what is asked for and what is published already. Where no branch or tag is a version, all are.
 * A name that is both a branch and a tag means the branch. Throws `no-such-ref` for an exact name in `include` or `update` that does
 * not exist, `no-refs` for one in `update` that is excluded, and when nothing is left, unless that is what was asked for.
 */
export function selectRefs(refs: readonly Ref[], selection: RefSelection, update?: RefUpdate): SelectedRefs {
  const byName = new Map<string, Ref>();
  for (const ref of refs)
    if (byName.get(ref.name)?.kind !== 'branch' || ref.kind === 'branch') byName.set(ref.name, ref);
  const { include, head, latest } = selection;
  const isExcluded = createRefMatcher(selection.exclude ?? '');
  for (const entry of parseRefList(include ?? '')) {
    if (isGlob(entry) || byName.has(entry)) continue;
    throw new BuildError('no-such-ref', `Ref "${entry}" does not exist; the repository has ${listSome(byName)}`);
  }
  const taken = new Set([
    ...(latest === undefined ? [] : [latest]),
    ...listTaken(byName, isExcluded, selection, update),
  ]);
  const all = [...byName.values()];
  const isIncluded = include === undefined ? undefined : createRefMatcher(include);
  const areVersions = all.some((ref) => isVersionRef(ref, head));
  const isChosen = (ref: Ref): boolean =>
    taken.has(ref.name) || (isIncluded ? isIncluded(ref.name) : !areVersions || isVersionRef(ref, head));
  const left = all.filter(({ name }) => !isExcluded(name));
  const chosen = left.filter(isChosen);
  if (chosen.length === 0 && !update?.remove?.length) {
    throw new BuildError(
      'no-refs',
      byName.size === 0
        ? 'The repository has no branches or tags'
        : `No ref is left to build: change ${markOptions('refs', 'exclude')}; the repository has ${listSome(byName)}`,
    );
  }
  return { refs: chosen, leftOut: isIncluded ? [] : left.filter((ref) => !isChosen(ref)) };
}

/** Returns the names of refs that an update takes in whatever they are called. */
function listTaken(
  byName: ReadonlyMap<string, Ref>,
  isExcluded: (name: string) => boolean,
  { include, latest }: RefSelection,
  update: RefUpdate | undefined,
): readonly string[] {
  if (!update) return [];
  const { published, update: names = [], isAsked = false } = update;
  for (const name of names) {
    const [asked, advice] =
      name === latest ? [', requested as latest,', `; choose another one with ${markOptions('latest')}`] : ['', ''];
    const subject = `Branch or tag "${name}"${asked}`;
    if (!byName.has(name)) throw new BuildError('no-such-ref', `${subject} does not exist in the repository${advice}`);
    if (isExcluded(name)) throw new BuildError('no-refs', `${subject} is excluded from building${advice}`);
  }
  // Whoever says which refs to build means these, and not what was published before.
  return [...(isAsked ? names : []), ...(include === undefined ? published.map(({ name }) => name) : [])];
}

function listSome(byName: ReadonlyMap<string, Ref>): string {
  const shown = [...byName.keys()].slice(0, 8).map((name) => `"${name}"`);
  return shown.join(', ') + (byName.size > shown.length ? ` and ${byName.size - shown.length} more` : '');
}
