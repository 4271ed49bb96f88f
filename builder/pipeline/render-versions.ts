import pMap from 'p-map';
import { BuildError } from '../build-error.ts';
import { findMessages } from '../compose/messages.ts';
import type { ObjectReader } from '../model.ts';
import type { Language } from '../source/choose-languages.ts';
import { collectPages, type Page, type SourceTree } from '../source/collect-pages.ts';
import { createTreePaths } from '../source/tree-paths.ts';
import { readMetas } from './read-metas.ts';
import type { PathFinder, VersionSource } from './read-version.ts';
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

interface PageJob {
  readonly version: RenderedVersion & VersionToRender & { readonly rendered: Map<string, RenderedPage> };
  readonly file: string;
  readonly page: Page;
}

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

/** Sorts the pages of a version into languages, by their paths and by what their front matter says. */
export async function sortPages(
  source: VersionSource,
  renderer: Pick<PageRenderer, 'readMeta'>,
  context: { readonly languages: readonly Language[]; readonly single: boolean },
): Promise<SourceTree> {
  const metas = await readMetas(source, renderer.readMeta);
  const { generator, listing, layout } = source;
  return collectPages(listing.files, layout, context.languages, { single: context.single, generator, metas });
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
  const prepared: (RenderedVersion & VersionToRender & { readonly rendered: Map<string, RenderedPage> })[] = [];
  const waiting: Promise<void>[] = [];
  let failure: { readonly error: unknown } | undefined;
  let done = 0;
  let total = 0;
  await pMap(listJobs(), renderPage, { concurrency: CONCURRENT_PAGES });
  const finished = Promise.all(waiting);
  finished.catch(() => {});
  return { versions: prepared, finished };

  /** Where the pages of a version stand is read just before they are rendered, while their texts are at hand. */
  async function* listJobs(): AsyncGenerator<PageJob> {
    for (const { source, renderer } of versions) {
      const tree = await sortPages(source, renderer, context);
      const { find } = createTreePaths(context.reader, source.version.rootTree);
      const version = { source, renderer, tree, find, rendered: new Map<string, RenderedPage>() };
      prepared.push(version);
      total += tree.pageOfFile.size;
      onPage(done, total);
      for (const [file, page] of tree.pageOfFile) yield { version, file, page };
    }
  }

  async function renderPage({ version, file, page }: PageJob): Promise<void> {
    const { source, renderer, find, rendered } = version;
    const path = source.realPath(file);
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
    onPage(++done, total);
  }
}
