import { hash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib';
import type { PageOutline } from '../../builder/history/page-outline.ts';
import type { OutlineOf, ReleasePages } from '../../builder/history/release-changes.ts';

/** What two released versions of some public documentation have become of, as a person read it. */
export interface MovesFixture {
  /** Owner and name at GitHub. */
  readonly repository: string;
  /** SPDX expression. */
  readonly licence: string;
  /** Branch or tag. */
  readonly older: string;
  readonly newer: string;
  /** Folder of the documentation; absent = as detected. */
  readonly sourceDir?: string;
  readonly cases: readonly MoveCase[];
  /** All other moves and merges that are found, each read and right: paths of newer pages by those of older ones. */
  readonly others: Readonly<Record<string, string>>;
}

/** A question to the matcher: where is a page, or a section of one, in the newer version? */
export interface MoveCase {
  /** Path of the page's HTML file, without its ending; of a section with its id behind `#`. */
  readonly from: string;
  /** The right answers in the same form, the best first; null = it is not in the newer version. */
  readonly right: readonly (string | null)[];
  /** What makes it hard, and why these answers are right. */
  readonly why: string;
}

/** Both versions as the engine outlines them. */
export interface OutlinedReleases {
  readonly older: ReleasePages;
  readonly newer: ReleasePages;
  readonly outlineOf: OutlineOf;
}

/** A page as it is stored: its path and title, and the index of its outline. */
type StoredPage = readonly [path: string, title: string, outline: number];

interface StoredReleases {
  readonly older: readonly StoredPage[];
  readonly newer: readonly StoredPage[];
  readonly outlines: readonly (readonly [limit: number, sections: readonly StoredSection[]])[];
}

/** `same` is equal where hashes are. */
type StoredSection = readonly [id: string, heading: string, same: number, words: number, sample: string];

/** Words that the matcher knows: they are kept, all others are hashed. */
const KNOWN_WORDS = new Set(
  'index readme overview introduction intro home main start about summary contents changelog faq usage example examples api reference'.split(
    ' ',
  ),
);

/** Hides a text but for which of its words are the same as others. */
export function veilText(text: string): string {
  const words = text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [];
  return words.map((word) => (KNOWN_WORDS.has(word) ? word : hash('sha1', word, 'hex').slice(0, 5))).join(' ');
}

export function veilId(id: string): string {
  return id === '' ? '' : hash('sha1', id, 'hex').slice(0, 8);
}

/** Most pages of a fixture that are the same in both versions, by what they say and by path. */
const MAX_SAME = 30;

/**
 * Leaves out most of the pages that are the same in both versions, which only say what is common to many pages; those with these paths
 * are kept.
 */
export function thinReleases(
  { older, newer, outlineOf }: OutlinedReleases,
  kept: ReadonlySet<string>,
): OutlinedReleases {
  const before = new Map(older.pages.map((page) => [page.path, outlineOf(page)?.hash]));
  const same = newer.pages.filter((page) => before.get(page.path) === outlineOf(page)?.hash && !kept.has(page.path));
  const orderOf = (path: string): string => hash('sha1', path, 'hex');
  const paths = same.map(({ path }) => path).sort((a, b) => (orderOf(a) < orderOf(b) ? -1 : 1));
  const left = new Set(paths.slice(MAX_SAME));
  const thin = ({ id, pages }: ReleasePages): ReleasePages => ({
    id,
    pages: pages.filter(({ path }) => !left.has(path)),
  });
  return { older: thin(older), newer: thin(newer), outlineOf };
}

/** Stores outlines without any text of the documentation: titles, headings and ids are hashed. */
export function writeReleases(file: string, { older, newer, outlineOf }: OutlinedReleases): void {
  const outlines: StoredReleases['outlines'][number][] = [];
  const places = new Map<string, number>();
  const same = new Map<string, number>();
  const numberOf = (sectionHash: string): number => {
    const known = same.get(sectionHash) ?? same.size;
    same.set(sectionHash, known);
    return known;
  };
  const place = (outline: PageOutline): number => {
    const sections = outline.sections.map(
      ({ id, heading, hash: own, words, sample }): StoredSection => [
        veilId(id),
        veilText(heading),
        numberOf(own),
        words,
        sample,
      ],
    );
    const text = JSON.stringify([outline.limit, sections]);
    const known = places.get(text);
    if (known !== undefined) return known;
    places.set(text, outlines.length);
    return outlines.push([outline.limit, sections]) - 1;
  };
  const store = ({ pages }: ReleasePages): readonly StoredPage[] =>
    pages.flatMap((page): readonly StoredPage[] => {
      const outline = outlineOf(page);
      return outline ? [[page.path, veilText(page.title), place(outline)]] : [];
    });
  const stored: StoredReleases = { older: store(older), newer: store(newer), outlines };
  const bytes = brotliCompressSync(JSON.stringify(stored), {
    params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_LGWIN]: 24 },
  });
  writeFileSync(file, bytes);
}

export function readReleases(file: string): OutlinedReleases {
  const stored = JSON.parse(brotliDecompressSync(readFileSync(file)).toString()) as StoredReleases;
  const outlines = stored.outlines.map(
    ([limit, sections]): PageOutline => ({
      hash: sections.map(([, , same]) => same).join(),
      limit,
      sections: sections.map(([id, heading, same, words, sample]) => ({
        id,
        heading,
        hash: String(same),
        words,
        sample,
      })),
    }),
  );
  const restore = (id: string, pages: readonly StoredPage[]): ReleasePages => ({
    id,
    pages: pages.map(([path, title, at]) => ({ path, title, key: String(at) })),
  });
  return {
    older: restore('older', stored.older),
    newer: restore('newer', stored.newer),
    outlineOf: ({ key }) => outlines[Number(key)],
  };
}
