import pMap from 'p-map';
import { BuildError } from '../build-error.ts';
import { findMessages } from '../compose/messages.ts';
import type { ObjectReader, SourceError } from '../model.ts';
import type { Language } from '../source/choose-languages.ts';
import { collectPages, type SourceTree } from '../source/collect-pages.ts';
import { createPathFinder, type PathFinder, type VersionSource } from './read-version.ts';
import type { PageRenderer, PreparedPage, RenderedPage } from './render-pages.ts';

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

/** A version whose pages have been looked at. */
export interface PreparedVersion extends Omit<RenderedVersion, 'rendered'> {
  readonly renderer: PageRenderer;
  /** By path below the source folder. */
  readonly pages: ReadonlyMap<string, PreparedPage>;
}

/**
 * Looks at the files of all pages of versions, so that what cannot be read is known before anything is rendered. Throws
 * `BuildError` with ref and file for objects that are missing or damaged.
 */
export async function prepareVersions(
  versions: readonly VersionToRender[],
  context: { readonly reader: ObjectReader; readonly languages: readonly Language[]; readonly single: boolean },
): Promise<readonly PreparedVersion[]> {
  const prepared = versions.map(({ source, renderer }) => {
    const tree = collectPages(source.listing.files, source.layout, context.languages, context);
    const find = createPathFinder(context.reader, source.version.rootTree);
    return { source, renderer, tree, find, pages: new Map<string, PreparedPage>() };
  });
  const jobs = prepared.flatMap((version) =>
    [...version.tree.pageOfFile].map(([file, page]) => ({ version, file, page })),
  );
  const preparePage = async ({ version, file, page }: (typeof jobs)[number]): Promise<void> => {
    const { source, renderer, find } = version;
    const path = source.sourceFolder + file;
    const titles = findMessages(page.language.tag).titles;
    const found = await renderer
      .prepare({ oid: page.oid, path, sourceFolder: source.sourceFolder, generator: source.generator, find, titles })
      .catch((error: unknown) => {
        throw error instanceof BuildError ? error.at({ ref: source.version.ref.name, file: path }) : error;
      });
    version.pages.set(file, found);
  };
  await pMap(jobs, preparePage, { concurrency: CONCURRENT_PAGES });
  return prepared;
}

/** Gives the pages of versions that cannot be read. */
export function listUnreadable(versions: readonly PreparedVersion[]): readonly SourceError[] {
  return versions.flatMap(({ source, tree, pages }) =>
    [...tree.files.keys()].flatMap((file) => {
      const problem = pages.get(file)?.facts.problem;
      return problem ? [{ ...problem, ref: source.version.ref.name, file: source.sourceFolder + file }] : [];
    }),
  );
}

/**
 * Renders all pages of versions, in one stream, so that no worker waits for the end of a version. Throws `BuildError`
 * with ref and file.
 */
export async function renderVersions(
  versions: readonly PreparedVersion[],
  onPage: (done: number, total: number) => void,
): Promise<VersionsInWork> {
  const inWork = versions.map((version) => ({ ...version, rendered: new Map<string, RenderedPage>() }));
  const jobs = inWork.flatMap((version) => [...version.pages].map(([file, page]) => ({ version, file, page })));
  const waiting: Promise<void>[] = [];
  let failure: { readonly error: unknown } | undefined;
  let done = 0;
  onPage(0, jobs.length);
  const renderPage = async ({ version, file, page }: (typeof jobs)[number]): Promise<void> => {
    const { source, renderer, rendered } = version;
    const locate = (error: unknown): never => {
      if (!(error instanceof BuildError)) throw error;
      throw error.at({ ref: source.version.ref.name, file: source.sourceFolder + file });
    };
    const found = await renderer.render(page).catch(locate);
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
  return { versions: inWork, finished };
}
