import type { MarkdownIt } from 'markdown-it';
import { findMachineError } from '../lib/system-error.ts';
import { BuildError } from './build-error.ts';
import type { SourceError, Warning } from './model.ts';

/**
 * The interface of extensions: what `docbuild.config.mjs` exports, and what docbuild's own extensions are made with. See
 * `docs/en/extensions.md`.
 */
export interface Config {
  readonly extensions: readonly Extension[];
}

/** One extension; each part is optional. Its functions run in the process that builds, and wait for nothing unless they may be async. */
export interface Extension {
  /** In messages and figures. */
  readonly name: string;
  /**
   * Only pages whose source, or a file that they include, contains a match are rendered with `markdown`; the others stay what they
   * are without it. Default: all pages.
   */
  readonly applies?: RegExp;
  /** Adds rules to the Markdown parser: `(md) => md.use(plugin, options)`. Blocks and inline rules come before docbuild's own. */
  readonly markdown?: (md: MarkdownIt) => unknown;
  /** Tags that pages may use, by their names, which begin with a capital: `<Price plan="pro">`. */
  readonly components?: Readonly<Record<string, Component>>;
  /**
   * Returns another source for a page, front matter included, or undefined for one that stays as it is. With `applies`, only pages that
   * contain a match are asked about.
   */
  readonly transform?: (page: PageSource) => string | undefined;
  /**
   * Languages of code in the way of TextMate: a grammar, or a list that ends with it and begins with those that it embeds, as modules of
   * `@shikijs/langs` have them. One of a name that docbuild knows takes its place.
   */
  readonly languages?: readonly (Grammar | readonly Grammar[])[];
  /** The colours of code on light and on dark pages, of a theme for editors. One extension may have them. */
  readonly codeTheme?: { readonly light?: CodeTheme | undefined; readonly dark?: CodeTheme | undefined };
  /** Makes pages and other files, for each version. */
  readonly pages?: (version: VersionFiles) => readonly MadeFile[] | Promise<readonly MadeFile[]>;
  /** Is called before a site takes the place of the one before it, which stays where this throws. Not called for previews. */
  readonly beforePublish?: (site: PlannedContent) => void | Promise<void>;
}

/** A grammar as editors have it (`.tmLanguage.json`); what is not named here belongs to the format, too. */
export interface Grammar {
  /** Names of the language in fences, without regard to case. */
  readonly name: string;
  /** Other names of it. */
  readonly aliases?: readonly string[] | undefined;
  readonly scopeName: string;
  readonly patterns: readonly object[];
  readonly repository?: object | undefined;
  readonly injections?: object | undefined;
  readonly injectionSelector?: string | undefined;
  readonly injectTo?: readonly string[] | undefined;
  /** Names of Shiki's grammars that it includes and that do not stand beside it. */
  readonly embeddedLangs?: readonly string[] | undefined;
}

/** A theme as VS Code (`tokenColors`) or TextMate (`settings`) has it; what is not named here is not used. */
export interface CodeTheme {
  readonly colors?: Readonly<Record<string, string>> | undefined;
  readonly tokenColors?: readonly object[] | undefined;
  readonly settings?: readonly object[] | undefined;
}

/** The size of a site that is about to be published. */
export interface PlannedContent {
  readonly versions: number;
  readonly languages: number;
  readonly pages: number;
  readonly errors: readonly SourceError[];
  readonly warnings: readonly Warning[];
}

/** A page as its author wrote it. */
export interface PageSource {
  /** From the repository's root. */
  readonly path: string;
  readonly text: string;
}

/** The files of a version, as far as they may be read. */
export interface VersionFiles {
  /** Folder of the documentation, from the repository's root with a final `/`, or ''. */
  readonly folder: string;
  /**
   * Names of the folders below it that are languages, such as `['en', 'zh_CN']`; '' stands for the pages outside of such folders, where
   * there are any.
   */
  readonly languages: readonly string[];
  /** Returns the text of a file, by its path from the repository's root; undefined where there is none, or none that is text. */
  read(path: string): Promise<string | undefined>;
  /** Reports a mistake in a file that was read. `line` counts from 1; 0 = the whole file. */
  report(mistake: { readonly file: string; readonly line: number; readonly message: string }): void;
}

/** A file that is published as if it were in the repository. */
export interface MadeFile {
  /** Below the folder of the documentation, such as `reference/api.md`: a page if it ends like one, else a file that pages link to. */
  readonly path: string;
  readonly text: string;
  /** The file that it is made from, from the repository's root: "edit" leads there. */
  readonly from?: string;
}

