import { findSegmenter } from '../../lib/segment-words.ts';

/** Runs of letters and digits, of spaces, and single signs. */
const PIECES =
  /[\p{L}\p{N}\p{M}_]+(?:['’\u00AD\u200C\u200D][\p{L}\p{N}\p{M}_]+)*|\s+|\p{Extended_Pictographic}(?:\uFE0F|\u200D|\p{Emoji_Modifier}|\p{Extended_Pictographic})*|./gsu;
/** Scripts that do not part words. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]+/gu;

/** Calls back for each word, sign and run of spaces of a text, in order. Words of scripts without spaces are found by a dictionary. */
export function eachPiece(text: string, visit: (piece: string, start: number) => void): void {
  for (const { 0: piece, index } of text.matchAll(PIECES)) {
    let at = 0;
    for (const { 0: run, index: start } of piece.matchAll(UNSPACED)) {
      if (start > at) visit(piece.slice(at, start), index + at);
      at = start;
      for (const word of findSegmenter()?.(run) ?? run) {
        visit(word, index + at);
        at += word.length;
      }
    }
    if (at < piece.length) visit(piece.slice(at), index + at);
  }
}
