import { contentKey } from '../../cache/content-key.ts';
import type { Ref } from '../../model.ts';
import type { FileGroup, FileList, SiteFiles } from '../../publish/site-files.ts';
import type { SectionBadges } from '../plan-since.ts';
import type { Site } from '../site.ts';
import { type BuildNotes, own, type VersionNotes } from '../versions/build-notes.ts';
import type { ChosenVersion } from '../versions/version-choices.ts';
import type { VersionNames } from './linked-versions.ts';
import type { PublishedVersion } from './plan-version.ts';

/** A version whose published releases stay. */
export interface KeptVersion {
  readonly notes: VersionNotes;
  /** The files of its releases by language code. */
  readonly lists: readonly (readonly [code: string, list: FileList])[];
}

/** The versions of the published site, and which of them stay. */
export interface PublishedVersions {
  find(name: string): PublishedVersion | undefined;
  /** Returns a version that stays, since it would be made the same or cannot be read; undefined also where a release of it is gone. */
  findKept(version: ChosenVersion): KeptVersion | undefined;
  /** Returns a hash of all that a version's releases depend on, besides the versions that its links name. */
  keyOf(version: Pick<ChosenVersion, 'ref' | 'rootTree'>): string;
  /** Returns whether the text of a page for search is kept, by the page's key. */
  isKept(pageKey: string): boolean;
}

/** Returns the name of the group of a release's files. */
export function releaseGroup(code: string, slug: string): string {
  return `${code}/${slug}`;
}

/** Returns a hash of what decides which pages a version has. */
export function keyOfLists({ key }: Site, { rootTree }: Pick<ChosenVersion, 'rootTree'>): string {
  return contentKey(key, rootTree);
}

export function createPublishedVersions(
  site: Site,
  options: {
    readonly previous: { readonly notes: BuildNotes; readonly site: SiteFiles } | undefined;
    readonly slugOf: (name: string) => string;
    readonly linkNames: VersionNames;
    readonly badges: SectionBadges | undefined;
  },
): PublishedVersions {
  const { previous, slugOf, linkNames, badges } = options;
  const keptKeys = new Set<string>();
  const keptLists = new Set<string>();
  return {
    find(name) {
      const notes = findNotes(name);
      return notes && { notes, findList: (code) => findGroup(code, name)?.list };
    },
    findKept(version) {
      const { ref, time, isFixed } = version;
      const known = findNotes(ref.name);
      const isSame = known?.key === keyOf(version) && meansSameVersions(known) && isSearchKept(known);
      const lists = known && (isSame || isFixed) ? findReleases(ref.name, known) : undefined;
      return known && lists && { notes: { ...known, kind: ref.kind, oid: ref.oid, time }, lists };
    },
    keyOf,
    isKept,
  };

  function findNotes(name: string): VersionNotes | undefined {
    return previous && own(previous.notes.versions, name);
  }

  function findGroup(code: string, name: string): FileGroup | undefined {
    return previous?.site.get(releaseGroup(code, slugOf(name)));
  }

  function keyOf({ ref, rootTree }: Pick<ChosenVersion, 'ref' | 'rootTree'>): string {
    return contentKey(
      site.key,
      rootTree,
      ref.name,
      slugOf(ref.name),
      pastOf(ref),
      ...(badges ? site.languages.map(({ code }) => badges.keyOf(ref.name, code)) : []),
    );
  }

  /** Where the past of a version is fetched later, its pages get their dates then; that of a folder is that of HEAD. */
  function pastOf({ oid }: Ref): string {
    const commit = site.tools.reader.past?.find(oid);
    return commit === undefined ? '' : commit === oid ? 'dated' : commit;
  }

  /** Links to versions that have come or gone lead elsewhere. */
  function meansSameVersions({ named = [] }: VersionNotes): boolean {
    return named.every(([name, slug]) => (linkNames.find(name)?.slug ?? '') === slug);
  }

  /** The cache may have dropped the text of pages for search; it is made again by rendering them. */
  function isSearchKept({ search }: VersionNotes): boolean {
    return Object.values(search).every(({ id, pages }) => {
      const isThere = keptLists.has(id) || pages.every(({ key }) => key === '' || keptKeys.has(key) || isKept(key));
      if (isThere) keptLists.add(id);
      return isThere;
    });
  }

  function isKept(key: string): boolean {
    const isThere = site.tools.searchEntries.has(key);
    if (isThere) keptKeys.add(key);
    return isThere;
  }

  /** Returns the releases of a version as they are published; undefined if one of them is gone, or has another place now. */
  function findReleases(name: string, { languages: codes }: VersionNotes): KeptVersion['lists'] | undefined {
    const found = codes.map((code) => [code, findGroup(code, name)] as const);
    const isThere = found.every(([code, group]) => group?.prefix === site.releasePath(code, slugOf(name)));
    const isShown = codes.every((code) => site.languages.some((language) => language.code === code));
    return isThere && isShown ? found.map(([code, group]) => [code, group!.list] as const) : undefined;
  }
}
