import type { Project } from '../../data/records/project.ts';
import type { Purger } from '../cdn/purger.ts';

/** What an operator can do with a CDN in front of the sites. They throw DataError `not-found`, `refused`. */
export interface PurgeOperations {
  /** Tells the CDN to forget the pages of a project; `message` says why it was not told. */
  purgeSite(input: { readonly name: string }): Promise<{ readonly success: boolean; readonly message: string }>;
}

/** Creates the operations on what a CDN keeps. */
export function createPurgeOperations({
  purger,
  getProject,
}: {
  readonly purger: Pick<Purger, 'purgeNow'>;
  readonly getProject: (name: string) => Promise<Project>;
}): PurgeOperations {
  return {
    async purgeSite({ name }) {
      const message = await purger.purgeNow(await getProject(name));
      return { success: message === '', message };
    },
  };
}
