import type { Nodes } from '../nodes.ts';
import type { Connections } from './connections.ts';
import type { NodeSession } from './node-session.ts';
import { giveSign } from './node-table.ts';

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
  readonly onWarning: (message: string) => void;
}): LifeSigns {
  const { connections, node, findSession, isBusy, lose, onDead, onNoted, onWarning } = context;
  const { name, patience } = connections;
  let givenAt = performance.now();
  let isGiving = false;
  let isStopped = false;
  let isForDuty = false;
  let dutyUntil = 0;

  const give = async (): Promise<void> => {
    const finding = isGiving ? undefined : findSession();
    if (!finding) return;
    isGiving = true;
    let current: NodeSession | undefined;
    try {
      current = await finding;
      const sign = await giveSign(current, { node, patience, isForDuty });
      dutyUntil = sign.dutyUntil ?? dutyUntil;
      for (const dead of sign.dead) onDead(dead);
      if (sign.isNoted) onNoted();
    } catch (error) {
      if (isStopped || !current) return;
      lose(current);
      connections.cut();
      onWarning(`Lost the connection to ${name}: ${(error as Error).message}`);
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
