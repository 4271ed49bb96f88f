import { chmodSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';

/**
 * Writes a file that does not exist yet. Throws the system's error, `EEXIST` where there is one; nothing is left behind
 * then, since a next attempt would keep an empty file.
 */
export function writeNewFile(path: string, text: string, mode = 0o666): void {
  try {
    writeFileSync(path, text, { flag: 'wx', mode });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') rmSync(path, { force: true });
    throw error;
  }
}

/** Replaces a file, or the one that it links to; its mode stays. Throws the system's error; the file is as it was then. */
export function replaceFile(path: string, text: string): void {
  const target = realpathSync(path);
  const temporary = `${target}.${process.pid}.tmp`;
  try {
    writeFileSync(temporary, text, { mode: 0o600 });
    // Unlike the mode of a new file, not what the umask leaves of it.
    chmodSync(temporary, statSync(target).mode & 0o7777);
    renameSync(temporary, target);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}
