import pMap from 'p-map';
import { BuildError } from '../build-error.ts';
import { findMessages } from '../compose/messages.ts';
import type { ObjectReader } from '../model.ts';
import type { Language } from '../source/choose-languages.ts';
import { collectPages, type SourceTree } from '../source/collect-pages.ts';
import { createPathFinder, type PathFinder, type VersionSource } from './read-version.ts';
import type { PageRenderer, RenderedPage } from './render-pages.ts';

/** A version with its pages sorted into languages and rendered. */
export interface RenderedVersion {
  readonly source: VersionSource;
  readonly tree: SourceTree;
  /** By path below the source folder. */
  readonly rendered: ReadonlyMap<string, RenderedPage>;
  readonly find: PathFinder;
}

/** Pages that are being rendered at once; enough to keep the highlighting workers busy. */
const CONCURRENT_PAGES = 200;

/** Renders all pages of a version. Throws `BuildError` with ref, file and line. */
export async function renderVersion(
  source: VersionSource,
  context: { readonly reader: ObjectReader; readonly renderer: PageRenderer; readonly languages: readonly Language[] },
  onPage: (done: number, total: number) => void,
): Promise<RenderedVersion> {
  const { version, sourceFolder, listing, layout } = source;
  const tree = collectPages(listing.files, layout, context.languages);
  const find = createPathFinder(context.reader, version.rootTree);
  const rendered = new Map<string, RenderedPage>();
  const renderPage = async ([file, page]: readonly [string, (typeof pages)[number][1]]): Promise<void> => {
    const path = sourceFolder + file;
    try {
      const titles = findMessages(page.language.tag).titles;
      rendered.set(file, await context.renderer.render({ oid: page.oid, path, sourceFolder, find, titles }));
    } catch (error) {
      throw error instanceof BuildError ? error.at({ ref: version.ref.name, file: path }) : error;
    }
    onPage(1, 0);
  };
  const pages = [...tree.pageOfFile];
  onPage(0, pages.length);
  await pMap(pages, renderPage, { concurrency: CONCURRENT_PAGES });
  return { source, tree, rendered, find };
}
