import { findBase } from '../../lib/follow-page.ts';
import { encodePath } from '../../lib/url-text.ts';
import { contentKey } from '../cache/content-key.ts';
import { findMessages } from '../compose/messages.ts';
import { pageAddress } from '../compose/navigation.ts';
import type { ChangesModel } from '../compose/page-model.ts';
import { type ChangesBetween, type PageChange, renderChanges, type SectionChange } from '../compose/render-changes.ts';
import type { PageOutline } from '../history/page-outline.ts';
import type {
  LanguageHistory,
  OutlineOf,
  ReleaseChanges,
  ReleasePage,
  ReleasePages,
} from '../history/release-changes.ts';
import { arrangeReleases } from '../history/release-lines.ts';
import type { Ref } from '../model.ts';
import { buildFeed, type FeedEntry } from '../site/feed.ts';
import type { Language } from '../source/languages.ts';
import type { PlannedHistory } from './plan-history.ts';
import type { Site } from './site.ts';

/** A version of the site, as readers know it. */
interface NamedVersion {
  readonly ref: Ref;
  readonly name: string;
  readonly slug: string;
  /** Of its commit, in seconds since 1970. */
  readonly time: number;
}

/** A version, and what it is compared with: what changed is found out when it is asked for. */
export interface ChangedVersion {
  readonly newer: NamedVersion;
  readonly older: NamedVersion;
  /** Whether those who follow the documentation are told of it. */
  readonly isRelease: boolean;
  /** Hash of the pages of both. */
  readonly key: string;
  readonly describe: () => ChangesBetween;
}

/** A release of the site with its pages. */
interface ComparedRelease extends Pick<NamedVersion, 'name' | 'slug'> {
  /** Path in the site, with a final `/`. */
  readonly path: string;
  readonly list: ReleasePages;
}

/**
 * Plans what readers are told of each version of each language, the newest first. Versions before which there was none with the
 * language are left out. What changed is found out when it is asked for.
 */
export function planChanges(
  site: Pick<Site, 'releasePath'>,
  /** In readers' order, the latest first. */
  versions: readonly NamedVersion[],
  languages: PlannedHistory['languages'],
): ReadonlyMap<string, readonly ChangedVersion[]> {
  const { findBefore, isRelease } = arrangeReleases(versions);
  const listChanged = (code: string, history: LanguageHistory): readonly ChangedVersion[] => {
    const having = new Set(history.versions);
    const place = ({ name, slug }: NamedVersion): ComparedRelease => {
      return { name, slug, path: site.releasePath(code, slug), list: history.pagesOf(name) };
    };
    const has = ({ name }: NamedVersion): boolean => having.has(name);
    return versions.filter(has).flatMap((version): readonly ChangedVersion[] => {
      const before = findBase(findBefore, has, version);
      if (!before) return [];
      const [newer, older] = [place(version), place(before)];
      const { outlineOf } = history;
      return [
        {
          newer: version,
          older: before,
          isRelease: isRelease(version),
          key: contentKey(older.list.id, newer.list.id),
          describe: () => describeChanges(history.compare(before.name, version.name), { older, newer, outlineOf }),
        },
      ];
    });
  };
  return new Map([...languages].map(([code, history]) => [code, listChanged(code, history)]));
}

/** Returns what readers are told of the changes between two releases; pages that are shown in another language do not count. */
function describeChanges(
  changes: ReleaseChanges,
  {
    older,
    newer,
    outlineOf,
  }: { readonly older: ComparedRelease; readonly newer: ComparedRelease; readonly outlineOf: OutlineOf },
): ChangesBetween {
  const before = indexOwn(older);
  const after = indexOwn(newer);
  const changed = new Map(changes.changed.map((change) => [change.path, change]));
  const urlOf = (release: ComparedRelease, path: string): string => pageAddress(release.path) + pageAddress(path);
  const pages: PageChange[] = [];
  const add = (path: string, from?: string): void => {
    const page = after.get(path);
    if (page) pages.push({ kind: 'added', title: page.title, url: urlOf(newer, path), path, from, sections: [] });
  };
  const remove = (path: string): void => {
    const page = before.get(path);
    if (page) pages.push({ kind: 'removed', title: page.title, url: urlOf(older, path), path, sections: [] });
  };
  const report = (kind: 'moved' | 'changed', from: string, path: string): void => {
    const [one, other] = [before.get(from), after.get(path)];
    if (!one || !other) {
      // It came or went for readers of this language: before or after, it was another language's.
      add(path);
      remove(from);
      return;
    }
    const change = changed.get(path);
    pages.push({
      kind,
      title: other.title,
      url: urlOf(newer, path),
      path,
      from: kind === 'moved' ? from : undefined,
      compare: change && older.slug,
      amount: change?.amount,
      // Looked up only where they are shown: of a long list, most pages are merely counted.
      get sections() {
        return change ? describeSections(change.sections, outlineOf(one), outlineOf(other)) : [];
      },
    });
  };
  const comings = new Map(changes.split.map(({ from, to }) => [to, from]));
  const goings = new Map(changes.merged.map((merge) => [merge.from, merge]));
  for (const path of changes.added) add(path, comings.get(path));
  for (const path of changes.removed) {
    const [page, merge] = [before.get(path), goings.get(path)];
    const target = merge && after.get(merge.to);
    if (!page || !target) remove(path);
    else {
      const anchor = merge.section === '' ? '' : `#${encodeURIComponent(merge.section)}`;
      const url = urlOf(newer, merge.to) + anchor;
      pages.push({ kind: 'moved', title: page.title, url, path: undefined, from: path, sections: [] });
    }
  }
  const moved = new Set(changes.moved.map(({ to }) => to));
  for (const { from, to } of changes.moved) report('moved', from, to);
  for (const { from, path } of changes.changed) if (!moved.has(path)) report('changed', from, path);
  const touched = new Set([...changes.added, ...moved, ...changed.keys()]);
  return { pages, unchanged: [...after.keys()].filter((path) => !touched.has(path)).length };
}

