import test from 'ava';
import type { PageSection } from '../../../builder/model.ts';
import { matchSections, prepareSections } from '../../../builder/translations/match-sections.ts';
import fc from '../../helpers/fast-check.ts';

type Row = readonly [id: string, heading: string, text?: string];

function match(original: readonly Row[], translation: readonly Row[]) {
  const read = (rows: readonly Row[]) =>
    prepareSections(rows.map(([id, heading, text = '']): PageSection => ({ id, heading, text })));
  const { pairs, missing } = matchSections(read(original), read(translation));
  const nameOf = (rows: readonly Row[], at: number): string => rows[at]![0];
  return {
    pairs: pairs.map(([one, other]) => `${nameOf(original, one)} ${nameOf(translation, other)}`),
    missing: missing.map((at) => nameOf(original, at)),
  };
}

test('sections with ids of their own are paired by these, also where they are in another order', (t) => {
  const original: Row[] = [
    ['', 'Search'],
    ['local', 'Local search'],
    ['options', 'Options'],
    ['algolia', 'Algolia'],
  ];
  const translation: Row[] = [
    ['', '搜索'],
    ['algolia', 'Algolia 搜索'],
    ['local', '本地搜索'],
  ];
  t.deepEqual(match(original, translation), {
    pairs: [' ', 'local local', 'algolia algolia'],
    missing: ['options'],
  });
});

test('sections without ids in common are paired by their order where as many are on both sides', (t) => {
  const original: Row[] = [
    ['', 'Start'],
    ['install', 'Install'],
    ['use', 'Use'],
  ];
  const translation: Row[] = [
    ['', 'Anfang'],
    ['installieren', 'Installieren'],
    ['benutzen', 'Benutzen'],
  ];
  t.deepEqual(match(original, translation).pairs, [' ', 'install installieren', 'use benutzen']);
});

test('a section between others is found to be missing by the code in those that are left', (t) => {
  const original: Row[] = [
    ['', 'Start'],
    ['install', 'Install', 'Run npm install --save-dev vitepress@next and look at package.json'],
    ['configure', 'Configure', 'Write config.base and config.outDir into .vitepress/config.ts'],
    ['deploy', 'Deploy', 'Set publish_dir and copy dist/index.html'],
  ];
  const translation: Row[] = [
    ['', 'Anfang'],
    ['einrichten', 'Einrichten', 'Mit npm install --save-dev vitepress@next, siehe package.json'],
    ['veroeffentlichen', 'Veröffentlichen', 'publish_dir setzen und dist/index.html kopieren'],
  ];
  t.deepEqual(match(original, translation), {
    pairs: [' ', 'install einrichten', 'deploy veroeffentlichen'],
    missing: ['configure'],
  });
});

test('nothing is said of sections that may be any of those that are left', (t) => {
  const original: Row[] = [
    ['', 'Start'],
    ['one', 'One', 'Some words'],
    ['two', 'Two', 'Other words'],
    ['three', 'Three', 'More words'],
  ];
  const translation: Row[] = [
    ['', 'Anfang'],
    ['eins', 'Eins', 'Wörter'],
    ['zwei', 'Zwei', 'Andere'],
  ];
  t.deepEqual(match(original, translation), { pairs: [' '], missing: [] });
});

test('a section whose text stands in the one before, without a heading, is not missing', (t) => {
  const original: Row[] = [
    ['', 'Options'],
    ['base', 'Base', 'config.base is a string'],
    ['out', 'Output', 'config.outDir and config.cacheDir'],
    ['end', 'End'],
  ];
  const translation: Row[] = [
    ['', 'Optionen'],
    ['base', 'Basis', 'config.base ist ein Text; config.outDir und config.cacheDir'],
    ['end', 'Ende'],
  ];
  t.deepEqual(match(original, translation), { pairs: [' ', 'base base', 'end end'], missing: [] });
});

test('sections are not paired by their order where their code says otherwise', (t) => {
  const original: Row[] = [
    ['', 'Start'],
    ['new', 'New', 'app.useEverything() and app.mount_all'],
    ['old', 'Old', 'config.base and config.outDir'],
  ];
  const translation: Row[] = [
    ['', 'Anfang'],
    ['alt', 'Alt', 'config.base und config.outDir'],
    ['eigenes', 'Eigenes', 'nur hier: my.own_thing und other.own_thing'],
  ];
  t.deepEqual(match(original, translation), { pairs: [' '], missing: [] });
});

test('a page is paired with itself, and a pair with any page holds each section at most once', (t) => {
  const section = fc.record({
    id: fc.constantFrom('', 'a', 'b', 'c', 'd', 'e'),
    heading: fc.constantFrom('One', 'Two', '一', ''),
    text: fc.constantFrom('', 'config.base', 'config.base out_dir', 'plain words', 'fooBar v1.2 v1.3'),
  });
  const page = fc.uniqueArray(section, { selector: ({ id }) => id, minLength: 1, maxLength: 6 });
  t.notThrows(() =>
    fc.assert(
      fc.property(page, page, (one, other) => {
        const [a, b] = [prepareSections(one), prepareSections(other)];
        const own = matchSections(a, a);
        const { pairs, missing } = matchSections(a, b);
        const places = pairs.map(([place]) => place);
        return (
          own.pairs.length === one.length &&
          own.pairs.every(([from, to]) => from === to) &&
          new Set(places).size === places.length &&
          new Set(pairs.map(([, place]) => place)).size === places.length &&
          missing.every((place) => !places.includes(place))
        );
      }),
    ),
  );
});

test('a page of thousands of sections without ids in common takes no longer than it is long', (t) => {
  const listed = (name: string) =>
    prepareSections(
      Array.from({ length: 2_000 }, (_, at) => ({ id: `${name}${at}`, heading: `H${at}`, text: `config.key${at}` })),
    );
  const { pairs, missing } = matchSections(listed('a'), listed('b').slice(0, 1_999));
  t.deepEqual([pairs.length, missing.length], [0, 0]);
});
