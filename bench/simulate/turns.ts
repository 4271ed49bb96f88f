import type { QuickChoice, WaitingTurns } from '../../data/nodes.ts';
import type { Speed, Turn } from '../../data/transaction.ts';
import { createHeap } from './heap.ts';

/** Turns of projects, as the database keeps them. */
export interface Turns {
  /** Projects that wait and have no build that runs. */
  readonly size: number;
  /** Does what `Nodes.findWaiting` does. */
  findWaiting(ms: number, waitedMs: number): WaitingTurns;
  /** Does what `writeTurn` of `data/postgres/turns.ts` does. */
  write(turn: Turn, ms: number): void;
  /** Returns the project that comes next in any place, or by what a place for quick builds has chosen. */
  take(choice: QuickChoice | 'all'): string | undefined;
  /** Does what `Nodes.claimQuick` does. */
  claimQuick(ms: number, waitedMs: number): boolean;
}

/** What is taken by a choice. */
const TAKEN: Readonly<Record<QuickChoice | 'all', readonly Speed[]>> = {
  ...{ all: ['quick', 'unknown', 'slow'], both: ['quick', 'unknown'], quick: ['quick'], unknown: ['unknown'] },
};
/** How long a turn is claimed, ms. */
const CLAIMED_MS = 2_000;

interface Reservation {
  readonly owner: string;
  readonly turn: number;
  readonly place: number;
}

interface Job extends Reservation {
  readonly project: string;
  readonly speed: Speed;
  readonly askedMs: number;
}

/**
 * Creates the model of `data/postgres/turns.ts`, where the same is SQL; `test/bench/simulate/simulate-queue.test.ts` compares
 * both. A project's job is gone once it is taken; a build that runs holds the turn.
 */
export function createTurns(): Turns {
  const reserved = new Map<string, Reservation>();
  /** The turns of each owner's projects that wait. */
  const ownTurns = new Map<string, Set<number>>();
  const jobs = new Map<string, Job>();
  const isBefore = (a: Reservation, b: Reservation): boolean =>
    a.turn === b.turn ? a.place < b.place : a.turn < b.turn;
  const heaps = {
    quick: createHeap<Job>(isBefore),
    unknown: createHeap<Job>(isBefore),
    slow: createHeap<Job>(isBefore),
  };
  /** In the order in which they were asked for. */
  const asked: Readonly<Record<Speed, Job[]>> = { quick: [], unknown: [], slow: [] };
  /** How many quick jobs there are, and when some of them were claimed, the oldest first. */
  let quick = 0;
  let claimed: number[] = [];
  let current = 0;
  let places = 0;

  const reserve = (project: string, owner: string): Reservation => {
    const known = reserved.get(project);
    if (known) return known;
    const own = ownTurns.get(owner) ?? new Set();
    const turn = Math.max(current, Math.max(...own, -1) + 1);
    own.add(turn);
    ownTurns.set(owner, own);
    const reservation = { owner, turn, place: places++ };
    reserved.set(project, reservation);
    return reservation;
  };
  const release = (project: string): Reservation | undefined => {
    const known = reserved.get(project);
    if (!known) return undefined;
    reserved.delete(project);
    const own = ownTurns.get(known.owner)!;
    own.delete(known.turn);
    if (own.size === 0) ownTurns.delete(known.owner);
    return known;
  };
  /** Returns the first job of a heap, without those that were replaced. */
  const first = (speed: Speed): Job | undefined => {
    const heap = heaps[speed];
    for (;;) {
      const job = heap.peek();
      if (!job || jobs.get(job.project) === job) return job;
      heap.pop();
    }
  };

  const hasWaited = (speed: Speed, untilMs: number): boolean => {
    const list = asked[speed];
    while (list[0] && jobs.get(list[0].project) !== list[0]) list.shift();
    return list[0] !== undefined && list[0].askedMs <= untilMs;
  };
  /** The first turn that a place for quick builds could take: who asks from now on does not come before it. */
  const firstTurn = (): number =>
    Math.min(...TAKEN.both.map((speed) => first(speed)?.turn ?? Number.POSITIVE_INFINITY));

  return {
    get size() {
      return jobs.size;
    },
    findWaiting: (ms, waitedMs) => ({
      quick: hasWaited('quick', ms - waitedMs),
      unknown: hasWaited('unknown', ms - waitedMs),
    }),
    write({ project, owner, isUsed, isWaiting, isHeld, speed }, ms) {
      if (isUsed) current = Math.max(current, Math.min(release(project)?.turn ?? 0, firstTurn()));
      else if (!isWaiting) release(project);
      if (!isWaiting) return;
      const reservation = reserve(project, owner);
      if (isHeld) return;
      const job = { project, speed, askedMs: ms, ...reservation };
      if (jobs.get(project)?.speed === 'quick') quick--;
      if (speed === 'quick') quick++;
      jobs.set(project, job);
      heaps[speed].push(job);
      asked[speed].push(job);
    },
    take(choice) {
      let found: Job | undefined;
      for (const speed of TAKEN[choice]) {
        const job = first(speed);
        if (job && !(found && isBefore(found, job))) found = job;
      }
      if (!found) return undefined;
      heaps[found.speed].pop();
      jobs.delete(found.project);
      if (found.speed === 'quick') {
        quick--;
        claimed.shift();
      }
      return found.project;
    },
    claimQuick(ms, waitedMs) {
      claimed = claimed.filter((at) => ms - at < CLAIMED_MS);
      if (claimed.length >= quick || !hasWaited('quick', ms - waitedMs)) return false;
      claimed.push(ms);
      return true;
    },
  };
}
