import { execFileSync } from 'node:child_process';
import type { ProcessRun } from './run-process.ts';

/** Something that is measured several times. */
export interface Contender<Run extends ProcessRun = ProcessRun> {
  readonly name: string;
  /** Runs in each round; default 1. */
  readonly perRound?: number;
  /** Brings everything into the state the run starts from; not measured. */
  readonly prepare?: () => void | Promise<void>;
  readonly run: () => Promise<Run>;
}

/**
 * Measures contenders in turn, one round after the other, so that what disturbs the machine for a while hits all of
 * them. Before each run, waits until the disk has done what earlier ones left it to do. Gives the runs of each by name, in
 * their order.
 */
export async function measureInTurn<Run extends ProcessRun>(
  contenders: readonly Contender<Run>[],
  rounds: number,
  onRun: (text: string) => void,
): Promise<ReadonlyMap<string, readonly Run[]>> {
  const runs = new Map<string, Run[]>(contenders.map(({ name }) => [name, []]));
  for (let round = 1; round <= rounds; round++) {
    for (const { name, perRound = 1, prepare, run } of contenders) {
      for (let i = 0; i < perRound; i++) {
        await prepare?.();
        execFileSync('sync');
        const result = await run();
        runs.get(name)!.push(result);
        onRun(`${name}, round ${round} of ${rounds}: ${Math.round(result.ms)} ms`);
      }
    }
  }
  return runs;
}
