import type { Build } from '../../data/records/build.ts';
import type { Speed } from '../../data/transaction.ts';
import { createBoundedMap } from '../../lib/bounded-map.ts';
import {
  firmMs,
  forgottenAt,
  isOfAll,
  isQuick,
  PASSES,
  type Pace,
  paceOf,
  paceOfOne,
  speedOfWaiting,
  trustedMs,
} from './build-pace.ts';
import type { Running } from './build-runner.ts';
import type { WaitingList } from './waiting-list.ts';

/** How many builds run at once. */
export interface PlaceSettings {
  /** Builds that may run as long as they take. */
  readonly concurrency: number;
  /** Further builds, as long as they are quick. */
  readonly quick: number;
  /** How long a build is quick. */
  readonly quickMs: number;
}

/** Decides which builds may run side by side. */
export interface BuildPlaces {
  /** Takes the next build that `isFree` and may begin now. */
  takeNext(waiting: WaitingList, isFree: (build: Build) => boolean): ReturnType<WaitingList['takeNext']>;
  enter(run: Running): void;
  /** Forgets a run; what has `ended` by itself tells how long builds like it take. */
  leave(run: Running, ended: Build | undefined): void;
  /** Returns a build that keeps the place of a quick one from one that waits and `isFree`, and how it is to end. */
  findSurplus(waiting: WaitingList, isFree: (build: Build) => boolean): Surplus | undefined;
  /** Returns whether it is known how long builds like this one took, as far as they are remembered. */
  isKnown(build: Build): boolean;
  /** Learns how long the last build took that was like this one. */
  learn(build: Build, pace: Pace): void;
  /** Forgets what is known about the builds of a project. */
  forget(project: string): void;
}

interface Surplus {
  readonly run: Running;
  /** Put back, it begins again in a place where it may take long; otherwise it is tried again. */
  readonly end: 'put back' | 'gave way';
}

interface Place {
  speed: Speed;
  readonly sinceMs: number;
  /** It was known to be quick, and has taken longer than it used to. */
  wasQuick: boolean;
  /** It has taken longer than what is quick. */
  isLate: boolean;
  /** It does not give way before it has had some time. */
  isFirm: boolean;
  readonly timers: Timer[];
}

/** What calls back at a time. */
interface Timer {
  timeout: NodeJS.Timeout | undefined;
}

interface Note {
  readonly speed: Speed;
  readonly ms: number;
  /** When it says nothing any more, where it says that builds are slow. */
  readonly untilMs: number;
  readonly timer: Timer | undefined;
}

/** Projects whose pace is remembered; that of others is looked up again. */
const MAX_NOTES = 20_000;
const MAX_TIMER_MS = 2 ** 31 - 1;

/**
 * Creates the places: `concurrency` for any builds, and `quick` more, so that quick ones need not wait for slow ones. How long a
 * build will take is known from the last one of the same project and kind. Where only places for quick ones are left, those that
 * are known to be quick go first. What is not known is tried there, and gives way to one of those at once, but after `PASSES`
 * times has the place for some time. What is known to be slow, or was put back, begins only in the first places. Others turn
 * out to be slow after `quickMs`; the first of all that did keep their places until they end.
 */
