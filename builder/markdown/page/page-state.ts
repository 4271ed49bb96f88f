import MarkdownIt, { type Env, type StateBlock, type Token } from 'markdown-it';
import { isAbsoluteUrl } from '../../../lib/url-text.ts';
import type { Dialect } from '../../generators/generator.ts';
import type { Heading, LinkSlot, MarkdownOptions, PageExtra, WarningCode } from '../../model.ts';
import type { DiagramSource, DraftSlot, RenderInput, RenderWarning } from '../draft.ts';
import { findDialect } from './dialect.ts';
import { createPageCosts, type PageCosts, spendCharacters } from './page-costs.ts';

/** How a tab differs from others. */
export interface TabOptions {
  /** Its title is Markdown. */
  readonly isMarkdown?: boolean;
  /** It is the one that is open at first. */
  readonly isDefault?: boolean;
}

export interface TabGroup {
  /** Opens a tab; returns the function that closes it. Its text may be parsed with a separate state. */
  pushTab(state: StateBlock, title: string, options?: TabOptions): () => void;
  close(): void;
}

/** The definitions of links, `[label]: url`, by their labels. */
export type LinkDefinitions = NonNullable<Env['references']>;

export interface Abbreviation {
  readonly name: string;
  readonly title: string;
}

/** A group of tabs of another generator, while its tabs are read. */
export interface OpenTabs {
  readonly group: TabGroup;
  /** Language of the code in its tabs; undefined if they contain Markdown. */
  readonly code: string | undefined;
  /** Titles by the values of tabs that have none of their own. */
  readonly labels?: ReadonlyMap<string, string>;
  /** Titles of tabs that have neither, in their order. */
  readonly titles?: readonly string[];
  /** Value of the tab that is open at first, or its place in the order, from 0. */
  readonly selected?: string | undefined;
  count: number;
}

/** The state that rules share while a page is rendered. */
export interface PageState {
  readonly options: MarkdownOptions;
  readonly input: RenderInput;
  readonly dialect: Dialect;
  readonly titles: Readonly<Record<string, string>>;
  readonly costs: PageCosts;
  readonly warnings: RenderWarning[];
  readonly slots: DraftSlot[];
  readonly extras: Set<PageExtra>;
  readonly diagrams: DiagramSource[];
  readonly headings: Heading[];
  /** Ids of headings that the page's own table of contents leaves out. */
  readonly unlisted: Set<string>;
  /** Every id a link may lead to. */
  readonly ids: Set<string>;
  /** All other ids: those of the theme, and of what only a script or a style sheet looks for. */
  readonly otherIds: Set<string>;
  /** Numbers to try next for ids that are taken. */
  readonly nextIds: Map<string, number>;
  /** Tokens that come from an included file, with its path from the repository's root: their `map` names the line of the include. */
  readonly included: Map<Token, string>;
  /** The definitions of links in included files, by their paths. */
  readonly includedReferences: Map<string, LinkDefinitions>;
  /** The included file that contains the text being read after all blocks are; undefined = the page's own. */
  currentFile: string | undefined;
  /** Paths of the files being included, outermost first. */
  readonly includeStack: string[];
  /** Messages already given, so that each is given once. */
  readonly said: Set<string>;
  /** Included files so far, nested ones counted. */
  includeCount: number;
  includedCharacters: number;
  /** Number of tab groups so far, used for their ids. */
  tabGroups: number;
  /** Nesting depth of the current block, see `addPageLimits`. */
  blockDepth: number;
  /** Nesting depth of the current text, see `addPageLimits`. */
  textDepth: number;
  /** Tags, expressions and comments seen that do not end; see `findEnd`. */
  brokenTags: number;
  /** Line of the separately parsed text within the page's text, from 0. */
  baseLine: number;
  /** Line of the include whose file is being parsed. */
  fixedLine: number | undefined;
  /** The line of the page's text, from 0, of each line of the text that a template language made of it. */
  expandedLines: readonly number[] | undefined;
  /** Texts that show template tags instead of interpreting them. */
  readonly verbatim: Set<Token>;
  /** URLs of imported pictures and pages, by name. */
  readonly imports: Map<string, string>;
  /** Groups of tabs that are open, innermost last. */
  readonly openTabs: OpenTabs[];
  /** Number of open HTML elements that contain Markdown. */
  openHtml: number;
  /** The current text shows template tags instead of interpreting them. */
  isVerbatim: boolean;
  /** Abbreviations by their first word, longest first. */
  readonly abbreviations: Map<string, Abbreviation[]>;
  /** Names in the closing tags of the page. */
  closingNames: ReadonlySet<string>;
  hasHtml: boolean;
  /** The page contains `{…}` that may be attributes of inline elements. */
  hasAttributes: boolean;
}

