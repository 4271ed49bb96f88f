import { randomUUID } from 'node:crypto';
import type { ShortTermMemory } from '../../data/short-term-memory.ts';
import type { RepositoryReport } from './inspections.ts';

/** A repository that an operator has looked at, with what was found. */
export interface ProjectDraft {
  /** As it was entered: with credentials, which no page shows. */
  readonly url: string;
  /** '' = where the documentation is found. */
  readonly sourceDir: string;
  readonly report: RepositoryReport;
}

/** Drafts by session. Only the session that has put a draft there finds it. */
export interface ProjectDrafts {
  /** Keeps a draft for an hour; returns its id. */
  put(tokenHash: string, draft: ProjectDraft): Promise<string>;
  find(tokenHash: string, id: string): Promise<ProjectDraft | undefined>;
  remove(tokenHash: string, id: string): Promise<void>;
}

const LIFETIME_MS = 3_600_000;

/** Creates what keeps drafts in a memory. */
export function createProjectDrafts(memory: ShortTermMemory): ProjectDrafts {
  const nameOf = (tokenHash: string, id: string): string => `draft ${tokenHash} ${id}`;
  return {
    async put(tokenHash, draft) {
      const id = randomUUID();
      await memory.put(nameOf(tokenHash, id), JSON.stringify(draft), LIFETIME_MS);
      return id;
    },
    async find(tokenHash, id) {
      const kept = await memory.find(nameOf(tokenHash, id));
      return kept === undefined ? undefined : (JSON.parse(kept) as ProjectDraft);
    },
    async remove(tokenHash, id) {
      await memory.take(nameOf(tokenHash, id));
    },
  };
}
