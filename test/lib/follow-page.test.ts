import test from 'ava';
import {
  bucketOfPath,
  findBase,
  followFrom,
  followPage,
  type PageVersions,
  type VersionMoves,
} from '../../lib/follow-page.ts';
import { fastestMs } from '../helpers/fastest-ms.ts';

/** `main` and `2.x` come from v4, and `work` from `main`. */
const bases = new Map(Object.entries({ v2: 'v1', v3: 'v2', v4: 'v3', main: 'v4', '2.x': 'v4', work: 'main' }));

function create(pages: Readonly<Record<string, string>>, moves: Readonly<Record<string, VersionMoves>>) {
  const versions: PageVersions = {
    baseOf: (name) => bases.get(name),
    movesOf: (name) => moves[name],
    has: (name, path) => pages[name]?.split(' ').includes(path) === true,
  };
  return (from: string, target: string): string => {
    const [, version, path, section = ''] = /^(\S+?)\/([^#]+)#?(.*)$/.exec(from)!;
    const found = followPage(versions, { version: version!, path: path!, section }, target);
    return found ? `${found.path}${found.section && '#'}${found.section}` : 'gone';
  };
}

test('a page is followed through renames in both directions, and to branches', (t) => {
  const follow = create(
    { v1: 'a', v2: 'b', v3: 'b', v4: 'c', main: 'd', '2.x': 'c', work: 'd' },
    { v2: { moved: [['a', 'b']] }, v4: { moved: [['b', 'c']] }, main: { moved: [['c', 'd']] } },
  );
  t.deepEqual(
    ['v1', 'v2', 'v4', '2.x', 'work'].map((name) => follow('v1/a', name)),
    ['a', 'b', 'c', 'c', 'd'],
  );
  t.deepEqual(
    ['v1', 'v3', '2.x'].map((name) => follow('work/d', name)),
    ['a', 'b', 'c'],
  );
  t.is(follow('2.x/c', 'main'), 'd');
});

test('a page that was renamed and named as before again is itself', (t) => {
  const follow = create({ v1: 'a', v2: 'b', v3: 'a' }, { v2: { moved: [['a', 'b']] }, v3: { moved: [['b', 'a']] } });
  t.deepEqual([follow('v1/a', 'v3'), follow('v3/a', 'v1'), follow('v3/a', 'v2')], ['a', 'a', 'b']);
});

test('another page at the path that a page has left is not taken for it', (t) => {
  const follow = create({ v1: 'a', v2: 'a b', v3: 'a b', v4: 'a' }, { v2: { moved: [['a', 'b']] }, v4: {} });
  t.is(follow('v1/a', 'v3'), 'b');
  t.is(follow('v3/a', 'v1'), 'gone');
  t.is(follow('v1/a', 'v4'), 'gone');
  t.is(follow('v3/a', 'v4'), 'a');
});

test('a page that is removed for a while keeps its path', (t) => {
  const follow = create({ v1: 'a', v2: '', v3: 'a' }, {});
  t.deepEqual([follow('v1/a', 'v2'), follow('v1/a', 'v3'), follow('v3/a', 'v1')], ['gone', 'a', 'a']);
});

test('pages that were joined and parted are found by their sections', (t) => {
  const follow = create(
    { v1: 'guide setup', v2: 'guide', v3: 'guide', v4: 'guide setup' },
    {
      v2: {
        merged: [['setup', 'guide', 'set-up']],
        sections: [
          ['setup', '', 'guide', 'set-up'],
          ['setup', 'linux', 'guide', 'linux'],
        ],
      },
      v4: { split: [['guide', 'set-up', 'setup']] },
    },
  );
  t.is(follow('v1/setup', 'v3'), 'guide#set-up');
  t.is(follow('v1/setup#linux', 'v3'), 'guide#linux');
  t.is(follow('v3/guide#linux', 'v1'), 'setup#linux');
  t.is(follow('v3/guide', 'v1'), 'guide');
  t.is(follow('v4/setup', 'v2'), 'guide#set-up');
  t.is(follow('v3/guide', 'v4'), 'guide');
});

test('where authors lead readers on from an old path, that is left to them', (t) => {
  const follow = create({ v1: 'a', v2: 'a b' }, { v2: { moved: [['a', 'b']], led: ['a'] } });
  t.is(follow('v1/a', 'v2'), 'a');
  t.is(follow('v2/b', 'v1'), 'a');
});

test('versions that have nothing in common share pages by their paths', (t) => {
  const follow = create({ v1: 'a b', other: 'a' }, {});
  t.deepEqual([follow('v1/a', 'other'), follow('v1/b', 'other')], ['a', 'gone']);
});

test('versions that a language lacks are passed over, and a circle of them has an end', (t) => {
  const baseOf = (name: string) => ({ v4: 'v3', v3: 'v2', v2: 'v1', a: 'b', b: 'a' })[name];
  t.is(
    findBase(baseOf, (name) => name === 'v1', 'v4'),
    'v1',
  );
  t.is(
    findBase(baseOf, () => true, 'v4'),
    'v3',
  );
  t.is(
    findBase(baseOf, () => false, 'v4'),
    undefined,
  );
  t.is(
    findBase(baseOf, () => false, 'a'),
    undefined,
  );
});

test.serial('a page with many sections that have moved is followed to a thousand versions in a moment', (t) => {
  const names = Array.from({ length: 1_000 }, (_, at) => `v${at}`);
  const before = new Map(names.map((name, at) => [name, names[at - 1]]));
  const moves = new Map(
    Array.from({ length: 50 }, (_, at): [string, VersionMoves] => [
      `v${at * 20}`,
      { sections: [['a', `s${at}`, 'b', `t${at}`]] },
    ]),
  );
  const versions: PageVersions = {
    baseOf: (name) => before.get(name),
    movesOf: (name) => moves.get(name),
    has: () => true,
  };
  const ms = fastestMs(() => {
    const follow = followFrom(versions, { version: 'v999', path: 'b' }, names);
    t.is(names.filter((name) => (follow(name)?.sections.length ?? 0) > 0).length, 980);
  });
  t.true(ms < 1_000, `${ms} ms`);
});

test('paths are spread over the files of history', (t) => {
  const counts = new Map<number, number>();
  for (let at = 0; at < 4_000; at++) {
    const bucket = bucketOfPath(`guide/page-${at}.html`, 16);
    counts.set(bucket, (counts.get(bucket) ?? 0) + 1);
  }
  t.is(counts.size, 16);
  t.true([...counts.values()].every((count) => count > 150 && count < 350));
});
