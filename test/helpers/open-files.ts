import { readdirSync, readlinkSync } from 'node:fs';

/** Returns the paths that this process has open whose path contains a text; tests beside it open files of their own. */
export function listOpenFiles(part: string): readonly string[] {
  return readdirSync('/proc/self/fd')
    .map((descriptor) => {
      try {
        return readlinkSync(`/proc/self/fd/${descriptor}`);
      } catch {
        // Closed since it was listed.
        return '';
      }
    })
    .filter((path) => path.includes(part));
}
