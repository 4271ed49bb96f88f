import { createRequire } from 'node:module';
import { constants } from 'node:os';

/**
 * Exchanges two files or folders atomically, even for readers and crashes; returns false if the system does not support
 * it, and throws its other errors.
 */
export type ExchangeNames = (a: string, b: string) => boolean;

const AT_FDCWD = -100;
const RENAME_EXCHANGE = 2;
const RENAME_SWAP = 2;

let exchange: ExchangeNames | undefined;

/**
 * The system's atomic exchange: `renameat2(RENAME_EXCHANGE)` on Linux, `renamex_np(RENAME_SWAP)` on macOS. Node has
 * neither, so they are called through koffi; without it, or without support by the file system, the answer is always
 * false.
 */
export const exchangeNames: ExchangeNames = (a, b) => {
  exchange ??= load();
  return exchange(a, b);
};

function load(): ExchangeNames {
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
  throw Object.assign(new Error(`Cannot exchange two names: ${code}`), { code });
}
