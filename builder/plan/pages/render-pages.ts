import pLimit from 'p-limit';
import { createBoundedMap } from '../../../lib/bounded-map.ts';
import { atWork } from '../../../lib/work-note.ts';
import { BuildError } from '../../build-error.ts';
import type { Cache } from '../../cache/cache.ts';
import { contentKey } from '../../cache/content-key.ts';
import type { HighlightPool } from '../../markdown/code/highlight-pool.ts';
import { describeDraft, type MarkdownRenderer } from '../../markdown/draft.ts';
import { changesAllPages } from '../../markdown/page/dialect.ts';
import type { Generator, MarkdownOptions } from '../../model.ts';
import type { PageMeta } from '../../source/pages/page-meta.ts';
import { splitFrontMatter } from '../../source/text/front-matter.ts';
import type { PathFinder } from '../versions/version-source.ts';
import type { createDiagramWarnings } from './check-diagrams.ts';
import { createDraftHighlighter } from './highlight-draft.ts';
import {
  collectPageInputs,
  createMetaReader,
  listEncodings,
  type PageInputs,
  readIncludedTexts,
  type TextFacts,
  type TextReader,
} from './page-inputs.ts';
import type { PageReading } from './page-reading.ts';
import { type PageError, type RenderedPage, refuseGently, replacePage, type StoredPage } from './rendered-page.ts';
import type { SearchEntries } from './search-entries.ts';
import { readSiteValues } from './site-values.ts';

/** What to render. */
export interface PageSource {
  readonly oid: string;
  /** Path from the repository's root. */
  readonly path: string;
  /** Folder that `@/` means in an include, from the repository's root with a final `/`, or ''. */
  readonly sourceFolder: string;
  /** The generator that the page was written for. */
  readonly generator: Generator | undefined;
  readonly reading: PageReading;
  /** Finds the files it includes. */
  readonly find: PathFinder;
  /** Words the renderer adds, in the language of the text. */
  readonly titles: Readonly<Record<string, string>>;
}

/** A page whose file has been inspected. */
interface PreparedPage extends Pick<PageInputs, 'includes' | 'omitted'> {
  readonly source: PageSource;
  readonly key: string;
  /** Its front matter sets no title. */
  readonly hasLooseLevels: boolean;
  /** The title of its front matter, if it is shown as a heading. */
  readonly heading: string | undefined;
  readonly facts: TextFacts;
}

/** A page whose code may still be highlighted. */
export interface PendingPage {
  readonly page: RenderedPage;
  /** Settles when its HTML is complete; undefined = it is. Rejects with `BuildError`, which need not be caught. */
  readonly finished: Promise<void> | undefined;
}

export interface PageRenderer {
  /** Returns a page's front matter; empty if it cannot be read, which `render` reports. */
  readMeta(oid: string, generator: Generator | undefined): PageMeta | Promise<PageMeta>;
  /**
   * Returns a page, from the cache or rendered. One that cannot be shown is replaced. Throws `BuildError` for objects that
   * are missing or damaged.
   */
  render(source: PageSource): Promise<PendingPage>;
  /** Returns the HTML of a finished page; its slots are still open. */
  getHtml(page: RenderedPage): string;
  /** Number of pages rendered, cached ones not counted. */
  readonly renderedCount: number;
}

/**
 * Pages that this process has read or rendered. A key covers everything that determines a page, so all builds of the
 * process share them. A page takes a few KB.
 */
const recent = createBoundedMap<string, RenderedPage>({ maxEntries: 5_000 });

/** Limit of pages whose code waits for the workers; each keeps its text in memory. */
const UNFINISHED_PAGES = 400;

/** Number of pages without includes that a build keeps in memory. */
const PLAIN_PAGES = 20_000;

/** Why a page is left out with which a process has ended. */
const FATAL = 'The memory of a build is not enough to render the page; split it into several pages';

/** A page of fewer characters that includes nothing does not take the memory of a process by itself. */
const HARMLESS = 16_000;

