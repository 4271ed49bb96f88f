import { statfsSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { PostgresProxy } from '../../test/helpers/serve-postgres-proxy.ts';
import type { S3Fault } from '../../test/helpers/serve-s3.ts';
import type { Random } from '../corpus/random.ts';
import type { Fleet, FleetNode } from './open-fleet.ts';

/** A fault that has been brought about. */
export interface Injected {
  /** The fault, and whom it has met. */
  readonly label: string;
  /** From when on the service has to recover, by `performance.now()`. */
  readonly fromMs: number;
  /** Is of no use until `heal`; the others have to do without it. */
  readonly without?: FleetNode;
  /** Repairs what was broken; undefined where it repairs itself, or was repaired. */
  heal?(): Promise<void>;
}

/** A kind of fault. */
export interface FaultKind {
  readonly name: string;
  /** Returns the part of the fleet that it needs and that this machine lacks; undefined = none. */
  missing?(fleet: Fleet): string | undefined;
  inject(fleet: Fleet, random: Random): Promise<Injected>;
}

/** Faults that are over when the service has to recover last so long, ms. */
const LEAST_MS = 500;
const MOST_MS = 8_000;

const hold = (random: Random): Promise<void> => sleep(LEAST_MS + random.number(MOST_MS - LEAST_MS));
const now = (): number => performance.now();
const nodesOf = ({ webs, builds }: Fleet): readonly FleetNode[] => [...webs, ...builds];

/** Kills a node; every second one is started again at once, others when the service has recovered without them. */
const kill = (role: 'web' | 'build'): FaultKind => ({
  name: `kill -9 of a ${role} node`,
  async inject(fleet, random) {
    const node = random.pick(role === 'web' ? fleet.webs : fleet.builds);
    const fromMs = now();
    await node.kill();
    const label = `${node.name} killed`;
    if (random.number(2) === 0) return { label, fromMs, without: node, heal: () => node.start() };
    node.start().catch(() => {});
    return { label: `${label}, started again at once`, fromMs };
  },
});

/** Takes a node to another release, as an operator does; `number` counts from 0. */
const upgrade = (role: 'web' | 'build', number: number): FaultKind => ({
  name: `upgrade of ${role} node ${number + 1}`,
  async inject({ webs, builds }) {
    const node = (role === 'web' ? webs : builds)[number]!;
    const fromMs = now();
    await node.upgrade();
    return { label: `${node.name} runs the new release after ${describe(fromMs)}`, fromMs };
  },
});

/** Takes all nodes of a service to another release, one after the other: of each role in turn, so that all pairs of releases meet. */
export function listUpgrades(webs: number, builds: number): readonly FaultKind[] {
  return Array.from({ length: Math.max(webs, builds) }, (_, i) => [
    ...(i < webs ? [upgrade('web', i)] : []),
    ...(i < builds ? [upgrade('build', i)] : []),
  ]).flat();
}

/** Freezes a node, for a moment or until the service has recovered without it. */
const freeze = (role: 'web' | 'build'): FaultKind => ({
  name: `SIGSTOP of a ${role} node`,
  async inject(fleet, random) {
    const node = random.pick(role === 'web' ? fleet.webs : fleet.builds);
    const fromMs = now();
    node.freeze();
    if (random.number(3) === 0) {
      return { label: `${node.name} frozen`, fromMs, without: node, heal: async () => node.thaw() };
    }
    await hold(random);
    node.thaw();
    return { label: `${node.name} frozen for ${describe(fromMs)}`, fromMs: now() };
  },
});

const s3Fault = (name: string, fault: S3Fault): FaultKind => ({
  name: `S3 ${name}`,
  async inject({ s3 }, random) {
    const startMs = now();
    s3.fault = () => fault;
    await hold(random);
    s3.fault = undefined;
    // What hangs goes on hanging: that is the client's to notice.
    return { label: `S3 ${name} for ${describe(startMs)}`, fromMs: now() };
  },
});

/** Ends a node as a supervisor does, and starts it again. */
const restart = (role: 'web' | 'build'): FaultKind => ({
  name: `SIGTERM of a ${role} node`,
  async inject(fleet, random) {
    const node = random.pick(role === 'web' ? fleet.webs : fleet.builds);
    const fromMs = now();
    await node.upgrade();
    return { label: `${node.name} stopped and started within ${describe(fromMs)}`, fromMs };
  },
});

/** Does something to connections of one node, or of all. */
const databaseFault = (name: string, spoil: (database: PostgresProxy) => void): FaultKind => ({
  name: `PostgreSQL ${name}`,
  async inject(fleet, random) {
    const nodes = random.number(2) === 0 ? nodesOf(fleet) : [random.pick(nodesOf(fleet))];
    const startMs = now();
    for (const { database } of nodes) spoil(database);
    await hold(random);
    for (const { database } of nodes) database.delay(0);
    return { label: `PostgreSQL ${name} for ${nodes.length} nodes, ${describe(startMs)}`, fromMs: now() };
  },
});

const fillDisk = (role: 'web' | 'build'): FaultKind => ({
  name: `disk of a ${role} node full`,
  missing: ({ hasSmallDisks }) => (hasSmallDisks ? undefined : 'the right to mount a disk'),
  async inject(fleet, random) {
    const node = random.pick(role === 'web' ? fleet.webs : fleet.builds);
    const startMs = now();
    const filler = join(node.baseFolder, 'filler');
    fill(filler, node.baseFolder);
    await hold(random);
    await rm(filler);
    return { label: `disk of ${node.name} full for ${describe(startMs)}`, fromMs: now() };
  },
});

/** All kinds. */
export const FAULT_KINDS: readonly FaultKind[] = [
  kill('web'),
  kill('build'),
  freeze('web'),
  freeze('build'),
  {
    name: 'PostgreSQL stopped',
    async inject({ cluster }, random) {
      const startMs = now();
      await cluster.stop();
      await hold(random);
      await cluster.start();
      return { label: `PostgreSQL stopped for ${describe(startMs)}`, fromMs: now() };
    },
  },
  {
    name: 'connections to PostgreSQL cut',
    async inject(fleet, random) {
      const nodes = random.number(2) === 0 ? nodesOf(fleet) : [random.pick(nodesOf(fleet))];
      for (const { database } of nodes) database.cut();
      return { label: `connections of ${nodes.map(({ name }) => name).join(', ')} cut`, fromMs: now() };
    },
  },
  {
    name: 'connections to PostgreSQL half-open',
    async inject(fleet, random) {
      const nodes = random.number(2) === 0 ? nodesOf(fleet) : [random.pick(nodesOf(fleet))];
      for (const { database } of nodes) database.freeze();
      return { label: `connections of ${nodes.map(({ name }) => name).join(', ')} hang`, fromMs: now() };
    },
  },
  {
    name: 'a node cut off from PostgreSQL',
    async inject(fleet, random) {
      const node = random.pick(nodesOf(fleet));
      const fromMs = now();
      if (random.number(2) === 0) node.database.freeze();
      node.database.swallow();
      if (random.number(3) === 0) {
        const heal = async () => node.database.restore();
        return { label: `${node.name} cut off from PostgreSQL`, fromMs, without: node, heal };
      }
      await hold(random);
      node.database.restore();
      return { label: `${node.name} cut off from PostgreSQL for ${describe(fromMs)}`, fromMs: now() };
    },
  },
  s3Fault('answers 500', 500),
  s3Fault('answers 503', 503),
  s3Fault('answers late', { lateMs: 2_000 }),
  s3Fault('never answers', 'never'),
  s3Fault('breaks off', 'cut'),
  s3Fault('answers 5 s late', { lateMs: 5_000 }),
  s3Fault('cuts answers in the middle', 'middle'),
  s3Fault('sends half an answer as all of it', 'half'),
  s3Fault('gets half of what is sent', 'half-sent'),
  databaseFault('answers 5 s late', (database) => database.delay(5_000)),
  databaseFault('cuts answers in the middle', (database) => database.breakOff('cut')),
  databaseFault('is silent in the middle of answers', (database) => database.breakOff('hang')),
  restart('web'),
  restart('build'),
  fillDisk('web'),
  fillDisk('build'),
];

/** Writes what is left of a disk. */
function fill(file: string, folder: string): void {
  const { bavail, bsize } = statfsSync(folder);
  try {
    writeFileSync(file, Buffer.alloc(bavail * bsize + bsize));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
  }
}

function describe(startMs: number): string {
  return `${((now() - startMs) / 1_000).toFixed(1)} s`;
}
