import { type Dirent, existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseLocation } from '../parse-location.ts';
import { type Output, waitForOutput } from '../publish/open-output.ts';
import { readMarker } from '../publish/site-manifest.ts';
import { USUAL_FOLDERS } from '../source/generators/find-source.ts';
import { isPageFile } from '../source/page-path.ts';
import type { BuildOptions } from './site-options.ts';

/** Number of folders and files that are checked to find out whether a folder contains pages. */
const MAX_ENTRIES = 2_000;

/** Opens the output folder of a build, which must not hold what the site is made from. Throws as `openOutput` does. */
export function openSafeOutput(options: BuildOptions): Promise<Output> {
  return waitForOutput(options.out, {
    waitMs: options.outputWaitMs ?? 0,
    force: options.force ?? false,
    protect: [options.cacheFolder, process.cwd(), ...listLocalFolders(options)],
  });
}

/** Returns the folders of a local repository that the output must not replace: itself, its git folder, its pages. */
function listLocalFolders({ repository, sourceDir }: BuildOptions): readonly string[] {
  const parsed = parseLocation(repository);
  if (parsed.kind !== 'path') return [];
  const { path } = parsed;
  const named = join(path, sourceDir ?? 'docs');
  const usual = sourceDir === undefined ? USUAL_FOLDERS.map((folder) => join(path, folder)) : [];
  const sources = usual.filter((folder) => isOwn(folder) && holdsPages(folder));
  return [path, join(path, '.git'), ...(isOwn(named) ? [named] : []), ...sources];
}

/** Returns whether a folder contains anything that was not published by an earlier build. */
function isOwn(folder: string): boolean {
  return existsSync(join(folder, '.')) && readMarker(folder) === undefined && readdirSync(folder).length > 0;
}

function holdsPages(folder: string): boolean {
  const folders = [folder];
  let left = MAX_ENTRIES;
  for (let at = folders.pop(); at !== undefined && left > 0; at = folders.pop()) {
    const entries: readonly Dirent[] = readdirSync(at, { withFileTypes: true });
    if (entries.some((entry) => entry.isFile() && isPageFile(entry.name))) return true;
    left -= entries.length;
    for (const entry of entries)
      if (entry.isDirectory() && entry.name !== 'node_modules') folders.push(join(at, entry.name));
  }
  return false;
}
