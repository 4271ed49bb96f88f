import { constants } from 'node:os';
import type { WorkNote } from '../../lib/work-note.ts';

/** The descriptor under which a build process has its note, see `lib/work-note.ts`. */
export const WORK_NOTE = 4;

/** The exit code of a build process that nobody told whether it may publish (EX_TEMPFAIL of sysexits.h). */
export const UNANSWERED = 75;

/** How Node.js ends without memory: V8 aborts, by a signal or by an instruction that is none. */
const ABORTED: ReadonlySet<string> = new Set(['SIGABRT', 'SIGTRAP', 'SIGILL']);

/** How a process ended that was not to. */
export interface ProcessEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** Returns why a build process ended, for authors; the name in the note is the page that it rendered. */
export function describeProcessEnd({ code, signal }: ProcessEnd, heapMb: number, at: WorkNote): string {
  const name = signal ?? findSignal(code);
  const [where, less] =
    at.name !== undefined
      ? [` while it rendered ${at.name}`, 'split the largest pages into several']
      : [
          at.step ? ` at the step "${at.step}"` : '',
          'build fewer versions ("exclude" in .docbuild.yml), or fewer pages',
        ];
  if (name !== undefined && ABORTED.has(name)) return `The build ran out of memory (${heapMb} MB)${where}; ${less}`;
  if (name === 'SIGKILL') {
    return `The build was killed by the system${where}, as it does where the machine is out of memory; ${less}, or give the machine more memory`;
  }
  return `The build process ended${where} and did not say why (${name ?? `exit code ${code}`}); build again, and look into the server log if it ends again`;
}

/** Returns whether a process ended for want of the memory that a build has to itself. */
export function isOutOfHeap({ code, signal }: ProcessEnd): boolean {
  const name = signal ?? findSignal(code);
  return name !== undefined && ABORTED.has(name);
}

/** Shells and containers tell a signal as 128 and its number. */
function findSignal(code: number | null): string | undefined {
  return Object.entries(constants.signals).find(([, number]) => code === 128 + number)?.[0];
}
