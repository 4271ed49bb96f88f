/**
 * How long a build will take, as far as is known: short ones have places of their own beside those where all builds take turns, so that they
 * need not wait for long ones.
 */
export type Lane = 'short' | 'long';

/** The place of a project among those that wait to be built. */
export interface Turn {
  readonly project: string;
  /** Whose repository it is; owners take turns. */
  readonly owner: string;
  /** The turn that the project had is over; it waits behind others for the next one. */
  readonly isUsed: boolean;
  /** The project has builds that wait; it keeps the turn that it waits for. */
  readonly isWaiting: boolean;
  /** A build of the project runs: its end asks for the turn again, which nobody can take before. */
  readonly isHeld: boolean;
  /** That of the build that comes next. */
  readonly lane: Lane;
  /** Builds before it tell the lane; of a new project nothing is known. */
  readonly isLaneKnown: boolean;
}

/**
 * Of projects that have the same turn, one whose builds are known to be short comes before so many that have asked before it: however many
 * new ones are tried first, a push to a small site waits for none of them.
 */
export const OVERTAKEN = 50;

/** How many turns are taken at once. */
export interface Places {
  /** For builds of both lanes. */
  readonly long: number;
  /** Further ones, for short builds. */
  readonly short: number;
}

/**
 * Turns of projects to be built, taken in fair order: an owner's projects get one turn after the other, from the one in use on, as in
 * start-time fair queueing (Goyal, Vin and Cheng, 1996). So owners take turns, and nobody gets more by having more projects.
 * Turns are written with the builds that wait for them (`BuildStore.changeOpen`), in the same transaction.
 */
export interface Turns {
  /**
   * Calls `take` for each turn that a place gets, until its promise is settled; a project has one turn at a time. `take` may be called
   * for a project that has nothing to build any more. Where it rejects, the turn is taken again after a while.
   */
  serve(options: {
    /** Asked before each turn in a service of one process, and once where there are several. */
    readonly places: () => Places;
    readonly take: (project: string, place: Lane) => Promise<void>;
  }): Promise<TurnServer>;
  /**
   * Returns whether a short build has waited for at least `waitedMs` and nobody makes way for it: whoever is told so makes way, and
   * others are not told for some seconds.
   */
  claim(waitedMs: number): Promise<boolean>;
}

/** Takes turns of projects. */
export interface TurnServer {
  /** Takes as many turns as there are places; to be called when there are more. */
  wake(): void;
  /** Takes no turns for some time, ms; those that were taken go on. */
  pause(ms: number): void;
  /** Takes no more turns, and waits for those that were taken. */
  stop(): Promise<void>;
}

/** How long nobody else makes way for a turn that is claimed, ms. */
export const CLAIMED_MS = 2_000;