export function createBuildPlaces(options: {
  /** Called before each decision. */
  readonly settings: () => PlaceSettings;
  /** A build has become slow, or may be tried as a quick one again. */
  readonly onChange: () => void;
  readonly now: () => Date;
}): BuildPlaces {
  const { settings, onChange } = options;
  const nowMs = (): number => options.now().getTime();
  const all = new Map<Running, Place>();
  /** Runs that are slow, in the order in which they became so. */
  const slow = new Set<Running>();
  /** Runs that may turn out to be, in the order in which they began. */
  const tried = new Set<Running>();
  const notes = createBoundedMap<string, Note>({ maxEntries: MAX_NOTES });
  /** How often others were passed since one of them had its turn. */
  let passes = 0;

  const hasRoom = (): boolean => all.size < settings().concurrency + settings().quick;
  const isFirstFree = (): boolean => slow.size + tried.size < settings().concurrency;
  /** Calls back once the clock says so: timers may be early, for they count from when the event loop last looked at the time. */
  const schedule = (change: () => void, atMs: number): Timer => {
    const timer: Timer = { timeout: undefined };
    const wait = (ms: number): void => {
      timer.timeout = setTimeout(look, Math.min(ms, MAX_TIMER_MS)).unref();
    };
    const look = (): void => {
      const ms = atMs - nowMs();
      if (ms > 0) wait(ms);
      else {
        change();
        onChange();
      }
    };
    wait(Math.max(atMs - nowMs(), 0));
    return timer;
  };
  const speedOf = (build: Build): Speed => {
    const note = notes.get(kindOf(build));
    const speed = note?.speed === 'slow' && note.untilMs <= nowMs() ? 'unknown' : (note?.speed ?? 'unknown');
    return speedOfWaiting(build, speed);
  };
  const forget = (kind: string): void => {
    clearTimeout(notes.peek(kind)?.timer?.timeout);
    notes.delete(kind);
  };
  const note = (kind: string, pace: Pace, speed: Speed): void => {
    forget(kind);
    const { ms } = pace;
    const untilMs = forgottenAt(pace);
    const isSlow = speed === 'slow' && untilMs > nowMs();
    notes.set(kind, { speed, ms, untilMs, timer: isSlow ? schedule(() => {}, untilMs) : undefined });
  };
  const learn = (build: Build, pace: Pace, isLate = false): void => {
    const { quickMs } = settings();
    if (isLate) note(kindOf(build), { ...pace, ms: Math.max(pace.ms, quickMs) }, 'slow');
    else note(kindOf(build), pace, isQuick(pace, quickMs) ? 'quick' : 'slow');
    const said = isOfAll(build) ? paceOfOne(pace, quickMs) : undefined;
    if (said) note(kindOf({ ...build, ref: 'one' }), said, 'quick');
  };
  /** A build that is known to be quick has not been. */
  const doubt = (run: Running, place: Place): void => {
    place.speed = 'unknown';
    place.wasQuick = true;
    tried.add(run);
  };
  const beLate = (run: Running, place: Place): void => {
    if (place.speed === 'unknown') passes = 0;
    place.speed = 'slow';
    place.isLate = true;
    tried.delete(run);
    slow.add(run);
    note(kindOf(run.build), { ms: settings().quickMs, at: nowMs() }, 'slow');
  };
  const mayEnd = (run: Running): boolean => !run.isPublished && run.end === undefined;

  return {
    learn,
    isKnown: (build) => notes.peek(kindOf(build)) !== undefined,
    takeNext(waiting, isFree) {
      if (!hasRoom()) return undefined;
      if (isFirstFree()) return waiting.takeNext(isFree);
      const mayBegin = (build: Build): boolean => isFree(build) && speedOf(build) === 'quick';
      const mayBeSlow = slow.size < settings().concurrency;
      const mayTry = (build: Build): boolean =>
        isFree(build) && (speedOf(build) === 'unknown' || (speedOf(build) === 'slow' && mayBeSlow));
      if (!waiting.has(mayBegin)) return waiting.takeNext(mayTry);
      if (!waiting.has(mayTry)) return waiting.takeNext(mayBegin);
      if (passes >= PASSES) return waiting.takeNext(mayTry);
      passes++;
      return waiting.takeNext(mayBegin);
    },
    enter(run) {
      const { quickMs } = settings();
      const speed = speedOf(run.build);
      const isTurn = speed !== 'quick' && !isFirstFree() && passes >= PASSES;
      if (isTurn) passes = 0;
      const isFirm = isTurn && speed === 'unknown';
      const place: Place = { speed, sinceMs: nowMs(), wasQuick: false, isLate: false, isFirm, timers: [] };
      all.set(run, place);
      if (speed === 'slow') slow.add(run);
      if (speed === 'unknown') tried.add(run);
      if (isFirm) place.timers.push(schedule(() => {}, place.sinceMs + firmMs(quickMs)));
      const usualMs = trustedMs(quickMs, notes.peek(kindOf(run.build))?.ms ?? 0);
      if (speed === 'quick' && usualMs < quickMs)
        place.timers.push(schedule(() => doubt(run, place), place.sinceMs + usualMs));
      place.timers.push(schedule(() => beLate(run, place), place.sinceMs + quickMs));
    },
    leave(run, ended) {
      const place = all.get(run);
      if (!place) return;
      for (const { timeout } of place.timers) clearTimeout(timeout);
      const pace = ended && paceOf(ended, settings().quickMs);
      if (pace) learn(run.build, pace, place.isLate);
      if (pace && place.speed === 'unknown') passes = 0;
      all.delete(run);
      slow.delete(run);
      tried.delete(run);
    },
    findSurplus(waiting, isFree) {
      if (hasRoom()) return undefined;
      const firm = firmMs(settings().quickMs);
      const surplus = [...slow, ...tried].slice(settings().concurrency).filter(mayEnd);
      if (surplus.length === 0) return undefined;
      const isWanted = waiting.has((build) => isFree(build) && speedOf(build) === 'quick');
      const late = surplus.findLast((run) => slow.has(run));
      if (late) {
        const isAsked = isWanted || waiting.has((build) => isFree(build) && speedOf(build) === 'unknown');
        return isAsked ? { run: late, end: 'put back' } : undefined;
      }
      if (!isWanted) return undefined;
      for (const run of surplus.toReversed()) {
        const place = all.get(run)!;
        if (!place.wasQuick && !place.isFirm && passes >= PASSES) {
          place.isFirm = true;
          passes = 0;
          place.timers.push(schedule(() => {}, place.sinceMs + firm));
        }
        if (!place.isFirm) return { run, end: 'gave way' };
        if (nowMs() - place.sinceMs >= firm) return { run, end: 'put back' };
      }
      return undefined;
    },
    forget(project) {
      for (const isForAll of [true, false]) forget(`${project} ${isForAll}`);
    },
  };
}

/** Builds of all refs take longer than those of one, and, where they are slow, say nothing about them. */
function kindOf(build: Build): string {
  return `${build.project} ${isOfAll(build)}`;
}
