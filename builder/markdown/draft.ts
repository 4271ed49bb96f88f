import type { CodeBlock, Generator, Heading, LinkSlot, WarningCode } from '../model.ts';

/** Something the author should know; `line` is the line in the page's file, from 1. */
export interface RenderWarning {
  readonly line: number;
  readonly code: WarningCode;
  readonly message: string;
}

/** A code block in a draft: what to highlight, and how its lines are marked. */
export interface CodeSlot {
  readonly kind: 'code';
  readonly block: CodeBlock;
  /** Pairs of a line (from 0) and the classes of its span, in order of lines; lines not named stay bare. */
  readonly marks: readonly (readonly [line: number, classes: string])[];
}

/**
 * A page rendered except for its code. As in `Fragment`, odd items of `html.split('\0')` are slot numbers; here a slot
 * may be a code block, too. Plain data: may be cloned, sent to a worker, written as JSON.
 */
export interface Draft {
  readonly html: string;
  readonly slots: readonly (LinkSlot | CodeSlot)[];
  readonly headings: readonly Heading[];
  readonly title: string | undefined;
  readonly ids: readonly string[];
  readonly warnings: readonly RenderWarning[];
}

/** One page to render. */
export interface RenderInput {
  /** The page without its front matter. */
  readonly text: string;
  /** The page's title as plain text: its heading of level 1, where the text has none. */
  readonly title?: string | undefined;
  /** Whether a heading on top of the text that stands above all others is its title, whatever its level. */
  readonly hasLooseLevels?: boolean;
  /** Number of the text's first line in the page's file, from 1. */
  readonly firstLine: number;
  /** Text of the files the page takes in, by path from the repository's root; see `collectIncludes`. */
  readonly includes: ReadonlyMap<string, string>;
  /** Why others of these files cannot be included, by path. */
  readonly unreadable?: ReadonlyMap<string, string>;
  /** Path of the page's file from the repository's root; needed where includes are. */
  readonly pagePath?: string;
  /** Folder that `@/` means in an include, from the repository's root. Default: the root. */
  readonly sourceDir?: string;
  /** Words the renderer adds, in the page's language; what is missing is English. See `defaultTitles`. */
  readonly titles?: Readonly<Record<string, string>>;
  /** The generator that the page was written for; see `dependsOnGenerator`. */
  readonly generator?: Generator | undefined;
  /** The page is an `.mdx` file. */
  readonly mdx?: boolean;
}

/** Renders pages; holds no state between them. */
export interface MarkdownRenderer {
  /** Returns the page's draft. Throws `page-limit` with the line for a page that would take too much time or memory. */
  render(input: RenderInput): Draft;
}
