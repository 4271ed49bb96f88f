import test from 'ava';
import type { Block } from '../../client/compare/block.ts';
import { type Change, type Comparison, comparePages } from '../../client/compare/compare-pages.ts';
import { eachPiece } from '../../client/compare/cut-words.ts';
import fc from '../helpers/fast-check.ts';
import { fastestMs } from '../helpers/fastest-ms.ts';

type Given = string | { readonly [kind: string]: readonly Given[] };

/** Creates a page: a text is a paragraph, `# Title` a heading, and an object a block of a kind with what is in it. */
function createPage(...given: readonly Given[]): Block {
  return { kind: 'page', words: [], children: given.map(createBlock) };
}

function createBlock(given: Given): Block {
  if (typeof given === 'string') {
    const kind = given.startsWith('# ') ? 'heading' : 'text';
    const words = given.replace('# ', '').split(' ');
    return { kind, words: words.filter(Boolean).map((text) => ({ text, look: '', link: '' })), children: [] };
  }
  const [[kind, children]] = Object.entries(given) as [[string, readonly Given[]]];
  return { kind, words: [], children: children.map(createBlock) };
}

const section = (title: string, ...content: readonly Given[]): Given => ({ section: [`# ${title}`, ...content] });
const row = (...cells: readonly string[]): Given => ({ row: cells.map((cell) => ({ cell: [cell] })) });
const code = (...lines: readonly string[]): Given => ({ code: lines.map((line) => ({ line: [line] })) });
/** A text of many words that are in no other one. */
const long = (name: string): string => Array.from({ length: 30 }, (_, at) => `${name}${at}`).join(' ');

/** Writes a comparison down: `-gone`, `+come`, `<left>`, `>moved`. */
function show(change: Change): string {
  const all = (parts: readonly Change[]): string => parts.map(show).join(' ');
  const say = (block: Block): string =>
    [...block.words.map(({ text }) => text), ...block.children.map(say)].join(' ').slice(0, 30);
  switch (change.type) {
    case 'same':
      return '=';
    case 'removed':
      return `-[${say(change.old)}]`;
    case 'added':
      return `+[${say(change.next)}]`;
    case 'left':
      return `<[${say(change.old)}]`;
    case 'moved':
      return `>[${say(change.next)}: ${show(change.change)}]`;
    case 'within':
      return `${change.next.kind}(${all(change.parts)})`;
    case 'changed':
      return change.runs
        .map(({ type, old, next }) => {
          const words = (type === 'removed' ? change.old.words.slice(...old) : change.next.words.slice(...next)).map(
            ({ text }) => text,
          );
          return `${{ same: '', removed: '-', added: '+', linked: '~' }[type]}${words.join('_')}`;
        })
        .join(' ');
  }
}

const compare = (old: readonly Given[], next: readonly Given[]): Comparison =>
  comparePages(createPage(...old), createPage(...next));
const showAll = (old: readonly Given[], next: readonly Given[]): string => show(compare(old, next).root);

/** Returns one of the pages, as the comparison shows it: what is only in the other one is left out. */
function restore(change: Change, side: 'old' | 'next', moved: ReadonlyMap<Block, Change>): Block | undefined {
  const inside = (block: Block, parts: readonly Change[]): Block => ({
    ...block,
    children: parts.map((part) => restore(part, side, moved)).filter((one) => one !== undefined),
  });
  switch (change.type) {
    case 'same':
      return change[side];
    case 'changed': {
      const words = change.runs.flatMap(({ type, old, next }) => {
        const range = side === 'old' ? old : next;
        const isOther = type === (side === 'old' ? 'added' : 'removed');
        return isOther ? [] : change[side].words.slice(...range);
      });
      return { ...change[side], words };
    }
    case 'within':
      return inside(change[side], change.parts);
    case 'removed':
      return side === 'old' ? inside(change.old, change.parts) : undefined;
    case 'added':
      return side === 'next' ? inside(change.next, change.parts) : undefined;
    case 'left':
      return side === 'old' ? restore(moved.get(change.next)!, 'old', moved) : undefined;
    case 'moved':
      return side === 'next' ? restore(change.change, 'next', moved) : undefined;
  }
}

function listChanges(change: Change): readonly Change[] {
  const parts = 'parts' in change ? change.parts : change.type === 'moved' ? [change.change] : [];
  return [change, ...parts.flatMap(listChanges)];
}

function findMoves({ root }: Comparison): ReadonlyMap<Block, Change> {
  return new Map(listChanges(root).flatMap((one) => (one.type === 'moved' ? [[one.next, one.change] as const] : [])));
}

test('comparePages() finds no change between equal pages', (t) => {
  const page = [section('One', 'some text', { ul: [{ item: ['a'] }, { item: ['b'] }] }), code('x = 1', 'y = 2')];
  const { root, total } = compare(page, page);
  t.is(show(root), '=');
  t.is(total, 0);
});

