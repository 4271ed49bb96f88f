import type { Build } from '../../data/records/build.ts';
import type { QueueStore } from './queue-store.ts';

/** How long a build took. */
export interface Pace {
  readonly ms: number;
  /** When it had ended, ms since 1970. */
  readonly at: number;
}

/** How many builds of a project are looked at: some of the newest may say nothing. */
const LOOKED_AT = 20;

/** Returns whether a build is one of all refs: those take longer than builds of one. */
export function isOfAll({ ref }: Build): boolean {
  return ref === '';
}

/**
 * Returns how long a build took; undefined where that says nothing: one that was cancelled took at least as long, and for one that
 * was interrupted nobody knows when.
 */
export function paceOf({ status, startedAt, finishedAt }: Build, quickMs: number): Pace | undefined {
  if (startedAt === '' || finishedAt === '') return undefined;
  const pace = { ms: Math.max(0, Date.parse(finishedAt) - Date.parse(startedAt)), at: Date.parse(finishedAt) };
  if (status === 'cancelled') return pace.ms > quickMs ? pace : undefined;
  return status === 'passing' || status === 'failing' ? pace : undefined;
}

/**
 * Returns what a build of all refs says of builds of one: that those take half as long at most, where that is quick, and else
 * nothing. The first build of a project also starts a process and loads grammars.
 */
export function paceOfOne({ ms, at }: Pace, quickMs: number): Pace | undefined {
  return ms / 2 <= quickMs ? { ms: ms / 2, at } : undefined;
}

/**
 * Returns how long the last build of a project took that says something about a build: of the same kind (of all refs, or of
 * one), or of all refs about one of one.
 */
export async function findPace(store: QueueStore, build: Build, quickMs: number): Promise<Pace | undefined> {
  const { project } = build;
  const refs = isOfAll(build) ? { ref: '' } : {};
  for (const known of await store.builds.list({ project, ...refs, limit: LOOKED_AT })) {
    const pace = paceOf(known, quickMs);
    const said = pace && isOfAll(known) !== isOfAll(build) ? paceOfOne(pace, quickMs) : pace;
    if (said) return said;
  }
  return undefined;
}
