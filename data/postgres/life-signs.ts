import type { Nodes } from '../nodes.ts';
import { type Connections, isRejection } from './connections.ts';
import type { NodeSession } from './node-session.ts';
import { giveSign } from './node-table.ts';
import { createPauses } from './pauses.ts';

/** Longest pause between signs that fail one after the other; other nodes take over after 20 of them. */
const MAX_PAUSE_SIGNS = 15;

/** Signs that a node lives, and the duty that they keep. */
export interface LifeSigns extends Pick<Nodes, 'joinDuty' | 'isOnDuty'> {
  /** Gives a sign, unless the last one was a moment ago. */
  giveIfDue(): Promise<void>;
  /** Gives no more signs. */
  stop(): void;
}

/** Creates the signs of a node, which it gives while it has nothing else to do; they find out early that a connection is gone. */
export function createLifeSigns(context: {
  readonly connections: Connections;
  readonly node: number;
  /** Returns the session of the node, opened again where it was lost; undefined while others do that. */
  readonly findSession: () => Promise<NodeSession> | undefined;
  /** Returns whether changes are being made, which find out by themselves. */
  readonly isBusy: () => boolean;
  readonly lose: (session: NodeSession) => void;
  /** Called for nodes that are dead, every second until they are marked. */
  readonly onDead: (node: number) => void;
  /** Called where records were written by nodes that do not know all indexes. */
  readonly onNoted: () => void;
}): LifeSigns {
  const { connections, node, findSession, isBusy, lose, onDead, onNoted } = context;
  const { name, patience } = connections;
  const pauses = createPauses({ firstMs: patience.signMs, maxMs: MAX_PAUSE_SIGNS * patience.signMs });
  let givenAt = performance.now();
  let isGiving = false;
  let isStopped = false;
  let isForDuty = false;
  let dutyUntil = 0;

  const give = async (): Promise<void> => {
    const finding = isGiving || pauses.isPausing() ? undefined : findSession();
    if (!finding) return;
    isGiving = true;
    let current: NodeSession | undefined;
    try {
      current = await finding;
      const sign = await giveSign(current, { node, patience, isForDuty });
      pauses.succeed();
      dutyUntil = sign.dutyUntil ?? dutyUntil;
      for (const dead of sign.dead) onDead(dead);
      if (sign.isNoted) onNoted();
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
      isGiving = false;
      givenAt = performance.now();
    }
  };
  const timer = setInterval(() => isBusy() || give(), patience.signMs).unref();
  return {
    async giveIfDue() {
      if (performance.now() > givenAt + patience.signMs) await give();
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
