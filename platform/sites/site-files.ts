import { createHash } from 'node:crypto';
import {
  close,
  closeSync,
  constants,
  type Dirent,
  fstat,
  fstatSync,
  lstatSync,
  openSync,
  read,
  readdirSync,
  readlinkSync,
  realpathSync,
} from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { FileBody, FileStamp, OpenFile } from './site-storage.ts';

/** Checks whether two stamps belong to the same content of the same file. */
export function isSameStamp(a: FileStamp, b: FileStamp): boolean {
  return a.ino === b.ino && a.mtimeNs === b.mtimeNs && a.size === b.size && a.dev === b.dev;
}

/** Formats a stamp as a key. */
export function formatStamp({ dev, ino, size, mtimeNs }: FileStamp): string {
  return `${dev}:${ino}:${size}:${mtimeNs}`;
}

// Without O_NONBLOCK a named pipe would block the process until something was written to it.
const FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
const ABSENT = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'ENAMETOOLONG', 'ENXIO', 'ENODEV']);

/**
 * Opens a file below a folder without following symbolic links on the way: it checks where the open file really is. Returns
 * undefined where there is no such regular file (any longer). Throws other errors of the file system.
 */
export function openSiteFile(folder: string, path: string): OpenFile | undefined {
  try {
    const descriptor = openSync(folder + path, FLAGS);
    let isGood = false;
    try {
      const stamp = fstatSync(descriptor, { bigint: true });
      isGood = stamp.isFile() && isAt(descriptor, stamp, realpathSync.native(folder), path);
      return isGood ? { descriptor, stamp } : undefined;
    } finally {
      if (!isGood) closeSync(descriptor);
    }
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw error;
  }
}

/** Checks whether an error of the file system means that a file does not exist. */
export function isAbsent(error: unknown): boolean {
  return ABSENT.has((error as NodeJS.ErrnoException).code ?? '');
}

function isAt(descriptor: number, stamp: FileStamp, folder: string, path: string): boolean {
  if (process.platform === 'linux') return readlinkSync(`/proc/self/fd/${descriptor}`) === folder + path;
  const place = lstatSync(folder + path, { bigint: true });
  return isSameStamp(place, stamp) && realpathSync.native(folder + path) === folder + path;
}

const readBytes = promisify(read);
const CHUNK = 262_144;

/**
 * Reads and hashes an open file; keeps its bytes up to `maxBodyBytes`. Returns undefined when the file changes meanwhile. Leaves
 * it open.
 */
export async function readSiteFile(file: OpenFile, maxBodyBytes: number): Promise<FileBody | undefined> {
  if (file.content) return { ...file.content, body: file.content.size <= maxBodyBytes ? file.content.body : undefined };
  const size = Number(file.stamp.size);
  const isKept = size <= maxBodyBytes;
  if (file.hash !== undefined && !isKept) return { size, hash: file.hash, body: undefined };
  const buffer = Buffer.allocUnsafeSlow(isKept ? size : CHUNK);
  const hash = createHash('sha256');
  for (let at = 0; at < size; ) {
    const length = Math.min(CHUNK, size - at);
    const start = isKept ? at : 0;
    const { bytesRead } = await readBytes(file.descriptor, buffer, start, length, at);
    if (bytesRead === 0) return undefined;
    hash.update(buffer.subarray(start, start + bytesRead));
    at += bytesRead;
  }
  if (file.hash !== undefined) return { size, hash: file.hash, body: buffer };
  // Somebody may have written to the file meanwhile.
  const now = await promisify(fstat)(file.descriptor, { bigint: true } as const);
  if (!isSameStamp(now as never, file.stamp)) return undefined;
  return { size, hash: hash.digest('hex'), body: isKept ? buffer : undefined };
}

/** A file content of a site, at one of its paths. */
export interface ListedFile {
  /** Begins with `/`. */
  readonly path: string;
  readonly stamp: FileStamp;
}

/** Files examined before other work gets its turn: about 3 ms. */
const AT_ONCE = 500;

/**
 * Lists the regular files that a site serves and whose path `accepts` permits, each content once, by stamp. Symbolic links are
 * not followed; files that disappear meanwhile are left out.
 */
export async function listSiteFiles(
  folder: string,
  accepts: (path: string) => boolean,
): Promise<ReadonlyMap<string, ListedFile>> {
  const files = new Map<string, ListedFile>();
  const folders = [''];
  let count = 0;
  for (const parent of folders) {
    for (const entry of readFolder(folder + parent)) {
      if (++count % AT_ONCE === 0) await nextTurn();
      if (entry.name.startsWith('.') && (parent !== '' || entry.name !== '.well-known')) continue;
      const path = `${parent}/${entry.name}`;
      if (entry.isDirectory()) folders.push(path);
      if (!entry.isFile() || !accepts(path)) continue;
      const stamp = lstatSync(folder + path, { bigint: true, throwIfNoEntry: false });
      if (stamp?.isFile()) files.set(formatStamp(stamp), { path, stamp });
    }
  }
  return files;
}

function readFolder(path: string): readonly Dirent[] {
  try {
    return readdirSync(path, { withFileTypes: true });
  } catch (error) {
    if (isAbsent(error)) return [];
    throw error;
  }
}

/** Closes a file that is not sent. */
export function closeFile({ descriptor, content }: OpenFile): void {
  if (content) return;
  // Nothing was written, so an error does not matter.
  close(descriptor, () => {});
}
