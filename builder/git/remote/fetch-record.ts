import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Changes when the layout of cached repositories does; others are discarded. Those of format 1 contain packs without
 * their bases, whose deltas may be circular.
 */
const FORMAT = 2;

const FILE_NAME = 'fetched.json';

/** The complete objects of a cached repository. */
export interface FetchRecord {
  /** Ids of commits, oldest first. */
  readonly commits: readonly string[];
  /** Ids of other targets of tags: a server fails if they are announced as commits. */
  readonly others: readonly string[];
  /** Ids of commits whose whole past is here without the content of files, oldest first. */
  readonly pasts: readonly string[];
  /** Why the past of others is not here. */
  readonly refusal?: PastRefusal | undefined;
}

/** A past that was more than the limits allow. */
export interface PastRefusal {
  readonly message: string;
  /** When it was last tried, in ms since 1970. */
  readonly triedMs: number;
  readonly maxBytes: number;
  readonly timeoutMs: number;
}

/** Reads the record of a cached repository. Undefined when there is none or it cannot be understood. */
export async function readFetchRecord(repositoryFolder: string): Promise<FetchRecord | undefined> {
  try {
    const record: unknown = JSON.parse(await readFile(join(repositoryFolder, FILE_NAME), 'utf8'));
    const { format, commits, others, pasts, refusal } = record as { [name: string]: unknown };
    if (format !== FORMAT || !isIdList(commits) || !isIdList(others)) return undefined;
    // Caches were written without them before.
    return { commits, others, pasts: isIdList(pasts) ? pasts : [], ...(isRefusal(refusal) && { refusal }) };
  } catch {
    return undefined;
  }
}

function isRefusal(value: unknown): value is PastRefusal {
  if (typeof value !== 'object' || value === null) return false;
  const { message, triedMs, maxBytes, timeoutMs } = value as { [name: string]: unknown };
  return typeof message === 'string' && [triedMs, maxBytes, timeoutMs].every((count) => typeof count === 'number');
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
