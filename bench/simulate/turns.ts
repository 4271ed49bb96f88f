import type { Turn } from '../../data/transaction.ts';
import { createHeap } from './heap.ts';

/** Turns of projects, as the database keeps them. */
export interface Turns {
  /** Projects that wait and have no build that runs. */
  readonly size: number;
  /** Does what `writeTurn` of `data/postgres/turns.ts` does. */
  write(turn: Turn): void;
  /** Returns the project that comes next; those whose build takes long are passed over in a place for quick ones. */
  take(isQuickPlace: boolean): string | undefined;
}

interface Reservation {
  readonly owner: string;
  readonly turn: number;
  readonly place: number;
}

interface Job extends Reservation {
  readonly project: string;
}

/**
 * Creates the model of `data/postgres/turns.ts`, where the same is SQL; `test/bench/simulate/turns.test.ts` compares both. A project's
 * job is gone once it is taken; a build that runs holds the turn.
 */
export function createTurns(): Turns {
  const reserved = new Map<string, Reservation>();
  /** The turns of each owner's projects that wait. */
  const ownTurns = new Map<string, Set<number>>();
  const jobs = new Map<string, Job>();
  const isBefore = (a: Job, b: Job): boolean => (a.turn === b.turn ? a.place < b.place : a.turn < b.turn);
  const others = createHeap(isBefore);
  const slow = createHeap(isBefore);
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
  const first = (heap: typeof others): Job | undefined => {
    for (;;) {
      const job = heap.peek();
      if (!job || jobs.get(job.project) === job) return job;
      heap.pop();
    }
  };

  return {
    get size() {
      return jobs.size;
    },
    write({ project, owner, isUsed, isWaiting, isHeld, speed }) {
      if (isUsed) current = Math.max(current, release(project)?.turn ?? 0);
      else if (!isWaiting) release(project);
      if (!isWaiting) return;
      const reservation = reserve(project, owner);
      if (isHeld) return;
      const job = { project, ...reservation };
      jobs.set(project, job);
      (speed === 'slow' ? slow : others).push(job);
    },
    take(isQuickPlace) {
      const [one, other] = [first(others), isQuickPlace ? undefined : first(slow)];
      const heap = one && !(other && isBefore(other, one)) ? others : slow;
      const job = heap === others ? one : other;
      if (!job) return undefined;
      heap.pop();
      jobs.delete(job.project);
      return job.project;
    },
  };
}
