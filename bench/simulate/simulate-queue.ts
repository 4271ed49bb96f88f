import { type Build, builds, hasEnded } from '../../data/records/build.ts';
import { projects } from '../../data/records/project.ts';
import { COLLECTIONS, createStore } from '../../data/store.ts';
import { createMemoryTurns } from '../../data/tables/memory-turns.ts';
import { createTables } from '../../data/tables/tables.ts';
import { tx } from '../../data/transaction.ts';
import type { BuildLogs } from '../../platform/builds/build-logs.ts';
import { PUT_BACK } from '../../platform/builds/build-reasons.ts';
import type { BuildQueue } from '../../platform/builds/queue/build-queue.ts';
import type { BuildWork } from '../../platform/builds/queue/build-runner.ts';
import { createBuildQueue } from '../../platform/builds/queue/create-queue.ts';
import { createBuild, createOutcome, createProject } from '../../test/helpers/create-records.ts';
import { CHANGES_A_PUSH, coldBuildMs, WAKE_MS, warmBuildMs } from './measured.ts';
import { createTransactions } from './transactions.ts';
import { createVirtualClock } from './virtual-clock.ts';
import type { Push, SimulatedProject, Workload } from './workload.ts';

/** The nodes that build, and their rules. */
export interface Service {
  readonly nodes: number;
  /** Whether a node has a place for short builds, beside one for any build; a machine of two cores has. */
  readonly hasShort?: boolean;
  /** By turns of owners, or, to compare with, in the order in which projects have asked. */
  readonly rule: 'owners' | 'first come';
  /** Where a project counts as built before: on nodes that had a turn of it in this time, or, to compare with, everywhere. */
  readonly known: { readonly days: number } | 'everywhere';
}

export interface PushOutcome {
  readonly push: Push;
  /** Until it was live, without its own build, ms. */
  readonly waitMs: number;
  /** Until it was live, ms. */
  readonly liveMs: number;
}

export interface Outcome {
  readonly pushes: readonly PushOutcome[];
  readonly builds: number;
  /** First builds on a node. */
  readonly cold: number;
  /** Builds in places for short ones that were put back, since they were not. */
  readonly putBack: number;
  /** The part of the time, while pushes came, in which places built. */
  readonly busy: number;
  /** The same of the session that stores changes. */
  readonly storing: number;
}

/** Nodes that receive pushes. */
export const WEB_NODES = 4;
const SHORT_MS = 5_000;
/** Changes of a push and its build that the queue makes: requested, taken, ended. */
const CHANGES_OF_QUEUE = 3;

/**
 * Runs a workload through the queues of several nodes, which are those of the product, with a clock that does not wait. What is simulated is
 * the database (records and turns are in memory, changes are made one after the other and take their time), and builds, which take
 * theirs. What is known of a project at the beginning is how long its last build took.
 */
