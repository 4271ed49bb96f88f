import { getSystemErrorMap } from 'node:util';

/** Returns whether an error has one of these codes, such as `ENOENT`. */
export function hasCode(error: unknown, ...codes: readonly string[]): boolean {
  const code = (error as { readonly code?: unknown } | null | undefined)?.code;
  return typeof code === 'string' && codes.includes(code);
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
