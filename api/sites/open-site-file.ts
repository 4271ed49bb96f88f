import { closeSync, constants, fstatSync, lstatSync, openSync, readlinkSync, realpathSync } from 'node:fs';
import { type FileStamp, isSameStamp } from './file-stamp.ts';

/** A regular file of a site, open for reading; whoever asked for it closes it. */
export interface OpenFile {
  readonly descriptor: number;
  readonly stamp: FileStamp;
}

// Without O_NONBLOCK a named pipe would block the process until somebody writes to it.
const FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
const ABSENT = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'ENAMETOOLONG', 'ENXIO', 'ENODEV']);

/**
 * Opens a file below a folder, following no symbolic link on the way: what counts is where the open file really is. Returns
 * undefined where there is no such regular file (any more). Throws when the file system refuses.
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

/** Checks whether an error of the file system means that there is no such file. */
export function isAbsent(error: unknown): boolean {
  return ABSENT.has((error as NodeJS.ErrnoException).code ?? '');
}

function isAt(descriptor: number, stamp: FileStamp, folder: string, path: string): boolean {
  if (process.platform === 'linux') return readlinkSync(`/proc/self/fd/${descriptor}`) === folder + path;
  const place = lstatSync(folder + path, { bigint: true });
  return isSameStamp(place, stamp) && realpathSync.native(folder + path) === folder + path;
}
