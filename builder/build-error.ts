/** One word that programs may rely on. */
export type BuildErrorCode =
  | 'not-a-repository'
  | 'no-such-ref'
  | 'no-refs'
  | 'no-source'
  | 'no-pages'
  | 'network'
  | 'authentication'
  | 'not-found'
  | 'fetch-limit'
  | 'damaged-repository'
  | 'remote-damaged'
  | 'unsafe-name'
  | 'project-file'
  | 'front-matter'
  | 'not-utf8'
  | 'page-too-large'
  | 'lfs-pointer'
  | 'page-limit'
  | 'page-too-slow'
  | 'page-failed'
  | 'extension'
  | 'too-many-files'
  | 'output-limit'
  | 'time-limit'
  | 'interrupted'
  | 'slug-taken'
  | 'bad-option'
  | 'foreign-output'
  | 'output-busy'
  | 'unwritable'
  | 'disk-full'
  | 'strict'
  | 'worker';

/** Where in the author's repository something was found; `line` counts from 1. */
export interface SourceLocation {
  readonly ref?: string;
  readonly file?: string;
  readonly line?: number;
}

/** A failure the user can do something about: the message says what, where and, if known, what to do. */
export class BuildError extends Error {
  override readonly name = 'BuildError';
  readonly code: BuildErrorCode;
  readonly location: SourceLocation;

  constructor(code: BuildErrorCode, message: string, options: { cause?: unknown; location?: SourceLocation } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.location = options.location ?? {};
  }

  /** Returns the same error with what the caller knows of the place; what is already known stays. */
  at(location: SourceLocation): BuildError {
    return new BuildError(this.code, this.message, { cause: this.cause, location: { ...location, ...this.location } });
  }
}

/** Throws an error, which says where it was if it is the user's. */
export function throwAt(error: unknown, location: SourceLocation): never {
  throw error instanceof BuildError ? error.at(location) : error;
}

/** Returns the message with its place in front: `ref "v1", docs/a.md:3: Message`. */
export function formatBuildError(error: BuildError): string {
  const { ref, file, line } = error.location;
  const place = [
    ref === undefined ? '' : `ref "${ref}"`,
    file === undefined ? '' : line === undefined ? file : `${file}:${line}`,
  ].filter(Boolean);
  return place.length > 0 ? `${place.join(', ')}: ${error.message}` : error.message;
}
