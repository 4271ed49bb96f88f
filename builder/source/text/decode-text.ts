import { append } from '../../../lib/append.ts';
import { DEFAULT_LIMITS } from '../../build-limits.ts';
import { describeLimit } from '../../option-marks.ts';

/** The text of a file, with line ends normalised to `\n`. */
export interface SourceText {
  readonly text: string;
  /** Name of the encoding it was read in; undefined = UTF-8. */
  readonly encoding: string | undefined;
}

/** The reason why a file's text cannot be shown. `line` counts from 1; 0 = the whole file. */
export interface UnreadableText {
  /** `extension`: one failed to make the text. */
  readonly code: 'not-utf8' | 'page-too-large' | 'lfs-pointer' | 'extension';
  readonly line: number;
  readonly message: string;
}

/**
 * Returns the text of a file that should be UTF-8, with or without a byte order mark; another encoding is read if the
 * bytes identify it without doubt. Returns the problem if they do not, with the line of the first byte that is not
 * UTF-8, above `maxBytes`, and for Git LFS pointers.
 */
export function decodeText(bytes: Uint8Array, maxBytes = DEFAULT_LIMITS.maxPageBytes): SourceText | UnreadableText {
  if (bytes.length > maxBytes) {
    const limit = describeLimit('maxPageBytes', maxBytes);
    const message = `The file has ${(bytes.length / 1e6).toFixed(1)} MB, more than ${limit}; split it, or keep it as a download`;
    return { code: 'page-too-large', line: 0, message };
  }
  if (isLfsPointer(bytes)) {
    return { code: 'lfs-pointer', line: 0, message: 'The repository contains a Git LFS pointer instead of the text' };
  }
  const text = decodeBytes(bytes, 'utf-8');
  if (text !== undefined && !text.includes('\0')) return { text: joinLines(text), encoding: undefined };
  const encoding = detectEncoding(bytes);
  const found = encoding && decodeBytes(bytes, encoding.label);
  if (encoding && found !== undefined) return { text: joinLines(found), encoding: encoding.name };
  if (text !== undefined) return { text: joinLines(text), encoding: undefined };
  const message =
    'The file is not UTF-8, and its encoding cannot be detected; convert it, e.g. with "iconv -f … -t UTF-8"';
  return { code: 'not-utf8', line: lineOfFirstInvalidByte(bytes), message };
}

export function describeEncoding(encoding: string): string {
  return `Read as ${encoding}: the file is not UTF-8; convert it, e.g. with "iconv -f ${encoding} -t UTF-8"`;
}

/** Returns whether the bytes are a Git LFS pointer rather than the file itself. */
export function isLfsPointer(bytes: Uint8Array): boolean {
  const head = 'version https://git-lfs.github.com/spec/';
  return bytes.length < 1024 && Buffer.from(bytes.subarray(0, head.length)).toString('latin1') === head;
}

function joinLines(text: string): string {
  return text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text;
}

/** Returns the line of the first byte that cannot be decoded, by binary search. */
function lineOfFirstInvalidByte(bytes: Uint8Array): number {
  let good = 0;
  let bad = bytes.length + 1;
  while (bad - good > 1) {
    const middle = (good + bad) >> 1;
    const part = bytes.subarray(startOfCharacter(bytes, good), middle);
    if (decodeBytes(part, 'utf-8', { stream: true }) !== undefined) good = middle;
    else bad = middle;
  }
  let line = 1;
  for (let at = 0; at < bad - 1; at++) if (bytes[at] === 10) line++;
  return line;
}

/** Returns the start of the character that contains the byte before `at`; only that one may be cut off there. */
function startOfCharacter(bytes: Uint8Array, at: number): number {
  let start = Math.max(0, at - 1);
  while (start > 0 && at - start < 4 && (bytes[start]! & 0xc0) === 0x80) start--;
  return start;
}

/** A legacy encoding: its label for `TextDecoder`, and its name for people and for iconv. */
interface Encoding {
  readonly label: string;
  readonly name: string;
}

/** An encoding of one language, with a test for text of that language. */
interface Candidate extends Encoding {
  readonly fits: (text: string) => boolean;
}

