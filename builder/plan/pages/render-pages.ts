import pLimit from 'p-limit';
import { atWork } from '../../../lib/work-note.ts';
import { BuildError } from '../../build-error.ts';
import type { Cache } from '../../cache/cache.ts';
import { type Generator, rulesOf } from '../../generators/generators.ts';
import type { HighlightPool } from '../../markdown/code/highlight-pool.ts';
import { type Draft, describeDraft, type MarkdownRenderer, numberLinks } from '../../markdown/draft.ts';
import { createLeadReader } from '../../markdown/draft-lead.ts';
import { createSectionReader } from '../../markdown/draft-sections.ts';
import { createMarkdownWriter } from '../../markdown/export/write-markdown.ts';
import { scanHtml } from '../../markdown/html/scan-html.ts';
import type { MarkdownOptions } from '../../model.ts';
import type { PageMeta } from '../../source/pages/page-meta.ts';
import { splitFrontMatter } from '../../source/text/front-matter.ts';
import type { createDiagramWarnings } from './check-diagrams.ts';
import { createDraftHighlighter } from './highlight-draft.ts';
import { createKeptPages } from './kept-pages.ts';
import type { BuildExtensions } from './page-extensions.ts';
import {
  createMetaReader,
  type IncludedTexts,
  listEncodings,
  readIncludedTexts,
  type TextReader,
} from './page-inputs.ts';
import { createPagePreparer, type PageSource, type PreparedPage } from './prepare-page.ts';
import { type PageError, type RenderedPage, refuseGently, replacePage } from './rendered-page.ts';
import type { SearchEntries } from './search-entries.ts';
import { readSiteValues } from './site-values.ts';

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
  /** Returns the Markdown of a finished page; its slots are still open, see `writeMarkdown`. */
  getMarkdown(page: RenderedPage): string;
  /** Number of pages rendered, cached ones not counted. */
  readonly renderedCount: number;
}

/** Limit of pages whose code waits for the workers; each keeps its text in memory. */
const UNFINISHED_PAGES = 400;

/** Why a page is left out with which a process has ended. */
const FATAL = 'The memory of a build is not enough to render the page; split it into several pages';

/** A page of fewer characters that includes nothing does not take the memory of a process by itself. */
const HARMLESS = 16_000;

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
  readonly extensions: BuildExtensions;
  readonly markdown: MarkdownOptions;
  /** Paths of those that are not rendered, see `BuildOptions`. */
  readonly fatalPages: readonly string[];
  /** Larger files are not included. */
  readonly maxPageBytes: number;
}): PageRenderer {
  const { texts, cache, pool, extensions } = options;
  const pages = new Map<string, Promise<PendingPage>>();
  const kept = createKeptPages(cache);
  const readMeta = createMetaReader({ texts, cache });
  const prepare = createPagePreparer({
    texts,
    cache,
    extensions,
    readMeta,
    options: JSON.stringify([options.markdown, options.maxPageBytes]),
  });
  const highlightDraft = createDraftHighlighter({ cache, pool });
  const limit = pLimit(UNFINISHED_PAGES);
  let renderedCount = 0;

  return {
    readMeta,
    async render(source) {
      const prepared = await prepare(source);
      const { key, facts } = prepared;
      if (facts.problem) return { page: replacePage(facts.problem), finished: undefined };
      let page = pages.get(key);
      if (!page) {
        page = findKept(key) ?? startAnew(() => renderAnew(prepared));
        pages.set(key, page);
      }
      return page;
    },
    getHtml: kept.getHtml,
    getMarkdown: kept.getMarkdown,
    get renderedCount() {
      return renderedCount;
    },
  };

  /** The cache may have dropped what search knows of a page, and not the page. */
  function findKept(key: string): Promise<PendingPage> | undefined {
    const page = kept.find(key);
    const isWhole = page && (page.isReplaced || options.searchEntries.has(key));
    return isWhole ? Promise.resolve({ page, finished: undefined }) : undefined;
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
    const { key, facts, source } = prepared;
    renderedCount++;
    const included = await readIncludedTexts(prepared, texts);
    const { draft, problems } = await renderDraft(prepared, included);
    if ('code' in draft) {
      // Whether a page is too slow depends on the load of the machine.
      const isMomentary = draft.code === 'page-too-slow' || draft.message === FATAL;
      if (!isMomentary) kept.keepRefused(key, draft);
      return { page: { ...replacePage(draft), isMomentary }, finished: undefined };
    }
    // Before anything waits: the workers have most to do, and other pages would be rendered first.
    const highlighted = highlightDraft(draft);
    highlighted.catch(() => {});
    const read = readDraft(draft, source.titles);
    options.searchEntries.keep(key, read.sections);
    const found = [...read.described.warnings, ...(await options.checkDiagrams(draft.diagrams))];
    const described = {
      ...read.described,
      lead: read.lead,
      warnings: [...listEncodings(facts, included.encodings), ...found.sort((a, b) => a.line - b.line)],
      errors: problems.map((problem): PageError => ({ ...problem, code: 'front-matter' })),
    };
    const { page, keep } = kept.describe(key, described, read.markdown);
    const finished = highlighted.then(keep);
    finished.catch(() => {});
    return { page, finished };
  }

  /** Returns a page's draft, or the reason why it is refused, and the problems of its front matter. */
  async function renderDraft(
    { source, heading, hasLooseLevels, includes, ...prepared }: PreparedPage,
    included: IncludedTexts,
  ) {
    const { plugins, names, languages } = prepared.extensions;
    const components = names.length === 0 ? undefined : await extensions.load(names, source.components);
    const { body, firstLine, data, problems = [] } = await splitFrontMatter((await texts.read(source.oid)) ?? '');
    const renderer = await options.loadMarkdown();
    const site = rulesOf(source.generator).addresses?.hasSiteValues
      ? await readSiteValues(source.sourceFolder, includes, included.texts)
      : undefined;
    const draft = await refuseGently(() => {
      if (options.fatalPages.includes(source.path)) throw new BuildError('page-too-large', FATAL);
      const input = {
        text: body,
        title: heading,
        hasLooseLevels,
        firstLine,
        includes: included.texts,
        unreadable: included.unreadable,
        pagePath: source.path,
        sourceDir: source.sourceFolder,
        titles: source.titles,
        generator: source.generator,
        ...source.reading,
        frontMatter: data,
        site,
        mdx: source.path.endsWith('.mdx'),
        plugins,
        languages,
        components,
      };
      const isHarmless = body.length < HARMLESS && included.texts.size === 0 && components === undefined;
      return isHarmless ? renderer.renderSoon(input) : atWork(source.path, () => renderer.render(input));
    });
    return { draft, problems };
  }
}

/** Reads the HTML of a draft once for all that is kept of it. */
function readDraft(draft: Draft, titles: PageSource['titles']) {
  const links = numberLinks(draft);
  const sections = createSectionReader(draft.slots);
  const markdown = createMarkdownWriter(draft, titles, links);
  const lead = createLeadReader(draft.slots);
  scanHtml(draft.html, [sections, markdown, lead]);
  return {
    sections: sections.finish(),
    described: describeDraft(draft, links),
    markdown: markdown.finish(),
    lead: lead.finish(),
  };
}
