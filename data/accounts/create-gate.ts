import { DataError } from '../data-error.ts';

/** Runs work, a few pieces at a time; the others wait in line. */
export type Gate = <T>(work: () => Promise<T>) => Promise<T>;

/** Creates a gate. Throws DataError `busy` where more than `waiting` pieces wait already. */
export function createGate({ running, waiting }: { readonly running: number; readonly waiting: number }): Gate {
  let count = 0;
  const line: (() => void)[] = [];
  return async (work) => {
    if (count >= running) {
      if (line.length >= waiting) throw new DataError('busy', 'Too many ask for this at once; try again in a moment');
      // Whoever leaves hands their place on, so that nobody gets in between.
      await new Promise<void>((resolve) => line.push(resolve));
    } else count++;
    try {
      return await work();
    } finally {
      const next = line.shift();
      if (next) next();
      else count--;
    }
  };
}
