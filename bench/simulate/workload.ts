import type { Shape } from './measured.ts';

/** A project that receives pushes. */
export interface SimulatedProject extends Shape {
  readonly name: string;
  readonly owner: string;
  /** Pushes a second, on average. */
  readonly rate: number;
}

/** A push to a branch of a project. */
export interface Push {
  readonly ms: number;
  readonly project: SimulatedProject;
  readonly ref: string;
}

/** A service and what is pushed to it, always the same for the same seed. */
export interface Workload {
  readonly projects: readonly SimulatedProject[];
  /** In the order of their times. */
  readonly pushes: readonly Push[];
  /** The owner who pushes to all projects at once. */
  readonly flooder: string;
  /** A number from 0 to 1, for what happens later. */
  readonly random: () => number;
}

export interface WorkloadOptions {
  readonly seed: number;
  readonly projects: number;
  readonly pushesPerSecond: number;
  readonly seconds: number;
  /** An owner with that many projects pushes to all of them within ten seconds from `floodAt` on, in seconds. */
  readonly flood: number;
  readonly floodAt: number;
}

const FLOOD_SECONDS = 10;
/** How unequal pushes are: weights by rank to this power, so that the first hundredth of 100,000 projects has 0.56 of them. */
const PUSH_POWER = 1.05;
/** The part of projects that run a command of some seconds before each build. */
const WITH_COMMAND = 0.01;

/**
 * Creates projects whose sizes, versions and pushes are heavy-tailed: median 20 pages in 3 versions; one in a hundred has more than 650
 * pages, or more than 50 versions. Owners have a median of one project and up to `flood`.
 */
export function createWorkload(options: WorkloadOptions): Workload {
  const { projects: count, pushesPerSecond, seconds, flood, floodAt } = options;
  const random = createGenerator(options.seed);
  const bell = (): number => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  const size = (median: number, spread: number, most: number): number =>
    Math.min(most, Math.max(1, Math.round(median * Math.exp(spread * bell()))));
  const flooder = 'owner-0';
  const owners = createOwners(random, count, flood);
  const weights = owners.map((_, rank) => (rank + 10) ** -PUSH_POWER);
  const sum = weights.reduce((total, weight) => total + weight, 0);
  // Ranks are given by chance, so that sizes and owners say nothing about pushes.
  for (let i = weights.length - 1; i > 0; i--) {
    const other = Math.floor(random() * (i + 1));
    [weights[i], weights[other]] = [weights[other]!, weights[i]!];
  }
  const projects = owners.map(
    (owner, i): SimulatedProject => ({
      name: `project-${i}`,
      owner,
      rate: (pushesPerSecond * weights[i]!) / sum,
      pages: size(20, 1.5, 20_000),
      versions: size(3, 1.2, 500),
      commandMs: random() < WITH_COMMAND ? size(15_000, 0.8, 120_000) : 0,
    }),
  );
  const pushes = createPushes(projects, { random, perMs: pushesPerSecond / 1_000, untilMs: seconds * 1_000 });
  for (const project of projects) {
    if (project.owner !== flooder) continue;
    pushes.push({ ms: (floodAt + random() * FLOOD_SECONDS) * 1_000, project, ref: 'refs/heads/main' });
  }
  return { projects, pushes: pushes.sort((a, b) => a.ms - b.ms), flooder, random };
}

/** Returns the owner of each project. */
function createOwners(random: () => number, count: number, flood: number): string[] {
  const owners: string[] = new Array<string>(Math.min(flood, count)).fill('owner-0');
  for (let owner = 1; owners.length < count; owner++) {
    // Pareto's distribution with exponent 1.2.
    const own = Math.min(flood, count - owners.length, Math.floor((1 - random()) ** (-1 / 1.2)));
    for (let i = 0; i < own; i++) owners.push(`owner-${owner}`);
  }
  return owners;
}

/** Returns pushes that come by chance, as a Poisson process; a fifth is to one of twenty further branches. */
function createPushes(
  projects: readonly SimulatedProject[],
  { random, perMs, untilMs }: { readonly random: () => number; readonly perMs: number; readonly untilMs: number },
): Push[] {
  const ends: number[] = [];
  let end = 0;
  for (const { rate } of projects) {
    end += rate;
    ends.push(end);
  }
  const pushes: Push[] = [];
  for (let ms = 0; ; ) {
    ms -= Math.log(1 - random()) / perMs;
    if (ms >= untilMs) return pushes;
    const project = projects[findPlace(ends, random() * end)]!;
    const branch = random() < 0.2 ? `topic-${Math.floor(random() * 20)}` : 'main';
    pushes.push({ ms, project, ref: `refs/heads/${branch}` });
  }
}

/** Returns the place of the first sum that is above a value. */
function findPlace(sums: readonly number[], value: number): number {
  let [low, high] = [0, sums.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sums[middle]! > value) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Creates a source of numbers from 0 to 1 (mulberry32), whose low bits are as good as the high ones. */
export function createGenerator(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
