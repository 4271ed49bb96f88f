import { homedir } from 'node:os';

/** Returns the user's home folder; undefined for a user without one, as in containers that run as any number. */
export function findHomeFolder(): string | undefined {
  try {
    return homedir() || undefined;
  } catch {
    return undefined;
  }
}
