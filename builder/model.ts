/** The types that travel from one stage of the engine to the next. All of them are read-only. */

import type { BuildErrorCode } from './build-error.ts';

/** The subject of a warning, one word that programs may rely on. */
export type WarningCode =
  | 'dead-link'
  | 'dead-anchor'
  | 'missing-file'
  | 'missing-snippet'
  | 'unknown-language'
  | 'language'
  | 'inert-tag'
  | 'foreign-syntax'
  | 'symbolic-link'
  | 'submodule'
  | 'lfs-pointer'
  | 'unsafe-name'
  | 'same-name'
  | 'encoding'
  | 'duplicate-page'
  | 'duplicate-id'
  | 'skipped-ref'
  | 'too-large'
  | 'highlight-limit'
  | 'formula'
  | 'diagram'
  | 'project-file'
  | 'bad-address'
  | 'navigation'
  | 'front-matter'
  | 'unclosed'
  | 'second-title'
  | 'large-picture'
  | 'contrast'
  | 'undefined-reference'
  | 'foreign-host'
  | 'source-folder'
  | 'since'
  | 'history';

/**
 * Something that is not published as its author meant: a page replaced by a notice, front matter that counts for nothing, a
 * version left out or kept as it was. `file` is '' for a whole version; `line` counts from 1, 0 = the whole file.
 */
export interface SourceError {
  readonly ref: string;
  readonly file: string;
  readonly line: number;
  readonly code: BuildErrorCode;
  readonly message: string;
}

/** Something else the author should know. `line` counts from 1; 0 = the whole file. */
export interface Warning {
  readonly ref: string;
  readonly file: string;
  readonly line: number;
  readonly code: WarningCode;
  readonly message: string;
}

/** A branch or a tag by its full short name (`feature/x`), with the commit it leads to (annotated tags peeled). */
export interface Ref {
  readonly name: string;
  readonly kind: 'branch' | 'tag' | 'worktree';
  /** Commit id; for a plain folder a hash of its content. */
  readonly oid: string;
}

export interface TreeEntry {
  readonly name: string;
  readonly kind: 'file' | 'folder' | 'symbolic-link' | 'submodule';
  /** Object id of the blob, tree or commit. */
  readonly oid: string;
}

/** A commit and what it came from. */
export interface CommitPast {
  readonly tree: string;
  /** Undefined where it is not known what came before: a shallow clone ends here. */
  readonly parents: readonly string[] | undefined;
  /** When its author wrote it, in seconds since 1970. */
  readonly time: number;
}

/** Read access to the objects of a repository, or to a plain folder that looks like one. */
export interface ObjectReader {
  /** Returns the root tree's id and the committer time (seconds since 1970) of a commit. */
  readCommit(oid: string): Promise<{ readonly tree: string; readonly time: number }>;
  /** Returns the entries of a tree in git's order. Throws `BuildError` when it is damaged. */
  readTree(oid: string): Promise<readonly TreeEntry[]>;
  readBlob(oid: string): Promise<Uint8Array>;
  /** History before the commits; absent where there is none. */
  readonly past?: PastReader | undefined;
}

/** Read access to the history of commits, as far as it is here: their folders, but not the content of their files. */
export interface PastReader {
  /** The folder of the repository from which a version's paths are counted, with a final `/`; absent = its root. */
  readonly base?: string;
  /**
   * Returns the commit whose past tells when the files of a commit were written: the same one, or HEAD for files that are
   * being edited. Undefined where its past is not here.
   */
  find(oid: string): string | undefined;
  /** Returns undefined for a commit that is missing. Throws `BuildError` when it is damaged. */
  readCommit(oid: string): Promise<CommitPast | undefined>;
  readTree(oid: string): Promise<readonly TreeEntry[]>;
}

/** The history of the repository that a folder lies in: that of HEAD. */
export interface FolderPast {
  readonly past: PastReader;
  /** Looks where HEAD is now: the files of the folder have the dates of that commit, edited ones none. */
  look(): Promise<string | undefined>;
  /** Forgets what was found on the disk. */
  forget(): void;
}

/** Is told how far a fetch is. */
export interface FetchListener {
  /** Called for each ref whose objects are all here. */
  readonly onFetched?: (ref: Ref) => void;
  /** Called with the number of bytes that have come since the last call. */
  readonly onReceived?: (bytes: number) => void;
}

