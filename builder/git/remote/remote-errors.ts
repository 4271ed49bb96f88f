import { HttpError } from '../../../lib/http-client.ts';
import { BuildError } from '../../build-error.ts';

/** Thrown when a server's answer violates the protocol. The message completes "The server of … ". */
export class AnswerError extends Error {
  override readonly name = 'AnswerError';
}

export function endedTooEarly(): AnswerError {
  return new AnswerError('ended its response too early: it was cut off');
}

/** Returns the error for a server that answers, but not with what was requested. */
export function toStatusError(status: number, url: string): BuildError {
  if (status === 401 || status === 403 || status === 203) {
    return new BuildError(
      'authentication',
      `"${url}" denies access (${status}): provide credentials in the URL (https://name:token@…), in DOCBUILD_GIT_TOKEN, or in DOCBUILD_GIT_USERNAME and DOCBUILD_GIT_PASSWORD, and check that they allow reading`,
    );
  }
  if (status === 404 || status === 410) {
    return new BuildError('not-found', `"${url}" does not exist (${status}), or is private and needs credentials`);
  }
  return new BuildError('network', `"${url}" answers with status ${status}`);
}

/** Returns the error for what a server says in place of a pack. */
export function toServerError(message: string): Error {
  // Git ends some of its messages with NUL.
  const text = quote(message.replace(/(?<![\0\s])[\0\s]+$/, '').trimStart());
  if (/not our ref|not a valid ref|unadvertised|bad object/i.test(message)) {
    return new BuildError(
      'no-such-ref',
      `The server does not have a commit it has just listed (${text}): a branch or tag has just changed; try again`,
    );
  }
  if (/corrupt|missing (?:blob|tree|commit|object)|unable to (?:read|parse)|bad tree/i.test(message)) {
    return new BuildError(
      'remote-damaged',
      `The server cannot send what it has listed, its repository is damaged: ${text}`,
    );
  }
  return new AnswerError(`gave up: ${text}`);
}

/** Returns the error of a remote as the user should see it: what happened, where, what to do. */
export function toRemoteError(error: unknown, url: string): BuildError {
  if (error instanceof BuildError) return error;
  const { code, message } = error as NodeJS.ErrnoException;
  const fail = (kind: 'network' | 'disk-full' | 'fetch-limit', text: string) =>
    new BuildError(kind, text, { cause: error });
  if (error instanceof AnswerError) return fail('network', `The server of "${url}" ${message}`);
  if (error instanceof HttpError) {
    if (error.code === 'too-large') return fail('fetch-limit', message);
    const hint = error.code === 'not-allowed' ? "; if that is intended, use that URL as the repository's" : '';
    return fail('network', message + hint);
  }
  if (code === 'ENOSPC' || code === 'EDQUOT') {
    return fail('disk-full', `Cannot fetch "${url}": the disk of the cache is full (${code})`);
  }
  // isomorphic-git's own errors.
  if (code === 'HttpError') {
    const { statusCode } = (error as { readonly data: { readonly statusCode: number } }).data;
    return toStatusError(statusCode, url);
  }
  if (code === 'ParseError')
    return fail('network', `The server of "${url}" sent a damaged list of refs: ${quote(message)}`);
  return fail('network', `Cannot fetch "${url}": ${message}`);
}

/** Returns a server's message in a form that may be shown. */
export function quote(text: string): string {
  return JSON.stringify(text.length > 200 ? `${text.slice(0, 200)}…` : text);
}
