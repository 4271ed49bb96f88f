import { setTimeout as sleep } from 'node:timers/promises';
import { readBusyMs, readCores } from './busy-time.ts';

const LOOK_MS = 1_000;
const CALM_SHARE = 0.05;

/** Waits until hardly anything runs on the machine, at most that long. Returns whether it became calm. */
export async function waitForCalm(limitMs: number): Promise<boolean> {
  for (const end = performance.now() + limitMs; performance.now() < end; ) {
    const busy = readBusyMs();
    const start = performance.now();
    await sleep(LOOK_MS);
    if (readBusyMs() - busy < CALM_SHARE * readCores() * (performance.now() - start)) return true;
  }
  return false;
}