/** A page is stored as one line of JSON followed by its HTML, so that one read returns both. */
const LINE_FEED = 0x0a;

/**
 * Creates the renderer of one build. Everything rendered is cached under a hash of all that determines it: the engine's
 * version, the options, the page's blob and the blobs it includes.
 */
export function createPageRenderer(options: {
  readonly texts: TextReader;
  readonly cache: Cache;
  readonly pool: HighlightPool;
  readonly checkDiagrams: ReturnType<typeof createDiagramWarnings>;
  readonly searchEntries: Pick<SearchEntries, 'keep' | 'has'>;
  readonly loadMarkdown: () => Promise<MarkdownRenderer>;
  readonly markdown: MarkdownOptions;
  /** Paths of those that are not rendered, see `BuildOptions`. */
  readonly fatalPages: readonly string[];
  /** Larger files are not included. */
  readonly maxPageBytes: number;
}): PageRenderer {
  const { texts, cache, pool } = options;
  const pages = new Map<string, Promise<PendingPage>>();
  const highlightDraft = createDraftHighlighter({ cache, pool });
  const titleHashes = new Map<object, string>();
  const plain = createBoundedMap<string, PreparedPage>({ maxEntries: PLAIN_PAGES });
  const limit = pLimit(UNFINISHED_PAGES);
  const optionText = JSON.stringify([options.markdown, options.maxPageBytes]);
  let renderedCount = 0;

  const readMeta = createMetaReader({ texts, cache });
  return {
    readMeta,
    async render(source) {
      const prepared = await prepare(source);
      const { key, facts } = prepared;
      if (facts.problem) return { page: replacePage(facts.problem), finished: undefined };
      let page = pages.get(key);
      if (!page) {
        page = readCached(key) ?? startAnew(() => renderAnew(prepared));
        pages.set(key, page);
      }
      return page;
    },
    getHtml(page) {
      if (page.isReplaced) return '';
      const html = cache.read(page.key, (value) => value.toString('utf8', value.indexOf(LINE_FEED) + 1));
      if (html === undefined)
        throw new BuildError('worker', 'A rendered page disappeared from the cache during the build; build again');
      return html;
    },
    get renderedCount() {
      return renderedCount;
    },
  };

  /** Inspects a page's file and those it includes. */
  async function prepare(source: PageSource): Promise<PreparedPage> {
    const facts = await texts.inspect(source.oid);
    // Versions share most pages, and those that include nothing are the same wherever they lie.
    const isPlain = facts.includes.length === 0 && source.reading.appended.length === 0;
    const references = source.reading.hasReferences ? 'references' : '';
    const place = `${source.oid} ${source.generator ?? ''} ${references} ${source.path.endsWith('.mdx')} ${hashTitles(source.titles)}`;
    const known = isPlain ? plain.get(place) : undefined;
    if (known) return { ...known, source };
    const { title, layout, hidesTitle } = await readMeta(source.oid, source.generator);
    const heading = hidesTitle || layout === 'home' ? undefined : title;
    const hasLooseLevels = title === undefined && layout === 'doc';
    const { includes, omitted, dependsOnGenerator } = await collectPageInputs(source, texts);
    const key = cache.key('page', [
      optionText,
      hashTitles(source.titles),
      source.oid,
      source.path.endsWith('.mdx') ? 'mdx' : '',
      heading ?? '',
      hasLooseLevels ? 'loose' : '',
      includes.map(({ path, oid }) => `${path}:${oid}`).join('\n'),
      dependsOnGenerator || changesAllPages(source.generator) ? `${source.generator ?? ''} ${references}` : '',
      // The location of a page matters only for its includes.
      includes.length > 0 ? `${source.path}\n${source.sourceFolder}\n${source.reading.key}` : '',
    ]);
    const prepared = { source, key, heading, hasLooseLevels, includes, omitted, facts };
    if (isPlain) plain.set(place, prepared);
    return prepared;
  }

  function readCached(key: string): Promise<PendingPage> | undefined {
    const known = recent.get(key);
    if (known && cache.has(key) && isWhole(known)) return Promise.resolve({ page: known, finished: undefined });
    const line = cache.read(key, (value) => value.toString('utf8', 0, value.indexOf(LINE_FEED)));
    if (line === undefined) return undefined;
    const stored = JSON.parse(line) as StoredPage;
    const page = stored.isReplaced
      ? replacePage(stored.errors[0]!)
      : { ...stored, key, idSet: new Set(stored.ids), isMomentary: false };
    if (!isWhole(page)) return undefined;
    recent.set(key, page);
    return Promise.resolve({ page, finished: undefined });
  }

  /** The cache may have dropped what search knows of a page, and not the page. */
  function isWhole({ key, isReplaced }: RenderedPage): boolean {
    return isReplaced || options.searchEntries.has(key);
  }

  /** Returns the page once it is described; its slot is released when its HTML is complete. */
  function startAnew(render: () => Promise<PendingPage>): Promise<PendingPage> {
    return new Promise((resolve, reject) => {
      void limit(async () => {
        try {
          const found = await render();
          resolve(found);
          await found.finished;
        } catch (error) {
          reject(error);
        }
      });
    });
  }

  async function renderAnew(prepared: PreparedPage): Promise<PendingPage> {
    const { key, source, heading, hasLooseLevels, facts } = prepared;
    renderedCount++;
    const { body, firstLine, data, problems = [] } = await splitFrontMatter((await texts.read(source.oid)) ?? '');
    const markdown = await options.loadMarkdown();
    const included = await readIncludedTexts(prepared, texts);
    const site =
      source.generator === 'jekyll'
        ? await readSiteValues(source.sourceFolder, prepared.includes, included.texts)
        : undefined;
    const draft = refuseGently(() => {
      if (options.fatalPages.includes(source.path)) throw new BuildError('page-too-large', FATAL);
      const render = () =>
        markdown.render({
          text: body,
          title: heading,
          hasLooseLevels,
          firstLine,
          includes: included.texts,
          unreadable: included.unreadable,
          ...{ pagePath: source.path, sourceDir: source.sourceFolder },
          ...{ titles: source.titles, generator: source.generator },
          ...{ ...source.reading, frontMatter: data, site },
          mdx: source.path.endsWith('.mdx'),
        });
      return body.length < HARMLESS && included.texts.size === 0 ? render() : atWork(source.path, render);
    });
    if ('code' in draft) {
      // Whether a page is too slow depends on the load of the machine.
      const page = { ...replacePage(draft), isMomentary: draft.code === 'page-too-slow' || draft.message === FATAL };
      const { errors, isReplaced } = page;
      if (!page.isMomentary) cache.set(key, Buffer.from(`${JSON.stringify({ errors, isReplaced })}\n`));
      return { page, finished: undefined };
    }
    // Before anything waits: the workers have most to do, and other pages would be rendered first.
    const highlighted = highlightDraft(draft);
    highlighted.catch(() => {});
    options.searchEntries.keep(key, draft);
    const described = describeDraft(draft);
    const found = [...described.warnings, ...(await options.checkDiagrams(draft.diagrams))];
    const line = JSON.stringify({
      ...described,
      warnings: [...listEncodings(facts, included.encodings), ...found.sort((a, b) => a.line - b.line)],
      errors: problems.map((problem): PageError => ({ ...problem, code: 'front-matter' })),
      isReplaced: false,
    });
    // Parts of a text keep all of it in memory: what is parsed anew is held by nothing else.
    const stored = JSON.parse(line) as StoredPage;
    const page = { ...stored, key, idSet: new Set(stored.ids), isMomentary: false };
    const finished = highlighted.then((html) => {
      cache.set(key, Buffer.from(`${line}\n${html}`));
      recent.set(key, page);
    });
    finished.catch(() => {});
    return { page, finished };
  }

  function hashTitles(titles: Readonly<Record<string, string>>): string {
    const hash = titleHashes.get(titles) ?? contentKey(JSON.stringify(titles));
    titleHashes.set(titles, hash);
    return hash;
  }
}
