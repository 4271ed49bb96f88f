import type { Nodes } from '../nodes.ts';
import { type Connections, isRejection } from './connections.ts';
import type { NodeSession } from './node-session.ts';
import { sendHeartbeat } from './node-table.ts';
import { createPauses } from './pauses.ts';

/** Longest pause, in heartbeats, between those that fail one after the other; other nodes take over after 20. */
const MAX_PAUSE_BEATS = 15;

/** Heartbeats of a node, and the duty that they keep. */
export interface Heartbeats extends Pick<Nodes, 'joinDuty' | 'isOnDuty'> {
  /** Sends a heartbeat, unless the last one was a moment ago. */
  sendIfDue(): Promise<void>;
  /** Sends no more. */
  stop(): void;
}

/** Creates the heartbeats of a node, which it sends while it has nothing else to do; they find out early that a connection is gone. */
export function createHeartbeats(context: {
  readonly connections: Connections;
  readonly node: number;
  /** Returns the session of the node, opened again where it was lost; undefined while others do that. */
  readonly findSession: () => Promise<NodeSession> | undefined;
  /** Returns whether changes are being made, which find out by themselves. */
  readonly isBusy: () => boolean;
  readonly lose: (session: NodeSession) => void;
  /** Called for nodes that are dead, every second until they are marked. */
  readonly onDead: (node: number) => void;
}): Heartbeats {
  const { connections, node, findSession, isBusy, lose, onDead } = context;
  const { name, patience } = connections;
  const pauses = createPauses({ firstMs: patience.heartbeatMs, maxMs: MAX_PAUSE_BEATS * patience.heartbeatMs });
  let sentAt = performance.now();
  let isSending = false;
  let isStopped = false;
  let isForDuty = false;
  let dutyUntil = 0;

  const send = async (): Promise<void> => {
    const finding = isSending || pauses.isPausing() ? undefined : findSession();
    if (!finding) return;
    isSending = true;
    let current: NodeSession | undefined;
    try {
      current = await finding;
      const answer = await sendHeartbeat(current, { node, patience, isForDuty });
      pauses.succeed();
      dutyUntil = answer.dutyUntil ?? dutyUntil;
      for (const dead of answer.dead) onDead(dead);
    } catch (error) {
      if (isStopped || !current) return;
      pauses.fail();
      // Another connection may know better, as after a change of the tables.
      lose(current);
      const { message } = error as Error;
      if (isRejection(error)) return connections.warn(`Cannot tell ${name} that this node lives: ${message}`);
      connections.cut();
      connections.warn(`Lost the connection to ${name}: ${message}`);
    } finally {
      isSending = false;
      sentAt = performance.now();
    }
  };
  const timer = setInterval(() => isBusy() || send(), patience.heartbeatMs).unref();
  return {
    async sendIfDue() {
      if (performance.now() > sentAt + patience.heartbeatMs) await send();
    },
    stop() {
      isStopped = true;
      clearInterval(timer);
    },
    joinDuty() {
      isForDuty = true;
    },
    isOnDuty: () => performance.now() < dutyUntil,
  };
}
