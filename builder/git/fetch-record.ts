import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Changes when the layout of cached repositories does; others are thrown away. Those of format 1 hold packs without
 * their bases, whose deltas may lead in circles.
 */
const FORMAT = 2;

const FILE_NAME = 'fetched.json';

/** What a cached repository holds completely. */
export interface FetchRecord {
  /** Ids of commits, oldest first. */
  readonly commits: readonly string[];
  /** Ids of what tags lead to besides: a server that is told of them as if they were commits gives up. */
  readonly others: readonly string[];
}

/** Reads the record of a cached repository. Undefined when there is none or it cannot be understood. */
export async function readFetchRecord(repositoryFolder: string): Promise<FetchRecord | undefined> {
  try {
    const record: unknown = JSON.parse(await readFile(join(repositoryFolder, FILE_NAME), 'utf8'));
    const { format, commits, others } = record as { [name: string]: unknown };
    return format === FORMAT && isIdList(commits) && isIdList(others) ? { commits, others } : undefined;
  } catch {
    return undefined;
  }
}

function isIdList(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((oid) => typeof oid === 'string' && /^[0-9a-f]{40}$/.test(oid));
}

/** Writes the record of a cached repository; readers see the old or the new one, never a part. */
export async function writeFetchRecord(repositoryFolder: string, record: FetchRecord): Promise<void> {
  const temporary = join(repositoryFolder, `${FILE_NAME}.tmp`);
  await writeFile(temporary, `${JSON.stringify({ format: FORMAT, ...record }, undefined, 1)}\n`);
  await rename(temporary, join(repositoryFolder, FILE_NAME));
}
