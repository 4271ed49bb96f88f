import { type FileHandle, link, open, rename, rm } from 'node:fs/promises';

/** Buffers in one call; the kernel takes no more than 1,024. */
const MAX_BUFFERS = 256;
/** File systems without hard links answer so. */
const NO_LINKS = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK']);

/** Ends of the names of files beside a collection's. */
export const TEMPORARY = '.tmp';
export const BACKUP = '.bak';

/**
 * Writes a file so that it holds either what it held before or all of this, whatever happens, and that it is on disk when
 * the promise resolves. What it held before stays as `<path>.bak`. Mode 0600. Rejects with the system's error, and with
 * what `beforeSwitch` throws: the last moment at which nothing has happened yet.
 */
export async function writeDurably(
  path: string,
  buffers: readonly Buffer[],
  { folder, beforeSwitch }: { readonly folder: FileHandle; readonly beforeSwitch: () => void },
): Promise<void> {
  const temporary = path + TEMPORARY;
  try {
    const file = await open(temporary, 'w', 0o600);
    try {
      await writeAll(file, buffers);
      await file.sync();
    } finally {
      await file.close();
    }
    beforeSwitch();
    await keepBackup(path);
    await rename(temporary, path);
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

/** Gives what is left to write after a write that may have ended in the middle. */
function skipBytes(buffers: readonly Buffer[], count: number): readonly Buffer[] {
  let left = count;
  let i = 0;
  while (i < buffers.length && left >= buffers[i]!.length) left -= buffers[i++]!.length;
  return i === buffers.length ? [] : [buffers[i]!.subarray(left), ...buffers.slice(i + 1)];
}

/** Keeps the present file under a second name, so that there is no moment without it. */
async function keepBackup(path: string): Promise<void> {
  const fresh = path + BACKUP + TEMPORARY;
  try {
    await rm(fresh, { force: true });
    await link(path, fresh);
    await rename(fresh, path + BACKUP);
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return; // the first write
    if (!NO_LINKS.has(code)) throw error;
    await rename(path, path + BACKUP);
  }
}
