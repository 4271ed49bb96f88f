import type { BuildStatus } from './records/build.ts';

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

/** Takes turns of projects. */
export interface TurnServer {
  /** Takes no more turns, and waits for those that were taken. */
  stop(): Promise<void>;
}

/** What processes that use one database together know of each other. */
export interface Nodes {
  /** The number of this one. */
  readonly id: number;
  /** Sets who is told by others. */
  listen(listener: NodeListener): void;
  /**
   * Takes turns that projects wait for, and calls `take` for each; a project has no other turn on any node until it resolves.
   * Where it rejects, the turn is taken again after a while. A build that takes long is not taken in the `quick` further places.
   */
  serveTurns(options: {
    readonly places: number;
    readonly quick: number;
    readonly take: (project: string, isQuickPlace: boolean) => Promise<void>;
  }): Promise<TurnServer>;
  /** Returns how many projects wait for a turn that a node could take now. */
  countWaiting(): Promise<number>;
  /** Returns whether this node does what one node does for all; another one takes over within seconds when it is gone. */
  isOnDuty(): boolean;
}
