import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/** Deletes all manifests but those at these paths. */
export function pruneManifests(stateFolder: string, keep: readonly (string | undefined)[]): void {
  for (const name of readdirSync(stateFolder)) {
    const path = join(stateFolder, name);
    if (/^[0-9a-f]{40}\.\d+\.json(?:\.tmp)?$/.test(name) && !keep.includes(path)) rmSync(path, { force: true });
  }
}
