import { findBase } from '../../lib/follow-page.ts';
import { compareVersionNames, parseVersionName } from '../../lib/version-name.ts';
import { contentKeyOf } from '../cache/content-key.ts';
import { findMessages, type Messages } from '../compose/messages.ts';
import type { OutlineOf, ReleaseChanges, ReleasePages } from '../history/release-changes.ts';
import { arrangeReleases } from '../history/release-lines.ts';
import { beginAges, continueAges, type PageAges, type ReleaseAges } from '../history/section-ages.ts';
import { bareWords, findSinceNotes, type SinceBadge } from '../history/since-notes.ts';
import type { Ref } from '../model.ts';
import type { Language } from '../source/languages.ts';

/** Since when the sections of a site's pages are there, for the badges of their headings. */
export interface SectionBadges {
  /** Returns a hash of all badges of a release. */
  keyOf(refName: string, code: string): string;
  /** Returns the badges of a page by the ids of its sections; '' = its title. Undefined where there are none. */
  find(refName: string, code: string, path: string): ReadonlyMap<string, SinceBadge> | undefined;
  /**
   * Returns what is wrong with a page's own notes: those that name a version after one in which the section was there already. Lines
   * are those of its file.
   */
  check(
    refName: string,
    code: string,
    page: CheckedPage,
  ): readonly { readonly line: number; readonly message: string }[];
}

interface CheckedPage {
  readonly path: string;
  /** Markdown. */
  readonly text: string;
  /** Sections as the page is rendered. */
  readonly sections: readonly { readonly id: string; readonly heading: string }[];
}

/** The release of headings that are in no version that is out. */
const UNRELEASED = Number.POSITIVE_INFINITY;

/** A version with its pages by language code. */
export interface AgedVersion {
  readonly ref: Ref;
  /** For readers. */
  readonly name: string;
  readonly lists: Readonly<Record<string, ReleasePages>>;
  /** Paths of translations with those of their originals, by language code. */
  readonly moved?: Readonly<Record<string, Readonly<Record<string, string>>>> | undefined;
}

/**
 * Finds out with which release each section of each version came, in the default language; a translation has the ages of its
 * original. Sections of branches and pre-releases that no release has are not released yet.
 */
export function planBadges(input: {
  /** In readers' order, the latest first. */
  readonly versions: readonly AgedVersion[];
  /** The default one first. */
  readonly languages: readonly Language[];
  readonly compare: (older: ReleasePages, newer: ReleasePages) => ReleaseChanges;
  readonly outlineOf: OutlineOf;
}): SectionBadges {
  const { versions, languages, compare, outlineOf } = input;
  const lines = arrangeReleases(versions);
  const main = languages[0]!.code;
  const ages = new Map<AgedVersion, ReleaseAges>();
  /** The releases of the line that a version belongs to, the oldest first. */
  const lineOf = new Map<AgedVersion, readonly AgedVersion[]>();
  const follow = (before: AgedVersion, version: AgedVersion, age: number): void => {
    const [older, newer, known] = [before.lists[main], version.lists[main], ages.get(before)];
    if (!older || !newer || !known) return;
    ages.set(version, continueAges(known, { older, newer, changes: compare(older, newer), age, outlineOf }));
  };
  for (const line of lines.lines) {
    const releases = line.filter(({ lists }) => lists[main]);
    for (const [at, version] of releases.entries()) {
      lineOf.set(version, releases);
      if (at === 0) ages.set(version, beginAges(version.lists[main]!));
      else follow(releases[at - 1]!, version, at);
    }
  }
  for (const version of versions) {
    if (lines.isRelease(version)) continue;
    const before = findBase(lines.findBefore, (release) => lineOf.has(release), version);
    const line = before && lineOf.get(before);
    if (!before || !line) continue;
    lineOf.set(version, line);
    follow(before, version, UNRELEASED);
  }
  const byName = new Map(versions.map((version) => [version.ref.name, version]));
  const keys = new Map<string, string>();
  const findAges = (version: AgedVersion | undefined, code: string, path: string): PageAges | undefined => {
    const original = code === main ? path : (version?.moved?.[code]?.[path] ?? path);
    return version && ages.get(version)?.get(original);
  };

  return {
    keyOf(refName, code) {
      const version = byName.get(refName);
      const list = version?.lists[code];
      if (!version || !list) return '';
      const id = `${refName}\0${code}`;
      const known = keys.get(id);
      if (known !== undefined) return known;
      const names = lineOf.get(version)?.map(({ name }) => name) ?? [];
      const parts = list.pages.flatMap(({ path }) => {
        const own = findAges(version, code, path);
        return own && own.size > 0 ? [path, ...[...own].flatMap(([section, age]) => [section, names[age] ?? ''])] : [];
      });
      const key = parts.length === 0 ? '' : contentKeyOf(parts);
      keys.set(id, key);
      return key;
    },
    find(refName, code, path) {
      const version = byName.get(refName);
      const own = findAges(version, code, path);
      if (!version || !own || own.size === 0) return undefined;
      const { since } = findMessages(languages.find((language) => language.code === code)?.tag ?? '');
      const line = lineOf.get(version)!;
      return new Map([...own].map(([section, age]) => [section, createBadge(line[age]?.name, since)]));
    },
    check(refName, code, { path, text, sections }) {
      const version = byName.get(refName);
      const own = findAges(version, code, path);
      const line = version && lineOf.get(version);
      if (!own || !line) return [];
      return findSinceNotes(text).flatMap(({ line: at, version: claimed, heading, id, before }) => {
        const words = bareWords(heading);
        const section =
          sections.find((one) => one.id === id) ?? sections.filter((one) => bareWords(one.heading) === words)[before];
        const stated = parseVersionName(claimed);
        if (!section || !stated) return [];
        const first = line[own.get(section.id) ?? 0];
        const known = first && parseVersionName(first.ref.name, first.ref.kind !== 'tag');
        if (!first || !known || compareVersionNames(known, { ...stated, family: known.family }) >= 0) return [];
        const message = `Note says that this came with ${claimed}, but it is in "${first.name}" already`;
        return [{ line: at, message }];
      });
    },
  };
}

function createBadge(version: string | undefined, text: Messages['since']): SinceBadge {
  if (version === undefined) return { text: text.unreleased, title: text.unreleasedTitle };
  return {
    text: text.badge.replace('{version}', () => version),
    title: text.title.replace('{version}', () => version),
  };
}
