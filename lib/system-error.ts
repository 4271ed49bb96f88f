import { getSystemErrorMap } from 'node:util';

/** Returns whether an error has one of these codes, such as `ENOENT`. */
export function hasCode(error: unknown, ...codes: readonly string[]): boolean {
  const code = (error as { readonly code?: unknown } | null | undefined)?.code;
  return typeof code === 'string' && codes.includes(code);
}

/** The machine is at fault: no room, no memory, too many files, processes or threads, a disk that is broken or may not be written. */
const OF_MACHINE: ReadonlySet<unknown> = new Set([
  ...['ENOSPC', 'EDQUOT', 'EROFS', 'EIO', 'EMFILE', 'ENFILE', 'EAGAIN', 'ENOMEM'],
  'ERR_WORKER_INIT_FAILED',
]);

/** Returns the system's error, if the machine is at fault, that an error is or was caused by. */
export function findMachineError(error: unknown): NodeJS.ErrnoException | undefined {
  for (let one = error; one instanceof Error; one = one.cause) {
    if (OF_MACHINE.has((one as NodeJS.ErrnoException).code)) return one;
  }
  return undefined;
}

/**
 * Returns what the operating system says about an error, such as `no space left on device`: without the path, which
 * the caller quotes as the user knows it.
 */
export function describeSystemError(error: unknown): string {
  const { errno, code, message } = error as NodeJS.ErrnoException;
  // Numbers of zlib's errors mean something else to the system.
  if (code?.startsWith('Z_')) return message;
  return (errno === undefined ? undefined : getSystemErrorMap().get(errno)?.[1]) ?? code ?? message;
}
