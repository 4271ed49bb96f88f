import { BuildError } from '../../builder/index.ts';
import { DataError } from '../../data/data-error.ts';
import type { Build } from '../../data/records/build.ts';
import { findMachineError } from '../../lib/system-error.ts';

/** Codes of the store (`DataError`) and the engine (`BuildError`) for what is no fault of a repository. */
const OURS: ReadonlySet<string> = new Set(['unwritable', 'busy', 'disk-full', 'output-busy']);
/** Those of which nobody can be sure. */
const UNSURE: ReadonlySet<string> = new Set(['network', 'worker']);
/** A build whose process ended so often may be what ends it; until then, it may be the machine. */
const MAX_ENDS = 3;

/** How a build ends that did not do its work. */
export interface FailedBuild {
  /** `deferred`: the fault is that of machine, storage or database; the build waits, for as long as it takes, and is run again. */
  readonly status: 'failing' | 'cancelled' | 'deferred';
  readonly reason: string;
  /** The fault may not be the repository's: the same commit is built again when a hook or a comparison asks for it. */
  readonly isUnsure?: boolean;
  /** Its process was killed or crashed. */
  readonly isCrash?: boolean;
}

/** Returns how a build ends that failed, by its code; undefined = nobody has foreseen it. */
export function endFor(code: string | undefined, reason: string): FailedBuild {
  if (code !== undefined && OURS.has(code)) return { status: 'deferred', reason };
  return code === undefined || UNSURE.has(code)
    ? { status: 'failing', reason, isUnsure: true }
    : { status: 'failing', reason };
}

/** Returns the code of an error for `endFor`. */
export function codeOf(error: unknown): string | undefined {
  if (findMachineError(error)) return 'unwritable';
  return error instanceof BuildError || error instanceof DataError ? error.code : undefined;
}

/** Returns whether a build is run again whose process was killed or crashed. */
export function mayCrash({ interruptions = 0 }: Pick<Build, 'interruptions'>): boolean {
  return interruptions + 1 < MAX_ENDS;
}
