import { BuildError } from '../build-error.ts';

const UNWRITABLE = new Set([
  'EACCES',
  'EPERM',
  'EROFS',
  'ENOTDIR',
  'EBUSY',
  'EEXIST',
  'ELOOP',
  'ENAMETOOLONG',
  'EIO',
  'EMFILE',
  'EMLINK',
  'ENOTEMPTY',
]);

/** Returns the system's complaint about the disk in the user's terms; any other error as it is. */
export function describeDiskError(error: unknown, out: string): unknown {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'ENOSPC' || code === 'EDQUOT') {
    const message = `No space left to write the site to "${out}"; the old one is still in place`;
    return new BuildError('disk-full', message, { cause: error });
  }
  if (code !== undefined && UNWRITABLE.has(code)) {
    const message = `Cannot write to "${out}" or beside it (${code}); check the permissions, and that it is not a mount point`;
    return new BuildError('unwritable', message, { cause: error });
  }
  return error;
}
