import { open } from 'node:fs/promises';
import { basename } from 'node:path';
import type { RegionDatabase } from './region.ts';

/** A file of the operator's that is read again when it changes. */
export interface DatabaseFile {
  /** Returns what the file holds, or held before it was damaged or removed; undefined where it never held anything. */
  get(): Promise<RegionDatabase | undefined>;
}

/** What a file is opened with. */
export interface DatabaseFileOptions {
  readonly path: string;
  /** Throws an error that says what is wrong with the bytes. */
  readonly parse: (bytes: Buffer) => Promise<RegionDatabase>;
  readonly onWarning: (message: string) => void;
  readonly nowMs: () => number;
}

/** How often it is looked whether the file has changed, at most. */
const CHECK_MS = 1000;
/** Largest file in bytes: it is kept in memory. */
const MAX_BYTES = 1_000_000_000;

/**
 * Creates a file that is opened when it is first asked for. Later changes (also by `rename`) are seen within a second; the
 * request that sees one waits for the new data, others are answered from the old.
 */
export function createDatabaseFile({ path, parse, onWarning, nowMs }: DatabaseFileOptions): DatabaseFile {
  let database: RegionDatabase | undefined;
  let stamp = '';
  let complaint = '';
  let checkedMs = Number.NEGATIVE_INFINITY;
  let checking: Promise<void> | undefined;

  const complain = (message: string): void => {
    const kept = database ? 'the data read before stay in use' : 'the data that come with docbuild are used';
    const text = `Cannot use IP database "${basename(path)}": ${message}; ${kept}`;
    if (text !== complaint) onWarning(text);
    complaint = text;
  };
  const check = async (): Promise<void> => {
    const read = await readChanged(path, stamp);
    if (!read) return;
    stamp = read.stamp;
    try {
      database = await parse(read.bytes);
      complaint = '';
    } catch (error) {
      complain(`its content cannot be used (${(error as Error).message})`);
    }
  };
  return {
    async get() {
      const isFresh = Math.abs(nowMs() - checkedMs) < CHECK_MS;
      if (isFresh && !checking) return database;
      if (checking) {
        if (!database) await checking;
        return database;
      }
      checking = check()
        .catch((error: unknown) => {
          stamp = '';
          complain(describe(error));
        })
        .finally(() => {
          checkedMs = nowMs();
          checking = undefined;
        });
      await checking;
      return database;
    },
  };
}

/** Reads a file unless it is the one of this stamp. */
async function readChanged(
  path: string,
  known: string,
): Promise<{ readonly bytes: Buffer; readonly stamp: string } | undefined> {
  const file = await open(path, 'r');
  try {
    // Of the opened file: whoever replaces it meanwhile is seen by the next look.
    const { dev, ino, size, mtimeNs, ctimeNs } = await file.stat({ bigint: true });
    const stamp = [dev, ino, size, mtimeNs, ctimeNs].join(':');
    if (stamp === known) return undefined;
    if (size > MAX_BYTES) throw new Error(`it has more than ${MAX_BYTES} bytes`);
    return { bytes: await file.readFile(), stamp };
  } finally {
    await file.close();
  }
}

function describe(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT') return 'it does not exist';
  return code === undefined ? message : `it cannot be read (${code})`;
}
