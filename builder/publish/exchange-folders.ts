import { existsSync, renameSync } from 'node:fs';
import { createRequire } from 'node:module';
import { constants } from 'node:os';

/** Swaps two folders atomically, even for readers and crashes; returns false if the system does not support it. */
export type ExchangeFolders = (a: string, b: string) => boolean;

const AT_FDCWD = -100;
const RENAME_EXCHANGE = 2;
const RENAME_SWAP = 2;

let exchange: ExchangeFolders | undefined;

/**
 * Returns the system's atomic exchange: `renameat2(RENAME_EXCHANGE)` on Linux, `renamex_np(RENAME_SWAP)` on macOS. Node
 * has neither, so they are called through koffi; without it, or without support by the file system, the answer is always
 * false.
 */
export function createExchange(): ExchangeFolders {
  exchange ??= load();
  return exchange;
}

function load(): ExchangeFolders {
  try {
    const koffi = createRequire(import.meta.url)('koffi') as typeof import('koffi').default;
    if (process.platform === 'linux') {
      const renameat2 = koffi.load(null).func('int renameat2(int, const char *, int, const char *, unsigned int)');
      return (a, b) => check(renameat2(AT_FDCWD, a, AT_FDCWD, b, RENAME_EXCHANGE) as number, koffi.errno());
    }
    if (process.platform === 'darwin') {
      const renamex = koffi.load(null).func('int renamex_np(const char *, const char *, unsigned int)');
      return (a, b) => check(renamex(a, b, RENAME_SWAP) as number, koffi.errno());
    }
  } catch {
    // koffi is an optional dependency: without a binary for this system the caller renames twice.
  }
  return () => false;
}

function check(result: number, errno: number): boolean {
  if (result === 0) return true;
  const { EINVAL, ENOSYS, ENOTSUP, EXDEV } = constants.errno;
  if ([EINVAL, ENOSYS, ENOTSUP, EXDEV].includes(errno)) return false;
  const code = Object.entries(constants.errno).find(([, number]) => number === errno)?.[0] ?? `errno ${errno}`;
  throw Object.assign(new Error(`Cannot exchange folders: ${code}`), { code });
}

/**
 * Replaces the published folder with the staged one in one step; the old one takes the place of the staged one. Where
 * the system cannot exchange folders there are two renames with an instant between them; `previous` then holds the old
 * folder, and the next run puts it back if the process died there.
 */
export function activateFolder(
  paths: { readonly staged: string; readonly published: string; readonly previous: string },
  exchange: ExchangeFolders,
): void {
  const { staged, published, previous } = paths;
  if (!existsSync(published)) {
    renameSync(staged, published);
    return;
  }
  if (exchange(staged, published)) return;
  renameSync(published, previous);
  try {
    renameSync(staged, published);
  } catch (error) {
    renameSync(previous, published);
    throw error;
  }
  renameSync(previous, staged);
}
