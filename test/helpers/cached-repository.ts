import { readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Returns the git folder of the only repository in a cache. */
export function findCached(cacheFolder: string): string {
  const [name] = readdirSync(join(cacheFolder, 'repos')).filter((entry) => !entry.endsWith('.lock'));
  return join(cacheFolder, 'repos', name ?? '');
}

/** Returns the paths of the packs in a git folder. */
export function listPacks(gitFolder: string): readonly string[] {
  const folder = join(gitFolder, 'objects/pack');
  return readdirSync(folder).flatMap((name) => (name.endsWith('.pack') ? [join(folder, name)] : []));
}
