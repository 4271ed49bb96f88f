/** Joins parts to one key; different parts never give the same key, whatever characters they hold. */
export function joinKey(...parts: readonly string[]): string {
  let key = '';
  for (const part of parts) key += `${part.length}:${part}`;
  return key;
}
