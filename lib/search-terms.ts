import { findSegmenter } from './segment-words.ts';

/**
 * The words of search, cut alike for the index and for queries: whoever finds a text in the index by a
 * word must have cut both alike. Runs in browsers, too.
 */

/** A word, or a run of a script that does not part words, where it stands in its text. */
export interface SearchWord {
  /** Terms that stand for the word, each list on its own: the whole of `foo.bar`, or its parts together. */
  readonly readings: readonly (readonly string[])[];
  readonly start: number;
  readonly end: number;
}

/** Longer words are cut: nobody types them, and encoded files are full of them. */
const MAX_TERM = 64;
/** A word of more parts is found by them alone. */
const MAX_PARTS = 8;

/** Sets of characters. Words consist of one kind; what is of none parts them. */
const [NONE, LETTER, CJK, UNSPACED] = [0, 1, 2, 3];
type Kind = number;

const IS_CJK =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}\u3099\u309A\u30FC\uFF70\uFF9E\uFF9F]/u;
const IS_UNSPACED = /[\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
/** Letters, digits, marks, and signs that shape letters: soft hyphens, joiners, marks of direction, Arabic lengthening. */
const IS_LETTER = /[\p{L}\p{N}\p{M}\u00AD\u061C\u0640\u200C-\u200F\u2060\uFEFF]/u;
const INVISIBLE = /[\u00AD\u061C\u0640\u200C-\u200F\u2060\uFEFF]/g;
/** Signs that may join the parts of one word, if letters stand on both sides: `foo.bar`, `base-url`, `l'eau`. */
const JOINS = ".'’‑-_";

const JOINT = /[.'’‑\u200C_-]+/g;
const HAS_JOINT = new RegExp(JOINT.source);

/** Marks that readers leave out: accents of European letters, Hebrew points, Arabic vowel signs. Other scripts spell vowels so. */
const MARKS =
  /[\u0300-\u036F\u0591-\u05BD\u05BF\u05C1\u05C2\u05C4\u05C5\u0610-\u061A\u064B-\u065F\u0670\u06D6-\u06ED]/g;
/** Letters that are the same to readers, and that Unicode does not take apart. */
const SAME: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ł: 'l',
  ħ: 'h',
  ı: 'i',
  ŋ: 'n',
  ґ: 'г',
  ς: 'σ',
  ی: 'ي',
  ى: 'ي',
  ک: 'ك',
  ة: 'ه',
  ە: 'ه',
  ہ: 'ه',
};
const SAME_LETTERS = new RegExp(`[${Object.keys(SAME).join('')}]`, 'g');
/** Digits of Arabic, Persian and Indian scripts. */
const DIGITS = /[\u0660-\u0669\u06F0-\u06F9\u0966-\u096F\u09E6-\u09EF]/g;

const FOLDED = new RegExp([INVISIBLE, MARKS, SAME_LETTERS, DIGITS].map(({ source }) => source).join('|'));

/**
 * Calls back for each word of a text, in order. Of Chinese, Japanese and Korean a run of signs is one word. A word that begins with
 * dashes is meant with them before it is meant without.
 */
export function eachWord(text: string, visit: (word: SearchWord) => void): void {
  const options = new Map(listOptions(text).map((option) => [option.nameStart, option]));
  eachRun(text, (kind, start, end) => {
    const readings = readRun(kind, text.slice(start, end));
    const option = options.get(start);
    if (option) visit({ readings: [[option.term], ...readings], start: option.start, end });
    else if (readings.length > 0) visit({ readings, start, end });
  });
}

/**
 * Matches a word that begins with dashes: an option of a command, or a variable of CSS. It is a term besides those of its name:
 * `--port` and `port`. What looks like a dash between two words is none.
 */
const OPTION = /(?<![\w-])--?(?=[a-z])[a-z0-9]+(?:[-_.][a-z0-9]+)*/gi;
const MAY_HAVE_OPTION = /-[a-z]/i;

interface Option {
  readonly term: string;
  readonly start: number;
  readonly nameStart: number;
  readonly end: number;
}

function listOptions(text: string): readonly Option[] {
  if (!MAY_HAVE_OPTION.test(text)) return [];
  return [...text.matchAll(OPTION)].map(({ 0: written, index: start }) => ({
    term: written.toLowerCase().slice(0, MAX_TERM),
    start,
    nameStart: start + (written[1] === '-' ? 2 : 1),
    end: start + written.length,
  }));
}

/** Checks whether a term is a word with the dashes that it begins with. */
export function isOption(term: string): boolean {
  return term[0] === '-';
}

/**
 * Calls back for each term under which a text is to be found, as often as it stands there; words with their dashes come last. The last
 * sign of a run is one of them, since all others are found as the beginning of a pair.
 */
export function eachTerm(text: string, visit: (term: string, start: number, end: number) => void): void {
  eachRun(text, (kind, start, end) => eachTermOfRun(kind, text.slice(start, end), start, visit));
  for (const { term, start, end } of listOptions(text)) visit(term, start, end);
}

function eachTermOfRun(kind: Kind, run: string, start: number, visit: Parameters<typeof eachTerm>[1]): void {
  const end = start + run.length;
  if (kind === LETTER) {
    for (const term of readWord(run).terms) visit(term, start, end);
    return;
  }
  if (kind === CJK && PLAIN_CJK.test(run)) {
    for (let at = 1; at < run.length; at++) visit(run.slice(at - 1, at + 1), start + at - 1, start + at + 1);
    visit(run.slice(-1), end - 1, end);
    return;
  }
  const signs = splitSigns(kind, run);
  for (const term of readRun(kind, run).flat()) visit(term, start, end);
  if (signs.length > 1) visit(signs[signs.length - 1]!, start, end);
}

/**
 * Matches signs of ASCII that stand between words whatever is around them, together with one that might join words were it not at
 * the end or at the beginning of one.
 */
const BETWEEN = /[.'_-]?[\t-\r !"$%&()*,/:-@[\\\]^`{|}~][\t-\r !"$%&()*,/:-@[\\\]^`{|}~.'_-]*/;

/**
 * Returns the terms of a text, each with how often it stands there. The text is cut where words certainly end, and by a regular
 * expression, since most words are their own only term and a loop over all characters takes longer until it is compiled.
 */
export function countTerms(text: string): ReadonlyMap<string, number> {
  const terms = new Map<string, number>();
  const pieces = text.split(BETWEEN);
  // V8's interpreter, where this runs at first, takes several times as long for iterators.
  for (let at = 0; at < pieces.length; at++) {
    const found = knownPieces.get(pieces[at]!) ?? readPiece(pieces[at]!);
    for (let i = 0; i < found.length; i++) terms.set(found[i]!, (terms.get(found[i]!) ?? 0) + 1);
  }
  for (const { term } of listOptions(text)) terms.set(term, (terms.get(term) ?? 0) + 1);
  return terms;
}

/** Terms of pieces met before; texts repeat most of theirs. */
const knownPieces = new Map<string, readonly string[]>();

function readPiece(piece: string): readonly string[] {
  const terms: string[] = [];
  if (SIMPLE_WORD.test(piece)) terms.push(piece.toLowerCase());
  else {
    eachRun(piece, (kind, start, end) => {
      const run = piece.slice(start, end);
      if (kind === LETTER) terms.push(...readWord(run).terms);
      else eachTermOfRun(kind, run, start, (term) => terms.push(term));
    });
  }
  if (knownPieces.size >= MAX_KNOWN) knownPieces.clear();
  if (piece.length <= MAX_TERM) knownPieces.set(piece, terms);
  return terms;
}

/** Matches a word that is not too long, of letters from a to z and digits; only the first letter may be a capital. */
const SIMPLE_WORD = new RegExp(`^[A-Za-z0-9][a-z0-9]{0,${MAX_TERM - 1}}$`);

/** How a term may differ from one of the index: as its beginning, and by typing errors, as a share of its length. */
export function toleranceOf(term: string): { readonly prefix: boolean; readonly fuzzy: number } {
  if (isOption(term)) return { prefix: true, fuzzy: 0 };
  if (isUnspacedScript(term)) return { prefix: [...term].length === 1, fuzzy: 0 };
  return { prefix: term.length >= 2, fuzzy: term.length >= 4 && !/^\d/.test(term) ? 0.2 : 0 };
}

/** Checks whether a term is of a script that does not part words. */
export function isUnspacedScript(term: string): boolean {
  return !isOption(term) && kindOf(term.codePointAt(0)!) !== LETTER;
}

/** Signs that are as they are searched for, each of one code unit: most of Chinese, Japanese and Korean. */
const PLAIN_CJK = /^[\u3005-\u3007\u3041-\u3096\u30A1-\u30FC\u3400-\u9FFF\uAC00-\uD7A3]+$/;

/** Calls back for each run of characters of one kind. */
function eachRun(text: string, visit: (kind: Kind, start: number, end: number) => void): void {
  let kind = NONE;
  let start = 0;
  const ascii = blocks[0] ?? readBlock(0);
  for (let at = 0; at < text.length; ) {
    let code = text.charCodeAt(at);
    if (code >= 0xd800 && code <= 0xdbff) code = text.codePointAt(at)!;
    const next = at + (code > 0xffff ? 2 : 1);
    let found = code < 256 ? ascii[code]! : kindOf(code);
    if (found === NONE && kind === LETTER) found = joins(text, at, next) ? LETTER : NONE;
    if (found !== kind) {
      if (kind !== NONE) visit(kind, start, at);
      kind = found;
      start = at;
    }
    at = next;
  }
  if (kind !== NONE) visit(kind, start, text.length);
}

/** Returns whether a sign keeps the word before it and the letters behind it together: `C++` and `C#`, too. */
function joins(text: string, at: number, next: number): boolean {
  const sign = text[at]!;
  if (sign === '_') {
    // Behind the first of several, the answer is known.
    if (text[at - 1] === '_') return true;
    let end = next;
    while (text[end] === '_') end++;
    return end < text.length && kindOf(text.codePointAt(end)!) === LETTER;
  }
  if (sign === '#' || sign === '+') return isLanguageName(text, at);
  return JOINS.includes(sign) && next < text.length && kindOf(text.codePointAt(next)!) === LETTER;
}

function isLanguageName(text: string, at: number): boolean {
  const first = text[at - 1] === '+' ? at - 2 : at - 1;
  const suffix = /^(?:\+\+|#)(?![\p{L}\p{N}+#])/u.exec(text.slice(first + 1, first + 5))?.[0];
  const isOneLetter =
    /[a-zA-Z]/.test(text[first] ?? '') && (first === 0 || kindOf(text.charCodeAt(first - 1)) === NONE);
  return suffix !== undefined && isOneLetter;
}

/** Kinds of the characters in blocks of 256; each block is looked at when a text first needs it. */
const blocks: (Uint8Array | undefined)[] = [];

function kindOf(code: number): Kind {
  return (blocks[code >> 8] ?? readBlock(code >> 8))[code & 0xff]!;
}

function readBlock(number: number): Uint8Array {
  const block = Uint8Array.from({ length: 256 }, (_, at) => classify(String.fromCodePoint(number * 256 + at)));
  blocks[number] = block;
  return block;
}

function classify(character: string): Kind {
  if (IS_CJK.test(character)) return CJK;
  if (IS_UNSPACED.test(character)) return UNSPACED;
  return IS_LETTER.test(character) ? LETTER : NONE;
}

function readRun(kind: Kind, run: string): SearchWord['readings'] {
  if (kind === LETTER) return readWord(run).readings;
  const signs = splitSigns(kind, run);
  if (signs.length === 0) return [];
  const pairs = signs.length < 2 ? signs : signs.slice(1).map((sign, at) => signs[at]! + sign);
  if (kind === CJK) return [pairs];
  // Browsers cut words differently, or not at all: pairs are the same everywhere.
  const words = findSegmenter()?.(run.replace(INVISIBLE, ''));
  return words ? [words, pairs] : [pairs];
}

function splitSigns(kind: Kind, run: string): readonly string[] {
  const text = run.normalize('NFKC').replace(INVISIBLE, '').toLowerCase();
  return kind === CJK ? [...text] : (text.match(/\P{M}\p{M}*|\p{M}+/gu) ?? []);
}

interface ReadWord {
  readonly readings: SearchWord['readings'];
  /** All terms of the readings, each once. */
  readonly terms: readonly string[];
}

/** Words met before; texts repeat most of theirs. */
const known = new Map<string, ReadWord>();
const MAX_KNOWN = 50_000;

/** Reads a word in a script that parts words. */
function readWord(word: string): ReadWord {
  let read = known.get(word);
  if (!read) {
    const readings = cutWord(word.slice(0, MAX_TERM * MAX_PARTS));
    read = { readings, terms: readings.length === 1 ? readings[0]! : [...new Set(readings.flat())] };
    if (known.size >= MAX_KNOWN) known.clear();
    if (word.length <= MAX_TERM) known.set(word, read);
  }
  return read;
}

/** Returns a word's readings: its whole without what joins it, and its parts of more than one letter. */
function cutWord(written: string): SearchWord['readings'] {
  if (SIMPLE_WORD.test(written)) return [[written.toLowerCase()]];
  const word = written.normalize('NFKC');
  const rest = word.slice(1);
  if (rest === rest.toLowerCase() && !HAS_JOINT.test(rest)) {
    const simple = fold(word);
    return simple === '' ? [] : [[simple]];
  }
  const spaced = word
    .replace(/(\p{Ll})(?=\p{Lu})/gu, '$1 ')
    .replace(/(\p{Lu})(?=\p{Lu}\p{Ll})/gu, '$1 ')
    .replace(JOINT, ' ');
  const parts = spaced.split(' ').map(fold).filter(Boolean);
  // The dots of a number are part of it.
  const whole = fold(word.replace(/(?<!\d)\.|\.(?!\d)|['’‑-]|_+/g, ''));
  if (whole === '') return [];
  const long = [...new Set(parts.filter((part) => part.length > 1))];
  if (parts.length < 2 || long.length === 0) return [[whole]];
  return parts.length > MAX_PARTS ? [long] : [[whole], long];
}

function fold(text: string): string {
  if (/^[ -~]*$/.test(text)) return text.toLowerCase().slice(0, MAX_TERM);
  let folded = text.toLowerCase().normalize('NFKD');
  if (FOLDED.test(folded)) {
    folded = folded
      .replace(INVISIBLE, '')
      .replace(MARKS, '')
      .replace(SAME_LETTERS, (letter) => SAME[letter]!)
      .replace(DIGITS, (digit) => String((digit.charCodeAt(0) & 0xf) - (digit < '\u0966' ? 0 : 6)));
  }
  // Ligatures may hold spaces and fractions a slash.
  if (folded.length !== text.length || folded.includes(' ')) folded = folded.replace(/[^\p{L}\p{N}\p{M}.]/gu, '');
  return folded.slice(0, MAX_TERM);
}
