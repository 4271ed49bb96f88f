import type { SemVer } from 'semver';
import compareBuild from 'semver/functions/compare-build.js';
import parse from 'semver/functions/parse.js';
import { BuildError } from '../build-error.ts';
import type { Ref } from '../model.ts';
import { markOptions } from '../option-marks.ts';

/** A ref with the time of its commit, seconds since 1970. */
export interface DatedRef extends Ref {
  readonly time: number;
}

/**
 * Returns refs in readers' order: `latest` first, then branches, then tags; inside a kind names that are versions come
 * first, newest version first, then the others, newest commit first. Equal ones are ordered by name.
 */
export function sortVersions<T extends DatedRef>(refs: readonly T[], latest: string | undefined): readonly T[] {
  const keyed = refs.map((ref) => ({ ref, version: parseVersion(ref.name) }));
  keyed.sort((a, b) => {
    if (a.ref.name === latest || b.ref.name === latest)
      return a.ref.name === b.ref.name ? 0 : a.ref.name === latest ? -1 : 1;
    if (kindRank(a.ref) !== kindRank(b.ref)) return kindRank(a.ref) - kindRank(b.ref);
    if (a.version && b.version) return compareBuild(b.version, a.version) || compareNames(a.ref, b.ref);
    if (a.version || b.version) return a.version ? -1 : 1;
    return b.ref.time - a.ref.time || compareNames(a.ref, b.ref);
  });
  return keyed.map(({ ref }) => ref);
}

/** Returns the semantic version a ref is named after (`v1.2.3`, `1.2`, `v3`), or undefined. */
export function parseVersion(name: string): SemVer | undefined {
  const match = /^v?(\d{1,9})(?:\.(\d{1,9}))?(?:\.(\d{1,9}))?((?:-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?)$/.exec(name);
  if (!match) return undefined;
  return parse(`${match[1]}.${match[2] ?? 0}.${match[3] ?? 0}${match[4]}`, { loose: true }) ?? undefined;
}

function kindRank(ref: Ref): number {
  return ref.kind === 'tag' ? 1 : 0;
}

function compareNames(a: Ref, b: Ref): number {
  return a.name < b.name ? -1 : a.name > b.name ? 1 : 0;
}

/**
 * Returns the ref that `latest` stands for: the requested one, else the repository's HEAD, else the newest release among the
 * tags, else the newest tag or branch.
 * Throws `no-such-ref` when the requested one is not among the refs to build.
 */
export function chooseLatest<T extends DatedRef>(
  refs: readonly T[],
  options: { readonly asked: string | undefined; readonly head: string | undefined },
): T {
  if (options.asked !== undefined) {
    const found = refs.find((ref) => ref.name === options.asked);
    if (found) return found;
    const advice = `choose another one with ${markOptions('latest')}`;
    throw new BuildError(
      'no-such-ref',
      `Ref "${options.asked}", requested as latest, is not among the refs to build; ${advice}`,
    );
  }
  const sorted = sortVersions(refs, undefined);
  const tags = sorted.filter((ref) => ref.kind === 'tag');
  const release = tags.find((tag) => parseVersion(tag.name)?.prerelease.length === 0);
  return refs.find((ref) => ref.name === options.head) ?? release ?? tags[0] ?? sorted[0]!;
}
