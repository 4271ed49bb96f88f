import test from 'ava';
import type { PageVersions, VersionMoves } from '../../../lib/follow-page.ts';
import { collectChanges, parseEvents } from '../../../platform/mcp/collect-changes.ts';

/** v1 → v2 → v3 and, beside v3, v2x; `b` becomes `c` in v2 and `d` in v3, `gone` is in `a#part` from v2 on. */
const BASES: Readonly<Record<string, string>> = { v2: 'v1', v3: 'v2', v2x: 'v2', main: 'v3' };
const MOVES: Readonly<Record<string, VersionMoves>> = {
  v2: { moved: [['b.html', 'c.html']], merged: [['gone.html', 'a.html', 'part']] },
  v3: { moved: [['c.html', 'd.html']] },
};
const PAGES: Readonly<Record<string, ReadonlySet<string>>> = {
  v1: new Set(['a.html', 'b.html', 'gone.html', 'same.html']),
  v2: new Set(['a.html', 'c.html', 'same.html']),
  v3: new Set(['a.html', 'd.html', 'new.html', 'same.html']),
  v2x: new Set(['a.html', 'c.html', 'same.html']),
  other: new Set(['a.html']),
};
const VERSIONS: PageVersions = {
  baseOf: (version) => BASES[version],
  movesOf: (version) => MOVES[version],
  has: (version, path) => PAGES[version]!.has(path),
};
const EVENTS = parseEvents([
  JSON.stringify({
    format: 1,
    pages: {
      'a.html': [
        { version: 'v2', kind: 'changed', amount: 0.5, sections: { added: ['part'] } },
        { version: 'v3', kind: 'changed', amount: 0.5, sections: { changed: ['', 'end'] } },
        { version: 'v2x', kind: 'changed', amount: 0.1 },
      ],
      'c.html': [
        { version: 'v2', kind: 'moved', other: 'b.html', amount: 0.2 },
        { version: 'v3', kind: 'left', other: 'd.html' },
      ],
    },
  }),
  JSON.stringify({ format: 1, pages: { 'd.html': [{ version: 'v3', kind: 'moved', other: 'c.html' }] } }),
]);
const collect = (from: string, to: string) =>
  collectChanges(VERSIONS, EVENTS, {
    from: { version: from, pages: PAGES[from]! },
    to: { version: to, pages: PAGES[to]! },
  });

test('collectChanges() adds up what happened in all versions between two', (t) => {
  t.deepEqual(collect('v1', 'v3'), {
    added: [{ path: 'new.html' }],
    removed: [{ path: 'gone.html', other: 'a.html#part' }],
    moved: [{ path: 'd.html', other: 'b.html', amount: 0.2 }],
    changed: [{ path: 'a.html', amount: 0.75, sections: ['end', 'part'] }],
    unchanged: 1,
  });
});

test('collectChanges() goes back to an older version, and to one beside, by the one that both come from', (t) => {
  const back = collect('v3', 'v1');
  t.deepEqual(back.moved, [{ path: 'b.html', other: 'd.html', amount: 0.2 }]);
  t.deepEqual(
    back.removed.map(({ path }) => path),
    ['new.html'],
  );
  const beside = collect('v3', 'v2x');
  t.deepEqual(beside.moved, [{ path: 'c.html', other: 'd.html' }]);
  t.deepEqual(beside.changed, [{ path: 'a.html', amount: 0.55, sections: ['end'] }]);
});

test('collectChanges() returns nothing for a version and itself, and refuses versions that have nothing in common', (t) => {
  t.deepEqual(collect('v3', 'v3'), { added: [], removed: [], moved: [], changed: [], unchanged: 4 });
  t.throws(() => collect('v1', 'other'), { message: /"v1" and "other" do not follow each other/ });
});
