import { once } from '../../lib/once.ts';
import { BuildError } from '../build-error.ts';
import type { Warning } from '../model.ts';
import type { RoomRules } from '../publish/find-misfits.ts';
import type { FileList, SiteFiles } from '../publish/site-files.ts';
import type { BuildSummary } from './build-summary.ts';
import { createContentProducers } from './content-producers.ts';
import { planChanges } from './plan-changes.ts';
import { planHistory } from './plan-history.ts';
import { planSearch } from './plan-search.ts';
import type { SectionBadges } from './plan-since.ts';
import { listTranslated, planTranslations } from './plan-translations.ts';
import type { VersionNames } from './releases/linked-versions.ts';
import type { PlannedVersion, PublishedVersion } from './releases/plan-version.ts';
import { createPublishedVersions, keyOfLists } from './releases/published-versions.ts';
import type { RemakePage } from './releases/remake-page.ts';
import type { Site } from './site.ts';
import { planSiteFiles } from './site-files.ts';
import { createSiteGroups } from './site-groups.ts';
import { type BuildNotes, noteSkipped, type VersionNotes } from './versions/build-notes.ts';
import type { ChosenVersion } from './versions/version-choices.ts';
import type { Failures } from './versions/version-failures.ts';
import { type MissingSource, storeLayout, storeSource, type VersionSource } from './versions/version-source.ts';
import { rankVersions, shareRoom } from './versions/version-worth.ts';

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
  const { versions, shownNames, slugs, defaultBranch, previous, badges } = options;
  const slugOf = (name: string): string => slugs.get(name)!;
  const ranked = rankVersions(versions);
  const published = createPublishedVersions(site, { previous, slugOf, linkNames: options.linkNames, badges });
  const groups = createSiteGroups(site, slugOf);
  const producers = createContentProducers(site.tools.reader);
  const remakes = new Map<FileList, RemakePage>();
  const notes: Record<string, VersionNotes> = Object.create(null) as Record<string, VersionNotes>;
  return {
    slugOf,
    orderByWorth: (some) => ranked.filter((version) => some.includes(version)),
    produce: producers.produce,
    findPublished: published.find,
    takeOver: (failures) =>
      versions.filter((version) => {
        const { name } = version.ref;
        const kept = published.findKept(version);
        if (kept) {
          groups.addReleases(name, kept.lists);
          notes[name] = kept.notes;
          return false;
        }
        if (version.isFixed) failures.set(name, cannotStayError(name));
        return !version.isFixed;
      }),
    skip(version, missing) {
      notes[version.ref.name] = noteSkipped(version, published.keyOf(version), missing);
    },
    add(source, planned) {
      const { ref, rootTree, time } = source.version;
      const releases = [...planned.releases];
      groups.addReleases(
        ref.name,
        releases.map(([code, { list }]) => [code, list]),
      );
      for (const [, release] of releases) {
        producers.take(release.producers);
        if (release.remake) remakes.set(release.list, release.remake);
      }
      notes[ref.name] = {
        kind: ref.kind,
        oid: ref.oid,
        tree: rootTree,
        time,
        source: storeSource(source),
        layout: storeLayout(source.layout),
        key: planned.isMomentary ? '' : published.keyOf(source.version),
        listed: badges && keyOfLists(site, source.version),
        ...planned.notes,
      };
    },
    finish(gitUrl, siteWarnings) {
      const latest = versions[0]!.ref.name;
      groups.addLatest(latest);
      const releases = versions.map(({ ref }) => {
        const { languages, moved, search, time } = notes[ref.name]!;
        return { ref, name: shownNames.get(ref.name)!, slug: slugOf(ref.name), languages, moved, search, time };
      });
      const { unlisted, search: pages } = notes[latest]!;
      const extras = new Set(versions.flatMap(({ ref }) => notes[ref.name]!.extras ?? []));
      const search = planSearch(site, releases, { previous, isKept: published.isKept });
      const history = planHistory(site, releases, { defaultBranch, previous, findGroup: groups.find });
      groups.addMoved(history.moved);
      const changes = planChanges(site, releases, history.languages);
      const boards = planTranslations(releases, history.languages, site.tools);
      const own = planSiteFiles(
        site,
        { versions: releases, groups: groups.files, unlisted, extras, search, history, changes, boards, pages },
        gitUrl,
      );
      groups.addOwn(own.list);
      for (const more of [history.produce, search.produce, own.producers]) producers.addFirst(more);
      return {
        files: groups.files,
        groupsOf: groups.divide(ranked.map(({ ref }) => ref.name)),
        rules: shareRoom(ranked, notes, new Set(search.files.values())),
        findUsers: (key) => versions.map(({ ref }) => ref.name).filter((name) => groups.holds(name, key)),
        versions: Object.fromEntries(versions.map(({ ref }) => [ref.name, notes[ref.name]!])),
        search: search.notes,
        history: history.notes,
        listTranslations: once(() => listTranslated(boards, releases)),
        languages: new Set(Object.values(notes).flatMap((version) => version.languages)).size,
        siteWarnings,
        canProduce: producers.has,
        produce: producers.produce,
        remakeOf: (list) => remakes.get(list),
      };
    },
  };
}

function cannotStayError(name: string): BuildError {
  return new BuildError('damaged-repository', `The published files of "${name}" no longer match the site`);
}
