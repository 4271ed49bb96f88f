import { setTimeout as sleep } from 'node:timers/promises';
import { DataError } from '../../../data/data-error.ts';
import type { Build, BuildStore } from '../../../data/records/build.ts';
import type { Project } from '../../../data/records/project.ts';
import { hasCode } from '../../../lib/system-error.ts';
import type { Patience } from './s3-bucket.ts';

/** A build that publishes. */
export interface Publisher {
  readonly build: string;
  /** See the order of `SiteStorage.publish`. */
  readonly isCurrent?: ((stored: Build | undefined) => boolean) | undefined;
}

/** The part of projects' records about editions: which one readers get, and which build may change that. */
export interface EditionRecords {
  /**
   * Notes the build that uploads the next edition, and the folder that it uploads to; returns the edition that is live. Throws DataError
   * `taken` for a build that is not the one that runs any more.
   */
  stage(project: string, staged: Publisher & { readonly day: string }, patience: Patience): Promise<string>;
  /**
   * Makes an edition live ('' = none), and `changeProject` in the same change. Throws DataError `taken` where another build was staged meanwhile, or the build is not the one
   * that runs any more.
   */
  commit(
    project: string,
    edition: Publisher & {
      readonly edition: string;
      readonly changeProject?: ((project: Project) => Project) | undefined;
    },
    patience: Patience,
  ): Promise<void>;
  /** Notes that a build uploads nothing any longer: garbage is not kept for it. */
  giveUp(project: string, build: string): Promise<void>;
}

const RETRY_MS = 1_000;

/*
 * A build names itself in the record when it begins to publish, and its edition goes live only while that name stands there. So nobody
 * may take that place who is not the build that runs: one whose node was not heard of for a while is run again elsewhere, and what it
 * had asked before, or sends again now, must not bring back what it had built. Both changes look at the build's record for that, in
 * the transaction that makes them: a question that is answered before them may be out of date when they arrive.
 */

/** Reads and changes the records of projects; a change that is worth an upload waits for a store that is busy. */
export function createEditionRecords({ changeProject }: Pick<BuildStore, 'changeProject'>): EditionRecords {
  return {
    async stage(project, { build, isCurrent, day }, patience) {
      const change = (record: Project, stored: Build | undefined): Project => {
        checkCurrent(stored, isCurrent);
        return { ...record, site: { edition: record.site?.edition ?? '', staged: { build, day } } };
      };
      return (await insist(() => changeProject(project, build, change), patience)).site!.edition;
    },
    async commit(project, { build, isCurrent, edition, changeProject: describe = same }, patience) {
      let tries = 0;
      const change = (record: Project, stored: Build | undefined): Project => {
        if (record.site?.staged?.build !== build) {
          // A store that went away meanwhile does not know whether it made the change.
          if (tries > 1 && record.site?.edition === edition) return record;
          throw new DataError('taken', 'Another build has begun to publish this project');
        }
        checkCurrent(stored, isCurrent);
        return { ...describe(record), site: { edition, staged: undefined } };
      };
      await insist(() => {
        tries++;
        return changeProject(project, build, change);
      }, patience);
    },
    async giveUp(project, build) {
      const change = (record: Project): Project =>
        record.site?.staged?.build === build ? { ...record, site: { ...record.site, staged: undefined } } : record;
      await changeProject(project, build, change).catch((error: unknown) => {
        if (!hasCode(error, 'not-found')) throw error;
      });
    },
  };
}

const same = (project: Project): Project => project;

function checkCurrent(stored: Build | undefined, isCurrent: Publisher['isCurrent']): void {
  if (isCurrent?.(stored) === false) {
    throw new DataError('taken', 'This build was cancelled or is run again elsewhere, and publishes nothing');
  }
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