/** Ids of the elements that the site's templates put around a text. */
export const THEME_IDS: readonly string[] = [
  '_all-pages',
  '_article',
  '_closing',
  '_content',
  '_elsewhere',
  '_features',
  '_sidebar',
  '_toc',
  '_toc-title',
  '_feedback',
  '_history',
  '_logos',
];

/** Creates the state of a page that is about to be rendered. */
export function createPageState(options: MarkdownOptions, input: RenderInput): PageState {
  return {
    options,
    input,
    dialect: findDialect(input.generator, input.mdx === true),
    titles: input.titles ?? {},
    costs: createPageCosts(input.firstLine),
    warnings: [],
    slots: [],
    extras: new Set(),
    diagrams: [],
    headings: [],
    unlisted: new Set(),
    ids: new Set(),
    otherIds: new Set(THEME_IDS),
    nextIds: new Map(),
    included: new Map(),
    includedReferences: new Map(),
    currentFile: undefined,
    includeStack: [],
    said: new Set(),
    includeCount: 0,
    includedCharacters: 0,
    tabGroups: 0,
    blockDepth: 0,
    textDepth: 0,
    brokenTags: 0,
    baseLine: 0,
    fixedLine: undefined,
    expandedLines: undefined,
    verbatim: new Set(),
    imports: new Map(),
    openTabs: [],
    openHtml: 0,
    isVerbatim: false,
    abbreviations: new Map(),
    closingNames: new Set(),
    hasHtml: false,
    hasAttributes: false,
  };
}

/** After this many unterminated tags, expressions and comments of a page, no more are searched for. */
const MAX_BROKEN = 100;

/**
 * Returns the result of `scan`, or undefined if there is none. Unterminated syntax causes long searches, so the page
 * counts it.
 */
export function findEnd<T extends object>(page: PageState, scan: () => T | 'unterminated' | undefined): T | undefined {
  if (page.brokenTags >= MAX_BROKEN) return undefined;
  const found = scan();
  if (found === 'unterminated') page.brokenTags++;
  return typeof found === 'object' ? found : undefined;
}

/** Returns the page that markdown-it's environment belongs to. */
export function getPage(env: Env | undefined): PageState {
  return env?.page as PageState;
}

/** More problems of one page usually have one cause; each is kept until the end of the build. */
const MAX_WARNINGS = 1_000;
const MAX_MESSAGE = 500;

/** Adds a warning at a line of the text (from 0, as in `token.map`). */
export function warn(page: PageState, line: number, code: WarningCode, message: string): void {
  if (page.warnings.length > MAX_WARNINGS) return;
  if (page.warnings.length === MAX_WARNINGS) message = 'Further problems of this page are not listed';
  const text = message.length > MAX_MESSAGE ? `${message.slice(0, MAX_MESSAGE)}…` : message;
  page.warnings.push({ line: lineInFile(page, line), code, message: text });
}

/** Returns the line in the page's file, from 1, of a line of the text, from 0. */
export function lineInFile(page: PageState, line: number): number {
  const place = page.fixedLine ?? page.baseLine + line;
  return page.input.firstLine + (page.expandedLines?.[place] ?? place);
}

/** Adds a warning unless the same message was given for this page. */
export function warnOnce(page: PageState, line: number, code: WarningCode, message: string): void {
  if (page.said.has(message)) return;
  page.said.add(message);
  warn(page, line, code, message);
}

/** Returns the marker of a new slot for use in HTML. */
export function addSlot(page: PageState, slot: DraftSlot): string {
  if (slot.kind === 'formula') spendCharacters(page.costs, slot.html.length);
  else if (slot.kind !== 'code') spendCharacters(page.costs, slot.url.length);
  page.slots.push(slot);
  return `\0${page.slots.length - 1}\0`;
}

const { mdurl } = new MarkdownIt().utils.lib;
const KEPT_ENCODED = `${mdurl.decode.defaultChars}%`;

/**
 * Returns the marker of a slot for a URL that depends on where the page stands, or undefined for one that does not. The
 * slot's URL is percent-decoded, except for signs that would then mean something else (`%23`, `%25`, `%2F` …).
 */
export function addLinkSlot(page: PageState, kind: LinkSlot['kind'], url: string, line: number): string | undefined {
  // Docusaurus' prefix for a path that is not a page.
  if (url.startsWith('pathname:///')) return addLinkSlot(page, kind, url.slice('pathname://'.length), line);
  if (url === '' || isAbsoluteUrl(url)) return undefined;
  const decoded = url.includes('%') ? mdurl.decode(url, KEPT_ENCODED) : url;
  // Links are handled after all blocks have been read; an error about their length must name their line, not the last one.
  page.costs.line = line;
  const from = page.currentFile;
  return addSlot(page, { kind, url: decoded, line: page.input.firstLine + line, ...(from !== undefined && { from }) });
}
