import type { Build } from '../../data/records/build.ts';
import type { Running } from './build-runner.ts';

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
  /** Returns whether a build may begin now. */
  mayBegin(build: Build): boolean;
  /** Returns whether a build may begin where only a quick one may, as far as is known. */
  isQuick(build: Build): boolean;
  enter(run: Running): void;
  /** Forgets a run; a build that `hasEnded` by itself in time counts as quick when it comes again. */
  leave(run: Running, hasEnded: boolean): void;
  /** Returns a build that holds the place of a quick one without being quick, the one that did so last. */
  findSurplus(): Running | undefined;
  /** Forgets what is known about the builds of a project. */
  forget(project: string): void;
}

/**
 * How long a project is known to be slow, as a multiple of what is quick: so it takes a thirteenth of a place for quick ones at
 * most, and one that was slow by mistake, on a busy machine, does not wait longer.
 */
const REMEMBERED = 12;

/**
 * Creates the places: `concurrency` for any builds, and `quick` more, so that quick ones need not wait for slow ones. Nothing
 * tells how long a build will take except that it took long before: one of the same project and kind, for some time, or
 * this one, put back. Those begin only in the first places. Others turn out to be slow after `quickMs`; the first of all
 * that did keep their places until they end, so each build that was put back once ends the next time.
 */
export function createBuildPlaces(options: {
  /** Called before each decision. */
  readonly settings: () => PlaceSettings;
  /** A build has become slow, or may be tried as a quick one again. */
  readonly onChange: () => void;
}): BuildPlaces {
  const { settings } = options;
  const all = new Map<Running, { readonly timer: NodeJS.Timeout; isLate: boolean }>();
  /** Runs that are slow, in the order in which they became so. */
  const slow = new Set<Running>();
  const knownSlow = new Map<string, NodeJS.Timeout>();
  const hasRoom = (): boolean => all.size < settings().concurrency + settings().quick;
  // A build that was put back says why it waits.
  const isQuick = (build: Build): boolean => build.reason === '' && !knownSlow.has(kindOf(build));
  const forget = (kind: string): void => {
    clearTimeout(knownSlow.get(kind));
    knownSlow.delete(kind);
  };
  const remember = (kind: string): void => {
    forget(kind);
    const retry = (): void => {
      forget(kind);
      options.onChange();
    };
    knownSlow.set(kind, setTimeout(retry, REMEMBERED * settings().quickMs).unref());
  };

  return {
    isQuick,
    mayBegin: (build) => hasRoom() && (isQuick(build) || slow.size < settings().concurrency),
    enter(run) {
      if (!isQuick(run.build)) slow.add(run);
      const timer = setTimeout(() => {
        place.isLate = true;
        remember(kindOf(run.build));
        slow.add(run);
        options.onChange();
      }, settings().quickMs);
      const place = { timer: timer.unref(), isLate: false };
      all.set(run, place);
    },
    leave(run, hasEnded) {
      const place = all.get(run);
      clearTimeout(place?.timer);
      if (hasEnded && !place?.isLate) forget(kindOf(run.build));
      all.delete(run);
      slow.delete(run);
    },
    findSurplus() {
      if (hasRoom()) return undefined;
      const surplus = [...slow].slice(settings().concurrency);
      return surplus.findLast(({ isPublished, end }) => !isPublished && end === undefined);
    },
    forget(project) {
      for (const isForAll of [true, false]) forget(`${project} ${isForAll}`);
    },
  };
}

/** Builds of all refs take longer than those of one, and say nothing about them. */
function kindOf({ project, ref }: Build): string {
  return `${project} ${ref === ''}`;
}
