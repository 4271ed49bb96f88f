import { existsSync, renameSync } from 'node:fs';
import type { ExchangeFolders } from './exchange-folders.ts';

/**
 * Puts a staged folder in the place of the published one in one step; the old one is afterwards where the staged one
 * was. Where the system cannot exchange folders there are two renames with an instant between them; `previous` then
 * holds the old folder, and the next run puts it back if the process died there.
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
