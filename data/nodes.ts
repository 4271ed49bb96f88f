import type { AttemptCounter } from './attempts.ts';
import type { BuildStatus } from './records/build.ts';
import type { ShortTermMemory } from './short-term-memory.ts';

/** A change of a build that another node has made. */
export interface BuildChange {
  readonly id: string;
  readonly project: string;
  readonly status: BuildStatus;
}

/** Receives messages from other nodes. */
export interface NodeListener {
  onBuild(change: BuildChange): void;
  /** The connection was lost for a while: any build may have changed. */
  onGap(): void;
  /**
   * A node has not been heard of for some time. Ends what it has begun, so that it can do nothing more; may be called again,
   * and by several nodes.
   */
  onDead(node: number): Promise<void>;
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

/** Log and findings of a build. */
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

/** Shared knowledge of the processes that use one database together. */
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
  /** Takes part in what one node does for all; commands do not. */
  joinDuty(): void;
  /** Returns whether this node does what one node does for all; another one takes over within seconds when it is gone. */
  isOnDuty(): boolean;
}
