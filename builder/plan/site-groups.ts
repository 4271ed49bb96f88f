import { append } from '../../lib/append.ts';
import type { FileGroup, FileList, SiteFiles } from '../publish/site-files.ts';
import { LATEST_SLUG } from '../refs/version-slug.ts';
import type { PlannedHistory } from './plan-history.ts';
import { releaseGroup } from './releases/published-versions.ts';
import type { Site } from './site.ts';

/** The files of a site that is being planned: a group for each release, for what leads on from moved pages, and for the site itself. */
export interface SiteGroups {
  readonly files: SiteFiles;
  /** Returns the files of a release; undefined where there is none. */
  find(code: string, slug: string): FileGroup | undefined;
  /** Adds the releases of a version, by language code. */
  addReleases(name: string, lists: Iterable<readonly [code: string, list: FileList]>): void;
  /** Publishes a version under its own name and as `latest`, unless it is the only one. */
  addLatest(name: string): void;
  addMoved(groups: PlannedHistory['moved']): void;
  /** Adds the files that belong to no version. */
  addOwn(list: FileList): void;
  /** Divides the names of the groups among all versions; the first gets those that belong to none. */
  divide(names: readonly string[]): ReadonlyMap<string, readonly string[]>;
  /** Returns whether one of a version's releases has a content. */
  holds(name: string, key: string): boolean;
}

export function createSiteGroups(
  { settings, releasePath }: Pick<Site, 'settings' | 'releasePath'>,
  slugOf: (name: string) => string,
): SiteGroups {
  const files = new Map<string, FileGroup>();
  /** By the names of versions. */
  const releases = new Map<string, ReadonlyMap<string, FileList>>();
  /** Names of versions by those of groups. */
  const owners = new Map<string, string>();
  const releasesOf = (name: string): ReadonlyMap<string, FileList> => releases.get(name) ?? new Map();
  const addAt = (slug: string, code: string, list: FileList): unknown =>
    files.set(releaseGroup(code, slug), { prefix: releasePath(code, slug), list });
  return {
    files,
    find: (code, slug) => files.get(releaseGroup(code, slug)),
    addReleases(name, lists) {
      releases.set(name, new Map(lists));
      for (const [code, list] of releasesOf(name)) addAt(slugOf(name), code, list);
    },
    addLatest(name) {
      if (settings.single) return;
      for (const [code, list] of releasesOf(name)) addAt(LATEST_SLUG, code, list);
    },
    addMoved(groups) {
      for (const [group, { prefix, list, ref }] of groups) {
        files.set(group, { prefix, list });
        owners.set(group, ref);
      }
    },
    addOwn(list) {
      files.set('site', { prefix: '', list });
    },
    divide(names) {
      const divided = new Map(
        names.map((name) => [name, [...releasesOf(name).keys()].map((code) => releaseGroup(code, slugOf(name)))]),
      );
      for (const [group, name] of owners) divided.get(name)!.push(group);
      const others = new Set(files.keys());
      for (const groups of divided.values()) for (const group of groups) others.delete(group);
      append(divided.get(names[0]!)!, others);
      return divided;
    },
    holds: (name, key) =>
      [...releasesOf(name).values()].some((list) => list.files.some(([, content]) => content === key)),
  };
}
