import { findIncludes, type IncludePlace, resolveInclude } from './include-references.ts';

/** A page whose includes are wanted. */
export interface IncludingPage extends IncludePlace {
  readonly text: string;
}

/** Includes inside included files are followed this deep. */
export const maxIncludeDepth = 10;

/** A page takes in at most this many different files. */
const maxFiles = 500;

/**
 * Reads all files a page takes in, and those they take in, by path. `read` gives a file's text or undefined when there is
 * none; it is asked once for each path.
 */
export async function collectIncludes(
  page: IncludingPage,
  read: (path: string) => Promise<string | undefined>,
): Promise<ReadonlyMap<string, string>> {
  const texts = new Map<string, string>();
  const asked = new Set<string>();
  let files: readonly { path: string; text: string }[] = [{ path: page.pagePath, text: page.text }];
  for (let depth = 0; depth < maxIncludeDepth && files.length > 0; depth++) {
    const found: { path: string; text: string }[] = [];
    for (const { path: pagePath, text } of files) {
      for (const reference of findIncludes(text)) {
        const path = resolveInclude(reference, { pagePath, sourceDir: page.sourceDir });
        if (path === undefined || asked.has(path) || asked.size >= maxFiles) continue;
        asked.add(path);
        const included = await read(path);
        if (included === undefined) continue;
        texts.set(path, included);
        if (reference.kind !== 'code') found.push({ path, text: included });
      }
    }
    files = found;
  }
  return texts;
}
