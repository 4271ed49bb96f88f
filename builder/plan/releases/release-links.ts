import { posix } from 'node:path';
import { createBoundedMap } from '../../../lib/bounded-map.ts';
import { once } from '../../../lib/once.ts';
import { pageAddress } from '../../compose/navigation.ts';
import type { LinkSlot } from '../../model.ts';
import { folderOf } from '../../page-path.ts';
import { LATEST_SLUG } from '../../refs/version-slug.ts';
import type { LanguagePages, Page } from '../../source/pages/collect-pages.ts';
import { createLinkResolver, type LinkOutcome } from '../links/create-link-resolver.ts';
import { addressFolder } from '../navigation/address-book.ts';
import type { RenderedPage } from '../pages/rendered-page.ts';
import type { Site } from '../site.ts';
import { createLinkScope } from './link-scope.ts';
import type { VersionScope } from './version-scope.ts';

/** Lead from a page to its release's root and to the site's. */
export interface PagePrefixes {
  readonly root: string;
  readonly siteRoot: string;
}

/** Where the links of a release lead. */
export interface ReleaseLinks {
  prefixesOf(output: string): PagePrefixes;
  /** Returns where the slots of a page's text lead: as in the last build, if nothing changed but the text of other pages. */
  ofText(page: Page, rendered: RenderedPage): readonly LinkOutcome[];
  /** Returns the resolver of a page's links. */
  ofPage(page: Page, rendered: RenderedPage): (slot: LinkSlot) => LinkOutcome;
  /** Resolves a link that no page has: one of the header, or of a redirect. */
  fromRoot(url: string, prefixes: PagePrefixes): LinkOutcome;
  /** Resolves a URL in a file of the repository that is at `path` in the release. */
  fromFile(reference: LinkSlot, file: string, path: string): LinkOutcome;
  /** Whether all links that were resolved lead to the same places in another version with the same content. */
  isPortable(): boolean;
}

/** Pages whose links are remembered: a preview plans a release after each save. */
const MAX_KNOWN = 5_000;

/** Where the links of pages lead, by all that decides that. */
const knownOutcomes = createBoundedMap<string, readonly LinkOutcome[]>({ maxEntries: MAX_KNOWN });

/** `places` is the hash of all that decides where the links of pages lead, besides those links. */
export function createReleaseLinks(
  version: VersionScope,
  { language, pages }: LanguagePages,
  places: string,
): ReleaseLinks {
  const { site, slug, source } = version;
  const shown = new Map(pages.map((page) => [page.output, page]));
  const createResolver = (textKey: string | undefined) =>
    createLinkResolver(createLinkScope(version, { language, shown }, textKey));
  const own = createResolver(language.key);
  const fallback = createResolver(pages.find(({ isFallback }) => isFallback)?.language.key);
  const releaseDepth = site.releasePath(language.code, slug).split('/').length - 1;
  const ownFolder = version.languageFolder(language.key);
  const newest = once(() => collectNewest(site));
  let isPortable = true;
  const note = (outcome: LinkOutcome): LinkOutcome => {
    isPortable &&= !outcome.isOfVersion;
    return outcome;
  };
  const links: ReleaseLinks = {
    prefixesOf(output) {
      const up = (depth: number): string => (depth === 0 ? './' : '../'.repeat(depth));
      const depth = output.split('/').length - 1;
      return { root: up(depth), siteRoot: up(depth + releaseDepth) };
    },
    ofText(page, rendered) {
      const key = `${places} ${rendered.key} ${page.file}`;
      const known = knownOutcomes.get(key);
      if (known) {
        known.forEach(note);
        return known;
      }
      const outcomes = rendered.slots.map(links.ofPage(page, rendered));
      // What other versions have, and which of several headings a reference means, is not in the key.
      const isWhole = version.links.named.length === 0 && source.evergreen === undefined;
      if (isWhole && rendered.slots.every(({ kind }) => kind !== 'reference')) knownOutcomes.set(key, outcomes);
      return outcomes;
    },
    ofPage({ file, output, language: text, isFallback }, { idSet }) {
      const path = source.realPath(file);
      const shownAt = source.sourceFolder + file;
      const place = {
        folder: folderOf(shownAt),
        realFolder: path === shownAt ? undefined : folderOf(path),
        languageFolder: version.languageFolder(text.key),
        addressFolder: addressFolder(output, version.roots.hasPageFolders),
        ...links.prefixesOf(output),
        ids: idSet,
        address: pageAddress(output),
      };
      return (slot) => {
        const found = note((isFallback ? fallback : own)(slot, place));
        // A page of the newest version may link to others that only that version has.
        const isFromNewest = found.problem?.code === 'dead-link' && source.evergreen?.has(file);
        const address = isFromNewest ? findInLatest(slot, file, text.key) : undefined;
        return address === undefined ? found : { url: place.siteRoot + address, problem: undefined, file: undefined };
      };
    },
    fromRoot: (url, prefixes) =>
      note(
        own(
          { kind: 'link', url, line: 0 },
          { folder: ownFolder, languageFolder: ownFolder, ...prefixes, ids: new Set() },
        ),
      ),
    fromFile(reference, file, path) {
      const languageFolder = version.folderOfLanguage(file) ?? ownFolder;
      return note(
        own(reference, { folder: folderOf(file), languageFolder, ...links.prefixesOf(path), ids: new Set() }),
      );
    },
    isPortable: () => isPortable,
  };
  return links;

  /** Returns the address, from the site's root, of the page of the latest version that a link in `file` means. */
  function findInLatest({ url, kind }: LinkSlot, file: string, textKey: string): string | undefined {
    const [, path, rest] = /^([^?#]*)(.*)/s.exec(url)!;
    if (kind !== 'link' || site.settings.single) return undefined;
    const target = path!.startsWith('/') ? path!.slice(1) : posix.normalize(folderOf(file) + path!);
    const names = [target, `${target}.md`, `${target}.html`, `${target.replace(/\/$/, '')}/index.html`];
    const page = names.map((name) => newest().get(`${textKey}/${name}`)).find(Boolean);
    return page && pageAddress(site.releasePath(language.code, LATEST_SLUG)) + pageAddress(page.output) + rest;
  }
}

/** Returns the pages of the latest version by their languages and paths, those of their files and of the site. */
function collectNewest({ latest }: Site): ReadonlyMap<string, Page> {
  return new Map(
    latest.flatMap(({ language, pages }) =>
      pages.flatMap((page) => [page.file, page.output].map((name) => [`${language.key}/${name}`, page] as const)),
    ),
  );
}
