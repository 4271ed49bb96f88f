/** A source of numbers that are always the same for the same seed. */
export interface Random {
  /** Returns a whole number from 0 to `below` - 1. */
  number(below: number): number;
  pick<T>(list: readonly T[]): T;
}

/** Creates a linear congruential generator (the constants of Numerical Recipes); good enough to vary text. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const number = (below: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
  return { number, pick: (list) => list[number(list.length)]! };
}
