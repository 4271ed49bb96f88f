import { existsSync, renameSync } from 'node:fs';

let count = 0;

/**
 * Moves folders of earlier runs out of the way. They are deleted when all is measured, not now: ext4 without a journal
 * looks for free inodes up to twenty times longer for minutes after many files were deleted.
 */
export function setAside(...paths: readonly string[]): void {
  for (const path of paths) if (existsSync(path)) renameSync(path, `${path}.${++count}`);
}
