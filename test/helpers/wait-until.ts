import { setTimeout } from 'node:timers/promises';

/** Waits until a condition holds; a test whose condition never does is ended by its own time limit. */
export async function waitUntil(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isTrue())) await setTimeout(5);
}