test('comparePages() marks words in a text, and takes short islands between changes along', (t) => {
  t.is(
    showAll(['the quick brown fox jumps over the dog'], ['the quick red fox jumps over a dog']),
    'page(the_quick -brown +red fox_jumps_over -the +a dog)',
  );
  t.is(
    showAll(['keep all of this aaaaaaa x bbbbbbb and the rest'], ['keep all of this ccccccc x ddddddd and the rest']),
    'page(keep_all_of_this -aaaaaaa_x_bbbbbbb +ccccccc_x_ddddddd and_the_rest)',
  );
});

test('comparePages() does not mix texts that have little in common', (t) => {
  t.is(
    showAll([long('a'), 'first words here', long('b')], [long('a'), 'nothing of that sort', long('b')]),
    'page(= -[first words here] +[nothing of that sort] =)',
  );
});

test('comparePages() recognises a section that has moved, be it changed or not', (t) => {
  const [a, b, c] = ['a', 'b', 'c'].map((name) => section(name, long(name), long(`${name}${name}`)));
  t.is(
    showAll([a!, b!, c!], [b!, c!, a!]),
    'page(<[a a0 a1 a2 a3 a4 a5 a6 a7 a8 a] = = >[a a0 a1 a2 a3 a4 a5 a6 a7 a8 a: =])',
  );
  const changed = section('a', long('a'), `${long('aa')} more`);
  const { root, total } = compare([a!, b!, c!], [b!, c!, changed]);
  t.regex(show(root), /^page\(<\[a .*\] = = >\[a .*: section\(= = aa0_.*_aa29 \+more\)\]\)$/);
  t.is(total, 2, 'the move, and what changed in it');
});

test('comparePages() recognises what has moved into another section', (t) => {
  const moved = { ul: [{ item: [long('x')] }, { item: [long('y')] }] };
  t.regex(
    showAll(
      [section('a', long('a'), moved), section('b', long('b'))],
      [section('a', long('a')), section('b', long('b'), moved)],
    ),
    /^page\(section\(= = <\[x0 .*\]\) section\(= = >\[x0 .*: =\]\)\)$/,
  );
});

test('comparePages() says of no short text that it has moved', (t) => {
  t.is(
    showAll(
      [section('a', long('a'), 'See below.'), section('b', long('b'))],
      [section('a', long('a')), section('b', long('b'), 'See below.')],
    ),
    'page(section(= = -[See below.]) section(= = +[See below.]))',
  );
});

test('comparePages() knows a section by its heading, and by its content where that is another one', (t) => {
  t.regex(
    showAll(
      [section('Install', 'Run it.'), section('Use', long('u'))],
      [section('Install', 'Start it now.'), section('Usage', long('u'))],
    ),
    /^page\(section\(= .*\) section\(-Use \+Usage =\)\)$/,
  );
});

test('comparePages() compares tables by cells, and columns by their headings', (t) => {
  const old = { table: [row('Name', 'Default'), row('port', '80'), row('host', 'localhost')] };
  t.is(
    showAll([old], [{ table: [row('Name', 'Default'), row('port', '8080'), row('host', 'localhost')] }]),
    'page(table(= row(= cell(-80 +8080)) =))',
  );
  const wider = {
    table: [row('Name', 'Type', 'Default'), row('port', 'number', '80'), row('host', 'text', 'localhost')],
  };
  t.is(showAll([old], [wider]), 'page(table(row(= +[Type] =) row(= +[number] =) row(= +[text] =)))');
});

test('comparePages() counts as a reader does: what came in place of what is gone is one change, and so is a row', (t) => {
  const old = [{ table: [row('a', 'b', 'c'), row('1', '2', '3')] }, code('one', 'two', 'three', 'four'), long('z')];
  const next = [
    { table: [row('a', 'b', 'c'), row('1', '5', '6')] },
    code('one', 'zwei', 'drei', 'vier', 'four'),
    long('z'),
  ];
  const { total, numbers, root } = compare(old, next);
  t.is(total, 2);
  t.deepEqual(
    listChanges(root).flatMap((change) => numbers.get(change) ?? []),
    [1, 1, ...Array.from({ length: 10 }, () => 2)],
  );
});

test('comparePages() shows where a link leads elsewhere, and keeps its words', (t) => {
  const link = (target: string): Block => ({
    kind: 'page',
    words: [],
    children: [
      {
        kind: 'text',
        words: ['see', 'this', 'page'].map((text, at) => ({ text, look: '', link: at === 1 ? target : '' })),
        children: [],
      },
    ],
  });
  t.is(show(comparePages(link('a'), link('b')).root), 'page(see ~this page)');
  t.is(show(comparePages(link('a'), link('a')).root), '=');
});

const text = fc
  .array(fc.constantFrom(...'the a of to one two three four five six seven eight nine ten'.split(' ')), {
    maxLength: 12,
  })
  .map((words) => words.join(' '));
