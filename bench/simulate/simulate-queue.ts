import type { Build } from '../../data/records/build.ts';
import { decide, replaces } from '../../platform/builds/build-queue.ts';
import { createHeap } from './heap.ts';
import { CHANGES_A_PUSH, coldBuildMs, WAKE_MS, warmBuildMs } from './measured.ts';
import { createTransactions } from './transactions.ts';
import { createTurns } from './turns.ts';
import type { Push, SimulatedProject, Workload } from './workload.ts';

/** What builds, and by which rules. */
export interface Service {
  readonly nodes: number;
  /** Whether a node has a place for quick builds, beside one for any build; a machine of two cores has. */
  readonly hasQuick?: boolean;
  /** By turns of owners, or, to compare with, in the order in which projects have asked. */
  readonly rule: 'owners' | 'first come';
  /** Where a project counts as built before: on nodes that had a turn of it in this time, or, to compare with, everywhere. */
  readonly known: { readonly days: number } | 'everywhere';
}

/** What became of a push. */
export interface PushOutcome {
  readonly push: Push;
  /** Until it was live, without its own build, ms. */
  readonly waitMs: number;
  /** Until it was live, ms. */
  readonly liveMs: number;
}

/** What became of a workload. */
export interface Outcome {
  readonly pushes: readonly PushOutcome[];
  readonly builds: number;
  /** First builds on a node. */
  readonly cold: number;
  /** Builds that were put back. */
  readonly putBack: number;
  /** The part of the time, while pushes came, in which places built. */
  readonly busy: number;
  /** The same of the session that stores changes. */
  readonly storing: number;
}

interface ProjectState {
  readonly project: SimulatedProject;
  /** Oldest first. */
  waiting: readonly Build[];
  running: Build | undefined;
  /** Nodes that have built it while simulated, or were looked at: whether it was known there. */
  readonly nodes: Map<number, boolean>;
}

interface Place {
  readonly node: number;
  readonly isQuick: boolean;
}

/** Nodes that receive pushes. */
export const WEB_NODES = 4;
const QUICK_MS = 5_000;
/** How often a build that takes long looks whether others wait, ms; see `SURPLUS_MS` of `quick-places.ts`. */
const SURPLUS_MS = 1_000;
const PUT_BACK = 'Others could be built quickly';

/**
 * Runs a workload through the queue of several nodes, as `platform/builds/shared-queue.ts` does: its decisions are imported, its
 * arrows are those of `build-queue.ts`, and each of its changes takes its time in the one order in which all nodes make changes. It
 * knows nothing of earlier builds: each is tried in a place for quick ones, in the order of turns.
 */
