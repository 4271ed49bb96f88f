/** What the theme shows of a page before a reader scrolls, in characters of running text; on a phone about as much. */
const FOLD = 800;
/** CSS pixels of an image that take the place of a character. */
const PIXELS_A_CHARACTER = 220;
/** What an image of unknown size is counted as, in characters: the width of a badge. */
const UNKNOWN = 20;
/** Images from this size on, in CSS pixels, may be the largest thing that a reader sees first. */
const LARGE = 40_000;

/** A piece of text, or the tag of an element. */
const PIECE = /[^<]+|<(?:[^<>"']|"[^"]*"|'[^']*')*>/g;
/** What the renderer writes into images, in this order only where their author says nothing. */
const LAZY = ' decoding="async" loading="lazy"';

/**
 * Makes browsers load the images at once that a reader probably sees first, the first large one of them before others; `html` is
 * the text of a page with the sizes of its images. The renderer asks that images be loaded when they come near.
 */
export function loadFirstImages(html: string): string {
  const last = html.lastIndexOf(LAZY);
  let seen = 0;
  let isLargeKnown = false;
  let [written, end] = ['', 0];
  for (const { 0: piece, index } of html.matchAll(PIECE)) {
    if (seen >= FOLD || index > last) break;
    if (!piece.startsWith('<')) {
      seen += piece.length;
      continue;
    }
    if (!/^<img\s/i.test(piece)) continue;
    const [width, height] = ['width', 'height'].map((name) => Number(new RegExp(` ${name}="(\\d+)"`).exec(piece)?.[1]));
    const pixels = width! * height!;
    const isFirst: boolean = pixels >= LARGE && !isLargeKnown;
    isLargeKnown ||= isFirst;
    written += html.slice(end, index) + piece.replace(LAZY, isFirst ? ' fetchpriority="high"' : '');
    end = index + piece.length;
    seen += Number.isNaN(pixels) ? UNKNOWN : pixels / PIXELS_A_CHARACTER;
  }
  return written + html.slice(end);
}
