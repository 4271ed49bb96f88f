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

/** Pages that are looked for at once. */
const CONCURRENT_PAGES = 200;

/** What to render, and by what. */
export interface VersionToRender {
  readonly source: VersionSource;
  readonly renderer: PageRenderer;
}

/** Versions that can be planned, while the code of their last pages is still highlighted. */
export interface VersionsInWork {
  readonly versions: readonly RenderedVersion[];
  /** Settles when the HTML of all pages is there. Rejects as `renderVersions` does; need not be caught. */
  readonly finished: Promise<unknown>;
}

/**
 * Renders all pages of versions, in one stream, so that no worker waits for the end of a version. Throws `BuildError`
 * with ref, file and line.
 */
export async function renderVersions(
  versions: readonly VersionToRender[],
  context: { readonly reader: ObjectReader; readonly languages: readonly Language[]; readonly single: boolean },
  onPage: (done: number, total: number) => void,
): Promise<VersionsInWork> {
  const prepared = versions.map(({ source, renderer }) => {
    const tree = collectPages(source.listing.files, source.layout, context.languages, context);
    const find = createPathFinder(context.reader, source.version.rootTree);
    return { source, renderer, tree, find, rendered: new Map<string, RenderedPage>() };
  });
  const jobs = prepared.flatMap((version) =>
    [...version.tree.pageOfFile].map(([file, page]) => ({ version, file, page })),
  );
  const waiting: Promise<void>[] = [];
  let failure: { readonly error: unknown } | undefined;
  let done = 0;
  onPage(0, jobs.length);
  const renderPage = async ({ version, file, page }: (typeof jobs)[number]): Promise<void> => {
    const { source, renderer, find, rendered } = version;
    const path = source.sourceFolder + file;
    const locate = (error: unknown): never => {
      throw error instanceof BuildError ? error.at({ ref: source.version.ref.name, file: path }) : error;
    };
    const titles = findMessages(page.language.tag).titles;
    const found = await renderer
      .render({ oid: page.oid, path, sourceFolder: source.sourceFolder, generator: source.generator, find, titles })
      .catch(locate);
    rendered.set(file, found.page);
    if (found.finished) {
      const finished = found.finished.catch(locate);
      finished.catch((error) => {
        failure ??= { error };
      });
      waiting.push(finished);
    }
    if (failure) throw failure.error;
    onPage(++done, jobs.length);
  };
  await pMap(jobs, renderPage, { concurrency: CONCURRENT_PAGES });
  const finished = Promise.all(waiting);
  finished.catch(() => {});
  return { versions: prepared, finished };
}
