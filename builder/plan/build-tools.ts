import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { once } from '../../lib/once.ts';
import { packageFile } from '../../lib/package-file.ts';
import { BuildError } from '../build-error.ts';
import type { BuildLimits } from '../build-limits.ts';
import { type Cache, openCache } from '../cache/cache.ts';
import { type Composer, createComposer } from '../compose/create-composer.ts';
import type { OwnTemplates } from '../compose/own-templates.ts';
import {
  createMeters,
  type Extension,
  ExtensionFailure,
  type ExtensionMeters,
  type PlannedContent,
  runExtensionSoon,
} from '../extension.ts';
import { createDiagramChecker } from '../markdown/code/diagram-checker.ts';
import { createHighlightPool } from '../markdown/code/highlight-pool.ts';
import { languageGroup } from '../markdown/code/languages.ts';
import type { CodeBlock, MarkdownOptions, ObjectReader } from '../model.ts';
import { decodePageEntry } from '../search/search-segment.ts';
import { createTreeWalker, type TreeWalker } from '../source/files/walk-tree.ts';
import { createSourceFinder, type SourceFinder } from '../source/sites/find-source.ts';
import { type AssetReader, createAssetReader } from './asset-reader.ts';
import { createTitleReader, type TitleReader } from './generator-files.ts';
import { createFileMaker, createMadeObjects } from './made-files.ts';
import { createNavigationReader, type NavigationReader } from './navigation/read-navigation.ts';
import { createDiagramWarnings } from './pages/check-diagrams.ts';
import { createPageDates, type DatedFolder, type PageDates } from './pages/page-dates.ts';
import { createBuildExtensions } from './pages/page-extensions.ts';
import { createTextReader } from './pages/page-inputs.ts';
import { createPageRenderer, type PageRenderer } from './pages/render-pages.ts';
import { createSearchEntries, type SearchEntries } from './pages/search-entries.ts';
import { createTranslationTools, type TranslationTools } from './plan-translations.ts';
import type { BuildOptions } from './site-options.ts';
import type { OwnCodeTheme } from './theme/read-theme.ts';
import type { FileMaker } from './versions/version-source.ts';

export interface BuildTools {
  readonly reader: ObjectReader;
  readonly cache: Cache;
  readonly limits: BuildLimits;
  /** Version of everything that renders, the composer included. */
  readonly engineVersion: string;
  readonly composer: Composer;
  readonly walk: TreeWalker;
  readonly sources: SourceFinder;
  readonly assets: AssetReader;
  readonly searchEntries: SearchEntries;
  readonly translations: TranslationTools;
  readonly readNavigation: NavigationReader;
  readonly readTitle: TitleReader;
  /** Reads when the pages of a version were written. */
  readonly readDates: (commit: string, folder: DatedFolder) => Promise<PageDates>;
  readonly rendererFor: (markdown: MarkdownOptions) => PageRenderer;
  readonly renderedCount: () => number;
  readonly meters: ExtensionMeters;
  readonly codeTheme: OwnCodeTheme | undefined;
  readonly makeFiles: FileMaker;
  /** Single pages are made anew after the build: what they were planned from is kept. */
  readonly keepsPages?: boolean;
  /** Asks all extensions whether a site may be published. Throws `extension`. */
  askBeforePublish(site: PlannedContent): Promise<void>;
  /** Gives back the memory of what renders pages, once all are rendered; it starts again when it is needed. */
  rest(): void;
  /** Loads what renders pages, where nothing had to be rendered so far. */
  warmUp(): Promise<void>;
  /** With `keepsCache`, for other tools that have the same cache. */
  close(options?: { readonly keepsCache: boolean }): Promise<void>;
}

/** Memory limit of one highlighting worker; exceeding it fails the build and not the machine. */
const WORKER_HEAP_MB = 512;

/**
 * With an empty cache there will be code to highlight; the workers load the grammars that most documentation uses while
 * the repository is read.
 */
const WARM_UP: readonly CodeBlock[] = [
  { language: 'ts', text: 'const a = 1;' },
  { language: 'md', text: '# A' },
  { language: 'html', text: '<a>' },
];

/** A page of what most pages have. */
const SAMPLE = '# A\n\nSome *text* with a [link](a.md).\n\n- One\n\n```ts\nconst a = 1;\n```\n\n::: tip\nB\n:::\n';

