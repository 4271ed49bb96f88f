import { append } from '../../lib/append.ts';
import { once } from '../../lib/once.ts';
import { BuildError } from '../build-error.ts';
import { contentKey } from '../cache/content-key.ts';
import type { Ref, Warning } from '../model.ts';
import type { RoomRules } from '../publish/find-misfits.ts';
import type { FileGroup, FileList, SiteFiles } from '../publish/site-files.ts';
import { isVersionName } from '../refs/sort-versions.ts';
import { LATEST_SLUG } from '../refs/version-slug.ts';
import type { BuildSummary } from './build-summary.ts';
import { planChanges } from './plan-changes.ts';
import { type PlannedHistory, planHistory } from './plan-history.ts';
import { planSearch } from './plan-search.ts';
import type { SectionBadges } from './plan-since.ts';
import { type PlannedBoard, planTranslations } from './plan-translations.ts';
import type { VersionNames } from './releases/linked-versions.ts';
import type { PlannedVersion, PublishedVersion } from './releases/plan-version.ts';
import { blobOfKey } from './releases/release-assets.ts';
import type { RemakePage } from './releases/remake-page.ts';
import type { Site } from './site.ts';
import { planSiteFiles } from './site-files.ts';
import { type BuildNotes, noteSkipped, own, type VersionNotes } from './versions/build-notes.ts';
import type { ChosenVersion } from './versions/version-choices.ts';
import type { Failures } from './versions/version-failures.ts';
import { type MissingSource, storeLayout, storeSource, type VersionSource } from './versions/version-source.ts';

/** A planned site: all its files, and functions that produce those that are not published yet. */
export interface PlannedSite {
  readonly files: SiteFiles;
  /** The groups of files of each version, those that matter most first: the latest, versions, others; it has the site's own files. */
  readonly groupsOf: ReadonlyMap<string, readonly string[]>;
  readonly rules: RoomRules;
  readonly produce: (key: string) => Uint8Array | Promise<Uint8Array>;
  /** Returns whether `produce` can make a content; what is taken over from the published site it need not. */
  readonly canProduce: (key: string) => boolean;
  /** Returns what makes single pages of a list of files anew, if the list was planned in this build and the tools keep that. */
  readonly remakeOf: (list: FileList) => RemakePage | undefined;
  /** Returns the names of the versions that contain a content. */
  readonly findUsers: (key: string) => readonly string[];
  readonly versions: Readonly<Record<string, VersionNotes>>;
  readonly search: BuildNotes['search'];
  readonly history: BuildNotes['history'];
  /** Returns how translations stand. */
  readonly listTranslations: () => BuildSummary['translations'];
  readonly languages: number;
  /** Warnings that belong to no version. */
  readonly siteWarnings: readonly Warning[];
}

export interface SitePlan {
  /** Reuses the versions that are unchanged; returns those that must be planned. */
  takeOver(failures: Failures): readonly ChosenVersion[];
  skip(version: ChosenVersion, missing: MissingSource): void;
  findPublished(name: string): PublishedVersion | undefined;
  slugOf(name: string): string;
  /** Returns versions in the order in which they get room: the latest, other versions by their names, the rest. */
  orderByWorth(versions: readonly ChosenVersion[]): readonly ChosenVersion[];
  add(source: VersionSource, planned: PlannedVersion): void;
  /** Makes the content of a key that an added version has; its pages must be finished. */
  produce(key: string): Promise<Uint8Array>;
  /** Adds the files of the site itself, once all versions are added. */
  finish(gitUrl: string | undefined, siteWarnings: readonly Warning[]): PlannedSite;
}

