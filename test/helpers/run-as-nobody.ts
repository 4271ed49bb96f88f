import { spawnSync } from 'node:child_process';
import { docbuildPath } from './run-docbuild.ts';

export const isRoot = process.getuid?.() === 0;

/** The beginning of a command that is to run as a user without rights, which root is not. */
export const asNobody: readonly string[] = isRoot
  ? ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups']
  : [];

/** Returns whether such a user can read the project: where it lies in root's own home, nobody else can. */
export function canRunAsNobody(): boolean {
  if (!isRoot) return true;
  const script = `require('fs').readFileSync('${docbuildPath}')`;
  return spawnSync(asNobody[0]!, [...asNobody.slice(1), process.execPath, '-e', script]).status === 0;
}
