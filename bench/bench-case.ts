import type { Corpus } from './corpus/open-corpus.ts';
import type { ProcessRun } from './measure/run-process.ts';
import { findSpread, type Spread } from './measure/statistics.ts';
import type { Peers } from './peers/open-peers.ts';

/** The tools of cases. */
export interface Bench {
  /** Temporary folder of the case that runs; empty at its start, removed when all is measured. */
  readonly folder: string;
  readonly corpus: Corpus | undefined;
  /** Other generators, when they were asked for. */
  readonly peers: Peers | undefined;
  /** Repetitions of what takes less and more than some seconds. */
  readonly short: number;
  readonly long: number;
  /** Measures when nothing else runs on the machine, see `measureInTurn`. */
  readonly calm: boolean;
  readonly say: (text: string) => void;
}

/** Something that was measured. */
export interface Row {
  readonly name: string;
  /** Wall time of the whole process, ms. */
  readonly ms?: Spread;
  /** Peak memory of all its processes together, bytes. */
  readonly peakBytes?: Spread;
  /** Largest part of the machine that others used during a run, 0 to 1. */
  readonly disturbance?: number;
  readonly note?: string;
}

/** A figure that has a target; reached when it is not above the limit. */
export interface Target {
  readonly name: string;
  readonly value: number;
  readonly limit: number;
  readonly unit: '×' | 'ms' | 'MB' | '';
}

export interface CaseResult {
  readonly rows: readonly Row[];
  readonly targets: readonly Target[];
}

/** One case of the bench. */
export interface BenchCase {
  readonly name: string;
  readonly title: string;
  readonly needsCorpus: boolean;
  readonly run: (bench: Bench) => Promise<CaseResult>;
}

/** Sums up the runs of one contender. */
export function toRow(
  name: string,
  runs: readonly ProcessRun[],
  note = '',
): Row & Required<Pick<Row, 'ms' | 'peakBytes'>> {
  return {
    name,
    ms: findSpread(runs.map((run) => run.ms)),
    peakBytes: findSpread(runs.map((run) => run.peakBytes)),
    disturbance: Math.max(...runs.map((run) => run.disturbance)),
    note,
  };
}

/** Returns the corpus; only cases that need it ask for it. */
export function getCorpus(bench: Bench): Corpus {
  if (!bench.corpus) throw new Error('The corpus is not there');
  return bench.corpus;
}
