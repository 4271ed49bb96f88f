import type { Build } from '../../data/records/build.ts';
import { learnPace, type Paces, paceBy, speedBy, UNKNOWN } from '../../platform/builds/build-pace.ts';
import { decide, replaces } from '../../platform/builds/build-queue.ts';
import { GAVE_WAY, PUT_BACK } from '../../platform/builds/build-reasons.ts';
import { createHeap } from './heap.ts';
import { CHANGES_A_PUSH, coldBuildMs, WAKE_MS, warmBuildMs } from './measured.ts';
import { createTransactions } from './transactions.ts';
import { createTrials, type Trial } from './trials.ts';
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
  /** Builds in places for quick ones that were put back, since they were not. */
  readonly putBack: number;
  /** Builds that were not known to be quick and gave way to one that was. */
  readonly gaveWay: number;
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
  /** What is known of its last builds. */
  paces: Paces;
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

/**
 * Runs a workload through the queue of several nodes, as `platform/builds/shared-queue.ts` does: its decisions are imported, its
 * arrows are those of `build-queue.ts`, and each of its changes takes its time in the one order in which all nodes make changes.
 * What is known of a project at the beginning is how long its last build took, which was as long ago as its pushes are apart.
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
  const counts = { builds: 0, cold: 0, putBack: 0, gaveWay: 0, busyMs: 0, storingMs: 0 };
  let order = 0;

  const at = (ms: number, happen: (ms: number) => void): void => events.push({ ms, order: order++, happen });
  const trials = createTrials({ turns, quickMs: QUICK_MS, at, random });
  const store = createTransactions({ at, onRun: (from, to) => add('storingMs', from, to) });
  /** Adds a span of the time while pushes come. */
  const add = (name: 'busyMs' | 'storingMs', from: number, to: number): void => {
    counts[name] += Math.max(0, Math.min(to, lastMs) - Math.min(from, lastMs));
  };
  /** Asks for the turn that follows from what waits and runs, see `changeOpen` of `data/records/build.ts`. */
  const ask = ({ project, waiting, running, paces }: ProjectState, nowMs: number, isUsed = false): void => {
    const owner = rule === 'owners' ? project.owner : project.name;
    const [oldest] = waiting;
    turns.write(
      {
        ...{ project: project.name, owner, isUsed, isHeld: running !== undefined, isWaiting: waiting.length > 0 },
        speed: oldest ? speedBy(paces, oldest, { quickMs: QUICK_MS, nowMs }) : 'unknown',
      },
      nowMs,
    );
    trials.hear(nowMs);
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
    ...{ pushes: outcomes, builds: counts.builds, cold: counts.cold, putBack: counts.putBack, gaveWay: counts.gaveWay },
    ...{ busy: counts.busyMs / lastMs / idle.length, storing: counts.storingMs / lastMs },
  };

  function request(push: Push, ms: number): void {
    const { project, ref } = push;
    const state = states.get(project.name) ?? createState(project);
    states.set(project.name, state);
    const asked = { project: project.name, ref, commit: '', cause: 'webhook' } as const;
    const { build, superseded } = decide(asked, state.waiting, new Date(ms));
    const others = state.waiting.filter((one) => one.id !== build.id && !superseded.includes(one));
    state.waiting = [...others, build].sort((a, b) => (a.id < b.id ? -1 : 1));
    for (const one of superseded) move(one, build);
    pushesOf.set(build.id, [...(pushesOf.get(build.id) ?? []), push]);
    ask(state, ms);
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
      const name = turns.take(place.isQuick ? trials.choose(place.node, ms) : 'all');
      if (name === undefined) idle.push(place);
      else store(place.node, ms, (now) => begin(states.get(name)!, place, now));
    }
    idle.push(...asking);
  }

  function begin(state: ProjectState, place: Place, ms: number): void {
    const [build, ...waiting] = state.waiting;
    // Another place was faster, with a turn that was asked for while this one was taken.
    if (state.running || !build) {
      if (!state.running) ask(state, ms, true);
      idle.push(place);
      dispatch(ms);
      return;
    }
    state.running = build;
    state.waiting = waiting;
    ask(state, ms, true);
    const isKnown = isKnownAt(state, place.node);
    const workMs = (isKnown ? warmBuildMs : coldBuildMs)(state.project);
    const trial = place.isQuick ? tryBuild(state, build, place, ms) : undefined;
    at(ms + workMs, (now) => {
      // It was put back meanwhile.
      if (trial?.isOver) return;
      const ended = { ...build, status: 'passing', startedAt: toTime(ms), finishedAt: toTime(now) } as const;
      if (trial) trials.leave(trial, ended);
      // That it uploads, which nobody waits for long, and its end.
      for (let i = 3; i < CHANGES_A_PUSH; i++) store(place.node, now, () => {});
      store(place.node, now, (stored) => {
        counts.builds++;
        if (!isKnown) counts.cold++;
        state.nodes.set(place.node, true);
        state.paces = learnPace(state.paces, ended, QUICK_MS);
        for (const push of pushesOf.get(build.id) ?? []) {
          const liveMs = stored - push.ms;
          outcomes.push({ push, liveMs, waitMs: liveMs - workMs });
        }
        pushesOf.delete(build.id);
        leave(state, place, [ms, stored]);
      });
    });
  }

  /** Lets a place go, and the next build begin. */
  function leave(state: ProjectState, place: Place, [from, to]: readonly [number, number]): void {
    add('busyMs', from, to);
    state.running = undefined;
    ask(state, to);
    idle.push(place);
    dispatch(to);
  }

  /** Watches a build in a place for quick ones. */
  function tryBuild(state: ProjectState, build: Build, place: Place, beganMs: number): Trial {
    const { paces } = state;
    return trials.enter({
      ...{ node: place.node, ms: beganMs, pace: paceBy(paces, build) },
      speed: speedBy(paces, build, { quickMs: QUICK_MS, nowMs: beganMs }),
      onSurplus(ms, end) {
        store(place.node, ms, (stored) => {
          counts[end === 'put back' ? 'putBack' : 'gaveWay']++;
          putBack(state, { ...build, reason: String(end === 'put back' ? PUT_BACK : GAVE_WAY) });
          leave(state, place, [beganMs, stored]);
        });
      },
    });
  }

  /** Lets a build wait again, unless one that was requested meanwhile does its work. */
  function putBack(state: ProjectState, build: Build): void {
    const newer = state.waiting.find((one) => replaces(one, build));
    if (newer) move(build, newer);
    else state.waiting = [build, ...state.waiting];
  }

  /** The pushes of one build are those of another one now. */
  function move(from: Build, to: Build): void {
    const moved = pushesOf.get(from.id) ?? [];
    pushesOf.delete(from.id);
    pushesOf.set(to.id, [...moved, ...(pushesOf.get(to.id) ?? [])]);
  }

  function createState(project: SimulatedProject): ProjectState {
    const pace = { ms: warmBuildMs(project), at: Math.log(1 - random()) / (project.rate / 1_000) };
    const paces = project.rate === 0 ? UNKNOWN : { one: pace, all: undefined };
    return { project, waiting: [], running: undefined, paces, nodes: new Map() };
  }

  /** Returns whether a node has built a project before: by chance, one of the nodes had each of its earlier turns. */
  function isKnownAt({ project, nodes: seen }: ProjectState, node: number): boolean {
    if (known === 'everywhere') return true;
    const found = seen.get(node) ?? random() < 1 - Math.exp((-project.rate * known.days * 86_400) / nodes);
    seen.set(node, found);
    return found;
  }
}

function toTime(ms: number): string {
  return new Date(ms).toISOString();
}
