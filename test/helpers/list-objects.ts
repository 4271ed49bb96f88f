import { execGit } from './run-git.ts';

/** Returns every object of a git folder by its id, as the git binary reads it. */
export function listObjects(gitFolder: string): ReadonlyMap<string, { readonly type: string; readonly bytes: Buffer }> {
  const output = execGit(['cat-file', '--batch-all-objects', '--batch', '--unordered'], { cwd: gitFolder });
  const objects = new Map<string, { type: string; bytes: Buffer }>();
  for (let at = 0; at < output.length; ) {
    const lineEnd = output.indexOf(0x0a, at);
    const [oid, type, size] = output.toString('latin1', at, lineEnd).split(' ');
    const end = lineEnd + 1 + Number(size);
    objects.set(oid!, { type: type!, bytes: output.subarray(lineEnd + 1, end) });
    at = end + 1;
  }
  return objects;
}
