import { hash } from 'node:crypto';
import { once } from '../../lib/once.ts';
import type { PageSection } from '../model.ts';

/** The text of a section as a reader sees it, in a form by which it is told apart from others and found again. Plain data, for caches. */
export interface SectionOutline {
  /** Id of its heading; '' = the page's beginning. */
  readonly id: string;
  readonly heading: string;
  /** Hash of heading and text: 16 hex digits. Spaces between words do not count. */
  readonly hash: string;
  /** Number of words in heading and text; a Chinese, Japanese, Thai … character counts as one. */
  readonly words: number;
  /**
   * Sample of the hashes of all runs of three words: those below the page's `limit`, or the smallest 12 if that are fewer. Ascending,
   * 24 bits each, which are four characters of base64.
   */
  readonly sample: string;
}

/** A page as a reader sees it; two pages with the same hash say the same. */
export interface PageOutline {
  /** Hash of all sections: 16 hex digits. */
  readonly hash: string;
  /** Upper limit of the hashes that are kept of every section; a power of two. */
  readonly limit: number;
  readonly sections: readonly SectionOutline[];
}

/** Hashes have so many bits. */
const BITS = 24;
/** The limit is halved while more hashes of a page are below it. */
const MAX_SAMPLE = 192;
/** Hashes that are kept of a section at least, if it has so many. */
const MIN_OF_SECTION = 12;
/** Sections beyond this are part of the last one. */
const MAX_SECTIONS = 1_000;
/** Characters of a heading that are kept. */
const MAX_HEADING = 200;

/** Outlines a page. Takes time in proportion to the length of its text. */
export function outlinePage(sections: readonly PageSection[]): PageOutline {
  const kept = joinRest(sections);
  const found = kept.map(({ heading, text }) => hashWords(`${heading}\n${text}`));
  let limit = 2 ** BITS;
  let below = found.map(({ hashes }) => hashes.length);
  while (below.reduce((sum, count) => sum + count, 0) > MAX_SAMPLE) {
    limit /= 2;
    below = found.map(({ hashes }) => countBelow(hashes, limit));
  }
  const outlined = kept.map(({ id, heading, text }, at): SectionOutline => {
    const { hashes, words } = found[at]!;
    const count = Math.max(below[at]!, MIN_OF_SECTION);
    return {
      id,
      heading: heading.slice(0, MAX_HEADING),
      hash: shortHash(`${heading}\n${text}`),
      words,
      sample: writeSample(hashes.subarray(0, count)),
    };
  });
  return { hash: shortHash(outlined.map(({ hash }) => hash).join()), limit, sections: outlined };
}

function joinRest(sections: readonly PageSection[]): readonly PageSection[] {
  if (sections.length <= MAX_SECTIONS) return sections;
  const rest = sections.slice(MAX_SECTIONS - 1);
  const text = rest.map((section) => `${section.heading} ${section.text}`).join(' ');
  return [...sections.slice(0, MAX_SECTIONS - 1), { ...rest[0]!, text }];
}

function shortHash(text: string): string {
  return hash('sha1', text, 'hex').slice(0, 16);
}

/** Returns the different hashes of all runs of three words, ascending, and the number of words. */
function hashWords(text: string): { readonly hashes: Uint32Array; readonly words: number } {
  if (room.length < text.length) room = new Uint32Array(text.length * 2);
  const hashes = room;
  const kinds = listKinds();
  let count = 0;
  let before = 0;
  let last = 0;
  let word = 0;
  let words = 0;
  const endWord = (): void => {
    words++;
    if (words > 2) hashes[count++] = mix(before, last, word);
    before = last;
    last = word;
    word = 0;
  };
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    const kind = kinds[code];
    if (kind === LETTER) {
      // Upper and lower case are the same.
      word = Math.imul(word ^ (code >= 65 && code <= 90 ? code + 32 : code), 0x01000193) + 0x9e3779b9;
      continue;
    }
    if (word !== 0) endWord();
    if (kind !== WORD) continue;
    word = Math.imul(code, 0x85ebca6b);
    endWord();
  }
  if (word !== 0) endWord();
  if (count === 0 && words > 0) hashes[count++] = mix(0, before, last);
  return { hashes: withoutRepeats(hashes.slice(0, count).sort()), words };
}

