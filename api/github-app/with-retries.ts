import { setTimeout as wait } from 'node:timers/promises';
import { GithubError } from './github-error.ts';

const TRIES = 3;

/**
 * Does work that may be done twice, up to three times while GitHub's errors say that another try is of use. The last
 * error says so no more: whoever asked for the work does not begin anew.
 */
export async function withRetries<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof GithubError) || error.retryMs === undefined) throw error;
      if (attempt === TRIES) throw new GithubError(error.message, error.status, undefined);
      await wait(error.retryMs * attempt);
    }
  }
}
