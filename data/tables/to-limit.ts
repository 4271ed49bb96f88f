/** Gives a number of records that can be taken: a whole number, not below 0. */
export function toLimit(limit: number): number {
  return limit > 0 ? Math.floor(limit) : 0;
}
