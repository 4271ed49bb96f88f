import pMap from 'p-map';
import { yieldToEventLoop } from '../../../lib/yield-to-event-loop.ts';
import { throwAt } from '../../build-error.ts';
import { findMessages } from '../../compose/messages.ts';
import { rulesOf } from '../../generators/generators.ts';
import type { ObjectReader } from '../../model.ts';
import { createTreePaths } from '../../source/files/tree-paths.ts';
import type { Language } from '../../source/languages.ts';
import { findContents } from '../../source/navigation/contents.ts';
import { collectPages, type Page, type SourceTree } from '../../source/pages/collect-pages.ts';
import { attempt, type Failures } from '../versions/version-failures.ts';
import type { PathFinder, VersionSource } from '../versions/version-source.ts';
import { readingOf, readMetas } from './page-inputs.ts';
import type { PageSource } from './prepare-page.ts';
import type { PageRenderer } from './render-pages.ts';
import type { RenderedPage } from './rendered-page.ts';

export interface VersionToRender {
  readonly source: VersionSource;
  readonly renderer: PageRenderer;
  /** Its pages, where they are sorted already. */
  readonly tree?: SourceTree | undefined;
}

/** A version with its pages sorted into languages and rendered. */
export interface RenderedVersion extends VersionToRender {
  readonly tree: SourceTree;
  /** By path below the source folder. */
  readonly rendered: ReadonlyMap<string, RenderedPage>;
  readonly find: PathFinder;
}

const CONCURRENT_PAGES = 200;

/** Versions that can be planned, while the code of their last pages is still highlighted. */
export interface PendingVersions {
  readonly versions: readonly RenderedVersion[];
  /** Settles when the HTML of all pages is complete. Rejects for failures of the whole build, which need not be caught. */
  readonly finished: Promise<unknown>;
}

interface VersionInWork extends RenderedVersion {
  /** Returns where what a file includes is found. */
  readonly findFor: (file: string) => PathFinder;
  readonly rendered: Map<string, RenderedPage>;
}

interface PageJob {
  readonly version: VersionInWork;
  readonly file: string;
  readonly page: Page;
}

/** Sorts the pages of a version into languages, by their paths and front matter. */
export async function sortPages(
  source: VersionSource,
  renderer: Pick<PageRenderer, 'readMeta'>,
  context: { readonly languages: readonly Language[]; readonly single: boolean },
): Promise<SourceTree> {
  const metas = await readMetas(source, renderer.readMeta);
  const { generator, listing, layout, project } = source;
  const isPlain = generator === undefined && !source.isReadmeOnly && !project.nav;
  const contents = isPlain ? findContents(listing.files, layout, (path) => metas.get(path)?.contents) : undefined;
  const tables = new Set([...(contents?.values() ?? [])].flatMap(({ path, others }) => [path, ...others]));
  const files =
    tables.size === 0
      ? listing.files
      : listing.files.map((file) => (tables.has(file.path) ? { ...file, isLeftOut: true } : file));
  const tree = collectPages(files, layout, context.languages, { single: context.single, generator, metas });
  return tables.size === 0 ? tree : { ...tree, contents };
}

/**
 * Renders all pages of versions, in one stream, so that no worker waits for the end of a version: the first code is
 * highlighted while the last files are still read. Versions that cannot be built are added to `failures`, some of them
 * before `finished` settles.
 */
export async function renderVersions(
  versions: readonly VersionToRender[],
  context: { readonly reader: ObjectReader; readonly languages: readonly Language[]; readonly single: boolean },
  onPage: (done: number, total: number) => void,
  failures: Failures,
): Promise<PendingVersions> {
  const sorted = await pMap(versions, sortVersion, { concurrency: 1 });
  const inWork = sorted.filter((version) => version !== undefined);
  const jobs = inWork.flatMap((version) =>
    [...version.tree.pageOfFile].map(([file, page]) => ({ version, file, page })),
  );
  const waiting: Promise<unknown>[] = [];
  let failure: { readonly error: unknown } | undefined;
  let done = 0;
  onPage(0, jobs.length);
  await pMap(jobs, renderPage, { concurrency: CONCURRENT_PAGES });
  const finished = Promise.all(waiting);
  finished.catch(() => {});
  return { versions: inWork, finished };

  async function sortVersion(version: VersionToRender): Promise<VersionInWork | undefined> {
    const { source, renderer } = version;
    const { ref, rootTree } = source.version;
    const tree = version.tree ?? (await attempt(ref.name, failures, () => sortPages(source, renderer, context)));
    const { find } = createTreePaths(context.reader, rootTree);
    const newest = source.evergreen && createTreePaths(context.reader, source.evergreen.rootTree).find;
    const findFor = (file: string): PathFinder => (newest && source.evergreen!.has(file) ? newest : find);
    return tree && { source, renderer, tree, find, findFor, rendered: new Map<string, RenderedPage>() };
  }

  async function renderPage({ version, file, page }: PageJob): Promise<void> {
    const { source, renderer, findFor, rendered } = version;
    const { name } = source.version.ref;
    if (failures.has(name)) return;
    const path = source.realPath(file);
    const turn = yieldToEventLoop();
    if (turn) await turn;
    const found = await attempt(name, failures, () =>
      renderer.render(describeSource(source, page, findFor(file))).catch((error) => throwAt(error, { file: path })),
    );
    if (!found) return;
    rendered.set(file, found.page);
    if (found.finished) {
      const finished = attempt(name, failures, () => found.finished!.catch((error) => throwAt(error, { file: path })));
      finished.catch((error) => {
        failure ??= { error };
      });
      waiting.push(finished);
    }
    if (failure) throw failure.error;
    onPage(++done, jobs.length);
  }
}

/** Returns how a page of a version is rendered; `find` finds what it includes. */
export function describeSource(
  source: VersionSource,
  { file, oid, language }: Pick<Page, 'file' | 'oid' | 'language'>,
  find: PathFinder,
): PageSource {
  return {
    oid,
    path: source.realPath(file),
    sourceFolder: includeRoot(source),
    generator: source.generator,
    find,
    titles: findMessages(language.tag).titles,
    reading: readingOf(source.site),
    components: source.components,
  };
}

/** Returns the folder that `@/` means in an include. */
function includeRoot({ generator, sourceFolder }: VersionSource): string {
  return rulesOf(generator).addresses?.includesFromAbove ? sourceFolder.replace(/(?<![^/])[^/]+\/$/, '') : sourceFolder;
}
