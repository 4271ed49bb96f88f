import type { Ref } from '../model.ts';
import { arrangeReleases } from './release-lines.ts';

/** How the versions of a site follow each other: each but the first of a line has one that it is compared with. */
export interface VersionLines {
  /** Names of the refs of all versions; each stands behind its base. */
  readonly order: readonly string[];
  /**
   * The version that came before, by the names of their refs: the release before; for a branch of work, or a tag that is no version, the
   * branch that it comes from.
   */
  readonly bases: ReadonlyMap<string, string>;
}

/**
 * Arranges versions, which are in readers' order, the latest first. What has an order follows the release before it, and the default
 * branch the newest release; all else follows the default branch or, where that is not published, the latest version.
 */
export function arrangeVersions(
  versions: readonly { readonly ref: Ref }[],
  defaultBranch: string | undefined,
): VersionLines {
  const { lines, isRelease, findBefore, hasOrder } = arrangeReleases(versions);
  const trunk = versions.find(({ ref }) => ref.name === defaultBranch) ?? versions[0]!;
  const releases = lines.flat();
  const ordered = versions.filter((version) => hasOrder(version) && !isRelease(version));
  const others = versions.filter((version) => !hasOrder(version) && version !== trunk);
  const bases = new Map<string, string>();
  for (const version of [...releases, ...ordered, trunk]) {
    const before = findBefore(version);
    if (before) bases.set(version.ref.name, before.ref.name);
  }
  for (const { ref } of others) bases.set(ref.name, trunk.ref.name);
  const order = new Set([...releases, ...ordered, trunk, ...others].map(({ ref }) => ref.name));
  return { order: [...order], bases };
}
