import pMap from 'p-map';
import { yieldToEventLoop } from '../../../lib/yield-to-event-loop.ts';
import { BuildError } from '../../build-error.ts';
import { findMessages } from '../../compose/messages.ts';
import type { ObjectReader } from '../../model.ts';
import { createTreePaths } from '../../source/files/tree-paths.ts';
import type { Language } from '../../source/languages.ts';
import { collectPages, type Page, type SourceTree } from '../../source/pages/collect-pages.ts';
import { attempt, type Failures } from '../versions/version-failures.ts';
import type { PathFinder, VersionSource } from '../versions/version-source.ts';
import { readMetas } from './page-inputs.ts';
import type { PageRenderer, PreparedPage, RenderedPage } from './render-pages.ts';

/** What to render, and by what. */
export interface VersionToRender {
  readonly source: VersionSource;
  readonly renderer: PageRenderer;
}

/** A version with its pages sorted into languages and rendered. */
export interface RenderedVersion extends VersionToRender {
  readonly tree: SourceTree;
  /** By path below the source folder. */
  readonly rendered: ReadonlyMap<string, RenderedPage>;
  readonly find: PathFinder;
}

/** Pages that are looked for at once. */
const CONCURRENT_PAGES = 200;

/** Versions that can be planned, while the code of their last pages is still highlighted. */
export interface PendingVersions {
  readonly versions: readonly RenderedVersion[];
  /** Settles when the HTML of all pages is there. Rejects for what concerns all versions; need not be caught. */
  readonly finished: Promise<unknown>;
}

/** A version whose pages have been looked at. */
export interface PreparedVersion extends Omit<RenderedVersion, 'rendered'> {
  /** By path below the source folder. */
  readonly pages: ReadonlyMap<string, PreparedPage>;
}

interface PageJob {
  readonly version: PreparedVersion & { readonly pages: Map<string, PreparedPage> };
  readonly file: string;
  readonly page: Page;
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
 * Looks at the files of all pages of versions, so that what cannot be read is known before anything is rendered. Versions
 * with objects that are missing or damaged are noted in `failures`.
 */
export async function prepareVersions(
  versions: readonly VersionToRender[],
  context: { readonly reader: ObjectReader; readonly languages: readonly Language[]; readonly single: boolean },
  failures: Failures,
): Promise<readonly PreparedVersion[]> {
  const prepared: (PreparedVersion & { readonly pages: Map<string, PreparedPage> })[] = [];
  await pMap(listJobs(), preparePage, { concurrency: CONCURRENT_PAGES });
  return prepared;

  async function* listJobs(): AsyncGenerator<PageJob> {
    for (const { source, renderer } of versions) {
      const { ref, rootTree } = source.version;
      const tree = await attempt(ref.name, failures, () => sortPages(source, renderer, context));
      if (!tree) continue;
      const { find } = createTreePaths(context.reader, rootTree);
      const version = { source, renderer, tree, find, pages: new Map<string, PreparedPage>() };
      prepared.push(version);
      for (const [file, page] of tree.pageOfFile) yield { version, file, page };
    }
  }

  async function preparePage({ version, file, page }: PageJob): Promise<void> {
    const { source, renderer, find } = version;
    const { generator } = source;
    const { name } = source.version.ref;
    if (failures.has(name)) return;
    const path = source.realPath(file);
    const turn = yieldToEventLoop();
    if (turn) await turn;
    const { titles } = findMessages(page.language.tag);
    const found = await attempt(name, failures, () =>
      locate(
        path,
        renderer.prepare({ oid: page.oid, path, sourceFolder: includeRoot(source), generator, find, titles }),
      ),
    );
    if (found) version.pages.set(file, found);
  }
}

/**
 * Renders all pages of versions, in one stream, so that no worker waits for the end of a version. Versions that cannot be
 * built are noted in `failures`, some of them once `finished` has settled.
 */
export async function renderVersions(
  versions: readonly PreparedVersion[],
  onPage: (done: number, total: number) => void,
  failures: Failures,
): Promise<PendingVersions> {
  const inWork = versions.map((version) => ({ ...version, rendered: new Map<string, RenderedPage>() }));
  const jobs = inWork.flatMap((version) => [...version.pages].map(([file, page]) => ({ version, file, page })));
  const waiting: Promise<unknown>[] = [];
  let failure: { readonly error: unknown } | undefined;
  let done = 0;
  onPage(0, jobs.length);
  const renderPage = async ({ version, file, page }: (typeof jobs)[number]): Promise<void> => {
    const { source, renderer, rendered } = version;
    const { name } = source.version.ref;
    if (failures.has(name)) return;
    const path = source.realPath(file);
    const turn = yieldToEventLoop();
    if (turn) await turn;
    const found = await attempt(name, failures, () => locate(path, renderer.render(page)));
    if (!found) return;
    rendered.set(file, found.page);
    if (found.finished) {
      const finished = attempt(name, failures, () => locate(path, found.finished!));
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

/** Adds the file to an error. */
async function locate<T>(file: string, work: Promise<T>): Promise<T> {
  return work.catch((error: unknown) => {
    throw error instanceof BuildError ? error.at({ file }) : error;
  });
}

/** Returns the folder that `@/` means in an include: to VuePress the one that its command runs in, else the source folder. */
function includeRoot({ generator, sourceFolder }: VersionSource): string {
  return generator === 'vuepress' ? sourceFolder.replace(/[^/]+\/$/, '') : sourceFolder;
}
