import pLimit from 'p-limit';
import { createBoundedMap } from '../../../lib/bounded-map.ts';
import { atWork } from '../../../lib/work-note.ts';
import { BuildError } from '../../build-error.ts';
import { type Cache, defineCacheKind } from '../../cache/cache.ts';
import { contentKey } from '../../cache/content-key.ts';
import { type Generator, rulesOf } from '../../generators/generators.ts';
import { outlinePage, type PageOutline } from '../../history/page-outline.ts';
import type { ReleaseChanges } from '../../history/release-changes.ts';
import { type DiagramChecker, type DiagramProblem, MAX_DIAGRAM_LENGTH } from '../../markdown/code/diagram-checker.ts';
import type { HighlightPool } from '../../markdown/code/highlight-pool.ts';
import {
  type DiagramSource,
  type Draft,
  describeDraft,
  fillCodeSlots,
  type MarkdownRenderer,
  numberLinks,
  type RenderWarning,
} from '../../markdown/draft.ts';
import { createLeadReader } from '../../markdown/draft-lead.ts';
import { createSectionReader } from '../../markdown/draft-sections.ts';
import { createMarkdownWriter } from '../../markdown/export/write-markdown.ts';
import { scanHtml } from '../../markdown/html/scan-html.ts';
import { changesAllPages } from '../../markdown/page/dialect.ts';
import type { CodeBlock, MarkdownOptions, PageSection } from '../../model.ts';
import { decodePageEntry, encodePageEntry, limitSections } from '../../search/search-segment.ts';
import type { PageMeta } from '../../source/pages/page-meta.ts';
import { splitFrontMatter } from '../../source/text/front-matter.ts';
import type { PathFinder, VersionComponents } from '../versions/version-source.ts';
import type { BuildExtensions, PageExtensions } from './page-extensions.ts';
import {
  collectPageInputs,
  createMetaReader,
  listEncodings,
  type PageInputs,
  type PageReading,
  readIncludedTexts,
  type TextFacts,
  type TextReader,
} from './page-inputs.ts';
import { type PageError, type RenderedPage, refuseGently, replacePage, type StoredPage } from './rendered-page.ts';
import { readSiteValues } from './site-values.ts';

export interface PageSource {
  readonly oid: string;
  /** Path from the repository's root. */
  readonly path: string;
  /** Folder that `@/` means in an include, from the repository's root with a final `/`, or ''. */
  readonly sourceFolder: string;
  readonly generator: Generator | undefined;
  readonly reading: PageReading;
  readonly find: PathFinder;
  /** Those of its version. */
  readonly components: VersionComponents | undefined;
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
  readonly extensions: PageExtensions;
}

