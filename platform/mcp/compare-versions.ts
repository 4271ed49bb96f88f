import { createTwoFilesPatch } from 'diff';
import { DataError } from '../../data/data-error.ts';
import { type ChangedPage, collectChanges } from './collect-changes.ts';
import { nameOfPage, type Release } from './find-place.ts';
import { findSection, type MarkdownPage, parseMarkdownPage, selectPart } from './markdown-sections.ts';
import { MAX_TEXT, missingSection } from './read-part.ts';
import { type OpenedSite, readHistory, readPage } from './read-site.ts';

/** Lines by which two pages may differ before nobody reads the difference, and its characters in an answer. */
const MAX_EDITS = 4_000;
const COMPARE_MS = 3_000;
const MAX_COMPARED = 1_000_000;
const CONTEXT_LINES = 3;
/** Pages of each kind that are named among those that changed. */
const MAX_CHANGED = 100;

/** Two versions by their names; the language is the default one where none is given. */
interface VersionPair {
  readonly from: string;
  readonly to: string;
  readonly language?: string | undefined;
}

/** Returns how a page's Markdown differs between two versions. */
export async function comparePage(
  site: OpenedSite,
  {
    page,
    from,
    to,
    language,
    section = '',
  }: VersionPair & { readonly page: string; readonly section?: string | undefined },
) {
  const { places } = site;
  const asked = places.parsePage(page, { language });
  const releases = [from, to].map((version) => places.findRelease({ ...asked, version })) as [Release, Release];
  const [older, newer] = releases;
  const known = releases.map((release) => places.findPage(release, asked.page));
  // What is at its path in the other version may be another page, and it may be at another path.
  const paths =
    known[0] === undefined
      ? [places.findMoved(newer, known[1], older), known[1]]
      : [known[0], places.findMoved(older, known[0], newer) ?? (known[1] === known[0] ? undefined : known[1])];
  for (const [at, release] of releases.entries())
    if (paths[at] === undefined) throw places.missingPage(release, asked.page);
  const texts = await Promise.all(releases.map((release, at) => readPage(site, release, paths[at]!)));
  const wanted = section.replace(/^#/, '');
  const sides = texts.map(parseMarkdownPage).map((side, at) => {
    const text = wanted === '' ? side.text : sectionText(side, wanted);
    // Links that lead to the same page of either version are no difference.
    if (text !== undefined) return text.replaceAll(site.url + releases[at]!.folder, '/');
    throw missingSection(releases[at]!, paths[at]!, side, wanted);
  });
  const names = paths.map((path) => nameOfPage(path!));
  const difference = compareTexts(sides as [string, string], [
    `${older.version}/${names[0]}`,
    `${newer.version}/${names[1]}`,
  ]);
  return {
    language: older.language,
    from: { version: older.version, page: names[0]!, url: places.urlOf(older, paths[0]!) },
    to: { version: newer.version, page: names[1]!, url: places.urlOf(newer, paths[1]!) },
    ...(wanted !== '' && { section: wanted }),
    isMoved: names[0] !== names[1],
    ...difference,
  };
}

/** Returns the pages that were added, removed, moved or changed between two versions. */
export async function listChanges(site: OpenedSite, { from, to, language }: VersionPair) {
  const { places } = site;
  const [older, newer] = [from, to].map((version) => places.findRelease({ version, language })) as [Release, Release];
  const changes = collectChanges(places.lineOf(older.language), await readHistory(site, older.language), {
    from: older,
    to: newer,
  });
  const present = (list: readonly ChangedPage[], release: Release) =>
    [...list]
      .sort((a, b) => (b.amount ?? 0) - (a.amount ?? 0) || (a.path < b.path ? -1 : 1))
      .slice(0, MAX_CHANGED)
      .map(({ path, other, ...rest }) => ({
        page: nameOfPage(path),
        url: places.urlOf(release, path),
        ...(other !== undefined && { other: other.replace(/\.html(?=#|$)/, '') }),
        ...rest,
      }));
  return {
    language: older.language,
    from: older.version,
    to: newer.version,
    counts: {
      added: changes.added.length,
      removed: changes.removed.length,
      moved: changes.moved.length,
      changed: changes.changed.length,
      unchanged: changes.unchanged,
    },
    added: present(changes.added, newer),
    removed: present(changes.removed, older),
    moved: present(changes.moved, newer),
    changed: present(changes.changed, newer),
  };
}

function sectionText(page: MarkdownPage, wanted: string): string | undefined {
  return selectPart(page, findSection(page, wanted)?.id ?? wanted, Number.POSITIVE_INFINITY)?.text;
}

/** Returns the unified difference of two texts, as far as an answer holds it. Throws DataError `invalid` where it has no bounds. */
function compareTexts([a, b]: readonly [string, string], [from, to]: readonly [string, string]) {
  if (a === b) return { isSame: true, added: 0, removed: 0, difference: '', isCut: false };
  const patch =
    a.length + b.length > MAX_COMPARED
      ? undefined
      : createTwoFilesPatch(from, to, a, b, undefined, undefined, {
          context: CONTEXT_LINES,
          maxEditLength: MAX_EDITS,
          timeout: COMPARE_MS,
        });
  if (patch === undefined) {
    throw new DataError(
      'invalid',
      'The two versions of the page have too little in common to be compared; read both, or compare a section',
    );
  }
  const lines = patch.split('\n').slice(1);
  const count = (sign: string): number => lines.slice(2).filter((line) => line.startsWith(sign)).length;
  const whole = lines.join('\n');
  const end = whole.length <= MAX_TEXT ? whole.length : whole.lastIndexOf('\n', MAX_TEXT);
  return {
    isSame: false,
    added: count('+'),
    removed: count('-'),
    difference: whole.slice(0, end),
    isCut: end < whole.length,
  };
}