/** Why the past of some commits is not here. */
export interface PastProblem {
  readonly message: string;
  /** It is not worth trying again until something changes. */
  readonly isLasting: boolean;
}

/** An opened repository: what it has, and how to get at it. */
export interface Repository extends ObjectReader {
  readonly kind: 'remote' | 'local' | 'folder';
  /** The location as it may be shown: credentials removed. */
  readonly label: string;
  /** https address of the repository's home page at its host, if one can be told from URL or `origin`: no `.git`, no credentials. */
  readonly webUrl: string | undefined;
  /** Name of the default branch (remote HEAD), or undefined when HEAD leads to no ref. */
  readonly head: string | undefined;
  readonly refs: readonly Ref[];
  /** Brings the objects of these refs here; nothing to do where they are already. */
  fetch(refs: readonly Ref[], listener?: FetchListener): Promise<void>;
  /**
   * Brings the past of these refs here, without the content of files; returns what was in the way. Absent where all that
   * can be had is here.
   */
  fetchPast?(refs: readonly Ref[], listener?: FetchListener): Promise<PastProblem | undefined>;
  /**
   * Returns a reader of one ref for which little is fetched: its folders, and of a few files the content when it is read.
   * Undefined where the server cannot send that; absent where all that can be had is here.
   */
  skim?(ref: Ref): Promise<ObjectReader | undefined>;
  close(): Promise<void>;
}

/** How Markdown is read; part of every fragment's key. */
export interface MarkdownOptions {
  /** `raw`: HTML passes through; `safe`: it is sanitised. */
  readonly html: 'raw' | 'safe';
  readonly emoji: boolean;
  /** `$…$` and `$$…$$` are formulas. */
  readonly math: boolean;
  /** Code in the language `mermaid` is drawn. */
  readonly mermaid: boolean;
  /** Hosts whose scripts, style sheets and fonts pages may load, besides the site's own; see `findForeignHost`. */
  readonly allowedHosts: readonly string[];
}

/** Files that some pages need besides the theme's own: see `readThemeFiles`. */
export type PageExtra = 'formulas' | 'diagrams';

/** A heading of a page, for the table of contents and for checking anchors. `text` is plain text, not HTML. */
export interface Heading {
  readonly level: number;
  readonly id: string;
  readonly text: string;
}

/** The text below one heading of a page, for search. Plain text, on one line each. */
export interface PageSection {
  /** Id of the heading; '' = the page's beginning. */
  readonly id: string;
  readonly heading: string;
  readonly text: string;
}

/**
 * A place in a fragment's HTML that depends on where the page stands. `url` is as the author wrote it (percent-decoding
 * and HTML entities undone by the Markdown parser, nothing else).
 */
export interface LinkSlot {
  /**
   * `link`: where readers may go. `image`: a file that is needed to show the page. `style`: such a file, in a string of CSS.
   * `reference`: a link to the heading of any page; `url` is the ids that it may have, one a line. Its URL is '' where there is
   * none, and only its text is shown.
   */
  readonly kind: 'link' | 'image' | 'style' | 'reference';
  readonly url: string;
  /** Line in the page's file, from 1. */
  readonly line: number;
  /** The included file that contains it, from the repository's root; absent = the page's own. */
  readonly from?: string;
}

/** A code block to highlight, as the author means it: notations such as `[!code ++]` already taken out. */
export interface CodeBlock {
  /** Language as written in the fence, lower-case, e.g. `ts`; '' = none. */
  readonly language: string;
  readonly text: string;
  /** Key of the grammar of an extension. */
  readonly grammar?: string;
}

/**
 * A page rendered as far as its own file decides it. In `html` a slot number n stands between two NUL characters
 * (`\0n\0`); NUL cannot come from Markdown. Odd items of `html.split('\0')` are therefore slot numbers.
 */
export interface Fragment {
  readonly html: string;
  readonly slots: readonly LinkSlot[];
  readonly headings: readonly Heading[];
  /** Plain text of the first level-1 heading. */
  readonly title: string | undefined;
  /** Every id in the page that a link may lead to (headings and `id` attributes of raw HTML). */
  readonly ids: readonly string[];
  readonly warnings: readonly { readonly line: number; readonly code: WarningCode; readonly message: string }[];
  readonly extras: readonly PageExtra[];
}
