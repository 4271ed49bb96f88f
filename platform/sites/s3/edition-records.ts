import { setTimeout as sleep } from 'node:timers/promises';
import { DataError } from '../../../data/data-error.ts';
import type { Project, ProjectStore } from '../../../data/records/project.ts';
import { hasCode } from '../../../lib/system-error.ts';
import type { Patience } from './s3-bucket.ts';

/** What records of projects say of editions: which one readers get, and which build may change that. */
export interface EditionRecords {
  /** Notes the build that uploads the next edition, and the folder that it uploads to; returns the edition that is live. */
  stage(project: string, staged: { readonly build: string; readonly day: string }, patience: Patience): Promise<string>;
  /** Makes an edition live ('' = none). Throws DataError `taken` where another build was staged meanwhile. */
  commit(
    project: string,
    edition: { readonly build: string; readonly edition: string },
    patience: Patience,
  ): Promise<void>;
  /** Notes that a build uploads nothing any longer: garbage is not kept for it. */
  giveUp(project: string, build: string): Promise<void>;
}

const RETRY_MS = 1_000;

/** Reads and changes the records of projects; a change that is worth an upload waits for a store that is busy. */
export function createEditionRecords(projects: Pick<ProjectStore, 'find' | 'change'>): EditionRecords {
  return {
    async stage(project, staged, patience) {
      const change = ({ site, ...record }: Project): Project => ({
        ...record,
        site: { edition: site?.edition ?? '', staged },
      });
      return (await insist(() => projects.change(project, change), patience)).site!.edition;
    },
    async commit(project, { build, edition }, patience) {
      let tries = 0;
      const change = (record: Project): Project => {
        if (record.site?.staged?.build !== build) {
          // A store that went away meanwhile does not know whether it made the change.
          if (tries > 1 && record.site?.edition === edition) return record;
          throw new DataError('taken', 'Another build has begun to publish this project');
        }
        return { ...record, site: { edition, staged: undefined } };
      };
      await insist(() => {
        tries++;
        return projects.change(project, change);
      }, patience);
    },
    async giveUp(project, build) {
      const isStaged = ({ site }: Project): boolean => site?.staged?.build === build;
      const record = await projects.find(project);
      if (!record || !isStaged(record)) return;
      await projects.change(project, (now) =>
        isStaged(now) ? { ...now, site: { ...now.site!, staged: undefined } } : now,
      );
    },
  };
}

async function insist<T>(make: () => Promise<T>, { signal }: Patience): Promise<T> {
  for (;;) {
    try {
      return await make();
    } catch (error) {
      if (!hasCode(error, 'unwritable', 'busy')) throw error;
      await sleep(RETRY_MS, undefined, signal && { signal });
    }
  }
}
