import { homedir } from 'node:os';

/** Returns the user's home folder; undefined for a user without one, such as a container's arbitrary user ID. */
export function findHomeFolder(): string | undefined {
  try {
    return homedir() || undefined;
  } catch {
    return undefined;
  }
}