/** Punctuation of East Asian texts. */
const EAST_ASIAN_MARKS = '，。、；：？！（）“”‘’《》【】「」『』…—·～　';
const SIMPLIFIED =
  '的一是不了在人有我他这个们中来上大为和国地到以说时要就出会可也你对生能而子那得于着下自之年过发后作里用道行所然家种事成方多经么去法学如都同现当没动面起看定天分还进好小部其些主样理心本前开但因只从想实日者意无力它与长把机十民第公此已工使情明性知全三又关点正业外将两高间由问很最重并物手应向头文体美相见被利什二等产或新己制身果加话月合回特代内信表化给位次度门任常先通教原东声提立及比员解水名真论处走义各入几口认条平系气题更别打变四总何电数安少报才结反受目太量再感建务做接必场件计管期市直命指许统区保至形便空决治展科司五基书非则却界达光放强即像难且权思完设式色路记南品住告类求据程边该规万取拉格望觉术领共确传师观清今切让识候带导运单版户配置默认参函返型注页码象组串符简介快速字汉语言示例测试调网络请仓库目录输入编辑链项选框架安装包令脚';
const TRADITIONAL =
  '的一是不了在人有我他這個們中來上大為和國地到以說時要就出會可也你對生能而子那得於著下自之年過發後作裡用道行所然家種事成方多經麼去法學如都同現當沒動面起看定天分還進好小部其些主樣理心本前開但因只從想實日者意無力它與長把機十民第公此已工使情明性知全三又關點正業外將兩高間由問很最重並物手應向頭文體美相見被利什二等產或新己制身果加話月合回特代內信表化給位次度門任常先通教原東聲提立及比員解水名真論處走義各入幾口認條平系氣題更別打變四總何電數安少報才結反受目太量再感建務做接必場件計管期市直命指許統區保至形便空決治展科司五基書非則卻界達光放強即像難且權思完設式色路記南品住告類求據程邊該規萬取拉格望覺術領共確傳師觀清今切讓識候帶導運單版戶配置預參函返型註頁碼象組串符簡介快速字漢語言示例測試調網絡請倉庫目錄輸入編輯鏈項選框架安裝包令腳檔案程式資料使用者伺服器專訊';
const KOREAN =
  '이다는을를의에가은고하지로한서도기사인자대해리나아어그시정라일구보수있전게제주장부상동우만스모들과조여거면요성원세공안신오중되할니무국위까습유식방문개발때관경소년합입것됩파용설치예같또않처음른작필션트페키값열객체생및법버능옵변확프젝터업데드명령실행디렉환경추든없직간본통경크코러속목격섹션접약녕영글내참클릭추력브라저환결포터첫번줄메뉴항택드';

const CANDIDATES: readonly Candidate[] = [
  { label: 'gb18030', name: 'GB18030', fits: madeOf(oneOf(SIMPLIFIED + EAST_ASIAN_MARKS)) },
  { label: 'big5', name: 'BIG5', fits: madeOf(oneOf(TRADITIONAL + EAST_ASIAN_MARKS)) },
  { label: 'shift_jis', name: 'SHIFT_JIS', fits: madeOf(isJapanese) },
  { label: 'euc-jp', name: 'EUC-JP', fits: madeOf(isJapanese) },
  { label: 'euc-kr', name: 'EUC-KR', fits: madeOf(oneOf(KOREAN)) },
  { label: 'windows-1251', name: 'WINDOWS-1251', fits: isCyrillic },
  { label: 'koi8-r', name: 'KOI8-R', fits: isCyrillic },
  { label: 'windows-1252', name: 'WINDOWS-1252', fits: isWestern },
];

/** Size limit of the sample, in bytes of the lines that contain more than ASCII. */
const SAMPLE_BYTES = 50_000;
const LINE_FEED = 0x0a;

/**
 * Returns the encoding of a text that is not UTF-8, if there is no doubt: all bytes are valid in it, and the text
 * consists of characters that are usual in its language. Undefined if no encoding or several fit.
 */
