import { type FileHandle, link, open, rename, rm } from 'node:fs/promises';
import { exchangeNames } from './exchange-names.ts';
import { hasCode } from './system-error.ts';

/** Buffers in one call; the kernel takes at most 1,024. */
const MAX_BUFFERS = 256;
/** Errors of file systems without hard links. */
const NO_LINKS = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'];

/** Suffixes of the files next to a durable file: leftovers of a crash, and its previous content. */
export const TEMPORARY = '.tmp';
export const BACKUP = '.bak';

/**
 * Writes a file so that it holds either its old or its new content, whatever happens, and that the new content is on
 * disk when the promise resolves. The old content stays as `<path>.bak`. `mode` is 0600 unless it is given. `folder` is the open handle of its
 * folder. Rejects with the system's error, and with what `beforeSwitch` throws: it is called at the last moment at
 * which nothing has changed yet.
 */
export async function writeDurably(
  path: string,
  buffers: readonly Buffer[],
  {
    folder,
    beforeSwitch,
    mode = 0o600,
  }: { readonly folder: FileHandle; readonly beforeSwitch: () => void; readonly mode?: number },
): Promise<void> {
  const temporary = path + TEMPORARY;
  try {
    const file = await open(temporary, 'w', mode);
    try {
      await writeAll(file, buffers);
      await file.sync();
    } finally {
      await file.close();
    }
    beforeSwitch();
    await replace(path, temporary);
    await folder.sync();
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => {}); // the next write and the next start try again
    throw error;
  }
}

async function writeAll(file: FileHandle, buffers: readonly Buffer[]): Promise<void> {
  for (let i = 0; i < buffers.length; i += MAX_BUFFERS) {
    let rest: readonly Buffer[] = buffers.slice(i, i + MAX_BUFFERS);
    while (rest.length > 0) {
      const { bytesWritten } = await file.writev(rest);
      rest = skipBytes(rest, bytesWritten);
    }
  }
}

/** Returns what remains to be written after a partial write. */
function skipBytes(buffers: readonly Buffer[], count: number): readonly Buffer[] {
  let left = count;
  let i = 0;
  while (i < buffers.length && left >= buffers[i]!.length) left -= buffers[i++]!.length;
  return i === buffers.length ? [] : [buffers[i]!.subarray(left), ...buffers.slice(i + 1)];
}

/**
 * Puts `temporary` in the place of the file, which becomes its backup. The path exists at every moment, and no file has
 * two names: `cp -a` and tar take such a file for another one that they copied before, if that had the inode number.
 */
async function replace(path: string, temporary: string): Promise<void> {
  try {
    if (exchangeNames(path, temporary)) return await rename(temporary, path + BACKUP);
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) throw error;
    return rename(temporary, path); // the first write
  }
  await linkBackup(path);
  await rename(temporary, path);
}

/** Where names cannot be exchanged the file has two for a moment. */
async function linkBackup(path: string): Promise<void> {
  const fresh = path + BACKUP + TEMPORARY;
  try {
    await rm(fresh, { force: true });
    await link(path, fresh);
    await rename(fresh, path + BACKUP);
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return; // the first write
    if (!hasCode(error, ...NO_LINKS)) throw error;
    await rename(path, path + BACKUP);
  }
}
