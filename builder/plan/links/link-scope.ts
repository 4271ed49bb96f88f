import type { WarningCode } from '../../model.ts';
import type { LinkOrigin, LinkRoots } from './link-candidates.ts';

/** A page that links may lead to, as seen from one language's release. */
export interface LinkTarget {
  /** Percent-encoded URL from the release's root, or for another language's page from the site's root. */
  readonly address: string;
  /** Whether the page lies in another release, so that `address` counts from the site's root. */
  readonly isElsewhere: boolean;
  /** Ids that a fragment may name; undefined = not known. */
  readonly ids: ReadonlySet<string> | undefined;
  /** Returns the page that was named, where its translation stands for it. */
  readonly original?: (() => LinkTarget) | undefined;
}

/** The result of resolving a link or image. */
export interface LinkOutcome {
  /** What to write into the page. */
  readonly url: string;
  readonly problem: { readonly code: WarningCode; readonly message: string } | undefined;
  /** Path (from the repository's root) of a file that must be published with the page. */
  readonly file: string | undefined;
}

/** What the resolver needs to know about the ref; all paths are from the repository's root. */
export interface LinkScope {
  /** Folders for URLs that begin with `/`. */
  readonly roots: LinkRoots;
  /** Returns the page that a file becomes in the current release. */
  readonly findPage: (file: string) => LinkTarget | undefined;
  /** Returns whether `findPage` may know an index in a folder, which is '' or has a final `/`. */
  readonly mayHaveIndex?: (folder: string) => boolean;
  /**
   * Returns the page at a path from the release's root, as it is published: `guide/a`, `guide/a/`, `guide/a.html`; or
   * the one whose URL differs only in what its generator changes in names.
   */
  readonly findAddress?: (path: string, isSimilar: boolean) => LinkTarget | undefined;
  /** Returns the page with a heading of this id, else the one with anything else of this id. */
  readonly findReference?: (id: string) => LinkTarget | undefined;
  /**
   * Returns the page at one of these files if numbers before names do not count, or the one that a link calls by its name
   * alone or by its title.
   */
  readonly findUnnumbered?: (files: readonly string[], link: string) => LinkTarget | undefined;
  /** Returns a page of another version that the path names, or the path from the root of this one: `/docs/5.4/mail`. */
  readonly findVersion?: (path: string) => LinkTarget | { readonly path: string } | undefined;
  /** Returns a page's file that is not published, with the reason. */
  readonly findDraft?: (file: string) => { readonly file: string; readonly reason: string } | undefined;
  /** What absolute URLs may begin with, each with a final `/`: `guide/`. */
  readonly bases?: readonly string[];
  /** Returns the path that authors know for a file that is shown in another place than its own. */
  readonly nameOf?: (file: string) => string;
  readonly hasFile: (file: string) => boolean;
  /** Whether an existing file is outside the documentation. */
  readonly isOutside: (file: string) => boolean;
  readonly hasFolder: (folder: string) => boolean;
  /** Percent-encoded URL, from the release's root, of a file that is not a page. */
  readonly placeFile: (file: string) => string;
  /** Returns the URL of a file or folder at the code host, or undefined when there is none. */
  readonly hostUrl: (path: string, isFolder: boolean) => string | undefined;
}

/** The location of the page that contains the links. */
export interface LinkPlace extends LinkOrigin {
  /** Prefix that leads from the page to its release's root, and to the site's root. */
  readonly root: string;
  readonly siteRoot: string;
  readonly ids: ReadonlySet<string>;
  /** The page's own address in its release; undefined for what is on many pages. */
  readonly address?: string;
}
