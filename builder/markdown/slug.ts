/**
 * Returns a heading's id as GitHub (and Docusaurus) makes it: letters of any script, digits, `_` and `-`; lower-case.
 * The space next to a removed symbol stays: `🚀 Start` is `-start`.
 */
export function createSlug(text: string): string {
  const slug = text
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, '');
  return slug.trim() === '' ? 'section' : slug.replaceAll(' ', '-');
}

/**
 * Returns VitePress' id of a heading if it differs: accents dropped, runs of symbols replaced by one hyphen, `_` before
 * a digit. Differences that Unicode normalisation removes do not count.
 */
export function findOtherSlug(text: string, slug: string): string | undefined {
  if (/^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/.test(slug) && !/[^\w -]/.test(text)) return undefined;
  const bare = text.normalize('NFKD').replace(/[\u0300-\u036f]/g, '');
  const joined = bare.replace(/[\p{Cc}]/gu, '').replace(/[\s~`!@#$%^&*()\-_+=[\]{}|\\;:"'“”‘’<>,.?/]+/g, '-');
  const other = joined
    .replace(/^-|-$/g, '')
    .replace(/^(?=\d)/, '_')
    .toLowerCase()
    .normalize('NFC');
  return other === '' || other === slug.normalize('NFC') ? undefined : other;
}

/** Ids of headings as other generators give them, while the headings of a page are read in their order. */
export interface OtherIds {
  /** Returns the ids that a heading would have elsewhere; some may be the one that it has. */
  next(text: string, slug: string): readonly string[];
  /** Notes a heading whose id its author chose. */
  skip(id: string): void;
}

/**
 * Creates the ids of one page: those of VitePress and VuePress, and those of MkDocs. Of headings with the same text, the second
 * is `a-1` in the former, as on GitHub, and `a_1` in the latter.
 */
export function createOtherIds(): OtherIds {
  const ofVitepress = new Set<string>();
  const ofMkdocs = new Set<string>();
  const nextOf = new Map<string, number>();
  const take = (taken: Set<string>, wanted: string, sign: string): string => {
    let id = wanted;
    const key = `${sign}${wanted}`;
    for (let next = nextOf.get(key) ?? 1; taken.has(id); next++) {
      id = `${wanted}${sign}${next}`;
      nextOf.set(key, next + 1);
    }
    taken.add(id);
    return id;
  };
  return {
    next(text, slug) {
      const own = findMkdocsSlug(text, slug);
      const ids = [take(ofVitepress, findOtherSlug(text, slug) ?? slug, '-')];
      return own === undefined ? ids : [...ids, take(ofMkdocs, own, '_')];
    },
    skip(id) {
      ofVitepress.add(id);
      ofMkdocs.add(id);
    },
  };
}

/**
 * Returns the id of a heading as Python-Markdown makes it: accents dropped, all else but words and hyphens removed, runs of spaces
 * and hyphens joined. Undefined for texts in other scripts, of which it would keep nothing.
 */
function findMkdocsSlug(text: string, slug: string): string | undefined {
  if (/^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/.test(slug) && !/[^\w -]/.test(text)) return slug;
  const bare = text.normalize('NFKD').replace(/\p{M}/gu, '');
  if (/[^\p{Script=Latin}\P{L}]/u.test(bare)) return undefined;
  const own = bare
    .replace(/[^\w\s-]/g, '')
    .trim()
    .toLowerCase()
    .replace(/[-\s]+/g, '-');
  return own === '' ? undefined : own;
}