/** What is stored of a page besides its description; slots are open. */
interface PageTexts {
  readonly key: string;
  readonly markdown: string;
  readonly html: string;
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
  /** Returns the Markdown of a finished page; its slots are still open, see `writeMarkdown`. */
  getMarkdown(page: RenderedPage): string;
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

/** A page is stored as one line of JSON followed by its Markdown and its HTML, so that one read returns what is wanted. */
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
  readonly extensions: BuildExtensions;
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
  /** Of the page that was read last: the file of its Markdown is written after that of its HTML. */
  let lastTexts: PageTexts | undefined;

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
    getHtml: (page) => readTexts(page).html,
    getMarkdown: (page) => readTexts(page).markdown,
    get renderedCount() {
      return renderedCount;
    },
  };

  function readTexts({ key, markdownBytes, isReplaced }: RenderedPage): PageTexts {
    if (isReplaced) return { key, markdown: '', html: '' };
    if (lastTexts?.key === key) return lastTexts;
    const found = cache.read(key, (value): PageTexts => {
      const start = value.indexOf(LINE_FEED) + 1;
      const end = start + markdownBytes;
      return { key, markdown: value.toString('utf8', start, end), html: value.toString('utf8', end) };
    });
    if (found === undefined)
      throw new BuildError('worker', 'A rendered page disappeared from the cache during the build; build again');
    lastTexts = found;
    return found;
  }

  async function prepare(source: PageSource): Promise<PreparedPage> {
    const facts = await texts.inspect(source.oid);
    // Versions share most pages, and those that include nothing are the same wherever they lie.
    const isPlain = facts.includes.length === 0 && source.reading.appended.length === 0;
    const references = source.reading.hasReferences ? 'references' : '';
    const place = `${source.oid} ${source.generator ?? ''} ${references} ${source.path.endsWith('.mdx')} ${hashTitles(source.titles)} ${source.components?.key ?? ''}`;
    const known = isPlain ? plain.get(place) : undefined;
    if (known) return { ...known, source };
    const { title, layout, hidesTitle } = await readMeta(source.oid, source.generator);
    const heading = hidesTitle || layout === 'home' ? undefined : title;
    const hasLooseLevels = title === undefined && layout === 'doc';
    const { includes, omitted, tags, dependsOnGenerator } = await collectPageInputs(source, texts);
    const oids = [source.oid, ...includes.map(({ oid }) => oid)];
    const extensions = await options.extensions.select({ oids, names: tags, templates: source.components });
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
      // A page to which none applies is the same as without them.
      ...(extensions.key === '' ? [] : [extensions.key]),
    ]);
    const prepared = { source, key, heading, hasLooseLevels, includes, omitted, facts, extensions };
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
    const { key, source, heading, hasLooseLevels, facts, extensions } = prepared;
    const { plugins, names, languages } = extensions;
    const components = names.length === 0 ? undefined : await options.extensions.load(names, source.components);
    renderedCount++;
    const { body, firstLine, data, problems = [] } = await splitFrontMatter((await texts.read(source.oid)) ?? '');
    const renderer = await options.loadMarkdown();
    const included = await readIncludedTexts(prepared, texts);
    const site = rulesOf(source.generator).addresses?.hasSiteValues
      ? await readSiteValues(source.sourceFolder, prepared.includes, included.texts)
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
    const links = numberLinks(draft);
    const sections = createSectionReader(draft.slots);
    const markdown = createMarkdownWriter(draft, source.titles, links);
    const lead = createLeadReader(draft.slots);
    scanHtml(draft.html, [sections, markdown, lead]);
    options.searchEntries.keep(key, sections.finish());
    const described = describeDraft(draft, links);
    const text = markdown.finish();
    const found = [...described.warnings, ...(await options.checkDiagrams(draft.diagrams))];
    const line = JSON.stringify({
      ...described,
      markdownBytes: Buffer.byteLength(text),
      lead: lead.finish(),
      warnings: [...listEncodings(facts, included.encodings), ...found.sort((a, b) => a.line - b.line)],
      errors: problems.map((problem): PageError => ({ ...problem, code: 'front-matter' })),
      isReplaced: false,
    });
    // Parts of a text keep all of it in memory: what is parsed anew is held by nothing else.
    const stored = JSON.parse(line) as StoredPage;
    const page = { ...stored, key, idSet: new Set(stored.ids), isMomentary: false };
    const finished = highlighted.then((html) => {
      cache.set(key, Buffer.from(`${line}\n${text}${html}`));
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

/** HTML of a code block; null = its language is not known, so it stays plain. */
const CODE = defineCacheKind<string | null>('code');

/** Creates a function that returns a draft's HTML with its code highlighted, from the cache or by the pool. */
function createDraftHighlighter({
  cache,
  pool,
}: {
  readonly cache: Cache;
  readonly pool: HighlightPool;
}): (draft: Draft) => Promise<string> {
  return highlightDraft;

  async function highlightDraft(draft: Draft): Promise<string> {
    const results = new Map<CodeBlock, string | undefined>();
    const waiting: Promise<void>[] = [];
    for (const slot of draft.slots) {
      if (slot.kind !== 'code') continue;
      const html = highlight(slot.block);
      waiting.push(html.then((done) => void results.set(slot.block, done)));
    }
    if (waiting.length > 0) await Promise.all(waiting);
    return fillCodeSlots(draft, (block) => results.get(block));
  }

  /** A block is highlighted once per grammar and text, wherever it occurs. */
  async function highlight(block: CodeBlock): Promise<string | undefined> {
    if (block.language === '') return undefined;
    const html = await cache.memo(
      CODE,
      [block.language, block.text, ...(block.grammar === undefined ? [] : [block.grammar])],
      async () => (await pool.highlight(block)) ?? null,
    );
    return html ?? undefined;
  }
}

/** The mistake in a diagram; null = none. */
const DIAGRAM = defineCacheKind<DiagramProblem | null>('diagram');
/**
 * Diagrams of a page beyond this are not checked; in squares of characters: some of Mermaid's parsers take time by the square of a text's
 * length, 3 s for this.
 */
const MAX_WORK = 1.2e9;
/** Of any diagram: at most 200 of a page are checked. */
const WORK_OF_DIAGRAM = MAX_WORK / 200;

/** Creates a function that returns warnings of the diagrams of a page that no reader will see drawn. */
export function createDiagramWarnings({
  cache,
  checker,
}: {
  readonly cache: Cache;
  readonly checker: DiagramChecker;
}): (diagrams: readonly DiagramSource[]) => Promise<readonly RenderWarning[]> {
  return async (diagrams) => {
    const warnings: RenderWarning[] = [];
    let work = 0;
    for (const { text, line, textLine } of diagrams) {
      const cost = WORK_OF_DIAGRAM + (text.length > MAX_DIAGRAM_LENGTH ? 0 : text.length ** 2);
      if (work + cost > MAX_WORK) continue;
      work += cost;
      const problem = await cache.memo(DIAGRAM, [text], async () => (await checker.check(text)) ?? null);
      if (!problem) continue;
      const place = problem.line === undefined || textLine === undefined ? line : textLine + problem.line - 1;
      warnings.push({ line: place, code: 'diagram', message: `Diagram cannot be drawn: ${problem.message}` });
    }
    return warnings;
  };
}

/**
 * The cache of what pages say: their text and outlines by the pages' own keys, what differs between lists of them, and the parts of the
 * search index by their segments' keys.
 */
export interface SearchEntries {
  keep(pageKey: string, sections: readonly PageSection[]): void;
  has(pageKey: string): boolean;
  /** Returns the text of a page, see `encodePageEntry`. Throws BuildError `worker` where it is no longer kept. */
  read(pageKey: string): string;
  keepPart(segmentKey: string, part: string): void;
  findPart(segmentKey: string): Uint8Array | undefined;
  /** Returns the outline of a page, with the text that its front matter puts above it. Throws as `read` does. */
  outline(pageKey: string, lead: string): PageOutline;
  /** Returns what differs between two lists of pages, by their ids, if that was kept. */
  findChanges(older: string, newer: string): ReleaseChanges | undefined;
  keepChanges(older: string, newer: string, changes: ReleaseChanges): ReleaseChanges;
}

/** Some thousand characters each. */
const OUTLINE = defineCacheKind<PageOutline>('outline', { maxEntries: 5_000 });
const CHANGES = defineCacheKind<ReleaseChanges>('changes', { maxEntries: 2_000 });

export function createSearchEntries(cache: Cache): SearchEntries {
  // Keys of pages determine all that is in them: another order of their digits costs less than a hash of each page.
  const keyOf = (pageKey: string): string => pageKey.slice(1) + pageKey.charAt(0);
  const partKeyOf = (segmentKey: string): string => cache.key('search-part', [segmentKey]);
  const read = (pageKey: string): string => {
    const entry = cache.read(keyOf(pageKey), String);
    if (entry !== undefined) return entry;
    throw new BuildError('worker', 'The text of a page disappeared from the cache; build again');
  };
  return {
    keep(pageKey, all) {
      const sections = limitSections(all);
      cache.set(keyOf(pageKey), Buffer.from(encodePageEntry(sections)));
      cache.keep(OUTLINE, [pageKey], outlinePage(sections));
    },
    has: (pageKey) => cache.has(keyOf(pageKey)),
    read,
    outline(pageKey, lead) {
      const parts = lead === '' ? [pageKey] : [pageKey, lead];
      const known = cache.recall(OUTLINE, parts);
      if (known) return known;
      const [first, ...rest] = decodePageEntry(read(pageKey));
      const sections = [{ ...first!, text: `${lead} ${first!.text}`.trim() }, ...rest];
      return cache.keep(OUTLINE, parts, outlinePage(sections));
    },
    findChanges: (older, newer) => cache.recall(CHANGES, [older, newer]),
    keepChanges: (older, newer, changes) => cache.keep(CHANGES, [older, newer], changes),
    keepPart: (segmentKey, part) => cache.set(partKeyOf(segmentKey), Buffer.from(part)),
    findPart: (segmentKey) => cache.read(partKeyOf(segmentKey), (value) => Buffer.from(value)),
  };
}