export async function simulateQueue(workload: Workload, service: Service): Promise<Outcome> {
  const { pushes, random } = workload;
  const { nodes, hasShort = true, rule, known } = service;
  const clock = createVirtualClock();
  const now = (): Date => new Date(clock.nowMs());
  const tables = createTables(COLLECTIONS, createMemoryTurns(clock));
  const lastMs = pushes.at(-1)?.ms ?? 0;
  const counts = { builds: 0, cold: 0, putBack: 0, busyMs: 0, storingMs: 0 };
  /** Adds a span of the time while pushes come. */
  const add = (name: 'busyMs' | 'storingMs', from: number, to: number): void => {
    counts[name] += Math.max(0, Math.min(to, lastMs) - Math.min(from, lastMs));
  };
  const storeChange = createTransactions({ clock, onRun: (from, to) => add('storingMs', from, to) });
  const outcomes: PushOutcome[] = [];
  const pushesOf = new Map<string, Push[]>();
  const workOf = new Map<string, number>();
  const projectOf = new Map<string, SimulatedProject>();
  /** Nodes that have built a project while simulated, or were looked at: whether it was known there. */
  const seenBy = new Map<string, Map<number, boolean>>();

  const queues = Array.from({ length: nodes + WEB_NODES }, (_, node) => createNode(node, node < nodes));
  for (const queue of queues) await queue.start();
  for (const push of pushes) clock.at(push.ms, () => void request(push));
  await clock.run();
  const places = nodes * (hasShort ? 2 : 1);
  return {
    pushes: outcomes,
    builds: counts.builds,
    cold: counts.cold,
    putBack: counts.putBack,
    busy: counts.busyMs / lastMs / places,
    storing: counts.storingMs / lastMs,
  };

  function createNode(node: number, isBuilding: boolean): BuildQueue {
    const store = createStore({
      turns: {
        ...tables.turns,
        serve: ({ places, take }) =>
          tables.turns.serve({
            places,
            take: (project, place) => wait(WAKE_MS).then(() => take(project, place)),
          }),
      },
      read: async (step) => tables.read(step),
      transact: (step) =>
        new Promise((resolve, reject) => {
          storeChange(node, () => {
            try {
              resolve(tables.transact(step()).value);
            } catch (error) {
              reject(error);
            }
          });
        }),
      close: async () => {},
    });
    return createBuildQueue({
      // What is old is not removed: nobody waits for that.
      store: { ...store, builds: { ...store.builds, prune: async () => [] } },
      nodes: { id: node + 1, listen() {} },
      logs: NO_LOGS,
      isBuilding,
      now,
      after: clock.after,
      places: () => ({ concurrency: 1, quick: hasShort ? 1 : 0, quickMs: SHORT_MS }),
      run: (build, context) => run(node, build, context),
      onChange: observe,
      onWarning: fail,
      onError: fail,
    });
  }

  function wait(ms: number): Promise<void> {
    return new Promise((resolve) => void clock.after(ms, resolve));
  }

  async function request(push: Push): Promise<void> {
    const { project, ref } = push;
    if (!projectOf.has(project.name)) addProject(project);
    const queue = queues[nodes + Math.floor(random() * WEB_NODES)]!;
    const { id } = await queue.request({ project: project.name, ref, commit: '', cause: 'webhook' });
    pushesOf.set(id, [...(pushesOf.get(id) ?? []), push]);
  }

  /** Stores a project, and its last build where it is pushed to now and then. */
  function addProject(project: SimulatedProject): void {
    const { name, rate } = project;
    projectOf.set(name, project);
    const owner = rule === 'owners' ? project.owner : name;
    const url = `https://example.com/${owner}/${name}`;
    tables.transact(tx.put(projects, projects.parse(createProject({ name, url, versions: [] }))));
    if (rate === 0) return;
    const [startedAt, finishedAt] = [new Date(0).toISOString(), new Date(warmBuildMs(project)).toISOString()];
    const last = createBuild({ id: `0${name}`, project: name, status: 'passing', startedAt, finishedAt });
    tables.transact(tx.put(builds, builds.parse(last)));
  }

  async function run(node: number, { id, project: name }: Build, { signal }: Parameters<BuildWork>[1]) {
    const project = projectOf.get(name)!;
    const isKnown = isKnownAt(project, node);
    const workMs = (isKnown ? warmBuildMs : coldBuildMs)(project);
    workOf.set(id, workMs);
    const from = clock.nowMs();
    const isAborted = await new Promise<boolean>((resolve) => {
      const forget = clock.after(workMs, () => resolve(false));
      signal.addEventListener('abort', () => {
        forget();
        resolve(true);
      });
    });
    add('busyMs', from, clock.nowMs());
    if (isAborted) return { status: 'cancelled', reason: 'Cancelled' } as const;
    // That it uploads, which nobody waits for long.
    for (let i = CHANGES_OF_QUEUE; i < CHANGES_A_PUSH; i++) storeChange(node, () => {});
    counts.builds++;
    if (!isKnown) counts.cold++;
    seenBy.get(name)!.set(node, true);
    return createOutcome();
  }

  /** Returns whether a node has built a project before: by chance, one of the nodes had each of its earlier turns. */
  function isKnownAt({ name, rate }: SimulatedProject, node: number): boolean {
    const seen = seenBy.get(name) ?? new Map<number, boolean>();
    seenBy.set(name, seen);
    if (known === 'everywhere') return true;
    const found = seen.get(node) ?? random() < 1 - Math.exp((-rate * known.days * 86_400) / nodes);
    seen.set(node, found);
    return found;
  }

  function observe(build: Build): void {
    const { id, project, ref, status, reason } = build;
    if (status === 'queued' && reason === String(PUT_BACK)) counts.putBack++;
    if (!hasEnded(status)) return;
    const own = pushesOf.get(id) ?? [];
    pushesOf.delete(id);
    if (status === 'superseded') {
      const newer = tables.read(tx.list(builds.indexes.openByProject, project)).find((one) => one.ref === ref)!;
      pushesOf.set(newer.id, [...own, ...(pushesOf.get(newer.id) ?? [])]);
      return;
    }
    for (const push of own) {
      const liveMs = clock.nowMs() - push.ms;
      outcomes.push({ push, liveMs, waitMs: liveMs - workOf.get(id)! });
    }
  }
}

const NO_LOGS: BuildLogs = {
  open: async () => ({ write() {}, close: async () => {} }),
  read: async () => '',
  async *follow() {},
  async writeProblems() {},
  readProblems: async () => [],
  async remove() {},
};

function fail(error: unknown): never {
  throw error instanceof Error ? error : new Error(String(error));
}
