import { compareVersionNames, parseVersionName, type VersionName } from '../../lib/version-name.ts';
import { BuildError } from '../build-error.ts';
import type { Ref } from '../model.ts';
import { markOptions } from '../option-marks.ts';

/** A ref with the time of its commit, seconds since 1970. */
export interface DatedRef extends Ref {
  readonly time: number;
}

/**
 * Returns refs in readers' order: `latest` first, then branches, then tags; inside a kind names that are versions come
 * first, newest version first, then the others, newest commit first. Families of versions (`pkg-a@1.2`, `pkg-b@3.4`) stay together,
 * the one with the newest commit first. Equal ones are ordered by name.
 */
export function sortVersions<T extends DatedRef>(refs: readonly T[], latest: string | undefined): readonly T[] {
  const named = refs.map((ref) => ({ ref, version: versionOf(ref) }));
  const times = new Map<string, number>();
  for (const { ref, version } of named) {
    if (version) times.set(familyKey(ref, version), Math.max(ref.time, times.get(familyKey(ref, version)) ?? 0));
  }
  const placeOf = ({ ref, version }: Named<T>): readonly (number | string)[] => [
    ref.name === latest ? 0 : 1,
    ref.kind === 'tag' ? 1 : 0,
    version ? 0 : 1,
    -(version ? times.get(familyKey(ref, version))! : ref.time),
    version?.family ?? '',
  ];
  const placed = named.map((one) => ({ ...one, place: placeOf(one) }));
  placed.sort((a, b) => {
    const at = a.place.findIndex((part, index) => part !== b.place[index]);
    if (at >= 0) return a.place[at]! < b.place[at]! ? -1 : 1;
    const order = a.version && b.version ? compareVersionNames(b.version, a.version) : 0;
    return order || (a.ref.name < b.ref.name ? -1 : 1);
  });
  return placed.map(({ ref }) => ref);
}

export function isVersionName(ref: Ref): boolean {
  return versionOf(ref) !== undefined;
}

interface Named<T extends Ref> {
  readonly ref: T;
  readonly version: VersionName | undefined;
}

function versionOf({ name, kind }: Ref): VersionName | undefined {
  return parseVersionName(name, kind !== 'tag');
}

function familyKey({ kind }: Ref, { family }: VersionName): string {
  return `${kind === 'tag' ? 'tag' : 'branch'} ${family}`;
}

/**
 * Returns the ref that `latest` stands for: the requested one, else the repository's HEAD, else the newest release among the
 * tags of the family with the newest commit, else the newest line of versions among the branches, else the newest tag or branch.
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
  const head = refs.find((ref) => ref.name === options.head);
  if (head) return head;
  const sorted = sortVersions(refs, undefined);
  const isRelease = (ref: T): boolean => (versionOf(ref)?.stage ?? -1) >= 0;
  const tags = sorted.filter((ref) => ref.kind === 'tag');
  return tags.find(isRelease) ?? sorted.find(isRelease) ?? tags[0] ?? sorted[0]!;
}