function detectEncoding(bytes: Uint8Array): Encoding | undefined {
  const wide = detectWide(bytes);
  if (wide) return wide;
  const sample = takeSample(bytes);
  if (isDamagedUtf8(sample)) return undefined;
  const fitting = CANDIDATES.filter(({ label, fits }) => {
    const text = decodeBytes(sample, label, { stream: true });
    return text !== undefined && fits(text);
  });
  return fitting.length === 1 ? fitting[0] : undefined;
}

/** UTF-16, by its byte order mark or by the zero bytes of ASCII characters. */
function detectWide(bytes: Uint8Array): Encoding | undefined {
  const big = { label: 'utf-16be', name: 'UTF-16BE' };
  const little = { label: 'utf-16le', name: 'UTF-16LE' };
  const [first, second] = bytes;
  if (first === 0xfe && second === 0xff) return big;
  if (first === 0xff && second === 0xfe) return bytes[2] === 0 && bytes[3] === 0 ? undefined : little;
  if (bytes.length % 2 === 1 || !bytes.subarray(0, SAMPLE_BYTES).includes(0)) return undefined;
  const zeros = [0, 0];
  const end = Math.min(bytes.length, SAMPLE_BYTES);
  for (let at = 0; at < end; at++) if (bytes[at] === 0) zeros[at & 1]!++;
  const [even, odd] = zeros as [number, number];
  if (Math.min(even, odd) > 0 || Math.max(even, odd) * 4 < end) return undefined;
  return even > odd ? big : little;
}

/** Returns whether most of what is not ASCII is UTF-8. */
function isDamagedUtf8(sample: Uint8Array): boolean {
  const others = new TextDecoder().decode(sample).match(/[^\p{ASCII}]/gu) ?? [];
  return others.filter((character) => character !== '\ufffd').length * 2 > others.length;
}

/** Returns lines that contain more than ASCII. */
function takeSample(bytes: Uint8Array): Uint8Array {
  const lines: Uint8Array[] = [];
  let size = 0;
  let start = 0;
  for (let at = 0; at < bytes.length && size < SAMPLE_BYTES; at++) {
    if (bytes[at] === LINE_FEED) start = at + 1;
    if (bytes[at]! < 0x80) continue;
    const found = bytes.indexOf(LINE_FEED, at);
    const end = found < 0 ? bytes.length : found + 1;
    lines.push(bytes.subarray(Math.max(start, at - SAMPLE_BYTES), Math.min(end, at + SAMPLE_BYTES)));
    size += lines.at(-1)!.length;
    start = end;
    at = end - 1;
  }
  return Buffer.concat(lines);
}

/** Returns whether enough characters are usual; a shorter text needs a larger share. */
function madeOf(isUsual: (character: string) => boolean): (text: string) => boolean {
  return (text) => {
    const others = text.match(/[^\p{ASCII}]/gu) ?? [];
    const usual = others.filter(isUsual);
    const share = others.length < 4 ? 1 : others.length < 8 ? 0.75 : others.length < 20 ? 0.6 : 0.5;
    const isVaried = new Set(usual).size >= Math.min(6, others.length / 2);
    return others.length > 1 && isVaried && usual.length >= share * others.length;
  };
}

/** Words consist of Cyrillic letters only, mostly in lower case, and have vowels. */
function isCyrillic(text: string): boolean {
  let [lower, upper] = [0, 0];
  for (const [run] of text.matchAll(/(?<![A-Za-z])[A-Za-z]*[^\p{ASCII}][A-Za-z\u0080-\uffff]*/gu)) {
    for (const word of run.split(MARKS)) {
      if (/^[A-Za-z]*$/.test(word)) continue;
      if (!/^(?:[А-ЯЁЄІЇҐ]?[а-яёєіїґ]+|[А-ЯЁЄІЇҐ]+)$/.test(word)) return false;
      if (word.length > 3 && !/[аеёиоуыэюяєії]/i.test(word)) return false;
      for (const letter of word) letter === letter.toLowerCase() ? lower++ : upper++;
    }
  }
  return lower >= 24 && lower > upper * 2;
}

