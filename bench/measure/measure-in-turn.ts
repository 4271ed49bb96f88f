import { execFileSync } from 'node:child_process';
import type { ProcessRun } from './run-process.ts';
import { waitForCalm } from './wait-for-calm.ts';

/** Something that is measured several times. */
export interface Contender<Run extends ProcessRun = ProcessRun> {
  readonly name: string;
  /** Runs in each round; default 1. */
  readonly perRound?: number;
  /** Brings everything into the state the run starts from; not measured. */
  readonly prepare?: () => void | Promise<void>;
  readonly run: () => Promise<Run>;
}

/** How to measure. */
export interface MeasureOptions {
  readonly rounds: number;
  /** Waits before each run until nothing else runs, and repeats runs that others disturbed. */
  readonly calm: boolean;
  readonly say: (text: string) => void;
}

const CALM_LIMIT_MS = 60_000;
/** A run is disturbed when others used more than this part of the machine. */
const DISTURBED_SHARE = 0.05;
const MAX_TRIES = 3;

/**
 * Measures contenders in turn, one round after the other, so that what disturbs the machine for a while hits all of
 * them. Before each run, waits until the disk has done what earlier ones left it to do. Returns the runs of each by name, in
 * their order.
 */
export async function measureInTurn<Run extends ProcessRun>(
  contenders: readonly Contender<Run>[],
  options: MeasureOptions,
): Promise<ReadonlyMap<string, readonly Run[]>> {
  const { rounds, say } = options;
  const runs = new Map<string, Run[]>(contenders.map(({ name }) => [name, []]));
  for (let round = 1; round <= rounds; round++) {
    for (const contender of contenders) {
      for (let i = 0; i < (contender.perRound ?? 1); i++) {
        const run = await measureOnce(contender, options);
        runs.get(contender.name)!.push(run);
        say(`${contender.name}, round ${round} of ${rounds}: ${describe(run)}`);
      }
    }
  }
  return runs;
}

/** Returns a run; when calm is asked for, the least disturbed of some tries. */
async function measureOnce<Run extends ProcessRun>(
  { prepare, run, name }: Contender<Run>,
  { calm, say }: MeasureOptions,
): Promise<Run> {
  let best: Run | undefined;
  for (let attempt = 1; attempt <= (calm ? MAX_TRIES : 1); attempt++) {
    await prepare?.();
    execFileSync('sync');
    if (calm && !(await waitForCalm(CALM_LIMIT_MS))) say('The machine does not become calm');
    const result = await run();
    if (!best || result.disturbance < best.disturbance) best = result;
    if (best.disturbance <= DISTURBED_SHARE) return best;
    if (calm) say(`${name}: try ${attempt} was disturbed: ${describe(result)}`);
  }
  return best!;
}

function describe({ ms, disturbance }: ProcessRun): string {
  return `${Math.round(ms)} ms, others used ${Math.round(disturbance * 100)} % of the machine`;
}
