import { createBoundedMap } from '../../lib/bounded-map.ts';

/** Secrets that are shown on the next page, once. */
export interface OneTimeNotes {
  /** Keeps a secret for a session until it is taken, ten minutes at most. */
  put(tokenHash: string, kind: NoteKind, note: OneTimeNote): void;
  /** Returns it, this once. */
  take(tokenHash: string, kind: NoteKind): OneTimeNote | undefined;
}

export type NoteKind = 'key' | 'password';

export interface OneTimeNote {
  readonly secret: string;
  /** What it is for: an account or the id of a key. */
  readonly of: string;
}

const LIFETIME_MS = 600_000;
const MAX_NOTES = 1_000;

/** Creates the notes; they are in memory alone. */
export function createOneTimeNotes(nowMs: () => number): OneTimeNotes {
  const notes = createBoundedMap<string, OneTimeNote>({ maxEntries: MAX_NOTES, maxAgeMs: LIFETIME_MS, nowMs });
  return {
    put: (tokenHash, kind, note) => notes.set(`${tokenHash} ${kind}`, note),
    take(tokenHash, kind) {
      const note = notes.get(`${tokenHash} ${kind}`);
      notes.delete(`${tokenHash} ${kind}`);
      return note;
    },
  };
}
