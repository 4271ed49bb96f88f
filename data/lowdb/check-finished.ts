import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DataError } from '../data-error.ts';

/** File in a folder whose records are being brought there from elsewhere. */
export const UNFINISHED = 'unfinished';

/** Throws DataError `invalid` for a folder whose records were not brought there whole. */
export function checkFinished(folder: string): void {
  if (!existsSync(join(folder, UNFINISHED))) return;
  const advice = 'run the same "docbuild store copy" or "docbuild restore" again, or remove the folder';
  throw new DataError('invalid', `Cannot use "${folder}": bringing records there was interrupted; ${advice}`);
}
