import type { Build } from '../records/build.ts';
import type { Delivery } from '../records/delivery.ts';
import type { Project } from '../records/project.ts';

export interface ProjectStore {
  find(name: string): Promise<Project | undefined>;
  /** `domain` in lower case, without port. */
  findByDomain(domain: string): Promise<Project | undefined>;
  /** Gives projects in the order of their names, those behind `after` (a name). */
  list(page: { readonly after?: string; readonly limit: number }): Promise<readonly Project[]>;
  /** Gives every project whose repository is this one, see `repositoryKey`. */
  listByRepository(key: string): Promise<readonly Project[]>;
  /** Throws `taken` for a name or domain that another project has. */
  add(project: Project): Promise<void>;
  /** Changes one project and gives it as it is now. Throws `not-found`, `taken` (domain). */
  change(name: string, change: (project: Project) => Project): Promise<Project>;
  /** Removes a project with its builds and deliveries; gives it, or undefined where there was none. */
  remove(name: string): Promise<Project | undefined>;
}

export interface BuildStore {
  find(id: string): Promise<Build | undefined>;
  /** Gives builds of a project, newest first, those older than `before` (an id), of one ref where one is given. */
  list(query: {
    readonly project: string;
    readonly ref?: string;
    readonly before?: string;
    readonly limit: number;
  }): Promise<readonly Build[]>;
  /**
   * Gives the newest build (`kind` `build`) that passed or failed and says how a ref stands: its own builds, and those of
   * all refs (`ref` ''); undefined where the ref was removed since. With `ref` undefined, the newest of the project.
   */
  findLastFinished(project: string, ref: string | undefined): Promise<Build | undefined>;
  /** Gives the newest build of exactly this ref and commit. */
  findByCommit(project: string, ref: string, commit: string): Promise<Build | undefined>;
  /** Gives builds that are queued or running, oldest first. */
  listOpen(): Promise<readonly Build[]>;
  /** Gives builds of all projects that have ended, newest first, those older than `before` (an id). */
  listEnded(page: { readonly before?: string; readonly limit: number }): Promise<readonly Build[]>;
  /** Throws `taken` for a known id, `not-found` for an unknown project. */
  add(build: Build): Promise<void>;
  /** Changes one build and gives it as it is now. Throws `not-found`. */
  change(id: string, change: (build: Build) => Build): Promise<Build>;
  /**
   * Removes ended builds of a project, but the newest `keep` and those that say how a ref stands, see `selectOldBuilds`;
   * gives the ids of those removed.
   */
  prune(project: string, keep: number): Promise<readonly string[]>;
}

export interface DeliveryStore {
  find(project: string, id: string): Promise<Delivery | undefined>;
  /** Gives deliveries to a project, newest first. */
  list(query: { readonly project: string; readonly limit: number }): Promise<readonly Delivery[]>;
  /** Adds a delivery; gives false, and changes nothing, where the project has one of this id. Throws `not-found`. */
  add(delivery: Delivery): Promise<boolean>;
  /** Changes one delivery and gives it as it is now. Throws `not-found`. */
  change(project: string, id: string, change: (delivery: Delivery) => Delivery): Promise<Delivery>;
  /** Removes deliveries of a project, but the newest `keep`. */
  prune(project: string, keep: number): Promise<void>;
}
