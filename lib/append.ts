/** Adds items to a list, however many there are: `push(...items)` exceeds the stack from some 120,000 on. */
export function append<T>(list: T[], items: Iterable<T>): void {
  for (const item of items) list.push(item);
}