export function createSitePlan(
  site: Site,
  options: {
    /** In readers' order, the latest first. */
    readonly versions: readonly ChosenVersion[];
    /** Names for readers and names in URLs, by the names of their refs. */
    readonly shownNames: ReadonlyMap<string, string>;
    readonly slugs: ReadonlyMap<string, string>;
    readonly linkNames: VersionNames;
    readonly defaultBranch: string | undefined;
    readonly previous: { readonly notes: BuildNotes; readonly site: SiteFiles } | undefined;
    /** Since when sections are there, where pages say so. */
    readonly badges: SectionBadges | undefined;
  },
): SitePlan {
  const { versions, shownNames, slugs, linkNames, defaultBranch, previous, badges } = options;
  const groups = new Map<string, FileGroup>();
  const [latestVersion, ...others] = versions;
  const byWorth = [
    ...(latestVersion ? [latestVersion] : []),
    ...others.filter(({ ref }) => isVersionName(ref)),
    ...others.filter(({ ref }) => !isVersionName(ref)),
  ];
  const producers = new Map<string, () => string | Promise<Uint8Array>>();
  const remakes = new Map<FileList, RemakePage>();
  const notes: Record<string, VersionNotes> = Object.create(null) as Record<string, VersionNotes>;
  const keptKeys = new Set<string>();
  const keptLists = new Set<string>();
  const slugOf = (name: string): string => slugs.get(name)!;
  const groupName = (code: string, refName: string): string => `${code}/${slugOf(refName)}`;
  const findNotes = (name: string): VersionNotes | undefined => previous && own(previous.notes.versions, name);
  /** Where the past of a version is fetched later, its pages get their dates then; that of a folder is that of HEAD. */
  const pastOf = ({ oid }: Ref): string => {
    const commit = site.tools.reader.past?.find(oid);
    return commit === undefined ? '' : commit === oid ? 'dated' : commit;
  };
  const keyOf = ({ ref, rootTree }: Pick<ChosenVersion, 'ref' | 'rootTree'>): string =>
    contentKey(
      site.key,
      rootTree,
      ref.name,
      slugOf(ref.name),
      pastOf(ref),
      ...(badges ? site.languages.map(({ code }) => badges.keyOf(ref.name, code)) : []),
    );

  return {
    slugOf,
    orderByWorth: (some) => byWorth.filter((version) => some.includes(version)),
    produce: (key) => produceContent(key, (content) => producers.get(content)),
    takeOver: (failures) =>
      versions.filter((version) => {
        const { name } = version.ref;
        const known = findNotes(name);
        const isSame = known?.key === keyOf(version) && meansSameVersions(known) && isSearchKept(known);
        if (known && (isSame || version.isFixed) && takeReleases(name, known)) {
          notes[name] = { ...known, kind: version.ref.kind, oid: version.ref.oid, time: version.time };
          return false;
        }
        if (version.isFixed) failures.set(name, cannotStayError(name));
        return !version.isFixed;
      }),
    skip(version, missing) {
      notes[version.ref.name] = noteSkipped(version, keyOf(version), missing);
    },
    findPublished(name) {
      const known = findNotes(name);
      return known && { notes: known, findList: (code) => previous!.site.get(groupName(code, name))?.list };
    },
    add(source, planned) {
      const { ref, rootTree, time } = source.version;
      for (const [code, release] of planned.releases) {
        groups.set(groupName(code, ref.name), {
          prefix: site.releasePath(code, slugOf(ref.name)),
          list: release.list,
        });
        for (const [content, produce] of release.producers)
          if (!producers.has(content)) producers.set(content, produce);
        release.producers.clear();
        if (release.remake) remakes.set(release.list, release.remake);
      }
      notes[ref.name] = {
        kind: ref.kind,
        oid: ref.oid,
        tree: rootTree,
        time,
        source: storeSource(source),
        layout: storeLayout(source.layout),
        key: planned.isMomentary ? '' : keyOf(source.version),
        listed: badges && keyOfLists(site, source.version),
        ...planned.notes,
      };
    },
    finish(gitUrl, siteWarnings) {
      addLatest();
      const releases = versions.map(({ ref }) => {
        const { languages, moved, search, time } = notes[ref.name]!;
        return { ref, name: shownNames.get(ref.name)!, slug: slugOf(ref.name), languages, moved, search, time };
      });
      const { unlisted, search: pages } = notes[versions[0]!.ref.name]!;
      const extras = new Set(versions.flatMap(({ ref }) => notes[ref.name]!.extras ?? []));
      const search = planSearch(site, releases, { previous, isKept });
      const findGroup = (code: string, slug: string) => groups.get(`${code}/${slug}`);
      const history = planHistory(site, releases, { defaultBranch, previous, findGroup });
      for (const [name, { prefix, list }] of history.moved) groups.set(name, { prefix, list });
      const changes = planChanges(site, releases, history.languages);
      const boards = planTranslations(releases, history.languages, site.tools);
      const { list, producers: ofSite } = planSiteFiles(
        site,
        { versions: releases, groups, unlisted, extras, search, history, changes, boards, pages },
        gitUrl,
      );
      groups.set('site', { prefix: '', list });
      const findProducer = (key: string) =>
        ofSite.get(key) ?? search.produce.get(key) ?? history.produce.get(key) ?? producers.get(key);
      return {
        files: groups,
        groupsOf: groupVersions(history.moved),
        rules: findRules(new Set(search.files.values())),
        findUsers: (key) => versions.map(({ ref }) => ref.name).filter((name) => holds(name, key)),
        versions: Object.fromEntries(versions.map(({ ref }) => [ref.name, notes[ref.name]!])),
        search: search.notes,
        history: history.notes,
        listTranslations: once(() => listTranslations(boards)),
        languages: new Set(Object.values(notes).flatMap((version) => version.languages)).size,
        siteWarnings,
        canProduce: (key) => blobOfKey(key) !== undefined || findProducer(key) !== undefined,
        produce: (key) => produceContent(key, findProducer),
        remakeOf: (list) => remakes.get(list),
      };
    },
  };

  function listTranslations(boards: readonly PlannedBoard[]): BuildSummary['translations'] {
    const found = boards.map(({ language, make }) => {
      return { language, counts: new Map(make().versions.map(({ name, slug: _slug, ...counts }) => [name, counts])) };
    });
    return versions.flatMap(({ ref }) =>
      found.flatMap(({ language, counts }) => {
        const own = counts.get(shownNames.get(ref.name)!);
        return own ? [{ ref: ref.name, language, ...own }] : [];
      }),
    );
  }

  async function produceContent(
    key: string,
    findProducer: (key: string) => (() => string | Uint8Array | Promise<string | Uint8Array>) | undefined,
  ): Promise<Uint8Array> {
    const oid = blobOfKey(key);
    if (oid !== undefined) return site.tools.reader.readBlob(oid);
    const content = await findProducer(key)?.();
    if (content === undefined) throw new Error(`Nothing produces the content "${key}"`);
    return typeof content === 'string' ? Buffer.from(content) : content;
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

  /** Reuses a version's published releases; false if one of them is gone. */
  function takeReleases(name: string, { languages: codes }: VersionNotes): boolean {
    const found = codes.map((code) => [code, previous!.site.get(groupName(code, name))] as const);
    const isThere = found.every(([code, group]) => group?.prefix === site.releasePath(code, slugOf(name)));
    const isShown = codes.every((code) => site.languages.some((language) => language.code === code));
    if (!isThere || !isShown) return false;
    for (const [code, group] of found) groups.set(groupName(code, name), group!);
    return true;
  }

  /** The latest version is published under its own name and as `latest`. */
  function addLatest(): void {
    if (site.settings.single) return;
    const { name } = versions[0]!.ref;
    for (const code of notes[name]!.languages) {
      const { list } = groups.get(groupName(code, name))!;
      groups.set(`${code}/${LATEST_SLUG}`, { prefix: site.releasePath(code, LATEST_SLUG), list });
    }
  }

  function groupVersions(moved: PlannedHistory['moved']): ReadonlyMap<string, readonly string[]> {
    const owned = new Map(
      byWorth.map(({ ref: { name } }) => [name, notes[name]!.languages.map((code) => groupName(code, name))]),
    );
    for (const [name, { ref }] of moved) owned.get(ref)!.push(name);
    const others = new Set(groups.keys());
    for (const names of owned.values()) for (const name of names) others.delete(name);
    append(owned.get(versions[0]!.ref.name)!, others);
    return owned;
  }

  /** The search index grows with each page that no version before had. */
  function findRules(common: ReadonlySet<string>): RoomRules {
    const seen = new Set<string>();
    const counts = byWorth.map(({ ref: { name } }) => {
      const before = seen.size;
      for (const { pages } of Object.values(notes[name]!.search)) for (const { key } of pages) seen.add(key);
      return [name, seen.size - before] as const;
    });
    const shares = new Map(counts.map(([name, count]) => [name, count / Math.max(1, seen.size)]));
    return { withoutGap: byWorth.filter(({ ref }) => isVersionName(ref)).length + 1, common, shares };
  }

  function holds(name: string, key: string): boolean {
    const lists = notes[name]!.languages.map((code) => groups.get(groupName(code, name))!.list);
    return lists.some(({ files }) => files.some(([, content]) => content === key));
  }
}

/** Returns a hash of what decides which pages a version has. */
export function keyOfLists({ key }: Site, { rootTree }: Pick<ChosenVersion, 'rootTree'>): string {
  return contentKey(key, rootTree);
}

function cannotStayError(name: string): BuildError {
  return new BuildError('damaged-repository', `The published files of "${name}" no longer match the site`);
}
