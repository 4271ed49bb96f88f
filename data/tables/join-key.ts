/** Joins parts to one key; different parts never give the same key, whatever characters they hold. */
export function joinKey(...parts: readonly string[]): string {
  return parts.map((part) => `${part.length}:${part}`).join('');
}
