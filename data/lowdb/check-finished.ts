import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { unfinishedError } from '../vault.ts';

/** File in a folder whose records are being brought there from elsewhere. */
export const UNFINISHED = 'unfinished';

/** Throws DataError `invalid` for a folder whose records were not brought there whole. */
export function checkFinished(folder: string): void {
  if (!existsSync(join(folder, UNFINISHED))) return;
  throw unfinishedError(`"${folder}"`, 'remove the folder');
}
