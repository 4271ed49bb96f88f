import { open } from 'node:fs/promises';
import { basename } from 'node:path';
import { hasCode } from '../../lib/system-error.ts';
import type { RegionDatabase } from './region.ts';

/** A database file of the operator, which is read again when it changes. */
export interface DatabaseFile {
  /** Returns the database in the file, or the last usable one; undefined where there never was one. */
  get(): Promise<RegionDatabase | undefined>;
}

export interface DatabaseFileOptions {
  readonly path: string;
  /** It need not exist. */
  readonly isOptional?: boolean;
  /** Throws an error that says what is wrong with the bytes. */
  readonly parse: (bytes: Buffer) => Promise<RegionDatabase>;
  readonly onWarning: (message: string) => void;
  readonly nowMs: () => number;
}

/** Shortest time between two checks for changes. */
const CHECK_MS = 1000;
/** Largest file in bytes; it is kept in memory. */
const MAX_BYTES = 1_000_000_000;

/**
 * Creates a file that is opened on first use. Later changes (also by `rename`) are noticed within a second; the request that
 * notices one waits for the new data, others are answered from the old.
 */
export function createDatabaseFile({
  path,
  isOptional = false,
  parse,
  onWarning,
  nowMs,
}: DatabaseFileOptions): DatabaseFile {
  let database: RegionDatabase | undefined;
  let stamp = '';
  let complaint = '';
  let checkedMs = Number.NEGATIVE_INFINITY;
  let checking: Promise<void> | undefined;

  const complain = (message: string): void => {
    const kept = database ? 'the data read before remains in use' : 'the data included in docbuild is used';
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
          if (isOptional && hasCode(error, 'ENOENT')) database = undefined;
          else complain(describe(error));
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
    // Of the open file: a replacement is noticed by the next check.
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
