/** Choices that are the same for the same seed. */
export interface Random {
  /** From 0 up to, not including, `limit`. */
  readonly below: (limit: number) => number;
  readonly pick: <T>(list: readonly T[]) => T;
  /** True in this share of the calls. */
  readonly chance: (share: number) => boolean;
}

/** Creates a source of random choices (mulberry32). */
export function createRandom(seed: number): Random {
  let state = seed;
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
  const below = (limit: number): number => Math.floor(next() * limit);
  return { below, pick: (list) => list[below(list.length)]!, chance: (share) => next() < share };
}
