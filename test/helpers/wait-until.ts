import { setTimeout } from 'node:timers/promises';

const MIN_PAUSE_MS = 5;
const MAX_PAUSE_MS = 250;
/** Longer than a test may do nothing: its process is not to live on for it. */
const MAX_MS = 270_000;

/**
 * Waits until a condition holds; a test whose condition never does is ended by its own time limit. It pauses for several times
 * as long as the check took: one that asks a server or a database would otherwise take the CPU time of what is waited for.
 */
export async function waitUntil(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  for (const beginMs = performance.now(); ; ) {
    const startMs = performance.now();
    if (startMs - beginMs > MAX_MS) throw new Error('What is waited for has not come');
    if (await isTrue()) return;
    await setTimeout(Math.min(Math.max(4 * (performance.now() - startMs), MIN_PAUSE_MS), MAX_PAUSE_MS));
  }
}