/** Punctuation that may occur anywhere, and a pattern that splits a text at it. */
const MARKS = /[’‘“”„«»–—…·•№©®™\u00a0]+/;
/** Letters with accents, in languages of Western Europe. */
const WESTERN = [
  'àâæçéèêëîïôœùûüÿ',
  'äöüßéåæøè',
  'áéíñóúüçªº',
  'àáâãçéêíóôõúüªº',
  'àèéìíîòóùúç',
  'éëïóöüèêáíú',
  'àçèéíïòóúü',
  'õäöü',
].map((letters) => new Set(letters));
const ANY_WESTERN = new Set(WESTERN.flatMap((letters) => [...letters]));

/** Accented letters occur alone or in pairs among others, and belong to one language if there are many. */
function isWestern(text: string): boolean {
  const letters: string[] = [];
  let [alone, inLongRuns, marks] = [0, 0, 0];
  for (const { 0: match, index } of text.matchAll(/[^\p{ASCII}]+/gu)) {
    const isInWord = isLetter(text[index - 1]) || isLetter(text[index + match.length]);
    for (const run of match.split(MARKS)) {
      if (/^[ß-öø-ÿœ]+$|^[À-ÖØ-ÞŒ]$/.test(run)) {
        append(letters, run.toLowerCase());
        if (run.length > 2) inLongRuns += run.length;
        else if (run === match && (isInWord || /^[àâáéèêíóòùåäöøæÀÉ]$/.test(run))) alone++;
      } else if (run !== '' && (match.length > 1 || !isMarkAt(text, index))) return false;
      else if (match.length === 1) marks++;
    }
  }
  if (letters.length === 0) return marks > 0;
  if (alone === 0 || inLongRuns * 5 > letters.length) return false;
  if (!letters.every((letter) => ANY_WESTERN.has(letter))) return false;
  const ofOne = Math.max(...WESTERN.map((own) => letters.filter((letter) => own.has(letter)).length));
  const isRare = letters.length * 60 < (text.match(/[A-Za-z]/g) ?? []).length;
  return isRare || ofOne >= letters.length * 0.95;
}

/** Returns whether there is a sign such as `°`, `²` or `¿` outside of words, except in `n°` and `m²`. */
function isMarkAt(text: string, index: number): boolean {
  if (!'€£§±°×÷µ¿¡ºª²³¹½¼¾'.includes(text[index]!)) return false;
  return !isLetter(text[index - 1]) || !(isLetter(text[index + 1]) || isLetter(text[index - 2]));
}

function isLetter(character: string | undefined): boolean {
  return character !== undefined && /[A-Za-z]/.test(character);
}

/** The characters of windows-1252 from 0x80 on, where Latin-1 has control characters; a space is unassigned. */
const WINDOWS_1252 = '€ ‚ƒ„…†‡ˆ‰Š‹Œ Ž  ‘’“”•–—˜™š›œ žŸ';

/**
 * Returns the text of bytes in an encoding; undefined if some of them are invalid. With `stream` the last character may
 * be cut off.
 */
function decodeBytes(bytes: Uint8Array, label: string, options?: { readonly stream: boolean }) {
  if (label === 'windows-1252') return decodeWestern(bytes);
  try {
    return new TextDecoder(label, { fatal: true }).decode(bytes, options);
  } catch {
    return undefined;
  }
}

/** Some versions of Node decode windows-1252 as Latin-1. */
function decodeWestern(bytes: Uint8Array): string | undefined {
  let isWhole = true;
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
    .toString('latin1')
    .replace(/[\u0080-\u009f]/g, (control) => {
      const character = WINDOWS_1252[control.charCodeAt(0) - 0x80]!;
      isWhole &&= character !== ' ';
      return character;
    });
  return isWhole ? text : undefined;
}

function oneOf(characters: string): (character: string) => boolean {
  const set = new Set(characters);
  return (character) => set.has(character);
}

function isJapanese(character: string): boolean {
  return /[\p{sc=Hiragana}\p{sc=Katakana}ー。、「」・]/u.test(character) && !/[\uff61-\uff9f]/.test(character);
}
