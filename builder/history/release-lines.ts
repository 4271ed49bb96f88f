import { isOfReleases } from '../../lib/branch-words.ts';
import { compareVersionNames, parseVersionName, rankVersions } from '../../lib/version-name.ts';
import type { Ref } from '../model.ts';

/** Tells which version comes after which. */
export interface ReleaseLines<T> {
  /** The versions of each family that are out, the oldest first. */
  readonly lines: readonly (readonly T[])[];
  /** Returns the release that a version is compared with: the one before it, or for what is not out the newest that it can follow. */
  findBefore(version: T): T | undefined;
  /** Returns whether a version is out: a tag that is no pre-release, or a line of versions where there are no such tags. */
  isRelease(version: T): boolean;
  /** Returns whether a version is named after one. */
  hasOrder(version: T): boolean;
}

/** Arranges versions, which are in readers' order, the latest first. Only names that are those of versions have an order. */
export function arrangeReleases<T extends { readonly ref: Ref }>(versions: readonly T[]): ReleaseLines<T> {
  const ranks = rankVersions(versions.map(({ ref }) => ({ name: ref.name, isBranch: ref.kind !== 'tag' })));
  const rankOf = ({ ref }: T) => ranks.get(ref.name);
  const isOut = (version: T): boolean => rankOf(version)?.isPreRelease === false;
  const tags = versions.filter((version) => version.ref.kind === 'tag' && isOut(version));
  const out = tags.length > 0 ? tags : versions.filter(isOut);
  const families = new Map<string, T[]>();
  for (const version of out) {
    const { family } = rankOf(version)!;
    const line = families.get(family);
    if (line) line.push(version);
    else families.set(family, [version]);
  }
  for (const line of families.values()) line.sort((a, b) => rankOf(a)!.rank - rankOf(b)!.rank);
  const released = new Set(out);
  const [main = []] = families.values();
  return {
    lines: [...families.values()],
    isRelease: (version) => released.has(version),
    hasOrder: (version) => rankOf(version) !== undefined,
    findBefore(version) {
      const own = rankOf(version);
      const line = own && families.get(own.family);
      // The default branch may be called `v2` where tags are called `package@2.1`.
      const isDefault = version === versions[0] && version.ref.kind !== 'tag';
      if (own && !line && !isDefault && isOfReleases(own.family)) return findAmong(main, version.ref) ?? main[0];
      if (!own || !line || (isDefault && line !== main)) return main.at(-1);
      return line.filter((release) => release !== version && rankOf(release)!.rank < own.rank).at(-1);
    },
  };
}

/** Returns the newest of some releases that a branch such as `release/2.4` can contain, where they are called `2.4.1`. */
function findAmong<T extends { readonly ref: Ref }>(line: readonly T[], { name, kind }: Ref): T | undefined {
  const own = parseVersionName(name, kind !== 'tag')!;
  const isBefore = ({ ref }: T): boolean => {
    const release = parseVersionName(ref.name, ref.kind !== 'tag');
    return release !== undefined && compareVersionNames(release, own) < 0;
  };
  return line.filter(isBefore).at(-1);
}
