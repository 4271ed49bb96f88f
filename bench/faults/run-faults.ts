import { setTimeout as sleep } from 'node:timers/promises';
import type { ExecutionContext } from 'ava';
import type { S3Server } from '../../test/helpers/s3-server.ts';
import type { Check } from '../attacks/attack.ts';
import { createRandom } from '../corpus/random.ts';
import { createMarkedProject, type MarkedProject } from '../fleet/marked-project.ts';
import type { NodeProcess } from '../fleet/node-process.ts';
import { checkFleet } from './check-fleet.ts';
import type { FaultKind, Injected } from './fault-kinds.ts';
import { type Actions, createActions, HOOK_SECRET, loadFleet } from './load-fleet.ts';
import { type Fleet, openFleet } from './open-fleet.ts';
import { createPageReader, type PageReader } from './read-pages.ts';

/** How long the service took to recover from one kind of fault, each time, ms. */
export interface Recovery {
  readonly kind: string;
  readonly ms: readonly number[];
}

export interface FaultsResult {
  readonly checks: readonly Check[];
  readonly recoveries: readonly Recovery[];
  /** The program that shares requests out among web nodes. */
  readonly balancer: string;
  readonly missing: readonly string[];
}

/** The service works again after this time. */
const RECOVERY_MS = 30_000;
/** Nobody waits longer than this for it. */
const GIVE_UP_MS = 120_000;
const RETRY_MS = 100;
/** The project that a code host announces by hooks, some of which get lost. */
const HOOKED = 'bulletin';

/** Starts a service of several nodes, uses it, and lets faults happen to it, one after the other. */
export async function runFaults(
  t: ExecutionContext,
  options: {
    readonly folder: string;
    readonly s3: S3Server;
    readonly webs: number;
    readonly builds: number;
    readonly kinds: readonly FaultKind[];
    readonly faults: number;
    readonly seed: number;
    readonly say: (text: string) => void;
    /** See `createNodeProcess`. */
    readonly program?: string | undefined;
    /** Called after each fault; true ends the run. */
    readonly isOver?: () => boolean;
  },
): Promise<FaultsResult> {
  const { folder, faults, seed, say, kinds } = options;
  const fleet = await openFleet(t, options);
  const [random, loadRandom] = [createRandom(seed), createRandom(seed + 1)];
  const projects = await Promise.all(
    ['guide', 'manual', 'handbook', HOOKED, 'probe'].map((name, i) =>
      createMarkedProject(folder, { name, isWhole: i % 2 === 0 }),
    ),
  );
  const operations = await fleet.webs[0]!.operations();
  for (const { name, repository } of projects) {
    const hooks = name === HOOKED ? { secret: HOOK_SECRET, poll: '1m' } : {};
    await operations.createProject({ name, settings: { url: repository, showNav: false, ...hooks }, isPublic: true });
    const { id } = await operations.build({ name, all: true });
    const { status, reason } = await operations.waitForBuild({ id });
    if (status !== 'passing') throw new Error(`The first build of ${name} is ${status}: ${reason}`);
  }
  const reader = createPageReader(say);
  const actions = await createActions(fleet, { random: loadRandom, say });
  const [probe, hooked, ...loaded] = projects.toReversed();
  const load = loadFleet(actions, { fleet, reader, projects: loaded, hooked: hooked!, random: loadRandom, say });
  const possible = kinds.filter((kind) => kind.missing?.(fleet) === undefined);
  const recoveries = new Map<string, number[]>(possible.map(({ name }) => [name, []]));
  const recover = createRecovery({ fleet, actions, reader, projects, probe: probe! });
  const note = (kind: string, label: string, { ms, lastSeen }: Recovered): void => {
    const times = recoveries.get(kind) ?? [];
    recoveries.set(kind, [...times, ms]);
    say(`  ${label}: ${(ms / 1_000).toFixed(1)} s${lastSeen}`);
  };
  let done = 0;
  for (; done < faults && !options.isOver?.(); done++) {
    const kind = done < possible.length ? possible[done]! : random.pick(possible);
    // A push is under way when it happens.
    await actions.push(probe!);
    await sleep(random.number(800));
    const { label, fromMs, without, heal } = await kind.inject(fleet, random);
    say(`${done + 1}: ${label}`);
    note(kind.name, 'recovered', await recover({ label, fromMs, ...(without && { without }) }));
    if (heal) {
      const healMs = performance.now();
      await heal();
      note(`${kind.name}, repaired`, 'repaired', await recover({ label, fromMs: healMs }));
    }
  }
  await load.stop();
  const checks = await checkFleet({ fleet, actions, reader, pushMs: load.pushMs, projects });
  const list = [...recoveries].map(([kind, ms]) => ({ kind, ms }));
  const slow = list.filter(({ ms }) => ms.some((one) => one > RECOVERY_MS));
  const recovered: Check = {
    name: `it works again within ${RECOVERY_MS / 1000} s after each of ${done} faults`,
    holds: slow.length === 0,
    seen: slow.map(({ kind, ms }) => `${kind}: ${(Math.max(...ms) / 1_000).toFixed(1)} s`).join('; ') || 'always',
  };
  return {
    checks: [recovered, ...checks],
    recoveries: list,
    balancer: fleet.balancer.name,
    missing: kinds.flatMap((kind) => kind.missing?.(fleet) ?? []),
  };
}

interface Recovered {
  readonly ms: number;
  /** The last events, for the log. */
  readonly lastSeen: string;
}

/** Returns how to wait until everything works again: pushes reach readers at all nodes, and what is stored is stored. */
function createRecovery(context: {
  readonly fleet: Fleet;
  readonly actions: Actions;
  readonly reader: PageReader;
  readonly projects: readonly MarkedProject[];
  /** The project that is pushed to. */
  readonly probe: MarkedProject;
}): (fault: Pick<Injected, 'fromMs' | 'without' | 'label'>) => Promise<Recovered> {
  const { fleet, actions, reader, projects, probe } = context;
  const isLive = async (node: NodeProcess, project: MarkedProject, mark: number): Promise<boolean> =>
    node.isUp() && (await reader.readMark(node.origin, project)) >= mark;
  return async ({ fromMs, without, label }) => {
    const webs = fleet.webs.filter((node) => node !== without);
    const endMs = performance.now() + GIVE_UP_MS;
    const seen = new Map<string, number>();
    const until = async (name: string, isDone: () => Promise<boolean>): Promise<void> => {
      while (!(await isDone().catch(() => false))) {
        if (performance.now() > endMs) {
          actions.problems.add(`After "${label}", ${name} did not happen any more`);
          break;
        }
        await sleep(RETRY_MS);
      }
      seen.set(name, performance.now() - fromMs);
    };
    const works = (work: () => Promise<unknown>) => async () => {
      await work();
      return true;
    };
    const untilLive = (project: MarkedProject, mark: number): Promise<unknown> =>
      Promise.all(
        webs.map((node) =>
          until(`push ${mark} of ${project.name}, at ${node.name}`, () => isLive(node, project, mark)),
        ),
      );
    await Promise.all([
      ...projects.map((project) => untilLive(project, actions.acknowledged.pushes.get(project.name) ?? 0)),
      actions.push(probe).then((mark) => untilLive(probe, mark)),
      until('a short URL', works(actions.shorten)),
      until('a quota take', works(actions.take)),
      until('a login', works(actions.logIn)),
    ]);
    const [name, ms] = [...seen].reduce((last, one) => (one[1] > last[1] ? one : last));
    return { ms, lastSeen: `, last ${name}` };
  };
}
