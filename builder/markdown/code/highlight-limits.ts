/** A longer block of code stays plain; in characters. */
export const maxHighlightedBlock = 100_000;

/** A block with a longer line stays plain; in characters. */
export const maxHighlightedLine = 5_000;

/** Tells whether code is too long to be highlighted in reasonable time. */
export function isOverHighlightLimit(text: string): boolean {
  if (text.length > maxHighlightedBlock) return true;
  if (text.length <= maxHighlightedLine) return false;
  return text.split('\n').some((line) => line.length > maxHighlightedLine);
}