export function simulateQueue({ pushes, random }: Workload, { nodes, hasQuick = true, rule, known }: Service): Outcome {
  const events = createHeap<{ readonly ms: number; readonly order: number; readonly happen: (ms: number) => void }>(
    (a, b) => (a.ms === b.ms ? a.order < b.order : a.ms < b.ms),
  );
  const turns = createTurns();
  const states = new Map<string, ProjectState>();
  const pushesOf = new Map<string, Push[]>();
  const idle: Place[] = Array.from({ length: nodes }, (_, node) =>
    (hasQuick ? [true, false] : [false]).map((isQuick) => ({ node, isQuick })),
  ).flat();
  const outcomes: PushOutcome[] = [];
  const lastMs = pushes.at(-1)?.ms ?? 0;
  const counts = { builds: 0, cold: 0, putBack: 0, busyMs: 0, storingMs: 0 };
  let order = 0;

  const at = (ms: number, happen: (ms: number) => void): void => events.push({ ms, order: order++, happen });
  const store = createTransactions({ at, onRun: (from, to) => add('storingMs', from, to) });
  /** Adds a span of the time while pushes come. */
  const add = (name: 'busyMs' | 'storingMs', from: number, to: number): void => {
    counts[name] += Math.max(0, Math.min(to, lastMs) - Math.min(from, lastMs));
  };
  /** Asks for the turn that follows from what waits and runs, see `changeOpen` of `data/records/build.ts`. */
  const ask = ({ project, waiting, running }: ProjectState, isUsed = false): void => {
    const owner = rule === 'owners' ? project.owner : project.name;
    turns.write({
      ...{ project: project.name, owner, isUsed, isHeld: running !== undefined },
      ...{ isWaiting: waiting.length > 0, speed: (waiting[0]?.reason ?? '') === '' ? 'unknown' : 'slow' },
    });
  };

  let next = 0;
  const receive = (ms: number): void => {
    const push = pushes[next++]!;
    if (pushes[next]) at(pushes[next]!.ms, receive);
    store(nodes + Math.floor(random() * WEB_NODES), ms, (now) => request(push, now));
  };
  if (pushes[0]) at(pushes[0].ms, receive);
  for (let event = events.pop(); event; event = events.pop()) event.happen(event.ms);
  // All places are idle in the end.
  return {
    ...{ pushes: outcomes, builds: counts.builds, cold: counts.cold, putBack: counts.putBack },
    ...{ busy: counts.busyMs / lastMs / idle.length, storing: counts.storingMs / lastMs },
  };

  function request(push: Push, ms: number): void {
    const { project, ref } = push;
    const state = states.get(project.name) ?? { project, waiting: [], running: undefined, nodes: new Map() };
    states.set(project.name, state);
    const asked = { project: project.name, ref, commit: '', cause: 'webhook' } as const;
    const { build, superseded } = decide(asked, state.waiting, new Date(ms));
    const others = state.waiting.filter((one) => one.id !== build.id && !superseded.includes(one));
    state.waiting = [...others, build].sort((a, b) => (a.id < b.id ? -1 : 1));
    for (const one of superseded) move(one, build);
    pushesOf.set(build.id, [...(pushesOf.get(build.id) ?? []), push]);
    ask(state);
    at(ms + WAKE_MS, dispatch);
  }

  /** Gives turns to places, of which any may be the first to ask. */
  function dispatch(ms: number): void {
    const asking = idle.splice(0);
    while (asking.length > 0 && turns.size > 0) {
      const i = Math.floor(random() * asking.length);
      const place = asking[i]!;
      asking[i] = asking.at(-1)!;
      asking.pop();
      const name = turns.take(place.isQuick);
      if (name === undefined) idle.push(place);
      else store(place.node, ms, (now) => begin(states.get(name)!, place, now));
    }
    idle.push(...asking);
  }

  function begin(state: ProjectState, place: Place, ms: number): void {
    const [build, ...waiting] = state.waiting;
    // Another place was faster, with a turn that was asked for while this one was taken.
    if (state.running || !build) {
      if (!state.running) ask(state, true);
      idle.push(place);
      dispatch(ms);
      return;
    }
    state.running = build;
    state.waiting = waiting;
    ask(state, true);
    const isKnown = isKnownAt(state, place.node);
    const workMs = (isKnown ? warmBuildMs : coldBuildMs)(state.project);
    const endMs = ms + workMs;
    /** Lets the place go, and the next build begin. */
    const end = (now: number, change: (stored: number) => void): void => {
      add('busyMs', ms, now);
      state.running = undefined;
      change(now);
      ask(state);
      idle.push(place);
      dispatch(now);
    };
    const finish = (now: number): void => {
      // That it uploads, which nobody waits for long, and its end.
      for (let i = 3; i < CHANGES_A_PUSH; i++) store(place.node, now, () => {});
      store(place.node, now, (stored) => {
        end(stored, () => {
          counts.builds++;
          if (!isKnown) counts.cold++;
          state.nodes.set(place.node, true);
          for (const push of pushesOf.get(build.id) ?? []) {
            const liveMs = stored - push.ms;
            outcomes.push({ push, liveMs, waitMs: liveMs - workMs });
          }
          pushesOf.delete(build.id);
        });
      });
    };
    const look = (now: number): void => {
      if (turns.size === 0) watch(now + SURPLUS_MS);
      else store(place.node, now, (stored) => end(stored, () => putBack(state, build)));
    };
    /** A build that takes longer than others should wait for it looks for them now and then. */
    function watch(lookMs: number): void {
      if (place.isQuick && lookMs < endMs) at(lookMs, look);
      else at(endMs, finish);
    }
    watch(ms + QUICK_MS);
  }

  /** Lets a build wait again, unless one that was requested meanwhile does its work. */
  function putBack(state: ProjectState, build: Build): void {
    counts.putBack++;
    const newer = state.waiting.find((one) => replaces(one, build));
    if (newer) move(build, newer);
    else state.waiting = [{ ...build, reason: PUT_BACK }, ...state.waiting];
  }

  /** The pushes of one build are those of another one now. */
  function move(from: Build, to: Build): void {
    const moved = pushesOf.get(from.id) ?? [];
    pushesOf.delete(from.id);
    pushesOf.set(to.id, [...moved, ...(pushesOf.get(to.id) ?? [])]);
  }

  /** Returns whether a node has built a project before: by chance, one of the nodes had each of its earlier turns. */
  function isKnownAt({ project, nodes: seen }: ProjectState, node: number): boolean {
    if (known === 'everywhere') return true;
    const found = seen.get(node) ?? random() < 1 - Math.exp((-project.rate * known.days * 86_400) / nodes);
    seen.set(node, found);
    return found;
  }
}
