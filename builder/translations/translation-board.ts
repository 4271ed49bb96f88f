import type { LateSection, TranslationState } from './trace-translation.ts';

/** A version of a board, with what is counted of it. */
export interface TranslatedVersion {
  /** For readers, and in URLs. */
  readonly name: string;
  readonly slug: string;
  /** Pages of the original. */
  readonly pages: number;
  readonly current: number;
  readonly behind: number;
  readonly missing: number;
  /** How much of the original readers find in the translation as it is now; 100 only where nothing is behind or missing. */
  readonly percent: number;
}

/** How the translation of a page stands; names of versions are those for readers. */
export interface BoardState {
  readonly state: TranslationState['state'];
  readonly since?: string;
  /** The last version in which the translation had all of the original; left out where it never had. */
  readonly inStep?: string;
  /** Share of the original's words, above 0. */
  readonly amount?: number;
  readonly sections?: readonly BoardSection[];
}

/** A section of the original that is another one in the translation. */
export interface BoardSection extends Pick<LateSection, 'state' | 'id' | 'heading'> {
  readonly since: string;
  readonly inStep?: string;
}

export interface BoardPage {
  /** Path of the translation, or of the page that stands in for it, in its release. */
  readonly path: string;
  /** Path of the original, where it is another one. */
  readonly original?: string;
  readonly title: string;
  /** URL at which the translation, or where it is missing, the original can be edited. */
  readonly edit?: string;
  /** `versions` are places in the board's versions, ascending. */
  readonly states: readonly (BoardState & { readonly versions: readonly number[] })[];
}

/** How the translation into a language stands, in all versions that have the language. */
export interface TranslationBoard {
  readonly format: 1;
  /** Codes of the language and of the original's. */
  readonly language: string;
  readonly original: string;
  /** In readers' order. */
  readonly versions: readonly TranslatedVersion[];
  /** In the order of their paths. */
  readonly pages: readonly BoardPage[];
}

/** A page in some versions. */
export interface BoardPlace extends Required<Pick<BoardPage, 'path' | 'original' | 'title'>> {
  readonly state: BoardState;
  /** Share of the page that readers do not find in the translation. */
  readonly lacking: number;
}

/** Makes a board of the pages of versions, those with the same pages together; `versions` are numbers. */
export function buildBoard(
  { language, original }: Pick<TranslationBoard, 'language' | 'original'>,
  versions: readonly Pick<TranslatedVersion, 'name' | 'slug'>[],
  lists: readonly { readonly versions: readonly number[]; readonly pages: readonly BoardPlace[] }[],
): TranslationBoard {
  const pages = new Map<string, Omit<BoardPage, 'states'> & { readonly found: Map<string, FoundState> }>();
  const counts = new Map<number, Omit<TranslatedVersion, 'name' | 'slug'>>();
  // Most versions share their states.
  const texts = new Map<BoardState, string>();
  for (const { versions: numbers, pages: places } of lists) {
    const count = countPlaces(places);
    for (const number of numbers) counts.set(number, count);
    for (const { path, original: from, title, state } of places) {
      const id = `${path}\0${from}`;
      let page = pages.get(id);
      if (!page) {
        page = { path, ...(from !== path && { original: from }), title, found: new Map() };
        pages.set(id, page);
      }
      const text = texts.get(state) ?? JSON.stringify(state);
      texts.set(state, text);
      const found = page.found.get(text);
      if (found) found.versions.push(...numbers);
      else page.found.set(text, { state, versions: [...numbers] });
    }
  }
  return {
    format: 1,
    language,
    original,
    versions: versions.map(({ name, slug }, at) => ({ name, slug, ...counts.get(at)! })),
    pages: [...pages.values()]
      .sort((a, b) => (a.path < b.path ? -1 : 1))
      .map(({ found, ...page }) => ({
        ...page,
        states: [...found.values()].map((one) => ({ versions: one.versions.sort((a, b) => a - b), ...one.state })),
      })),
  };
}

interface FoundState {
  readonly state: BoardState;
  readonly versions: number[];
}

function countPlaces(places: readonly BoardPlace[]): Omit<TranslatedVersion, 'name' | 'slug'> {
  const count = { pages: places.length, current: 0, behind: 0, missing: 0 };
  for (const { state } of places) count[state.state]++;
  const lacking = places.reduce((sum, place) => sum + place.lacking, 0);
  const percent = Math.floor(100 * (1 - lacking / Math.max(1, places.length)));
  return { ...count, percent: lacking > 0 ? Math.min(99, percent) : 100 };
}

/**
 * Returns what pages of a translation are told: `{original, latest, slugs, pages: {path: [[places of slugs, name of the version in which it
 * was in step]]}}`, only those that are behind an original which they once had all of.
 */
export function presentNotices({ original, versions, pages }: TranslationBoard, latest: string): string {
  const told = pages.flatMap(({ path, original: from, states }) => {
    const rows = states.flatMap(({ versions: places, inStep }) =>
      inStep === undefined ? [] : [from === undefined ? [places, inStep] : [places, inStep, from]],
    );
    return rows.length > 0 ? [[path, rows] as const] : [];
  });
  return JSON.stringify({ original, latest, slugs: versions.map(({ slug }) => slug), pages: Object.fromEntries(told) });
}
