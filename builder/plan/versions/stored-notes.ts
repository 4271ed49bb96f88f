import type { Warning } from '../../model.ts';
import type { SearchList, SearchPage } from '../../search/search-volume.ts';
import type { BuildNotes, VersionNotes } from './build-notes.ts';

/** Notes as a manifest holds them: what many versions share stands there once. */
type StoredNotes = Omit<BuildNotes, 'versions'> & {
  readonly versions: Readonly<Record<string, StoredVersion>>;
  readonly warnings: readonly Omit<Warning, 'ref'>[];
  readonly pages: readonly SearchPage[];
  /** Places in `pages`, by the ids of lists. */
  readonly lists: Readonly<Record<string, readonly number[]>>;
};

interface StoredVersion extends Omit<VersionNotes, 'warnings' | 'search'> {
  /** Places in the warnings of all versions. */
  readonly warnings: readonly number[];
  /** Ids of lists by language code. */
  readonly search: Readonly<Record<string, string>>;
}

/** The notes that this process has stored: the next build goes on with the same lists, and need not compare them. */
const presented = new WeakMap<object, BuildNotes>();

/** Returns the notes as JSON that a manifest may hold. */
export function storeNotes(notes: BuildNotes): unknown {
  const warnings = createTable(({ ref, ...warning }: Warning): Omit<Warning, 'ref'> => warning);
  const all = Object.values(notes.versions).flatMap(({ search }) => Object.values(search));
  const { pages, lists } = placeLists(new Map(all.map((list) => [list.id, list])));
  const versions = Object.entries(notes.versions).map(([name, { search, warnings: found, ...version }]) => {
    const stored: StoredVersion = {
      ...version,
      warnings: found.map(warnings.placeOf),
      search: mapValues(search, ({ id }) => id),
    };
    return [name, stored] as const;
  });
  const stored: StoredNotes = {
    ...notes,
    versions: Object.fromEntries(versions),
    warnings: warnings.values,
    pages,
    lists,
  };
  presented.set(stored, notes);
  return stored;
}

/** Returns the notes of a manifest when they are of this format. */
export function readNotes(notes: unknown): BuildNotes | undefined {
  if (typeof notes !== 'object' || notes === null || !('format' in notes) || notes.format !== 8) return undefined;
  const known = presented.get(notes);
  if (known) return known;
  const { warnings, pages, lists, versions, ...rest } = notes as StoredNotes;
  const table = createTable((page: SearchPage) => page, pages);
  const listOf = new Map(
    Object.entries(lists).map(([id, places]) => {
      const list: SearchList = { id, pages: places.map((place) => pages[place]!) };
      placed.set(list, { table, places });
      return [id, list];
    }),
  );
  const warningTexts = warnings.map((warning) => JSON.stringify(warning));
  const entries = Object.entries(versions).map(([name, version]) => {
    const own: VersionNotes = {
      ...version,
      warnings: version.warnings.map((place) => {
        const warning = { ref: name, ...warnings[place]! };
        texts.set(warning, warningTexts[place]!);
        return warning;
      }),
      search: mapValues(version.search, (id) => listOf.get(id)!),
    };
    return [name, own] as const;
  });
  return { ...rest, versions: Object.fromEntries(entries) };
}

/** Texts of values that were read, or stored by earlier builds of this process; they are never changed. */
const texts = new WeakMap<object, string>();

/** Where the pages of lists that were read, or stored by earlier builds of this process, stand in a table. */
const placed = new WeakMap<SearchList, { readonly table: Table<SearchPage>; readonly places: readonly number[] }>();
/** A table is made anew when less than this share of it is in use. */
const MIN_SHARE = 0.75;

/** Returns lists as places in a table of their pages, which the next build goes on with. */
function placeLists(lists: ReadonlyMap<string, SearchList>): Pick<StoredNotes, 'pages' | 'lists'> {
  const create = () => createTable((page: SearchPage) => page);
  const known = [...lists.values()].find((list) => placed.has(list));
  const found = place((known && placed.get(known)?.table) ?? create());
  const isUsed = new Uint8Array(found.pages.length);
  for (const places of Object.values(found.lists)) for (const place of places) isUsed[place] = 1;
  const used = isUsed.reduce((sum, one) => sum + one, 0);
  return used < MIN_SHARE * found.pages.length ? place(create()) : found;

  function place(table: Table<SearchPage>): Pick<StoredNotes, 'pages' | 'lists'> {
    const entries = [...lists].map(([id, list]) => {
      const before = placed.get(list);
      const places = before?.table === table ? before.places : list.pages.map(table.placeOf);
      placed.set(list, { table, places });
      return [id, places] as const;
    });
    return { pages: [...table.values], lists: Object.fromEntries(entries) };
  }
}

/** Values of which equal ones stand once. */
interface Table<T, U = T> {
  readonly values: readonly U[];
  placeOf(value: T): number;
}

/** Creates a table, with values that are all different. */
function createTable<T extends object, U>(present: (value: T) => U, first: readonly U[] = []): Table<T, U> {
  const values = [...first];
  let places: Map<string, number> | undefined;
  return {
    values,
    placeOf(value) {
      places ??= new Map(values.map((known, place) => [JSON.stringify(known), place]));
      let text = texts.get(value);
      if (text === undefined) {
        text = JSON.stringify(present(value));
        texts.set(value, text);
      }
      let place = places.get(text);
      if (place === undefined) {
        place = values.push(present(value)) - 1;
        places.set(text, place);
      }
      return place;
    },
  };
}

function mapValues<T, U>(record: Readonly<Record<string, T>>, map: (value: T) => U): Readonly<Record<string, U>> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value)]));
}
