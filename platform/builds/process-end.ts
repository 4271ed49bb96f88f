import { constants } from 'node:os';

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

/** Returns why a build process ended, for authors; `at` is the page that it rendered. */
export function describeProcessEnd({ code, signal }: ProcessEnd, heapMb: number, at: string | undefined): string {
  const name = signal ?? findSignal(code);
  const page = at === undefined ? '' : ` while it rendered ${at}`;
  if (name !== undefined && ABORTED.has(name)) {
    return `The build ran out of memory (${heapMb} MB)${page}; split the largest pages into several`;
  }
  if (name === 'SIGKILL') {
    return `The build was killed by the system${page}, as it does where the machine is out of memory; split the largest pages, or give the machine more memory`;
  }
  return `The build process ended${page}: ${name ?? `exit code ${code}`}; the server log may say why`;
}

/** Returns whether a process most likely ended for want of memory. */
export function isOutOfMemory({ code, signal }: ProcessEnd): boolean {
  const name = signal ?? findSignal(code);
  return name === 'SIGKILL' || (name !== undefined && ABORTED.has(name));
}

/** Shells and containers tell a signal as 128 and its number. */
function findSignal(code: number | null): string | undefined {
  return Object.entries(constants.signals).find(([, number]) => code === 128 + number)?.[0];
}
