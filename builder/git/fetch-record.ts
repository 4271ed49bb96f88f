import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Changes when the layout of cached repositories does; others are thrown away. */
const format = 1;

const fileName = 'fetched.json';

/** How many commits the server is told of, so that it sends only what is new. */
const maxHaves = 32;

/**
 * Reads which commits a cached repository holds completely, oldest first. Undefined when there is no such repository
 * or its record cannot be understood.
 */
export async function readFetchRecord(repositoryFolder: string): Promise<readonly string[] | undefined> {
  try {
    const record: unknown = JSON.parse(await readFile(join(repositoryFolder, fileName), 'utf8'));
    const { format: found, commits } = record as { format?: unknown; commits?: unknown };
    const valid =
      found === format && Array.isArray(commits) && commits.every((oid) => /^[0-9a-f]{40}$/.test(String(oid)));
    return valid ? (commits as string[]) : undefined;
  } catch {
    return undefined;
  }
}

/** Writes which commits a cached repository holds completely; readers see the old or the new list, never a part. */
export async function writeFetchRecord(repositoryFolder: string, commits: readonly string[]): Promise<void> {
  const temporary = join(repositoryFolder, `${fileName}.tmp`);
  await writeFile(temporary, `${JSON.stringify({ format, commits }, undefined, 1)}\n`);
  await rename(temporary, join(repositoryFolder, fileName));
}

/** Gives the text of `packed-refs` and of `shallow` that make isomorphic-git tell the server of the newest commits. */
export function presentHaves(commits: readonly string[]): { readonly packedRefs: string; readonly shallow: string } {
  const haves = commits.slice(-maxHaves);
  return {
    packedRefs: haves.map((oid) => `${oid} refs/docbuild/${oid}\n`).join(''),
    shallow: haves.map((oid) => `${oid}\n`).join(''),
  };
}
