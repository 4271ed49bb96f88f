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

/** What to render, and by what. */
export interface VersionToRender {
  readonly source: VersionSource;
  readonly renderer: PageRenderer;
}

/**
 * Renders all pages of versions, in one stream, so that no worker waits for the end of a version. Throws `BuildError`
 * with ref, file and line.
 */
export async function renderVersions(
  versions: readonly VersionToRender[],
  context: { readonly reader: ObjectReader; readonly languages: readonly Language[]; readonly single: boolean },
  onPage: (done: number, total: number) => void,
): Promise<readonly RenderedVersion[]> {
  const prepared = versions.map(({ source, renderer }) => {
    const tree = collectPages(source.listing.files, source.layout, context.languages, context);
    const find = createPathFinder(context.reader, source.version.rootTree);
    return { source, renderer, tree, find, rendered: new Map<string, RenderedPage>() };
  });
  const jobs = prepared.flatMap((version) =>
    [...version.tree.pageOfFile].map(([file, page]) => ({ version, file, page })),
  );
  let done = 0;
  onPage(0, jobs.length);
  const renderPage = async ({ version, file, page }: (typeof jobs)[number]): Promise<void> => {
    const { source, renderer, find, rendered } = version;
    const path = source.sourceFolder + file;
    try {
      const titles = findMessages(page.language.tag).titles;
      rendered.set(
        file,
        await renderer.render({ oid: page.oid, path, sourceFolder: source.sourceFolder, find, titles }),
      );
    } catch (error) {
      throw error instanceof BuildError ? error.at({ ref: source.version.ref.name, file: path }) : error;
    }
    onPage(++done, jobs.length);
  };
  await pMap(jobs, renderPage, { concurrency: CONCURRENT_PAGES });
  return prepared;
}
