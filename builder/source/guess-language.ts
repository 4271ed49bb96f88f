import { BuildError } from '../build-error.ts';
import type { ObjectReader } from '../model.ts';
import { isPageFile } from '../page-path.ts';
import type { SourceFile } from './files/walk-tree.ts';
import { findStatedLanguage, type LanguageLayout } from './languages.ts';
import { decodeText } from './text/decode-text.ts';

/** Pages that are looked at, spread over all. */
const SAMPLES = 9;
/** Characters of a page that are looked at. */
const MAX_CHARACTERS = 5_000;

/** Scripts and the language that documentation in them is mostly in; those with several follow below. */
const LANGUAGE_OF_SCRIPT = Object.entries({
  Arabic: 'ar',
  Armenian: 'hy',
  Bengali: 'bn',
  Cyrillic: 'ru',
  Devanagari: 'hi',
  Ethiopic: 'am',
  Georgian: 'ka',
  Greek: 'el',
  Gujarati: 'gu',
  Gurmukhi: 'pa',
  Hangul: 'ko',
  Hebrew: 'he',
  Kannada: 'kn',
  Khmer: 'km',
  Lao: 'lo',
  Malayalam: 'ml',
  Myanmar: 'my',
  Sinhala: 'si',
  Tamil: 'ta',
  Telugu: 'te',
  Thai: 'th',
}).map(([script, language]) => ({ language, letters: new RegExp(`\\p{Script=${script}}`, 'gu') }));
const HAN = /\p{Script=Han}/gu;
const KANA = /[\p{Script=Hiragana}\p{Script=Katakana}]/gu;
const LATIN = /\p{Script=Latin}/gu;

/** Letters that one language of a script uses and the usual one does not. */
const OWN_LETTERS: readonly (readonly [usual: string, language: string, letters: RegExp])[] = [
  ['ru', 'uk', /[іїєґ]/giu],
  ['ar', 'ur', /[ٹڈڑےں]/gu],
  ['ar', 'fa', /[پچژگیک]/gu],
  ['zh', 'zh-TW', /[這個們來時會說對開關為設檔動應與電網頁點擊]/gu],
];
/** One letter in so many is enough: half of those that the language's texts have. */
const OWN_SHARE = 40;

/**
 * Returns the language of the pages for which neither a folder nor a name nor a configuration states one, by the script of most
 * letters of most of them; undefined where that is Latin, which says nothing, or where there are none. Code counts for nothing.
 */
export async function guessLanguage(
  { listing, layout }: { readonly listing: { readonly files: readonly SourceFile[] }; readonly layout: LanguageLayout },
  { readBlob }: Pick<ObjectReader, 'readBlob'>,
): Promise<string | undefined> {
  if (layout.defaultCode !== undefined || !layout.hasRootPages) return undefined;
  const pages = listing.files.filter(
    ({ path, isLeftOut, isStandIn, isMade }) =>
      isPageFile(path) && !isLeftOut && !isStandIn && !isMade && findStatedLanguage(path, layout) === undefined,
  );
  const step = Math.max(1, pages.length / SAMPLES);
  const counts = new Map<string, number>();
  const texts: string[] = [];
  for (let at = 0; at < pages.length; at += step) {
    const text = await readProse(() => readBlob(pages[Math.floor(at)]!.oid));
    const language = languageOfScript(text);
    if (language === undefined) continue;
    texts.push(text);
    counts.set(language, (counts.get(language) ?? 0) + 1);
  }
  const [most] = [...counts].sort((a, b) => b[1] - a[1]);
  if (!most || most[1] * 2 <= texts.length || most[0] === 'latin') return undefined;
  return tellApart(most[0], texts.join('\n'));
}

/** Returns the text of a page without front matter, code, tags and URLs; '' where it cannot be read, which is reported elsewhere. */
async function readProse(read: () => Promise<Uint8Array>): Promise<string> {
  const decoded = await read().then(decodeText, (error: unknown) => {
    if (error instanceof BuildError) return undefined;
    throw error;
  });
  if (!decoded || !('text' in decoded)) return '';
  return decoded.text
    .slice(0, MAX_CHARACTERS)
    .replace(/^---\n[\s\S]*?\n---\n/, '')
    .replace(/^ {0,3}(```+|~~~+)[\s\S]*?(?:^ {0,3}\1|(?![\s\S]))/gm, '')
    .replace(/`[^`\n]*`|<[^<>\n]*>|\]\([^()\n]*\)|\bhttps?:\S+/g, ' ');
}

/** Returns `latin`, or the language of the script that most letters belong to; undefined for a text without any. */
function languageOfScript(text: string): string | undefined {
  const latin = countMatches(text, LATIN);
  // Most texts have nothing else, and need not be searched for each script.
  const other = text.replace(/[\0-\u024F\u2000-\u206F]+/g, '');
  if (other.length * 2 < latin) return 'latin';
  const kana = countMatches(other, KANA);
  const han = countMatches(other, HAN);
  // A letter of these says as much as two or more of others.
  const found = [
    { language: 'latin', weight: latin },
    { language: kana * 20 > han ? 'ja' : 'zh', weight: (kana + han) * 2 },
    ...LANGUAGE_OF_SCRIPT.map(({ language, letters }) => ({
      language,
      weight: countMatches(other, letters) * (language === 'ko' ? 2 : 1),
    })),
  ].sort((a, b) => b.weight - a.weight);
  const total = found.reduce((sum, { weight }) => sum + weight, 0);
  return found[0]!.weight * 2 > total ? found[0]!.language : undefined;
}

function countMatches(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0;
}

function tellApart(usual: string, text: string): string {
  const script = LANGUAGE_OF_SCRIPT.find(({ language }) => language === usual)?.letters ?? HAN;
  const all = countMatches(text, script);
  const other = OWN_LETTERS.find(
    ([language, , letters]) => language === usual && countMatches(text, letters) * OWN_SHARE > all,
  );
  return other?.[1] ?? usual;
}
