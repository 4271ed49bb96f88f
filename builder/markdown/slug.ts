import { append } from '../../lib/append.ts';
import type { Dialect } from '../generators/generator.ts';

/**
 * Returns a heading's id as GitHub (and Docusaurus) makes it: letters of any script, digits, `_` and `-`; lower-case.
 * The space next to a removed symbol stays: `🚀 Start` is `-start`.
 */
export function createSlug(text: string): string {
  const slug = text
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, '');
  return hasWords(slug) ? slug.replaceAll(' ', '-') : 'section';
}

/** Returns whether the text of a heading holds a letter or a digit, and so has an id of its own. */
export function hasWords(text: string): boolean {
  return /[\p{L}\p{N}]/u.test(text);
}

/**
 * Returns VitePress' id of a heading if it differs: accents dropped, runs of symbols replaced by one hyphen, `_` before
 * a digit. Differences that Unicode normalisation removes do not count.
 */
export function findOtherSlug(text: string, slug: string): string | undefined {
  if (/^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/.test(slug) && !/[^\w -]/.test(text)) return undefined;
  const other = createDecomposedSlug(text).normalize('NFC');
  return other === '' || other === slug.normalize('NFC') ? undefined : other;
}

/** Returns VitePress' and VuePress' id of a heading as it is there: Hangul and marks of Kana are decomposed (NFKD). */
function createDecomposedSlug(text: string): string {
  const bare = text.normalize('NFKD').replace(/[\u0300-\u036f]/g, '');
  const joined = bare.replace(/[\p{Cc}]/gu, '').replace(/[\s~`!@#$%^&*()\-_+=[\]{}|\\;:"'“”‘’<>,.?/]+/g, '-');
  return joined
    .replace(/^-|-$/g, '')
    .replace(/^(?=\d)/, '_')
    .toLowerCase();
}

/** Returns Hexo's id of a heading: capital letters stay, accents are dropped, runs of signs and spaces are one hyphen. */
function createHexoSlug(text: string): string {
  const bare = text
    .normalize('NFD')
    .replace(/[\u0300-\u036f]/g, '')
    .normalize('NFC');
  return bare
    .replace(/\p{Cc}/gu, '')
    .replace(/[\s~`!@#$%^&*()\-_+=[\]{}|\\;:"'<>,.?/]+/g, '-')
    .replace(/^-|-$/g, '');
}

/** Ids of headings as other generators give them, while the headings of a page are read in their order. */
export interface OtherIds {
  /**
   * Returns the ids that a heading would have elsewhere; some may be the one that it has. `isOwn`: it stands in the text, and
   * is not front matter's title.
   */
  next(text: string, slug: string, isOwn: boolean): readonly string[];
  /** Notes a heading whose id its author chose. */
  skip(id: string): void;
}

/**
 * Creates the ids of one page: those of VitePress and VuePress, and those of MkDocs. Of headings with the same text, the second
 * is `a-1` in the former, as on GitHub, and `a_1` in the latter. Those of Hexo only if `written` says that they are wanted. Of texts in other scripts than Latin, `written` says whose ids
 * are wanted: MkDocs leaves them out, so that a heading may be `_1`, and VitePress decomposes them.
 */
export function createOtherIds(written?: Dialect['headingIds']): OtherIds {
  const ofVitepress = new Set<string>();
  const ofMkdocs = new Set<string>();
  const decomposed = new Set<string>();
  const ofHexo = new Set<string>();
  const nextOf = new Map<string, number>();
  const take = (taken: Set<string>, wanted: string, sign: string): string => {
    let id = wanted;
    const key = `${taken === decomposed ? 'd' : taken === ofHexo ? 'h' : ''}${sign}${wanted}`;
    for (let next = nextOf.get(key) ?? 1; id === '' || taken.has(id); next++) {
      id = `${wanted}${sign}${next}`;
      nextOf.set(key, next + 1);
    }
    taken.add(id);
    return id;
  };
  /** Of text that is escaped for HTML, which some of its renderers take, `&` is `amp`. */
  const takeHexo = (text: string): readonly string[] => {
    const forms = new Set([text, text.replaceAll('&', '&amp;')].map(createHexoSlug));
    return [...forms].filter((id) => id !== '').map((id) => take(ofHexo, id, '-'));
  };
  return {
    next(text, slug, isOwn) {
      const ids = [take(ofVitepress, findOtherSlug(text, slug) ?? slug, '-')];
      const own = findMkdocsSlug(text, slug, isOwn && written === 'ascii');
      if (own !== undefined) ids.push(take(ofMkdocs, own, '_'));
      if (isOwn && written === 'cased') append(ids, takeHexo(text));
      const parts = isOwn && written === 'decomposed' ? createDecomposedSlug(text) : '';
      // All others are the same in both forms.
      if (parts !== parts.normalize('NFC')) ids.push(take(decomposed, parts, '-'));
      return ids;
    },
    skip(id) {
      ofVitepress.add(id);
      ofMkdocs.add(id);
      decomposed.add(id);
      ofHexo.add(id);
    },
  };
}

/**
 * Returns the id of a heading as Python-Markdown makes it: accents dropped, all else but words and hyphens removed, runs of spaces
 * and hyphens joined. Of texts in other scripts, what it keeps, perhaps nothing, if `ofAll`, otherwise undefined.
 */
function findMkdocsSlug(text: string, slug: string, ofAll: boolean): string | undefined {
  if (/^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/.test(slug) && !/[^\w -]/.test(text)) return slug;
  const bare = text.normalize('NFKD').replace(/\p{M}/gu, '');
  const isOther = /[^\p{Script=Latin}\P{L}]/u.test(bare);
  if (isOther && !ofAll) return undefined;
  const own = bare
    .replace(/[^\w\s-]/g, '')
    .trim()
    .toLowerCase()
    .replace(/[-\s]+/g, '-');
  return own === '' && !isOther ? undefined : own;
}
