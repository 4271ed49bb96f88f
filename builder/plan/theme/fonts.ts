import { create, type Font } from 'fontkitten';

/** Facts about a font file that a theme needs. */
export interface FontFacts {
  /** In the units of CSS; two numbers of a font that varies in weight. */
  readonly weight: string;
  readonly isItalic: boolean;
  /** CSS `unicode-range`. */
  readonly range: string;
  /** Descriptors that give the reader's own font the measure of this one; undefined of a font without Latin letters. */
  readonly fallback: { readonly locals: readonly string[]; readonly descriptors: string } | undefined;
}

/**
 * Fonts that most readers have, with those of the same widths, and the mean width of `SAMPLE` in them in parts of the size. A page that is shown
 * before its font has come does not move when it comes.
 */
const COMMON = {
  sans: { locals: ['Arial', 'Arimo', 'Liberation Sans', 'Helvetica'], width: 0.448 },
  serif: { locals: ['Times New Roman', 'Tinos', 'Liberation Serif', 'Times'], width: 0.4064 },
  mono: { locals: ['Courier New', 'Cousine', 'Liberation Mono', 'Courier'], width: 0.6 },
};

/** Letters and blanks as often as in English. */
const SAMPLE =
  'eeeeeeeeeeeetttttttttaaaaaaaaoooooooiiiiiiinnnnnnnsssssshhhhhhrrrrrrddddlllluuucccmmmwwffggyyppbbvk                  ';

const MAX_RANGES = 400;

/** Reads a font file. Throws for one that is damaged, or a collection. */
export function readFont(bytes: Uint8Array): FontFacts {
  const font = create(bytes as never);
  if (font.isCollection) throw new Error('It is a collection');
  const { wght } = font.variationAxes;
  const { 'OS/2': os2, italicAngle } = font;
  return {
    weight: wght ? `${Math.round(wght.min)} ${Math.round(wght.max)}` : String(os2?.usWeightClass || 400),
    isItalic: italicAngle !== 0 || os2?.fsSelection?.italic === true,
    range: writeRange(font.characterSet),
    fallback: measure(font),
  };
}

function measure(font: Font): FontFacts['fallback'] {
  const letters = [...SAMPLE].map((letter) => letter.codePointAt(0)!);
  if (!letters.every((letter) => font.hasGlyphForCodePoint(letter))) return undefined;
  const widths = letters.map((letter) => font.glyphForCodePoint(letter).advanceWidth);
  const { unitsPerEm, ascent, descent, lineGap } = font;
  const width = widths.reduce((sum, one) => sum + one, 0) / widths.length / unitsPerEm;
  const { locals, width: usual } = COMMON[kindOf(font, new Set(widths).size === 1)];
  const adjust = width / usual;
  const percent = (value: number): string => `${Number((value * 100).toFixed(2))}%`;
  const line = (value: number): string => percent(value / unitsPerEm / adjust);
  const descriptors = [
    `size-adjust:${percent(adjust)}`,
    `ascent-override:${line(ascent)}`,
    `descent-override:${line(Math.abs(descent))}`,
    `line-gap-override:${line(lineGap)}`,
  ];
  return { locals, descriptors: descriptors.join(';') };
}

/** By the classes of IBM and PANOSE, as far as fonts have them. */
function kindOf({ 'OS/2': os2 }: Font, isMono: boolean): keyof typeof COMMON {
  if (isMono) return 'mono';
  const family = (os2?.sFamilyClass ?? 0) >> 8;
  const [kind = 0, serif = 0] = os2?.panose ?? [];
  return (family >= 1 && family <= 7 && family !== 6) || (kind === 2 && serif >= 2 && serif <= 10) ? 'serif' : 'sans';
}

function writeRange(characters: readonly number[]): string {
  const ranges: [first: number, last: number][] = [];
  for (const code of [...characters].sort((a, b) => a - b)) {
    const last = ranges.at(-1);
    if (last && code <= last[1] + 1) last[1] = code;
    else ranges.push([code, code]);
  }
  // A font with more of them is one for all of a script: gaps are closed, the smallest first.
  while (ranges.length > MAX_RANGES) {
    const gaps = ranges.slice(1).map(([first], at) => first - ranges[at]![1]);
    const most = [...gaps].sort((a, b) => a - b)[ranges.length - MAX_RANGES - 1]!;
    for (let at = ranges.length - 1; at > 0 && ranges.length > MAX_RANGES; at--) {
      if (gaps[at - 1]! > most) continue;
      ranges[at - 1]![1] = ranges[at]![1];
      ranges.splice(at, 1);
    }
  }
  const hex = (code: number): string => code.toString(16).toUpperCase();
  return ranges.map(([first, last]) => `U+${hex(first)}${last > first ? `-${hex(last)}` : ''}`).join(',');
}
