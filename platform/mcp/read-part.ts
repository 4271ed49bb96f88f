import type { DataError } from '../../data/data-error.ts';
import { selectSimilar } from '../../lib/similar-names.ts';
import { cutText, describeRelease, nameOfPage, notFound, type Place, type Release } from './find-place.ts';
import { findSection, type MarkdownPage, parseMarkdownPage, selectPart } from './markdown-sections.ts';
import { type OpenedSite, openSearch, readPage } from './read-site.ts';

/** Characters of a text in an answer: some 8,000 tokens. */
export const MAX_TEXT = 30_000;
const MAX_OUTLINE = 100;
/** Sections that are named where one does not exist. */
const MAX_NAMED = 10;

/** Returns the Markdown of a page, or of a section with those below it, as far as an answer holds it. */
export async function readPart(
  site: OpenedSite,
  { page, section = '', ...place }: Place & { readonly page: string; readonly section?: string | undefined },
) {
  const { places } = site;
  const asked = places.parsePage(page, place);
  const release = places.findRelease(asked);
  const found = places.getPage(release, asked.page);
  const { path } = found;
  const markdown = parseMarkdownPage(await readPage(site, release, path));
  const wanted = section.replace(/^#/, '') || asked.section || found.section;
  const part = selectPart(markdown, wanted, MAX_TEXT) ?? (await selectByIndex(site, release, path, markdown, wanted));
  if (!part) throw missingSection(release, path, markdown, wanted);
  const { id, isCut, next } = part;
  return {
    page: nameOfPage(path),
    title: markdown.meta.get('title') ?? '',
    version: release.version,
    language: release.language,
    url: places.urlOf(release, path) + (id === '' ? '' : `#${encodeURIComponent(id)}`),
    ...(wanted !== '' && { section: wanted }),
    ...(found.movedFrom !== undefined && { movedFrom: found.movedFrom }),
    text: part.text.trim(),
    isCut,
    ...(next !== undefined && { next }),
    ...(isCut && {
      sections: markdown.sections
        .slice(0, MAX_OUTLINE)
        .map(({ id, heading, level }) => ({ section: id, heading, level })),
    }),
  };
}

/** Finds a section whose id its author chose: the search index knows the heading. */
async function selectByIndex(site: OpenedSite, release: Release, path: string, page: MarkdownPage, wanted: string) {
  const search = await openSearch(site, release).catch(() => undefined);
  const slug = site.index.refs.get(release.version)?.slug;
  const volumes = search ? await search.load(false) : [];
  for (const volume of volumes) {
    const content = volume.contents.find(({ places }) =>
      places.some((place) => place.path === path && place.versions.includes(slug ?? '')),
    );
    const heads = content?.sections.map(volume.headingOf) ?? [];
    const heading = heads.find(([id]) => id === wanted)?.[1];
    const section = heading === undefined ? undefined : findSection(page, heading);
    const part = section && selectPart(page, section.id, MAX_TEXT);
    if (part) return { ...part, id: wanted };
  }
  return undefined;
}

/** Returns the error of a section that a page does not have. */
export function missingSection(release: Release, path: string, { sections }: MarkdownPage, wanted: string): DataError {
  const names = sections.map(({ id }) => id).filter(Boolean);
  const like = selectSimilar(wanted, names);
  return notFound(
    `Page "${nameOfPage(path)}" of ${describeRelease(release)} has no section "${cutText(wanted)}"`,
    like.length > 0 ? like : names.slice(0, MAX_NAMED),
    like.length > 0 ? 'similar sections are' : 'its sections are',
  );
}
