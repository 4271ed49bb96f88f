import type { PageOutline } from './page-outline.ts';

/** A page of a release: one version in one language. */
export interface ReleasePage {
  /** Path of its HTML file inside the release. */
  readonly path: string;
  readonly title: string;
  /** Two pages with the same key are the same; two with different keys may still say the same to a reader. */
  readonly key: string;
  /** Text above the page's own, from its front matter. */
  readonly lead?: string;
  /** Shown in the default language, for want of a translation. */
  readonly isFallback?: boolean;
  /** Readers reach it and do not find it. */
  readonly isHidden?: boolean;
}

/** All pages of a release that a reader can reach. */
export interface ReleasePages {
  /** Hash of them. */
  readonly id: string;
  readonly pages: readonly ReleasePage[];
}

/** Returns the outline of a page; undefined for one that could not be read. */
export type OutlineOf = (page: ReleasePage) => PageOutline | undefined;

/**
 * The differences between two releases, for a reader. Plain data. A page keeps its identity where it keeps its path, unless what it said
 * is clearly found at another path; `moved` pages have another path and are neither added nor removed.
 */
export interface ReleaseChanges {
  /** Paths in the newer release, with those of `split`. */
  readonly added: readonly string[];
  /** Paths in the older release, with those of `merged`. */
  readonly removed: readonly string[];
  readonly moved: readonly PageMove[];
  /** Removed pages whose text stands in another page now. */
  readonly merged: readonly PageMerge[];
  /** Added pages whose text stood in another page before. */
  readonly split: readonly PageSplit[];
  /** Sections that stand in another page now, those of merged and split pages among them. */
  readonly sections: readonly SectionMove[];
  /** Pages that say something else now, moved or not. */
  readonly changed: readonly PageChange[];
  /** Number of pages that say the same, moved or not. */
  readonly unchanged: number;
}

/** Paths in the older and in the newer release. */
export interface PageMove {
  readonly from: string;
  readonly to: string;
}

export interface PageMerge extends PageMove {
  /** Id of the section of the newer page; '' = its beginning. */
  readonly section: string;
}

export interface PageSplit extends PageMove {
  /** Id of the section of the older page; '' = its beginning. */
  readonly section: string;
}

export interface SectionMove extends PageMove {
  readonly fromSection: string;
  readonly toSection: string;
}

export interface PageChange {
  /** Path in the older release. */
  readonly from: string;
  /** Path in the newer release. */
  readonly path: string;
  /** How much of its text is another one, about: more than 0, at most 1. */
  readonly amount: number;
  readonly sections: SectionChanges;
  /** The page was in another language before (`added`), or is now (`removed`). */
  readonly translation?: 'added' | 'removed';
}

/** Ids of sections; '' = the page's beginning. */
export interface SectionChanges {
  /** As in the newer page. */
  readonly changed: readonly string[];
  /** As in the newer page. */
  readonly added: readonly string[];
  /** As in the older page. */
  readonly removed: readonly string[];
  /** Sections with another id, changed or not. */
  readonly moved: readonly { readonly from: string; readonly to: string }[];
}

/** The history of the pages of one language in all versions, which are named as readers know them. */
export interface LanguageHistory {
  /** Versions that have the language; each stands behind its base. */
  readonly versions: readonly string[];
  /** Returns the version that a version is compared with; undefined for the first of a line. */
  baseOf(version: string): string | undefined;
  pagesOf(version: string): ReleasePages;
  readonly outlineOf: OutlineOf;
  /** Returns what changed from its base to a version; undefined for the first of a line. */
  changesOf(version: string): ReleaseChanges | undefined;
  /** Compares any two versions. */
  compare(older: string, newer: string): ReleaseChanges;
}