/** Returns the HTML of a tag in a page. It is read like HTML that the page's author wrote: links lead to pages, files are published. */
export type Component = (call: ComponentCall) => string;

export interface ComponentCall {
  /** The tag's attributes as written; `true` for one without a value. */
  readonly attributes: Readonly<Record<string, string | true>>;
  /** Stands for the inner Markdown as HTML; '' where there is none. It may occur in the result once. */
  readonly content: string;
  /** The inner Markdown as written. */
  readonly text: string;
  /** The front matter of the page. */
  readonly frontMatter: Readonly<Record<string, unknown>>;
}

/** Returns what fences may call a language, lower-case. */
export function listNames(language: Grammar | readonly Grammar[]): readonly string[] {
  const { name, aliases = [] } = [language].flat().at(-1)!;
  return [...new Set([name, ...aliases].map((one) => one.toLowerCase()))];
}

/** Names of components: of HTML none begins with a capital. */
export const COMPONENT_NAME = /^[A-Z][A-Za-z0-9]{0,49}$/;

/** Calls and time of an extension in a build. */
export interface ExtensionCost {
  readonly name: string;
  /** Calls of its functions, and blocks of code in its languages. */
  readonly calls: number;
  /** Wall time in them, in ms, with what they call. */
  readonly ms: number;
}

/** Counts what an extension takes, and stands for it in errors. */
export interface ExtensionMeter {
  readonly name: string;
  calls: number;
  ms: number;
}

/** The meters of a build. */
export interface ExtensionMeters {
  /** Returns the one of an extension. */
  of(name: string): ExtensionMeter;
  /** In the order in which they were used first. */
  list(): readonly ExtensionCost[];
}

export function createMeters(): ExtensionMeters {
  const meters = new Map<string, ExtensionMeter>();
  return {
    of(name) {
      const meter = meters.get(name) ?? { name, calls: 0, ms: 0 };
      meters.set(name, meter);
      return meter;
    },
    list: () => [...meters.values()].map((meter) => ({ ...meter, ms: Math.round(meter.ms * 10) / 10 })),
  };
}

/** A function of an extension threw something. */
export class ExtensionFailure extends Error {
  override readonly name = 'ExtensionFailure';
  readonly extension: string;

  constructor(extension: string, cause: unknown) {
    super(describeFailure(extension, cause), { cause });
    this.extension = extension;
  }
}

/** What else than an error is thrown is a text. */
function describeFailure(extension: string, cause: unknown): string {
  const said = cause instanceof Error ? cause.message : String(cause);
  return `Extension "${extension}" failed: ${said.slice(0, 500)}`;
}

/** Returns what is told of an error that a function of an extension threw. The machine's fault is not the extension's. */
function toFailure({ name }: ExtensionMeter, error: unknown): unknown {
  const isKnown = error instanceof BuildError || error instanceof ExtensionFailure || findMachineError(error);
  return isKnown ? error : new ExtensionFailure(name, error);
}

let running: ExtensionMeter | undefined;

/** Runs a function of an extension that waits for nothing. Throws `ExtensionFailure` for what it throws, and `BuildError` and the machine's errors as they are. */
export function runExtension<T>(meter: ExtensionMeter, run: () => T): T {
  const outer = running;
  running = meter;
  const startMs = performance.now();
  try {
    return run();
  } catch (error) {
    throw toFailure(meter, error);
  } finally {
    meter.calls++;
    meter.ms += performance.now() - startMs;
    running = outer;
  }
}

/** How long a function may take that may wait, in ms. */
const MAX_MS = 30_000;

/** Runs a function of an extension that may wait. Throws as `runExtension`, also where it does not end. */
export async function runExtensionSoon<T>(meter: ExtensionMeter, run: () => T | Promise<T>): Promise<T> {
  const startMs = performance.now();
  let timer: NodeJS.Timeout | undefined;
  try {
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error(`it takes longer than ${MAX_MS / 1_000} s`)), MAX_MS);
    });
    return await Promise.race([runExtension({ ...meter }, run), late]);
  } catch (error) {
    throw toFailure(meter, error);
  } finally {
    clearTimeout(timer);
    meter.calls++;
    meter.ms += performance.now() - startMs;
  }
}

/** Returns the extension that was running when all that ran was ended by force, once. */
export function takeRunning(): string | undefined {
  const name = running?.name;
  running = undefined;
  return name;
}
