/**
 * What is known of a project: the API's answer, or `versions.json` of a static export. Nobody has checked its values. Objects
 * have no prototype.
 */
export interface Description {
  /** Names by language: `latest`, then branches, then tags, newest first. */
  readonly versions: Readonly<Record<string, readonly string[]>>;
  readonly refs: Readonly<Record<string, { readonly kind: string; readonly slug: string }>>;
  /** Name of the ref that `latest` stands for. */
  readonly latest: string;
  readonly single: boolean;
  readonly showNav?: boolean;
  readonly hideGit?: boolean;
  /** Address of the repository. */
  readonly url?: string | null;
  /** Where the page's source is; in `versions.json` a template with `{ref}`. */
  readonly edit?: string | null;
  /** Where the page is, and where it is in other languages and versions. */
  here?: Place | null;
  /** Only in `versions.json`: paths of pages, lists of places in them, and the list of a language's version. */
  readonly paths?: readonly string[];
  readonly lists?: readonly (readonly number[])[];
  readonly pages?: Readonly<Record<string, Readonly<Record<string, number>>>>;
}

/** A description that says where the page is. */
export interface FoundDescription extends Description {
  readonly here: Place;
}

/** A page, and what takes its place elsewhere. */
export interface Place {
  readonly lang: string;
  readonly version: string;
  readonly alternates: readonly Alternate[];
}

export interface Alternate {
  readonly lang: string;
  readonly version: string;
  /** From the site's root, without leading slash. */
  readonly url: string;
  /** False: the page is not there, the address is that of its nearest ancestor. */
  readonly exists: boolean;
}
