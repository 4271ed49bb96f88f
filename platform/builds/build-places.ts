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
 * Creates the places: `concurrency` for any builds, and `quick` more, so that quick ones need not wait for slow ones. Nothing
 * tells how long a build will take except that it took long before: one of the same project and kind, or this one, put
 * back. Those begin only in the first places. Others turn out to be slow after `quickMs`; the first of all that did keep
 * their places until they end, so each build that was put back once ends the next time.
 */
export function createBuildPlaces(options: {
  /** Called before each decision. */
  readonly settings: () => PlaceSettings;
  /** A build has become slow. */
  readonly onSlow: () => void;
}): BuildPlaces {
  const { settings } = options;
  const all = new Map<Running, { readonly timer: NodeJS.Timeout; isLate: boolean }>();
  /** Runs that are slow, in the order in which they became so. */
  const slow = new Set<Running>();
  const knownSlow = new Set<string>();
  const hasRoom = (): boolean => all.size < settings().concurrency + settings().quick;
  const isQuick = (build: Build): boolean => !knownSlow.has(kindOf(build));

  return {
    isQuick,
    mayBegin: (build) => hasRoom() && (isQuick(build) || slow.size < settings().concurrency),
    enter(run) {
      if (!isQuick(run.build)) slow.add(run);
      const timer = setTimeout(() => {
        place.isLate = true;
        knownSlow.add(kindOf(run.build));
        slow.add(run);
        options.onSlow();
      }, settings().quickMs);
      const place = { timer: timer.unref(), isLate: false };
      all.set(run, place);
    },
    leave(run, hasEnded) {
      const place = all.get(run);
      clearTimeout(place?.timer);
      if (hasEnded && !place?.isLate) knownSlow.delete(kindOf(run.build));
      all.delete(run);
      slow.delete(run);
    },
    findSurplus() {
      if (hasRoom()) return undefined;
      const surplus = [...slow].slice(settings().concurrency);
      return surplus.findLast(({ isPublished, end }) => !isPublished && end === undefined);
    },
    forget(project) {
      for (const isForAll of [true, false]) knownSlow.delete(`${project} ${isForAll}`);
    },
  };
}

/** Builds of all refs take longer than those of one, and say nothing about them. */
function kindOf({ project, ref }: Build): string {
  return `${project} ${ref === ''}`;
}
