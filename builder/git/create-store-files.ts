import { randomUUID } from 'node:crypto';
import { promises as disk } from 'node:fs';
import { BuildError } from '../build-error.ts';
import { checkPack, type PackLimits } from './check-pack.ts';
import type { GitFiles } from './create-object-files.ts';

/**
 * Gives isomorphic-git a file system to fetch by. Files appear whole or not at all; a pack is checked before it is
 * stored, because isomorphic-git would index one that was cut off; refs are not stored, because it writes them before
 * the pack (what is here completely is told by the fetch record).
 */
export function createStoreFiles(repositoryFolder: string, limits: PackLimits): GitFiles {
  let objectCount = 0;
  const promises = {
    readFile: disk.readFile,
    readdir: disk.readdir,
    stat: disk.stat,
    lstat: disk.lstat,
    readlink: disk.readlink,
    mkdir: disk.mkdir,
    rmdir: disk.rmdir,
    unlink: disk.unlink,
    symlink: disk.symlink,
    rm: disk.rm,
    async writeFile(path: string, content: Uint8Array | string, options?: BufferEncoding) {
      if (path.startsWith(`${repositoryFolder}/refs/`)) return;
      if (path.endsWith('.pack')) objectCount = checkPack(content as Buffer, limits);
      if (path.endsWith('.idx')) checkIndex(content as Buffer, objectCount);
      const temporary = `${path}.${randomUUID()}.tmp`;
      await disk.writeFile(temporary, content, options);
      await disk.rename(temporary, path);
    },
  };
  return { promises };
}

/** isomorphic-git leaves out of the index what it cannot resolve. The count stands at the end of the fan-out table. */
function checkIndex(index: Buffer, objectCount: number): void {
  if (index.readUInt32BE(8 + 255 * 4) < objectCount) {
    throw new BuildError('damaged-repository', 'The server sent a pack with objects that cannot be resolved');
  }
}
