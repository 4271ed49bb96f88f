import type { Build } from '../../data/records/build.ts';
import type { Speed } from '../../data/transaction.ts';
import { GAVE_WAY } from './build-reasons.ts';
import type { QueueStore } from './queue-store.ts';

/** How long a build took. */
export interface Pace {
  readonly ms: number;
  /** When it had ended, ms since 1970. */
  readonly at: number;
}

/** What is known of builds of a project. */
export interface Paces {
  /** Of those of one ref. */
  readonly one: Pace | undefined;
  /** Of those of all refs. */
  readonly all: Pace | undefined;
}

/** Nothing is known. */
export const UNKNOWN: Paces = { one: undefined, all: undefined };

/** How often quick builds go before others that wait for a place for quick ones; then it is the turn of one of those. */
export const PASSES = 4;
/** How long a project is known to be slow, as a multiple of the time that its last build took. */
const REMEMBERED = 12;
/** The time of a build in such a turn, and of one that is known to be quick, as a part of what is quick. */
const FIRM = 0.4;
/** How many builds of a project are looked at: some of the newest may say nothing. */
const LOOKED_AT = 20;

/** Returns whether a build is one of all refs: those take longer than builds of one. */
export function isOfAll({ ref }: Pick<Build, 'ref'>): boolean {
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
  const pace = { ms: ms / 2, at };
  return isQuick(pace, quickMs) ? pace : undefined;
}

/**
 * Returns how long the last build of a project took that says something about a build: of the same kind (of all refs, or of
 * one), or of all refs about one of one.
 */
export async function findPace(
  store: QueueStore,
  build: Pick<Build, 'project' | 'ref'>,
  quickMs: number,
): Promise<Pace | undefined> {
  const { project } = build;
  const refs = isOfAll(build) ? { ref: '' } : {};
  for (const known of await store.builds.list({ project, ...refs, limit: LOOKED_AT })) {
    const pace = paceOf(known, quickMs);
    const said = pace && isOfAll(known) !== isOfAll(build) ? paceOfOne(pace, quickMs) : pace;
    if (said) return said;
  }
  return undefined;
}

/** Returns how long the last builds of a project took, of either kind. */
export async function findPaces(store: QueueStore, project: string, quickMs: number): Promise<Paces> {
  const find = (ref: string): Promise<Pace | undefined> => findPace(store, { project, ref }, quickMs);
  const [one, all] = await Promise.all([find('one'), find('')]);
  return { one, all };
}

/** Returns what is known once a build has ended. */
export function learnPace(paces: Paces, ended: Build, quickMs: number): Paces {
  const pace = paceOf(ended, quickMs);
  if (!pace) return paces;
  return isOfAll(ended) ? { one: paceOfOne(pace, quickMs) ?? paces.one, all: pace } : { ...paces, one: pace };
}

/** Returns when a build that was slow says nothing any more, ms since 1970. */
export function forgottenAt({ ms, at }: Pace): number {
  return at + REMEMBERED * ms;
}

/** Returns whether a build was quick. */
export function isQuick({ ms }: Pace, quickMs: number): boolean {
  return ms <= quickMs;
}

/** Returns what is known of a build that waits, where others like it have this speed: it may have begun, and was put back. */
export function speedOfWaiting({ reason }: Build, speed: Speed): Speed {
  if (reason === '') return speed;
  // A build that was put back says why it waits.
  if (reason !== String(GAVE_WAY)) return 'slow';
  return speed === 'quick' ? 'unknown' : speed;
}

/** Returns what is known of builds like this one. */
export function paceBy({ one, all }: Paces, build: Build): Pace | undefined {
  return isOfAll(build) ? all : one;
}

/** Returns what is known of a build that waits by the last ones of its project. */
export function speedBy(
  paces: Paces,
  build: Build,
  { quickMs, nowMs }: { readonly quickMs: number; readonly nowMs: number },
): Speed {
  const pace = paceBy(paces, build);
  if (!pace || (!isQuick(pace, quickMs) && forgottenAt(pace) <= nowMs)) return speedOfWaiting(build, 'unknown');
  return speedOfWaiting(build, isQuick(pace, quickMs) ? 'quick' : 'slow');
}

/** Returns how long a build has the place of a quick one where it is the turn of one that is not known, ms. */
export function firmMs(quickMs: number): number {
  return FIRM * quickMs;
}

/** Returns how long a build that is known to be quick counts as that: some take twice as long as the last time. */
export function trustedMs(quickMs: number, lastMs: number): number {
  return Math.max(firmMs(quickMs), 2 * lastMs);
}
