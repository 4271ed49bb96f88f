/** After `free` attempts each one doubles the wait for the next, from `firstMs` up to `mostMs`; it ends `forgetMs` after the last one. */
export interface AttemptLimit {
  readonly free: number;
  readonly firstMs: number;
  readonly mostMs: number;
  readonly forgetMs: number;
}

/** One way in which an attempt counts: for an account, for an address. */
export interface Attempt {
  /** Keys of different kinds are counted apart. */
  readonly kind: string;
  readonly key: string;
  readonly limit: AttemptLimit;
}

/** Counts attempts to guess something. */
export interface AttemptCounter {
  /**
   * Counts an attempt in all these ways, before its outcome is known, so that simultaneous ones count too; in none where one of them
   * has to wait. Returns how long, ms; 0 = it was counted.
   */
  count(attempts: readonly Attempt[]): Promise<number>;
  /** Takes back one attempt. */
  forgive(attempts: readonly Attempt[]): Promise<void>;
  /** Takes back all attempts. */
  forget(attempts: readonly Attempt[]): Promise<void>;
}
