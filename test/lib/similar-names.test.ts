import test from 'ava';
import { countEdits, findMeant, selectSimilar } from '../../lib/similar-names.ts';
import fc from '../helpers/fast-check.ts';

const PAGES = ['guide/getting-started', 'guide/routing', 'reference/cli', 'reference/config', 'index', '指南/快速开始'];

test('selectSimilar() finds what was mistyped, moved to another folder, or shortened', (t) => {
  t.is(selectSimilar('guide/geting-startd', PAGES)[0], 'guide/getting-started');
  t.is(selectSimilar('start/getting-started', PAGES)[0], 'guide/getting-started');
  t.is(selectSimilar('cli', PAGES)[0], 'reference/cli');
  t.is(selectSimilar('快速开始', PAGES)[0], '指南/快速开始');
  t.deepEqual(selectSimilar('zzz', PAGES), []);
  t.deepEqual(selectSimilar('', PAGES), []);
});

test('selectSimilar() returns the best ones first and no more than were asked for', (t) => {
  const names = Array.from({ length: 50 }, (_, at) => `page-${at}`);
  const found = selectSimilar('page-7', names, 3);
  t.is(found.length, 3);
  t.is(found[0], 'page-7');
});

test('findMeant() finds a name by its spelling, and nothing where another one is meant', (t) => {
  const keys = ['title', 'theme', 'logoDark', 'lastUpdated', 'allowedHosts', 'nav'];
  for (const [written, meant] of [
    ['titel', 'title'],
    ['logo_dark', 'logoDark'],
    ['LastUpdated', 'lastUpdated'],
    ['lastUpdatd', 'lastUpdated'],
    ['alowedHost', 'allowedHosts'],
    ['nva', 'nav'],
    ['secret', undefined],
    ['x', undefined],
    ['', undefined],
    ['title', undefined],
  ] as const) {
    t.is(findMeant(written, keys), meant, written);
  }
  t.is(findMeant('othr', ['other', 'otter', 'oth']), 'other');
  t.is(findMeant('k'.repeat(100_000), keys), undefined);
});

test('countEdits() counts as the whole table does, up to its limit', (t) => {
  const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 7 });
  t.notThrows(() =>
    fc.assert(
      fc.property(word, word, fc.nat({ max: 4 }), (a, b, most) => {
        t.is(countEdits(a, b, most), Math.min(countAll(a, b), most + 1), `${a} ${b} ${most}`);
      }),
    ),
  );
});

/** Counts insertions, removals, replacements and exchanges of neighbours without any bound. */
function countAll(a: string, b: string): number {
  const table = [...a, ''].map((_, i) => [...b, ''].map((__, j) => (i === 0 ? j : j === 0 ? i : 0)));
  for (let i = 1; i <= a.length; i++) {
    for (let j = 1; j <= b.length; j++) {
      const costs = [
        table[i - 1]![j]! + 1,
        table[i]![j - 1]! + 1,
        table[i - 1]![j - 1]! + Number(a[i - 1] !== b[j - 1]),
      ];
      const isExchanged = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      table[i]![j] = Math.min(...costs, ...(isExchanged ? [table[i - 2]![j - 2]! + 1] : []));
    }
  }
  return table[a.length]![b.length]!;
}
