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