/** Creates the tools of a build; `extensions` are those of `options.config`, `given` the cache of tools before these. Workers start when the first code block is highlighted. */
export function createBuildTools(
  options: BuildOptions & { readonly limits: BuildLimits },
  repository: ObjectReader,
  engineVersion: string,
  extensions: readonly Extension[] = [],
  given?: Cache,
): BuildTools {
  const { limits } = options;
  // Templates may be refused; nothing is open yet.
  const composer = getComposer(options.templates);
  const folder = join(options.cacheFolder, 'fragments');
  const cache = given ?? openCache({ folder, maxBytes: limits.maxCacheBytes, engineVersion });
  const objects = createMadeObjects(repository, cache);
  const { reader } = objects;
  const { maxPageBytes } = limits;
  const texts = createTextReader({ reader, cache, maxPageBytes });
  const configKey = options.config?.key ?? '';
  const meters = createMeters();
  const shared = { configKey, texts, cache, meters };
  const own = createBuildExtensions(extensions, shared);
  const pool = createHighlightPool({
    size: options.jobs ?? Math.max(1, availableParallelism() - 1),
    workerUrl: packageFile('dist/highlight-worker.js'),
    groupOf: languageGroup,
    maxHeapMb: WORKER_HEAP_MB,
    languages: own.languages,
  });
  const checker = createDiagramChecker({
    workerUrl: packageFile('dist/diagram-worker.js'),
    scriptUrl: packageFile('dist/client/diagrams/diagrams.js'),
  });
  const checkDiagrams = createDiagramWarnings({ cache, checker });
  if (cache.isEmpty) pool.warmUp(WARM_UP);
  const searchEntries = createSearchEntries(cache);
  const walk = createTreeWalker(reader, limits);
  const renderers = new Map<string, PageRenderer>();
  const parsers: (() => ReturnType<typeof load>)[] = [];
  return {
    reader,
    cache,
    limits,
    engineVersion,
    composer,
    walk,
    sources: createSourceFinder(reader, walk),
    readNavigation: createNavigationReader({ texts, cache }),
    readTitle: createTitleReader({ texts, cache }),
    readDates: createPageDates(reader.past, { cache, repository: options.repository }),
    assets: createAssetReader({ reader, cache, limits }),
    searchEntries,
    translations: createTranslationTools(cache, (key) => decodePageEntry(searchEntries.read(key))),
    rendererFor(markdown) {
      const key = JSON.stringify(markdown);
      let renderer = renderers.get(key);
      if (!renderer) {
        const loadMarkdown = once(() => load(markdown));
        parsers.push(loadMarkdown);
        renderer = createPageRenderer({
          texts,
          cache,
          pool,
          checkDiagrams,
          markdown,
          maxPageBytes,
          searchEntries,
          fatalPages: options.fatalPages ?? [],
          loadMarkdown,
          extensions: own,
        });
        renderers.set(key, renderer);
      }
      return renderer;
    },
    renderedCount: () => [...renderers.values()].reduce((sum, renderer) => sum + renderer.renderedCount, 0),
    meters,
    codeTheme: findCodeTheme(extensions),
    async askBeforePublish(site) {
      for (const { name, beforePublish } of extensions) {
        if (beforePublish === undefined) continue;
        try {
          await runExtensionSoon(meters.of(name), () => beforePublish(site));
        } catch (cause) {
          if (!(cause instanceof ExtensionFailure)) throw cause;
          throw new BuildError('extension', `Nothing was published. ${cause.message}`, { cause });
        }
      }
    },
    makeFiles: createFileMaker(extensions, { ...shared, objects }),
    async warmUp() {
      pool.warmUp(WARM_UP);
      for (const loadMarkdown of parsers)
        (await loadMarkdown()).render({ text: SAMPLE, firstLine: 1, includes: new Map() });
    },
    rest() {
      pool.rest();
      checker.rest();
      texts.forget();
    },
    async close({ keepsCache } = { keepsCache: false }) {
      const failure = keepsCache ? undefined : cache.close();
      if (failure) options.onCacheFailure?.(failure);
      await Promise.all([pool.close(), checker.close()]);
    },
  };
}

function findCodeTheme(extensions: readonly Extension[]): OwnCodeTheme | undefined {
  const found = extensions.find(({ codeTheme }) => codeTheme !== undefined);
  return found && { extension: found.name, themes: found.codeTheme! };
}

let recent: { readonly key: string; readonly value: Composer } | undefined;

/** The compiled templates serve all builds of a process with the same templates. */
export function getComposer(templates: OwnTemplates | undefined): Composer {
  const key = JSON.stringify(templates ?? {});
  if (recent?.key !== key) recent = { key, value: createComposer(templates) };
  return recent.value;
}

/** The Markdown parser is loaded when the first page is not in the cache. */
async function load(markdown: MarkdownOptions) {
  const { createRenderer } = await import('../markdown/create-renderer.ts');
  return createRenderer(markdown);
}
