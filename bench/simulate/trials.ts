import type { QuickChoice } from '../../data/nodes.ts';
import type { Build } from '../../data/records/build.ts';
import type { Speed } from '../../data/transaction.ts';
import { firmMs, PASSES, type Pace, paceOf, trustedMs } from '../../platform/builds/build-pace.ts';
import { GRACE_MS, SURPLUS_MS, WAITED_MS } from '../../platform/builds/quick-places.ts';
import type { Turns } from './turns.ts';

/** A build in a place for quick ones. */
export interface Trial {
  readonly node: number;
  readonly speed: Speed;
  readonly beganMs: number;
  readonly trustedMs: number;
  isFirm: boolean;
  isOver: boolean;
  /** Ends it, so that it waits again. */
  readonly onSurplus: (ms: number, end: 'put back' | 'gave way') => void;
}

/** Places for quick builds of all nodes. */
export interface Trials {
  choose(node: number, ms: number): QuickChoice;
  enter(trial: {
    readonly node: number;
    readonly speed: Speed;
    readonly pace: Pace | undefined;
    readonly ms: number;
    readonly onSurplus: Trial['onSurplus'];
  }): Trial;
  /** `ended` is the build, where it has ended by itself. */
  leave(trial: Trial, ended: Build | undefined): void;
  /** Something has begun to wait. */
  hear(ms: number): void;
}

interface NodeState {
  passes: number;
  isContested: boolean;
}

/** Creates the model of `platform/builds/quick-places.ts`, which runs by timers; its numbers and rules are those of `build-pace.ts`. */
export function createTrials(options: {
  readonly turns: Turns;
  /** How long a build is quick, ms. */
  readonly quickMs: number;
  readonly at: (ms: number, happen: (ms: number) => void) => void;
  readonly random: () => number;
}): Trials {
  const { turns, quickMs, at, random } = options;
  const nodes = new Map<number, NodeState>();
  const all = new Set<Trial>();
  let isHeard = false;
  const stateOf = (node: number): NodeState => {
    const state = nodes.get(node) ?? { passes: 0, isContested: false };
    nodes.set(node, state);
    return state;
  };

  function look(trial: Trial, ms: number): void {
    const ageMs = ms - trial.beganMs;
    const wasQuick = trial.speed === 'quick';
    if (trial.isOver || (wasQuick && ageMs < trial.trustedMs)) return;
    const { quick, unknown } = turns.findWaiting(ms, WAITED_MS);
    if (ageMs >= quickMs) {
      if (quick || unknown) surplus(trial, ms, 'put back');
      return;
    }
    if (!quick) return;
    const state = stateOf(trial.node);
    if (!wasQuick && !trial.isFirm && state.passes >= PASSES) {
      trial.isFirm = true;
      state.passes = 0;
      at(trial.beganMs + firmMs(quickMs), (now) => look(trial, now));
    }
    if (trial.isFirm && ageMs < firmMs(quickMs)) return;
    if (turns.claimQuick(ms, WAITED_MS)) surplus(trial, ms, trial.isFirm ? 'put back' : 'gave way');
  }

  function surplus(trial: Trial, ms: number, end: 'put back' | 'gave way'): void {
    trial.isOver = true;
    all.delete(trial);
    trial.onSurplus(ms, end);
  }

  function watch(trial: Trial, ms: number): void {
    at(ms + SURPLUS_MS, (now) => {
      look(trial, now);
      if (!trial.isOver) watch(trial, now);
    });
  }

  return {
    choose(node, ms) {
      const { quick, unknown } = turns.findWaiting(ms, 0);
      const state = stateOf(node);
      state.isContested = quick && unknown;
      if (!state.isContested) return 'both';
      return state.passes < PASSES ? 'quick' : 'unknown';
    },
    enter({ node, speed, pace, ms, onSurplus }) {
      const state = stateOf(node);
      const isFirm = speed !== 'quick' && state.passes >= PASSES;
      if (isFirm) state.passes = 0;
      else if (speed === 'quick' && state.isContested) state.passes++;
      const trusted = trustedMs(quickMs, pace?.ms ?? 0);
      const trial: Trial = { node, speed, beganMs: ms, trustedMs: trusted, isFirm, isOver: false, onSurplus };
      all.add(trial);
      const times = [quickMs, ...(speed === 'quick' ? [trusted] : [GRACE_MS]), ...(isFirm ? [firmMs(quickMs)] : [])];
      for (const after of times) if (after <= quickMs) at(ms + after, (now) => look(trial, now));
      watch(trial, ms);
      return trial;
    },
    leave(trial, ended) {
      trial.isOver = true;
      all.delete(trial);
      if (trial.speed !== 'quick' && ended && paceOf(ended, quickMs)) stateOf(trial.node).passes = 0;
    },
    hear(ms) {
      if (isHeard || all.size === 0) return;
      isHeard = true;
      at(ms + GRACE_MS, (now) => {
        isHeard = false;
        if (!turns.findWaiting(now, WAITED_MS).quick) return;
        // Any node may be the first to look.
        for (const [, trial] of [...all].map((trial) => [random(), trial] as const).sort(([a], [b]) => a - b)) {
          look(trial, now);
        }
      });
    },
  };
}
