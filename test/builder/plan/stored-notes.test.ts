import test from 'ava';
import type { BuildNotes, VersionNotes } from '../../../builder/plan/versions/build-notes.ts';
import { readNotes, storeNotes } from '../../../builder/plan/versions/stored-notes.ts';
import type { SearchList, SearchPage } from '../../../builder/search/search-volume.ts';

/** Returns the list of a version: of its pages, only the one of this number says what no other version says. */
function createList(id: string, changed: number): SearchList {
  const pages = Array.from({ length: 20 }, (_, at): SearchPage => {
    const key = at === changed ? `key of ${id}` : `key ${at}`;
    return { path: `page-${at}.html`, title: `Page ${at}`, key, lead: '' };
  });
  return { id, pages };
}

function createVersion(name: string, search: Readonly<Record<string, SearchList>>): VersionNotes {
  const warning = { ref: name, file: 'docs/a.md', line: 3, code: 'dead-link' as const, message: 'Link "b.md" is dead' };
  return {
    kind: 'tag',
    oid: name,
    tree: name,
    time: 0,
    source: undefined,
    layout: undefined,
    key: '',
    languages: ['en'],
    releases: {},
    pages: 20,
    fallbacks: 0,
    errors: [],
    warnings: [warning, { ...warning, line: 4 }],
    search,
  };
}

function createNotes(lists: readonly SearchList[]): BuildNotes {
  const versions = Object.fromEntries(lists.map((list, at) => [`v${at}`, createVersion(`v${at}`, { en: list })]));
  const counts = {
    sources: [],
    versions: 1,
    languages: 1,
    pages: 1,
    fallbacks: 0,
    untranslated: [],
    translations: [],
    leftOut: { count: 0, names: [] },
    bytes: 1,
  };
  const site = { inputs: 'a', settingsKey: 'b', siteWarnings: [], search: {}, history: {}, failed: {}, order: ['v0'] };
  return { format: 8, ...site, summary: counts, versions };
}

const toFile = (stored: unknown): unknown => JSON.parse(JSON.stringify(stored));
const countPages = (stored: unknown): number => (stored as { pages: readonly unknown[] }).pages.length;

test('notes are read as they were stored, and what versions share stands there once', (t) => {
  const same = createList('same', 0);
  const notes = createNotes([same, createList('other', 1), same, createList('third', 1)]);
  const stored = storeNotes(notes);
  t.is(countPages(stored), 22 + 1);
  t.is(readNotes(stored), notes);
  t.deepEqual(toFile(readNotes(toFile(stored))), toFile(notes));
  t.is(readNotes({ ...notes, format: 6 }), undefined);
  t.is(readNotes('notes'), undefined);
});

test('notes that change again and again hold only little that no version needs any more', (t) => {
  for (const isNewProcess of [false, true]) {
    let lists = Array.from({ length: 5 }, (_, at) => createList(`list ${at}`, at));
    for (let build = 0; build < 60; build++) {
      lists = lists.map((list, at) => (at === build % 5 ? createList(`build ${build}`, build % 20) : list));
      const notes = createNotes(lists);
      const stored = storeNotes(notes);
      const read = readNotes(isNewProcess ? toFile(stored) : stored)!;
      t.deepEqual(toFile(read), toFile(notes));
      t.true(countPages(stored) <= 25 / 0.75, `${countPages(stored)} pages after ${build} builds`);
      lists = Object.values(read.versions).map(({ search }) => search.en!);
    }
  }
});
