import { BuildError } from '../build-error.ts';
import { AnswerError } from './packet-lines.ts';

/** Returns the error of a remote as the user should see it: what happened, where, what to do. */
export function toRemoteError(error: unknown, url: string): BuildError {
  if (error instanceof BuildError) return error;
  if (error instanceof AnswerError) {
    return new BuildError('network', `The server of "${url}" ${error.message}`, { cause: error });
  }
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'ENOSPC' || code === 'EDQUOT') {
    return new BuildError('disk-full', `Cannot fetch "${url}": the disk of the cache is full (${code})`, {
      cause: error,
    });
  }
  return new BuildError('network', `Cannot fetch "${url}": ${message}`, { cause: error });
}