/** Where the hashes of a text are collected. */
let room = new Uint32Array(100_000);

function mix(a: number, b: number, c: number): number {
  let mixed = Math.imul(a, 0xcc9e2d51) ^ Math.imul((b << 13) | (b >>> 19), 0x1b873593) ^ c;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> (32 - BITS);
}

/** Removes repeated numbers from ascending ones, in place. */
function withoutRepeats(sorted: Uint32Array): Uint32Array {
  let count = 0;
  for (let at = 0; at < sorted.length; at++) {
    const one = sorted[at]!;
    if (at === 0 || one !== sorted[at - 1]) sorted[count++] = one;
  }
  return sorted.subarray(0, count);
}

/** Returns how many of ascending numbers are less than a limit. */
function countBelow(sorted: Uint32Array, limit: number): number {
  let [from, to] = [0, sorted.length];
  while (from < to) {
    const middle = (from + to) >>> 1;
    if (sorted[middle]! < limit) from = middle + 1;
    else to = middle;
  }
  return from;
}

const BETWEEN = 0;
const LETTER = 1;
/** A character that is a word by itself, in scripts without spaces. */
const WORD = 2;

function kindOf(code: number): typeof BETWEEN | typeof LETTER | typeof WORD {
  if (code < 0x80) {
    const isLetter = (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || (code >= 48 && code <= 57);
    return isLetter || code === 95 ? LETTER : BETWEEN;
  }
  if (code < 0xc0) return BETWEEN;
  if (code < 0x0e00) return LETTER;
  // Thai, Lao; Burmese; Khmer.
  if (code < 0x0f00 || (code >= 0x1000 && code < 0x10a0) || (code >= 0x1780 && code < 0x1800)) return WORD;
  if (code < 0x2000) return LETTER;
  if (code < 0x2c00) return BETWEEN;
  if (code < 0x3040) return code >= 0x2e00 ? BETWEEN : LETTER;
  // Kana, Chinese characters, but Korean words have spaces between them.
  if (code < 0xa000) return WORD;
  return code >= 0xff00 && code < 0xff10 ? BETWEEN : LETTER;
}

/** Returns the kind of each UTF-16 code unit. */
const listKinds = once(() => {
  const kinds = new Uint8Array(0x10000);
  for (let code = 0; code < kinds.length; code++) kinds[code] = kindOf(code);
  return kinds;
});

function writeSample(hashes: Uint32Array): string {
  const bytes = Buffer.allocUnsafe(hashes.length * 3);
  for (let at = 0; at < hashes.length; at++) bytes.writeUIntBE(hashes[at]!, at * 3, 3);
  return bytes.toString('base64');
}

/** Hashes of runs of words: all that are below `limit`, ascending. */
export interface Sample {
  readonly hashes: Uint32Array;
  readonly limit: number;
}

/** Returns the sample of a section of a page with this limit. */
export function readSample({ sample }: Pick<SectionOutline, 'sample'>, limit: number): Sample {
  const bytes = Buffer.from(sample, 'base64');
  const hashes = new Uint32Array(bytes.length / 3);
  for (let at = 0; at < hashes.length; at++) hashes[at] = bytes.readUIntBE(at * 3, 3);
  if (hashes.length < MIN_OF_SECTION) return { hashes, limit: 2 ** BITS };
  return { hashes, limit: Math.max(limit, hashes.at(-1)! + 1) };
}

/** Returns the sample of a whole page. */
export function readPageSample({ sections, limit }: PageOutline): Sample {
  const samples = sections.map((section) => readSample(section, limit).hashes);
  const isWhole = sections.every(({ sample }) => sample.length / 4 < MIN_OF_SECTION);
  const own = isWhole ? 2 ** BITS : limit;
  const all = new Uint32Array(samples.reduce((sum, { length }) => sum + length, 0));
  let count = 0;
  for (const hashes of samples) {
    const kept = hashes.subarray(0, countBelow(hashes, own));
    all.set(kept, count);
    count += kept.length;
  }
  return { hashes: withoutRepeats(all.subarray(0, count).sort()), limit: own };
}
