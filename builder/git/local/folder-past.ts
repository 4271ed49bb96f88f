import { realpathSync } from 'node:fs';
import { relative, sep } from 'node:path';
import * as git from 'isomorphic-git';
import type { FolderPast } from '../../model.ts';
import { createObjectReader } from '../objects/object-reader.ts';
import { findGitFolder } from './find-git-folder.ts';
import { createLocalPast } from './open-local.ts';

/** Opens the history that the files of a folder have, tracked or not, in the work tree `top` around it; undefined if there is none. */
export function openFolderPast(folder: string, top: string): FolderPast | undefined {
  try {
    const folders = findGitFolder(top);
    if (!folders) return undefined;
    const reader = createObjectReader(folders);
    const below = relative(top, realpathSync(folder)).split(sep).join('/');
    const repository = { fs: reader.files, gitdir: folders.gitFolder };
    let head: string | undefined;
    return {
      past: { ...createLocalPast(folders, reader), base: below === '' ? '' : `${below}/`, find: () => head },
      async look() {
        // Dates alone are no reason to refuse a folder.
        head = await git.resolveRef({ ...repository, ref: 'HEAD' }).catch(() => undefined);
        return head;
      },
      forget: reader.forget,
    };
  } catch {
    return undefined;
  }
}
