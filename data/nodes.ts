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

/** Report of a node about itself. */
export interface NodeState {
  /** As the lines of its log name it: `web-1:4711`. */
  readonly name: string;
  readonly role: string;
  /** The release of docbuild that it runs. */
  readonly version: string;
  /** When it was started, ISO 8601. */
  readonly since: string;
  /** It was told to stop, and takes no more turns. */
  readonly isDraining: boolean;
  /** Why it can store nothing, as on a full disk; '' = it can. */
  readonly trouble: string;
  /** Settings that must be the same at all nodes: hashes of values by the keys of the configuration, from which no value can be told. */
  readonly settings: Readonly<Record<string, string>>;
}

/** A node as others know it. */
export interface KnownNode extends NodeState {
  readonly id: number;
  /** When it was heard of last, ISO 8601. */
  readonly seen: string;
  /** It was not heard of for so long that others have taken over what it did. */
  readonly isGone: boolean;
  /** It does what one node does for all. */
  readonly isOnDuty: boolean;
}

/** A transaction of this node, or a statement alone. */
export interface Transaction {
  /** `question` changes no record; `change` is one of records, which may be several that were asked for at once. */
  readonly kind: 'question' | 'change';
  /** It failed where the database refused it or was lost. */
  readonly outcome: 'answered' | 'failed';
  /** From the moment in which it had a connection. */
  readonly ms: number;
}

/** How this node uses its database now. */
export interface DatabaseUse {
  /** Connections for questions; `waiting` are questions that wait for one. */
  readonly connections: Readonly<Record<'inUse' | 'idle' | 'waiting', number>>;
  /** Changes that wait, or are being made. */
  readonly changes: number;
}

/** Shared knowledge of the processes that use one database together. */
export interface Nodes {
  /** The number of this one. */
  readonly id: number;
  readonly logs: NodeLogs;
  readonly attempts: AttemptCounter;
  readonly memory: ShortTermMemory;
  measure(): DatabaseUse;
  /** Sets who is told of each transaction from now on. */
  observe(listener: (transaction: Transaction) => void): void;
  /** Returns the time of the database, ms since 1970. */
  readClock(): Promise<number>;
  /** Removes what nodes share and has expired, other than records. */
  prune(): Promise<void>;
  /**
   * Lists this node among those that serve or build; commands do not. `check` gets what those say that live, and throws where this one
   * must not be one of them. Nodes join one after the other.
   */
  join(state: NodeState, check: (others: readonly NodeState[]) => void): Promise<void>;
  /** Says something else of this node than before. */
  tell(state: NodeState): Promise<void>;
  /** Returns the nodes that have joined, those that were killed for some time after, too, first those that were started first. */
  list(): Promise<readonly KnownNode[]>;
  /** Returns a random text of this database, which hashes of settings begin with. */
  findSalt(): Promise<string>;
  /** Sets who is told by others. */
  listen(listener: NodeListener): void;
  /** Takes part in what one node does for all; commands do not. */
  joinDuty(): void;
  /** Returns whether this node does what one node does for all; another one takes over within seconds when it is gone. */
  isOnDuty(): boolean;
}
