import { type CallAfter, callAfter } from '../../lib/call-after.ts';
import { CLAIMED_MS, type Lane, OVERTAKEN, type Places, type Turn, type TurnServer, type Turns } from '../turns.ts';

/** Turns in the memory of a process. */
export interface MemoryTurns extends Turns {
  /** Sets what a project waits for; the change can be taken back and made again. */
  write(turn: Turn): { undo(): void; redo(): void };
}

interface Row {
  readonly project: string;
  readonly owner: string;
  readonly lane: Lane;
  readonly isHeld: boolean;
  /** The turn, and who was first in it. */
  readonly number: number;
  readonly place: number;
  /** Since when it could be taken. */
  readonly askedMs: number;
  claimedMs: number;
  /** Who has taken it, and has not used it yet. */
  takenBy: object | undefined;
}

interface Server {
  readonly places: () => Places;
  readonly take: (project: string, place: Lane) => Promise<void>;
  readonly taken: Set<Promise<void>>;
  readonly inUse: Record<Lane, number>;
  /** Pauses that are not over. */
  pauses: number;
}

/** How long after it failed a turn is taken again, ms. */
const RETRY_MS = 1_000;

/** Creates turns that nobody waits for. */
export function createMemoryTurns({
  nowMs = () => performance.now(),
  after = callAfter,
}: {
  readonly nowMs?: () => number;
  readonly after?: CallAfter;
} = {}): MemoryTurns {
  const rows = new Map<string, Row>();
  /** Projects of each owner that wait. */
  const owned = new Map<string, Set<string>>();
  let servers: readonly Server[] = [];
  /** The last turn that was used. */
  let current = 0;
  let lastPlace = 0;
  let isDispatching = false;

  const set = (project: string, row: Row | undefined): void => {
    const before = rows.get(project);
    if (before) {
      const own = owned.get(before.owner);
      own?.delete(project);
      if (own?.size === 0) owned.delete(before.owner);
    }
    if (!row) return void rows.delete(project);
    rows.set(project, row);
    owned.set(row.owner, (owned.get(row.owner) ?? new Set()).add(project));
    dispatchSoon();
  };

  const findNumber = (owner: string): number => {
    let number = current;
    for (const project of owned.get(owner) ?? []) number = Math.max(number, rows.get(project)!.number + 1);
    return number;
  };

  const findFirst = (lanes: readonly Lane[], isFit: (row: Row) => boolean = () => true): Row | undefined => {
    let first: Row | undefined;
    for (const row of rows.values()) {
      if (row.isHeld || row.takenBy || !lanes.includes(row.lane) || !isFit(row)) continue;
      if (!first || row.number < first.number || (row.number === first.number && row.place < first.place)) first = row;
    }
    return first;
  };

  const hasPlace = (server: Server, place: Lane): boolean =>
    server.pauses === 0 && server.inUse[place] < server.places()[place];

  const dispatch = (): void => {
    isDispatching = false;
    for (;;) {
      const long = servers.find((server) => hasPlace(server, 'long'));
      const short = servers.find((server) => hasPlace(server, 'short'));
      if (!long && !short) return;
      const row = findFirst(long ? ['short', 'long'] : ['short']);
      if (!row) return;
      const server = (long ?? short)!;
      begin(server, row, long ? 'long' : 'short');
      // Others are asked first the next time.
      servers = [...servers.filter((one) => one !== server), ...servers.filter((one) => one === server)];
    }
  };

  function dispatchSoon(): void {
    if (isDispatching || servers.length === 0) return;
    isDispatching = true;
    queueMicrotask(dispatch);
  }

  function begin(server: Server, row: Row, place: Lane): void {
    const { project } = row;
    const token = {};
    row.takenBy = token;
    server.inUse[place]++;
    const isUnused = (): boolean => rows.get(project)?.takenBy === token;
    const turn = server.take(project, place).then(
      () => {
        // There is nothing to build: the project is gone.
        if (isUnused()) set(project, undefined);
      },
      () => {
        if (!isUnused()) return;
        after(RETRY_MS, () => {
          if (!isUnused()) return;
          rows.get(project)!.takenBy = undefined;
          dispatchSoon();
        });
      },
    );
    server.taken.add(turn);
    void turn.then(() => {
      server.taken.delete(turn);
      server.inUse[place]--;
      dispatchSoon();
    });
  }

  return {
    write({ project, owner, isUsed, isWaiting, isHeld, lane, isLaneKnown }) {
      const before = rows.get(project);
      if (isUsed && before) current = Math.max(current, before.number);
      const kept = isUsed ? undefined : before;
      const overtaken = isLaneKnown && lane === 'short' ? OVERTAKEN : 0;
      if (isUsed) set(project, undefined);
      const row: Row | undefined = isWaiting
        ? {
            project,
            owner: kept?.owner ?? owner,
            lane,
            isHeld,
            number: kept?.number ?? findNumber(owner),
            place: kept?.place ?? lastPlace++ - overtaken,
            askedMs: kept && !kept.isHeld ? kept.askedMs : nowMs(),
            claimedMs: kept?.claimedMs ?? Number.NEGATIVE_INFINITY,
            takenBy: kept?.takenBy,
          }
        : undefined;
      set(project, row);
      return { undo: () => set(project, before), redo: () => set(project, row) };
    },
    async serve({ places, take }) {
      const server: Server = { places, take, taken: new Set(), inUse: { long: 0, short: 0 }, pauses: 0 };
      servers = [...servers, server];
      dispatchSoon();
      const result: TurnServer = {
        wake: dispatchSoon,
        pause(ms) {
          server.pauses++;
          after(ms, () => {
            server.pauses--;
            dispatchSoon();
          });
        },
        async stop() {
          servers = servers.filter((one) => one !== server);
          await Promise.all(server.taken);
        },
      };
      return result;
    },
    async claim(waitedMs) {
      const now = nowMs();
      const row = findFirst(
        ['short'],
        ({ askedMs, claimedMs }) => askedMs <= now - waitedMs && claimedMs <= now - CLAIMED_MS,
      );
      if (!row) return false;
      row.claimedMs = now;
      return true;
    },
  };
}
