import { setTimeout } from 'node:timers/promises';
import { BuildError } from '../build-error.ts';
import { type Output, openOutput } from './open-output.ts';

/** Pause between two tries. */
const PAUSE_MS = 50;

/** Takes an output folder, see `openOutput`; where another build publishes to it, waits for its end, `waitMs` at most. */
export async function waitForOutput(
  folder: string,
  { waitMs, ...options }: Parameters<typeof openOutput>[1] & { readonly waitMs: number },
): Promise<Output> {
  const end = performance.now() + waitMs;
  for (;;) {
    try {
      return openOutput(folder, options);
    } catch (error) {
      if (!(error instanceof BuildError && error.code === 'output-busy') || performance.now() >= end) throw error;
    }
    await setTimeout(PAUSE_MS);
  }
}
