import pLimit from 'p-limit';
import { createBoundedMap } from '../../lib/bounded-map.ts';
import { BuildError } from '../build-error.ts';
import { contentKey } from '../fragments/content-key.ts';
import type { FragmentStore } from '../fragments/fragment-store.ts';
import type { HighlightPool } from '../fragments/render-pool.ts';
import type { MarkdownRenderer } from '../markdown/draft.ts';
import { describeDraft } from '../markdown/finish-fragment.ts';
import type { Fragment, Generator, MarkdownOptions, ObjectReader, SourceError } from '../model.ts';
import { splitFrontMatter } from '../source/front-matter.ts';
import { type PageMeta, readPageMeta } from '../source/page-meta.ts';
import { collectPageInputs, type IncludedFile, readIncludedTexts } from './collect-included-files.ts';
import { createDraftHighlighter } from './highlight-draft.ts';
import { createTextReader } from './read-texts.ts';
import type { PathFinder } from './read-version.ts';

/** A page as its file, and what it takes in, decide it; shared by all versions in which they are the same. */
export interface RenderedPage extends Omit<Fragment, 'html'> {
  readonly key: string;
  readonly meta: PageMeta;
  readonly idSet: ReadonlySet<string>;
  /** What of the page could not be read. */
  readonly errors: readonly PageError[];
}

/** What is wrong with a page, wherever it lies. `line` counts from 1; 0 = the whole file. */
export type PageError = Pick<SourceError, 'line' | 'code' | 'message'>;

/** What to render. */
export interface PageSource {
  readonly oid: string;
  /** Path from the repository's root. */
  readonly path: string;
  readonly sourceFolder: string;
  /** The generator that the page was written for. */
  readonly generator: Generator | undefined;
  /** Finds the files it takes in. */
  readonly find: PathFinder;
  /** Words the renderer adds, in the language of the text. */
  readonly titles: Readonly<Record<string, string>>;
}

/** A page whose code may still be highlighted. */
export interface PageInWork {
  readonly page: RenderedPage;
  /**
   * Settles when its HTML is there; undefined = it is. Rejects with `BuildError`; whoever does not wait need not catch it.
   */
  readonly finished: Promise<void> | undefined;
}

export interface PageRenderer {
  /** Gives a page, from the cache or rendered. Throws `BuildError` with the line for text that cannot be read. */
  render(source: PageSource): Promise<PageInWork>;
  /** Gives the HTML of a finished page; its slots are still open. */
  getHtml(page: RenderedPage): string;
  /** Number of pages rendered, cached ones not counted. */
  readonly renderedCount: number;
}

/**
 * Pages that this process has read or rendered. A key stands for everything that decides a page, so they serve all builds:
 * a server that builds a site again need not read what it knows. A page takes a few KB here.
 */
const recent = createBoundedMap<string, RenderedPage>({ maxEntries: 5_000 });

/** Pages whose code may be waiting for the workers at once; each holds its text. */
const UNFINISHED_PAGES = 400;

/** A page is kept as JSON, then, from the next line on, its HTML: one read finds both. */
const LINE_FEED = 0x0a;

const LFS_WARNING = {
  line: 0,
  code: 'lfs-pointer',
  message: 'The page is empty: the repository holds a Git LFS pointer instead of its text',
} as const;

/**
 * Creates the renderer of one build. Everything rendered is kept in the store under a hash of all that decides it:
 * the engine's version, the options, the page's blob and the blobs it takes in.
 */
export function createPageRenderer(options: {
  readonly reader: ObjectReader;
  readonly store: FragmentStore;
  readonly pool: HighlightPool;
  readonly loadMarkdown: () => Promise<MarkdownRenderer>;
  readonly markdown: MarkdownOptions;
  readonly maxPageBytes: number;
  readonly engineVersion: string;
}): PageRenderer {
  const { store, pool, engineVersion } = options;
  const texts = createTextReader(options.reader, options.maxPageBytes);
  const pages = new Map<string, Promise<PageInWork>>();
  const highlightDraft = createDraftHighlighter({ store, pool, engineVersion });
  const titleHashes = new Map<object, string>();
  const limit = pLimit(UNFINISHED_PAGES);
  const optionHash = contentKey(engineVersion, JSON.stringify(options.markdown));
  let renderedCount = 0;

  return {
    async render(source) {
      const { includes, dependsOnGenerator } = await collectPageInputs(source, { texts, store, engineVersion });
      const key = contentKey(
        optionHash,
        hashTitles(source.titles),
        source.oid,
        source.path.endsWith('.mdx') ? 'mdx' : '',
        includes.map(({ path, oid }) => `${path}:${oid}`).join('\n'),
        dependsOnGenerator ? (source.generator ?? '') : '',
        // Where the page lies matters only for what it takes in.
        includes.length > 0 ? `${source.path}\n${source.sourceFolder}` : '',
      );
      let page = pages.get(key);
      if (!page) {
        page = readCached(key) ?? startAnew(() => renderAnew(key, source, includes));
        pages.set(key, page);
      }
      return page;
    },
    getHtml(page) {
      const value = store.get(page.key);
      if (!value)
        throw new BuildError('worker', 'A rendered page was lost from the cache while it was used; build again');
      return value.toString('utf8', value.indexOf(LINE_FEED) + 1);
    },
    get renderedCount() {
      return renderedCount;
    },
  };

  function readCached(key: string): Promise<PageInWork> | undefined {
    const known = recent.get(key);
    if (known && store.has(key)) return Promise.resolve({ page: known, finished: undefined });
    const value = store.get(key);
    if (!value) return undefined;
    const stored = JSON.parse(value.toString('utf8', 0, value.indexOf(LINE_FEED))) as Omit<
      RenderedPage,
      'key' | 'idSet'
    >;
    const page = { ...stored, key, idSet: new Set(stored.ids) };
    recent.set(key, page);
    return Promise.resolve({ page, finished: undefined });
  }

  /** Gives the page once it is described; its place is free for another one when it is finished. */
  function startAnew(render: () => Promise<PageInWork>): Promise<PageInWork> {
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

  async function renderAnew(key: string, source: PageSource, includes: readonly IncludedFile[]): Promise<PageInWork> {
    renderedCount++;
    const text = await texts.readPage(source.oid);
    const { data, body, firstLine, problems = [] } = await splitFrontMatter(text ?? '');
    const markdown = await options.loadMarkdown();
    const draft = markdown.render({
      text: body,
      firstLine,
      includes: await readIncludedTexts(includes, texts),
      pagePath: source.path,
      sourceDir: source.sourceFolder,
      titles: source.titles,
      generator: source.generator,
      mdx: source.path.endsWith('.mdx'),
    });
    const described = { ...describeDraft(draft), ...(text === undefined && { warnings: [LFS_WARNING] }) };
    const meta = readPageMeta(data);
    const errors = problems.map((problem): PageError => ({ ...problem, code: 'front-matter' }));
    const page = { ...described, meta, errors, key, idSet: new Set(described.ids) };
    const finished = highlightDraft(draft).then((html) => {
      store.set(key, Buffer.from(`${JSON.stringify({ ...described, meta, errors })}\n${html}`));
      recent.set(key, page);
    });
    finished.catch(() => {});
    return { page, finished };
  }

  function hashTitles(titles: Readonly<Record<string, string>>): string {
    let hash = titleHashes.get(titles);
    if (hash === undefined) {
      hash = contentKey(JSON.stringify(titles));
      titleHashes.set(titles, hash);
    }
    return hash;
  }
}
