import pMap from 'p-map';
import { DataError } from '../../data/data-error.ts';
import { historyFile } from '../../lib/follow-page.ts';
import { absolutizeMarkdown } from '../../lib/markdown-links.ts';
import { openIndex, type SearchIndex } from '../../lib/search/open-index.ts';
import type { Volume } from '../../lib/search/volume.ts';
import { releasePath } from '../sites/locate-page.ts';
import type { SiteIndex } from '../sites/site-indexes.ts';
import { type PageEvents, parseEvents } from './collect-changes.ts';
import { decodePart, describeRelease, nameOfPage, type PlaceFinder, type Release } from './find-place.ts';

/** A published site, wherever it is. */
export interface DocumentedSite {
  /** URL of its root, with a final slash. */
  readonly url: string;
  readonly index: SiteIndex;
  /** Returns the text of a file by its path from the root, such as `en/latest/guide.md`; undefined where there is none. */
  readText(path: string): Promise<string | undefined>;
  /** Keeps what was opened of the search index, by file; default: nothing. */
  readonly recallVolume?: ((file: string, open: () => Promise<Volume>) => Volume | Promise<Volume>) | undefined;
  /** Keeps what was read of a language's history for a while; default: not at all. */
  readonly recallEvents?: ((language: string, read: () => Promise<PageEvents>) => Promise<PageEvents>) | undefined;
}

/** A site whose versions and pages can be named. */
export interface OpenedSite extends DocumentedSite {
  readonly places: PlaceFinder;
}

const FILES_AT_ONCE = 16;

/** Reads what became of the pages of a language. Throws DataError `not-found` for a site without history. */
export async function readHistory(
  { index, readText, recallEvents }: OpenedSite,
  language: string,
): Promise<PageEvents> {
  const count = index.historyFiles(language);
  if (count === 0) {
    throw new DataError(
      'not-found',
      'This site has no history: it has one version, or was built before docbuild wrote one; build it again',
    );
  }
  const read = async (): Promise<PageEvents> => {
    const names = Array.from({ length: count }, (_, at) => `_docbuild/${historyFile(language, at)}`);
    const texts = await pMap(names, readText, { concurrency: FILES_AT_ONCE });
    return parseEvents(texts.filter((text) => text !== undefined));
  };
  return recallEvents ? recallEvents(language, read) : read();
}

/** Returns the Markdown of a page with absolute links: a folder has it with relative ones, a server sends it so. */
export async function readPage({ places, readText }: OpenedSite, release: Release, path: string): Promise<string> {
  const file = `${decodeFolder(release.folder)}${path.replace(/\.html$/, '.md')}`;
  const text = await readText(file);
  if (text !== undefined) return absolutizeMarkdown(text, places.urlOf(release, path));
  throw new DataError(
    'not-found',
    `Page "${nameOfPage(path)}" of ${describeRelease(release)} has no Markdown: its site was built without it, or before docbuild wrote it; build the site again`,
  );
}

/** Opens the search index of a version; undefined where its language has none. */
export async function openSearch(
  { url, index, readText, recallVolume }: OpenedSite,
  { language, version }: Release,
): Promise<SearchIndex | undefined> {
  const assets = new URL('_docbuild/', url);
  const load = async (file: URL): Promise<unknown> => {
    const path = `_docbuild/${decodePart(file.pathname.slice(assets.pathname.length))}`;
    const text = await readText(path);
    if (text === undefined) throw new DataError('not-found', 'This site has no search index; build it again');
    return JSON.parse(text);
  };
  const here = new URL(releasePath(index, language, version), url).href;
  return openIndex(assets, here, index.tags.get(language) ?? language, {
    load,
    ...(recallVolume && { recallVolume }),
  });
}

function decodeFolder(folder: string): string {
  return folder.split('/').map(decodePart).join('/');
}
