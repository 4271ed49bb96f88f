import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import { createFolder } from './create-repository.ts';
import { testIf } from './test-if.ts';

const unmount = (folder: string): void => void execFileSync('umount', ['--lazy', folder], { stdio: 'pipe' });
const mount = (folder: string, options: string): void =>
  void execFileSync('mount', ['-t', 'tmpfs', '-o', options, 'docbuild-test', folder], { stdio: 'pipe' });

/** Tries it: root inside a container may lack the right. */
function canMount(): boolean {
  const folder = mkdtempSync(join(tmpdir(), 'docbuild-mount-'));
  try {
    mount(folder, 'size=64k');
    unmount(folder);
    return true;
  } catch {
    return false;
  } finally {
    rmdirSync(folder);
  }
}

/** Declares tests that mount a small disk, which only root on Linux may do; elsewhere they are skipped. */
export const diskTest = testIf(canMount(), 'needs the right to mount a disk');

/** Returns a small disk as an empty folder, with the options of tmpfs such as `size=1m`; it goes away with the test. */
export function mountDisk(t: ExecutionContext, options: string): string {
  const folder = createFolder(t);
  mount(folder, options);
  t.teardown(() => unmount(folder));
  return folder;
}