function indexOwn({ list }: ComparedRelease): ReadonlyMap<string, ReleasePage> {
  return new Map(list.pages.filter(({ isFallback }) => !isFallback).map((page) => [page.path, page]));
}

function describeSections(
  { added, removed, changed, moved }: ReleaseChanges['changed'][number]['sections'],
  older: PageOutline | undefined,
  newer: PageOutline | undefined,
): readonly SectionChange[] {
  const titlesOf = (outline: PageOutline | undefined): ReadonlyMap<string, string> =>
    new Map(outline?.sections.map(({ id, heading }) => [id, heading]));
  const [before, after] = [titlesOf(older), titlesOf(newer)];
  const list = (
    kind: SectionChange['kind'],
    ids: readonly string[],
    titles: ReadonlyMap<string, string>,
  ): readonly SectionChange[] => ids.map((id) => ({ kind, id, title: titles.get(id) ?? '' }));
  const seen = new Set(changed);
  return [
    ...list('added', added, after),
    ...list('removed', removed, before),
    // A heading that has another name now is moved; whether its text is another one, too, does not matter here.
    ...list(
      'moved',
      moved.map(({ to }) => to).filter((id) => !seen.has(id)),
      after,
    ),
    ...list('changed', changed, after),
  ];
}

/** The frame of pages about versions. */
export type ChangesFrame = Omit<ChangesModel, 'version' | 'list' | 'feed' | 'versions'>;

/** Versions whose changes are told, the newest ones, and entries of the feed. */
const MAX_VERSIONS = 100;
const MAX_ENTRIES = 20;
/** Pages of each kind that an entry names. */
const MAX_OF_ENTRY = 30;

/** Plans the pages of what changed in each version of a language, their list, and the feed, where the site's URL is known. */
export function planChangesFiles(
  site: Site,
  language: Language,
  {
    versions: all,
    frame,
  }: { readonly versions: readonly ChangedVersion[]; readonly frame: (siteRoot: string) => ChangesFrame },
): readonly { readonly path: string; readonly key: string; readonly produce: () => string }[] {
  const { composer, engineVersion } = site.tools;
  const { baseUrl, templates, title: siteTitle } = site.settings;
  const versions = all.slice(0, MAX_VERSIONS);
  const list = site.changesPath(language.code);
  const feed = site.feedPath(language.code);
  const pathOf = ({ newer }: ChangedVersion): string => site.changesPath(language.code, newer.slug);
  const planPages = (siteRoot: string) => {
    const shared = { ...frame(siteRoot), feed: baseUrl === undefined ? undefined : siteRoot + feed };
    const sharedKey = contentKey('changes', engineVersion, JSON.stringify([shared, templates]));
    return (path: string, own: Pick<ChangesModel, 'version' | 'list' | 'versions'>, about?: ChangedVersion) => ({
      path,
      key: contentKey(sharedKey, about?.key ?? '', JSON.stringify(own)),
      produce: () => composer.composeChanges({ ...shared, ...own }, about?.describe()),
    });
  };
  const rootOf = (path: string): string => '../'.repeat(path.split('/').length - 1);
  const listRoot = rootOf(list);
  const links = versions.map((version) => ({
    title: version.newer.name,
    url: listRoot + encodePath(pathOf(version)),
    older: [version.older.slug, version.older.name] as const,
  }));
  const files = [planPages(listRoot)(list, { version: undefined, list: undefined, versions: links })];
  const siteRoot = rootOf(site.changesPath(language.code, 'x'));
  const planPage = planPages(siteRoot);
  for (const version of versions) {
    const { newer, older } = version;
    const url = siteRoot + pageAddress(site.releasePath(language.code, older.slug));
    const about = { name: newer.name, older: { title: older.name, url } };
    files.push(planPage(pathOf(version), { version: about, list: siteRoot + list, versions: [] }, version));
  }
  if (baseUrl === undefined) return files;
  const released = versions.filter(({ isRelease }) => isRelease);
  const told = released.map(({ key, newer: { name, slug, time }, older }) => [key, name, slug, time, older.slug]);
  const key = contentKey('feed', engineVersion, JSON.stringify([baseUrl, siteTitle, language, told]));
  const produce = (): string => {
    const { changes: text, history } = findMessages(language.tag);
    const words = { text, compare: history.compare, tag: language.tag };
    const entries: FeedEntry[] = [];
    for (const version of released) {
      if (entries.length >= MAX_ENTRIES) break;
      const changes = version.describe();
      if (changes.pages.length === 0) continue;
      entries.push({
        title: version.newer.name,
        url: baseUrl + encodePath(pathOf(version)),
        time: version.newer.time,
        content: renderChanges(changes, { ...words, root: baseUrl, maxPages: MAX_OF_ENTRY }),
      });
    }
    return buildFeed({
      siteTitle,
      title: text.title,
      tag: language.tag,
      url: baseUrl + encodePath(feed),
      page: baseUrl + encodePath(list),
      entries,
    });
  };
  return [...files, { path: feed, key, produce }];
}
