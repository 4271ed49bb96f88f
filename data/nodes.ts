import type { AttemptCounter } from './attempts.ts';
import type { BuildStatus } from './records/build.ts';
import type { ShortTermMemory } from './short-term-memory.ts';

/** A change of a build that another node has made. */
export interface BuildChange {
  readonly id: string;
  readonly project: string;
  readonly status: BuildStatus;
}

/** What a node is told by others. */
export interface NodeListener {
  onBuild(change: BuildChange): void;
  /** The connection was lost for a while: any build may have changed. */
  onGap(): void;
  /**
   * A node has not been heard of for some time. Ends what it has begun, so that it can do nothing more; may be called again,
   * and by several nodes. Once it resolves, others have the turns that the dead node had.
   */
  onDead(node: number): Promise<void>;
}

/** What a place for quick builds takes next: what is known to be quick, what is not known, or both in the order of turns. */
export type QuickChoice = 'quick' | 'unknown' | 'both';

/** Which turns wait, by what is known of their builds. */
export interface WaitingTurns {
  readonly quick: boolean;
  readonly unknown: boolean;
}

/** Takes turns of projects. */
export interface TurnServer {
  /** Takes no more turns, and waits for those that were taken. */
  stop(): Promise<void>;
}

/** Logs of builds, and what they found, which all nodes read. */
export interface NodeLogs {
  /** Adds lines to the log of a build, of which `place` is the number of the first one. */
  append(build: LoggedBuild, place: number, lines: readonly string[]): Promise<void>;
  /** Returns the lines from a number on. */
  read(build: LoggedBuild, from: number): Promise<readonly string[]>;
  /** Stores what a build has found, as JSON. */
  writeProblems(build: LoggedBuild, problems: string): Promise<void>;
  readProblems(build: LoggedBuild): Promise<string | undefined>;
  /** Removes everything of builds, or of all those of a project. */
  remove(project: string, ids: readonly string[] | undefined): Promise<void>;
  /** Returns the projects of whose builds anything is stored. */
  listProjects(): Promise<readonly string[]>;
  /** Returns how many bytes are stored of each of these builds, in their order; 0 = nothing. */
  measure(builds: readonly LoggedBuild[]): Promise<readonly number[]>;
  /** Returns what is stored of each of these builds, in their order. */
  readAll(builds: readonly LoggedBuild[]): Promise<readonly StoredLog[]>;
  /** Stores all that is known of these builds, of which nothing was stored. */
  writeAll(logs: readonly (LoggedBuild & StoredLog)[]): Promise<void>;
}

/** What a build has logged and found. */
export interface StoredLog {
  readonly lines: readonly string[];
  /** As JSON; undefined = none were stored. */
  readonly problems: string | undefined;
}

/** A build, and the project that its log is removed with. */
export interface LoggedBuild {
  readonly project: string;
  readonly id: string;
}

/** What processes that use one database together know of each other. */
export interface Nodes {
  /** The number of this one. */
  readonly id: number;
  readonly logs: NodeLogs;
  readonly attempts: AttemptCounter;
  readonly memory: ShortTermMemory;
  /** Removes what nodes share and has expired, other than records. */
  prune(): Promise<void>;
  /** Sets who is told by others. */
  listen(listener: NodeListener): void;
  /**
   * Takes turns that projects wait for, and calls `take` for each; a project has no other turn on any node until it resolves.
   * Where it rejects, the turn is taken again after a while. Before one of the `quick` further places takes a turn, `choose` says
   * which; builds that take long are never taken there.
   */
  serveTurns(options: {
    readonly places: number;
    readonly quick: number;
    readonly take: (project: string, isQuickPlace: boolean) => Promise<void>;
    readonly choose: () => Promise<QuickChoice>;
  }): Promise<TurnServer>;
  /** Returns how many projects wait for a turn that a node could take now. */
  countWaiting(): Promise<number>;
  /** Returns which kinds of turns that a place for quick builds could take have waited for at least `waitedMs`. */
  findWaiting(waitedMs: number): Promise<WaitingTurns>;
  /**
   * Returns whether a turn whose build is known to be quick has waited for at least `waitedMs` and nobody has made way for it:
   * whoever is told so makes way, and others are not told for some seconds.
   */
  claimQuick(waitedMs: number): Promise<boolean>;
  /** Takes part in what one node does for all; commands do not. */
  joinDuty(): void;
  /** Returns whether this node does what one node does for all; another one takes over within seconds when it is gone. */
  isOnDuty(): boolean;
}