const blocks = fc.letrec<{ block: Given }>((tie) => ({
  block: fc.oneof(
    { weight: 5, arbitrary: text },
    fc.array(text, { minLength: 1, maxLength: 5 }).map((lines) => code(...lines)),
    fc
      .array(fc.array(text, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 4 })
      .map((rows) => ({ table: rows.map((cells) => row(...cells)) })),
    fc.tuple(text, fc.array(tie('block'), { maxLength: 4 })).map(([title, content]) => section(title, ...content)),
    fc
      .array(fc.array(tie('block'), { minLength: 1, maxLength: 2 }), { minLength: 1, maxLength: 4 })
      .map((items) => ({ ul: items.map((item) => ({ item })) })),
  ),
}));
const page = fc.array(blocks.block, { maxLength: 8 });
/** A page, and the same one with parts taken out, put elsewhere, or new. */
const pair = fc.tuple(page, page, fc.array(fc.nat(99), { maxLength: 16 })).map(([old, other, order]) => {
  const next = order.flatMap((at): readonly Given[] =>
    at < 70 ? old.slice(at % 8, (at % 8) + 1) : other.slice(at % 8, (at % 8) + 1),
  );
  return [old, next] as const;
});

test('comparePages() shows both pages completely', (t) => {
  t.notThrows(() =>
    fc.assert(
      fc.property(fc.oneof(pair, fc.tuple(page, page)), ([old, next]) => {
        const [one, other] = [createPage(...old), createPage(...next)];
        const comparison = comparePages(one, other);
        const moves = findMoves(comparison);
        t.deepEqual(restore(comparison.root, 'old', moves), one);
        t.deepEqual(restore(comparison.root, 'next', moves), other);
      }),
    ),
  );
});

test('comparePages() finds the same the other way round, and nothing between a page and itself', (t) => {
  const mirror: Readonly<Record<string, string>> = { removed: 'added', added: 'removed', left: 'moved', moved: 'left' };
  const count = (comparison: Comparison, isMirrored: boolean): Readonly<Record<string, number>> => {
    const counts: Record<string, number> = { total: comparison.total };
    for (const { type } of listChanges(comparison.root)) {
      const name = isMirrored ? (mirror[type] ?? type) : type;
      counts[name] = (counts[name] ?? 0) + 1;
    }
    return counts;
  };
  t.notThrows(() =>
    fc.assert(
      fc.property(pair, ([old, next]) => {
        const [one, other] = [createPage(...old), createPage(...next)];
        const [there, back] = [comparePages(one, other), comparePages(other, one)];
        t.deepEqual({ ...count(there, false), total: 0 }, { ...count(back, true), total: 0 });
        t.is(comparePages(one, createPage(...old)).total, 0);
      }),
    ),
  );
});

test('comparePages() gives each number to something, and something to each change', (t) => {
  t.notThrows(() =>
    fc.assert(
      fc.property(pair, ([old, next]) => {
        const { root, numbers, total } = compare(old, next);
        const found = new Set(numbers.values());
        t.deepEqual(
          [...found].sort((a, b) => a - b),
          Array.from({ length: total }, (_, at) => at + 1),
        );
        for (const change of listChanges(root)) {
          if (!['same', 'within'].includes(change.type)) t.true(numbers.has(change), change.type);
        }
      }),
    ),
  );
});

test.serial(
  'comparePages() costs hardly more per block on a page of ten times the length, be it alike or not',
  async (t) => {
    const create = (count: number, name: string, isShuffled: boolean): Block =>
      createPage(
        ...Array.from({ length: count }, (_, at): Given => {
          const place = isShuffled ? (at * 7919) % count : at;
          return section(
            `Part ${place}`,
            `${name} says of ${place} that it is ${place * 3} and no more`,
            code(`let x${place} = 1`, '}', ''),
          );
        }),
      );
    for (const [name, isShuffled] of [
      ['old', false],
      ['new', false],
      ['new', true],
    ] as const) {
      const measure = (count: number): number => {
        const [old, next] = [create(count, 'old', false), create(count, name, isShuffled)];
        return fastestMs(() => void comparePages(old, next));
      };
      const [short, longer] = [measure(60), measure(600)];
      t.true(longer < 40 * Math.max(short, 5), `${name} ${isShuffled}: ${short} ms, ${longer} ms`);
    }
  },
);

test('eachPiece() cuts words of all scripts, and leaves out nothing', (t) => {
  const cut = (text: string): readonly string[] => {
    const pieces: string[] = [];
    eachPiece(text, (piece, start) => {
      t.is(text.slice(start, start + piece.length), piece);
      pieces.push(piece);
    });
    return pieces;
  };
  t.deepEqual(cut("It's a foo_bar, 3.5"), ["It's", ' ', 'a', ' ', 'foo_bar', ',', ' ', '3', '.', '5']);
  t.deepEqual(cut('使用VitePress使用'), ['使用', 'VitePress', '使用']);
  t.deepEqual(cut('می‌رفت'), ['می‌رفت']);
  t.true(cut('ภาษาไทยง่าย').length > 1);
  t.deepEqual(cut('👩‍💻!'), ['👩‍💻', '!']);
  t.notThrows(() =>
    fc.assert(fc.property(fc.string({ unit: 'grapheme' }), (given) => t.is(cut(given).join(''), given))),
  );
});
