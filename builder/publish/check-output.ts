import { existsSync, readdirSync, realpathSync, statSync } from 'node:fs';
import { relative, resolve, sep } from 'node:path';
import { BuildError } from '../build-error.ts';
import { readMarker } from './site-manifest.ts';

/** Returns the folder's real path; links are followed, so that what they lead to is replaced and not the link. */
export function resolveOutput(folder: string): string {
  const absolute = resolve(folder);
  return existsSync(absolute) ? realpathSync(absolute) : absolute;
}

/** Throws `foreign-output` for a folder that holds the sources, the cache or the current folder: replacing it would take them away. */
export function refuseToSwallow(out: string, protect: readonly string[]): void {
  for (const path of protect) {
    const inside = relative(out, resolveOutput(path));
    if (inside === '' || (inside !== '..' && !inside.startsWith(`..${sep}`))) {
      throw new BuildError(
        'foreign-output',
        `Output folder "${out}" contains "${path}", which would be replaced; choose another`,
      );
    }
  }
}

/** Returns whether something stands there that is not docbuild's. Throws when it may not be replaced. */
export function checkOwner(folder: string, out: string, force: boolean): boolean {
  if (!existsSync(out)) return false;
  if (!statSync(out).isDirectory())
    throw new BuildError('foreign-output', `Output "${folder}" is a file, not a folder`);
  const isForeign = readMarker(out) === undefined && readdirSync(out).length > 0;
  if (isForeign && !force) {
    throw new BuildError(
      'foreign-output',
      `Output folder "${folder}" is not empty and was not created by docbuild; choose another, or replace it with --force`,
    );
  }
  return isForeign;
}
