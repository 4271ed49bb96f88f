let segment: ((run: string) => readonly string[]) | false | undefined;

/** Returns what cuts a run of signs of a script without spaces into words; undefined where the platform has no dictionary. */
export function findSegmenter(): ((run: string) => readonly string[]) | undefined {
  if (segment === undefined) {
    const segmenter = typeof Intl.Segmenter === 'function' && new Intl.Segmenter('th', { granularity: 'word' });
    segment = segmenter && ((run) => segmentRun(segmenter, run));
  }
  return segment || undefined;
}

/** Code units that are cut into words at a time: every word that a segmenter returns comes with a copy of the whole text. */
const SEGMENTED_UNITS = 400;

/** Cuts a run of signs into words, piece by piece; the next piece begins with the last word of the one before, which may go on. */
function segmentRun(segmenter: Intl.Segmenter, run: string): readonly string[] {
  if (run.length <= SEGMENTED_UNITS) return [...segmenter.segment(run)].map((word) => word.segment);
  const words: string[] = [];
  for (let at = 0; at < run.length; ) {
    const piece = [...segmenter.segment(run.slice(at, at + SEGMENTED_UNITS))].map((word) => word.segment);
    const isLast = at + SEGMENTED_UNITS >= run.length;
    const kept = isLast || piece.length < 2 ? piece : piece.slice(0, -1);
    for (const word of kept) {
      words.push(word);
      at += word.length;
    }
  }
  return words;
}
