import { randomUUID } from 'node:crypto';
import { createBoundedMap } from '../../lib/bounded-map.ts';
import type { RepositoryReport } from '../../platform/operations/inspections.ts';

/** A repository that an operator has looked at, with what was found. */
export interface ProjectDraft {
  /** As it was entered: with credentials, which no page shows. */
  readonly url: string;
  /** '' = where the documentation is found. */
  readonly sourceDir: string;
  readonly report: RepositoryReport;
}

/** What sessions have looked at; in memory only. Only the session that has put a draft there finds it. */
export interface ProjectDrafts {
  /** Keeps a draft for an hour; returns its id. */
  put(tokenHash: string, draft: ProjectDraft): string;
  find(tokenHash: string, id: string): ProjectDraft | undefined;
  remove(tokenHash: string, id: string): void;
}

const LIFETIME_MS = 3_600_000;
const MAX_DRAFTS = 100;

/** Creates an empty set of drafts. */
export function createProjectDrafts(nowMs: () => number): ProjectDrafts {
  const drafts = createBoundedMap<string, ProjectDraft>({ maxEntries: MAX_DRAFTS, maxAgeMs: LIFETIME_MS, nowMs });
  return {
    put(tokenHash, draft) {
      const id = randomUUID();
      drafts.set(`${tokenHash} ${id}`, draft);
      return id;
    },
    find: (tokenHash, id) => drafts.get(`${tokenHash} ${id}`),
    remove: (tokenHash, id) => drafts.delete(`${tokenHash} ${id}`),
  };
}
