import { setTimeout as wait } from 'node:timers/promises';
import { GithubError } from './github-error.ts';

const TRIES = 3;

/** Does work that may be done twice, up to three times while GitHub's errors say that another try is of use. */
export async function withRetries<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      const retryMs = error instanceof GithubError ? error.retryMs : undefined;
      if (retryMs === undefined || attempt === TRIES) throw error;
      await wait(retryMs * attempt);
    }
  }
}
