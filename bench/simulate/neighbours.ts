import { createGenerator, type Push, type SimulatedProject, type Workload } from './workload.ts';

const HOUR_MS = 3_600_000;

/** Builds of a node beside pushes to small sites. */
export type Neighbours = 'known' | 'new' | 'flood' | 'medium';

/** In the order of the table. */
export const NEIGHBOURS: Readonly<Record<Neighbours, string>> = {
  known: '20 projects of a minute, each pushed every 10 minutes',
  new: '60 new projects of 30 s, one a minute',
  flood: '200 new projects of 15 s at once',
  medium: 'one project of a minute every 2 minutes, 6 of 3 s every minute',
};

/** Returns whether a push is one of those that wait beside others. */
export function isSmall({ project }: Push): boolean {
  return project.owner === SMALL;
}

const SMALL = 'small';

/** Creates an hour of pushes: to a site of one page every 20 s, and those of its neighbours, which have other owners. */
export function createNeighbours(kind: Neighbours, seed: number): Workload {
  const random = createGenerator(seed);
  const pushes: Push[] = [];
  const create = (name: string, owner: string, values: Partial<SimulatedProject>): SimulatedProject => ({
    name,
    owner,
    rate: 1 / 600,
    pages: 100,
    versions: 3,
    commandMs: 0,
    ...values,
  });
  const push = (ms: number, project: SimulatedProject): void =>
    void pushes.push({ ms, project, ref: 'refs/heads/main' });
  const pushOften = (project: SimulatedProject, everyMs: number): void => {
    for (let ms = 0; ; ) {
      ms -= Math.log(1 - random()) * everyMs;
      if (ms >= HOUR_MS) return;
      push(ms, project);
    }
  };
  pushOften(create('small', SMALL, { pages: 1, versions: 1 }), 20_000);
  if (kind === 'known') {
    for (let i = 0; i < 20; i++) pushOften(create(`long-${i}`, 'long', { commandMs: 60_000 }), 600_000);
  } else if (kind === 'new') {
    for (let i = 0; i < 60; i++) push(random() * HOUR_MS, create(`new-${i}`, 'new', { rate: 0, commandMs: 30_000 }));
  } else if (kind === 'flood') {
    for (let i = 0; i < 200; i++) {
      push(600_000 + random() * 10_000, create(`new-${i}`, 'new', { rate: 0, commandMs: 15_000 }));
    }
  } else {
    pushOften(create('long', 'long', { commandMs: 60_000 }), 120_000);
    for (let i = 0; i < 6; i++) pushOften(create(`medium-${i}`, `medium-${i}`, { commandMs: 2_600 }), 60_000);
  }
  return { pushes: pushes.sort((a, b) => a.ms - b.ms), projects: [], flooder: '', random };
}
