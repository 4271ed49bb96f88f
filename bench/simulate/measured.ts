/*
 * Measured figures; the sittings they come from are in the history of `bench/RESULTS.md`. The times of builds are of
 * one core, fitted to the corpus (28 tags × 7 languages, its newest tag alone) and to small synthetic sites.
 */

/** A transaction of one change, in turn with 16 other nodes, ms. */
export const CHANGE_MS = 3;
/** Each further change in it, ms. */
export const FURTHER_CHANGE_MS = 0.17;
/** Changes of a push and its build: requested, taken, uploading, ended. */
export const CHANGES_A_PUSH = 4;
/** From a turn that is asked for to the worker that has it, ms. */
export const WAKE_MS = 10;
/** A look for a turn where there is none, ms of the database's CPU. */
export const LOOK_MS = 0.21;
/** A notice for one node that listens, ms of the database's CPU. */
export const NOTICE_MS = 0.01;
/** Notices of a push and its build. */
export const NOTICES_A_PUSH = 4;
/** Objects that a changed page uploads. */
export const OBJECTS_A_PUSH = 14;
/** Uploading them, ms. */
const UPLOAD_MS = 150;
/** Asking a code host and fetching a commit, ms: 93 were measured over HTTP on one machine; the rest, the way to a host on the internet, is assumed. */
const FETCH_MS = 93 + 300;

/** A project, as far as its builds are concerned. */
export interface Shape {
  /** Pages of one version, all languages together. */
  readonly pages: number;
  readonly versions: number;
  /** A command before each build, ms. */
  readonly commandMs: number;
}

/** Returns how long a build of a changed page takes where the project was built before, ms. */
export function warmBuildMs({ pages, commandMs }: Shape): number {
  return commandMs + FETCH_MS + 14 + 0.25 * pages + UPLOAD_MS;
}

/** Returns how long the first build on a machine takes, which fetches and renders the whole site, ms. */
export function coldBuildMs({ pages, versions, commandMs }: Shape): number {
  const files = pages * versions;
  // Versions share most of their pages; 1.5 ms are those of sites of many thousand pages.
  const rendering = 7 * Math.min(pages, 500) + 1.5 * Math.max(0, pages - 500);
  return commandMs + FETCH_MS + 0.15 * files + 60 + rendering + 0.25 * files + UPLOAD_MS;
}
