import type { Nodes, QuickChoice } from '../../data/nodes.ts';
import type { Build } from '../../data/records/build.ts';
import type { Speed } from '../../data/transaction.ts';
import { firmMs, PASSES, type Pace, paceOf, trustedMs } from './build-pace.ts';
import type { Running } from './build-runner.ts';

/** Decides for the places for quick builds of one node of several what they take, and which of their builds makes way for others. */
export interface QuickPlaces {
  /** Returns which turns a place takes next. Rejects with what the database reports. */
  choose(): Promise<QuickChoice>;
  /** Watches a build that has begun in such a place, by what is known of it and of the last one like it. */
  enter(run: Running, known: { readonly speed: Speed; readonly pace: Pace | undefined }): void;
  /** Forgets a run, if it is in such a place; `ended` is its build, where that has ended by itself or waits again. */
  leave(run: Running, ended: Build | undefined): void;
  /** Looks soon whether something quick waits; to be called when builds have changed. */
  hear(): void;
}

interface Place {
  readonly speed: Speed;
  readonly sinceMs: number;
  /** How long it counts as known to be quick, ms. */
  readonly trustedMs: number;
  /** It does not give way before it has had some time. */
  isFirm: boolean;
  readonly timers: NodeJS.Timeout[];
}

/** How often a build that may have to make way looks whether others wait, ms. */
export const SURPLUS_MS = 1_000;
/** How long a new turn is left to places that are free, at any node, before builds look whether they have to make way, ms. */
export const GRACE_MS = 100;
/** A build makes way only for a turn that has waited at least this long, ms: less than `GRACE_MS`, so that the first look sees it. */
export const WAITED_MS = 80;

/**
 * Creates the places of a node. They do what `createBuildPlaces` does in a service of one process, by the same rules, as far as a
 * node can know: each counts for itself how often what is not known was passed, so that one of those has its turn on
 * every node after `PASSES` quick ones. Of several nodes one makes way for a quick build, see `Nodes.claimQuick`.
 */
export function createQuickPlaces(options: {
  readonly nodes: Pick<Nodes, 'findWaiting' | 'claimQuick'>;
  /** How long a build is quick. */
  readonly quickMs: () => number;
  /** Ends a run, which waits again then. */
  readonly onSurplus: (run: Running, end: 'put back' | 'gave way') => void;
  readonly onError: (error: unknown) => void;
}): QuickPlaces {
  const { nodes, quickMs, onSurplus, onError } = options;
  const all = new Map<Running, Place>();
  /** How often others were passed since one of them had its turn. */
  let passes = 0;
  /** What was chosen last was chosen before others that waited. */
  let isContested = false;
  let isLooking = false;

  const lookAfter = (run: Running, place: Place, ms: number): void =>
    void place.timers.push(setTimeout(() => look(run, place).catch(onError), ms).unref());

  async function look(run: Running, place: Place): Promise<void> {
    const isOver = (): boolean => run.isPublished || run.end !== undefined || !all.has(run);
    const ageMs = (): number => performance.now() - place.sinceMs;
    const wasQuick = place.speed === 'quick';
    if (isOver() || (wasQuick && ageMs() < place.trustedMs)) return;
    const waiting = await nodes.findWaiting(WAITED_MS);
    if (isOver()) return;
    if (ageMs() >= quickMs()) {
      if (waiting.quick || waiting.unknown) onSurplus(run, 'put back');
      return;
    }
    if (!waiting.quick) return;
    if (!wasQuick && !place.isFirm && passes >= PASSES) {
      place.isFirm = true;
      passes = 0;
      lookAfter(run, place, firmMs(quickMs()) - ageMs());
    }
    if (place.isFirm && ageMs() < firmMs(quickMs())) return;
    if (!(await nodes.claimQuick(WAITED_MS)) || isOver()) return;
    onSurplus(run, place.isFirm ? 'put back' : 'gave way');
  }

  return {
    async choose() {
      const { quick, unknown } = await nodes.findWaiting(0);
      isContested = quick && unknown;
      if (!isContested) return 'both';
      return passes < PASSES ? 'quick' : 'unknown';
    },
    enter(run, { speed, pace }) {
      const isFirm = speed !== 'quick' && passes >= PASSES;
      if (isFirm) passes = 0;
      else if (speed === 'quick' && isContested) passes++;
      const trusted = trustedMs(quickMs(), pace?.ms ?? 0);
      const place: Place = { speed, sinceMs: performance.now(), trustedMs: trusted, isFirm, timers: [] };
      all.set(run, place);
      if (speed === 'quick' && trusted < quickMs()) lookAfter(run, place, trusted);
      if (isFirm) lookAfter(run, place, firmMs(quickMs()));
      lookAfter(run, place, quickMs());
      place.timers.push(setInterval(() => look(run, place).catch(onError), SURPLUS_MS).unref());
      // Something quick may wait already, where another node was faster with what was chosen.
      if (speed !== 'quick') lookAfter(run, place, GRACE_MS);
    },
    leave(run, ended) {
      const place = all.get(run);
      if (!place) return;
      for (const timer of place.timers) clearTimeout(timer);
      all.delete(run);
      if (place.speed !== 'quick' && ended && paceOf(ended, quickMs())) passes = 0;
    },
    hear() {
      if (all.size === 0 || isLooking) return;
      isLooking = true;
      setTimeout(() => {
        isLooking = false;
        for (const [run, place] of all) look(run, place).catch(onError);
      }, GRACE_MS).unref();
    },
  };
}
