/**
 * Tells whether a list of entity tags (`If-None-Match`, `If-Match`; RFC 9110) names this strong tag: `*` names all; the
 * weak comparison overlooks `W/`, the strong one never matches a weak tag.
 */
export function matchEntityTag(field: string, tag: string, comparison: 'weak' | 'strong'): boolean {
  if (field === tag || field.trim() === '*') return true;
  for (const [whole, opaque] of field.matchAll(/(?:W\/)?("[^"]*")/g)) {
    if (opaque === tag && (comparison === 'weak' || !whole.startsWith('W/'))) return true;
  }
  return false;
}
