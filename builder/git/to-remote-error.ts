import { BuildError } from '../build-error.ts';

/** Gives the error of a remote as the user should see it: what happened, where, what to do. */
export function toRemoteError(error: unknown, url: string): BuildError {
  if (error instanceof BuildError) return error;
  const { code, data, message } = error as Error & { code?: string; data?: { statusCode?: number } };
  if (code === 'HttpError') return toStatusError(data?.statusCode ?? 0, url);
  if (code === 'SmartHttpError' || code === 'ParseError' || code === 'EmptyServerResponseError') {
    return new BuildError('not-a-repository', `"${url}" answers, but is no git repository (smart HTTP protocol)`);
  }
  return new BuildError('network', `Cannot fetch "${url}": ${message}`, { cause: error });
}

function toStatusError(status: number, url: string): BuildError {
  if (status === 401 || status === 403 || status === 203) {
    return new BuildError(
      'authentication',
      `"${url}" refuses access (${status}): give credentials in the address (https://name:token@…), in DOCBUILD_GIT_TOKEN, or in DOCBUILD_GIT_USERNAME and DOCBUILD_GIT_PASSWORD, and check that they may read it`,
    );
  }
  if (status === 404 || status === 410) {
    return new BuildError('not-found', `"${url}" does not exist (${status}), or is private and needs credentials`);
  }
  return new BuildError('network', `"${url}" answers with status ${status}`);
}
