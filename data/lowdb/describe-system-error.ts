import { getSystemErrorMap } from 'node:util';

/** Gives what the system says about an error, such as `no space left on device`; without paths. */
export function describeSystemError(error: unknown): string {
  const { errno, code, message } = error as NodeJS.ErrnoException;
  return (errno === undefined ? undefined : getSystemErrorMap().get(errno)?.[1]) ?? code ?? message;
}
