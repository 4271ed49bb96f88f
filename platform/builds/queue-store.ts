import type { Build, BuildStore } from '../../data/records/build.ts';
import type { Project } from '../../data/records/project.ts';

/** The part of a `Store` that the queue uses. */
export interface QueueStore {
  readonly projects: {
    find(name: string): Promise<Project | undefined>;
    change(name: string, change: (project: Project) => Project): Promise<Project>;
  };
  readonly builds: {
    find(id: string): Promise<Build | undefined>;
    /** Newest first. */
    list(query: { readonly project: string; readonly ref?: string; readonly limit: number }): Promise<readonly Build[]>;
    listOpen(): Promise<readonly Build[]>;
    add(build: Build): Promise<void>;
    change(id: string, change: (build: Build) => Build): Promise<Build>;
    changeOpen: BuildStore['changeOpen'];
    prune(project: string, keep: number): Promise<readonly string[]>;
  };
}
