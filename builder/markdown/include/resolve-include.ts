import { posix } from 'node:path';
import type { IncludeReference } from './include-reference.ts';

/** Where an include stands; paths from the repository's root. */
export interface IncludePlace {
  readonly pagePath: string;
  /** Folder that `@/` and a leading `/` mean; '' = the root. */
  readonly sourceDir: string;
}

/**
 * Returns the path, from the repository's root, of the file an include means, or undefined when that is outside of the
 * repository. Paths are relative to the file they stand in; those of `--8<--` to the root, as MkDocs has it.
 */
export function resolveInclude(reference: IncludeReference, { pagePath, sourceDir }: IncludePlace): string | undefined {
  const { path, kind } = reference;
  if (path.includes('\\') || path.includes('\0')) return undefined;
  const inSource = /^@?\/(.*)$/s.exec(path)?.[1];
  const isFromRoot = kind === 'snippet' && !/^\.{1,2}\//.test(path);
  const base = inSource !== undefined ? sourceDir : isFromRoot ? '' : posix.dirname(pagePath);
  const resolved = posix.join('/', base, '.').slice(1);
  const joined = posix.normalize(`${resolved === '' ? '' : `${resolved}/`}${inSource ?? path}`);
  const isInside = joined !== '.' && joined !== '..' && !joined.startsWith('../') && !joined.startsWith('/');
  return isInside ? joined : undefined;
}
