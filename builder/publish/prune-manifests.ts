import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/** Deletes the manifests of all builds but these. */
export function pruneManifests(stateFolder: string, keep: readonly (string | undefined)[]): void {
  for (const name of readdirSync(stateFolder)) {
    const [, build] = /^([0-9a-f]{40})\.json(?:\.tmp)?$/.exec(name) ?? [];
    if (build !== undefined && !keep.includes(build)) rmSync(join(stateFolder, name), { force: true });
  }
}
