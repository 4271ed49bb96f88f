import test from 'ava';
import {
  type TracedPage,
  type TranslationState,
  traceTranslation,
} from '../../../builder/translations/trace-translation.ts';
import fc from '../../helpers/fast-check.ts';

/** Sections with what they say, by their ids. */
type Sections = Readonly<Record<string, string>>;

function createPage(sections: Sections | undefined): TracedPage | undefined {
  if (!sections) return undefined;
  const listed = Object.entries(sections).map(([id, text]) => ({
    id,
    heading: id.toUpperCase(),
    hash: text,
    words: text.split(' ').length,
  }));
  // Ids are not part of what a page says.
  return { hash: listed.map(({ hash }) => hash).join(), sections: listed };
}

function matchByIds(original: TracedPage, translation: TracedPage) {
  const places = original.sections.map(({ id }, at): [number, number] => [
    at,
    translation.sections.findIndex((section) => section.id === id),
  ]);
  return {
    pairs: places.filter(([, at]) => at >= 0),
    missing: places.flatMap(([at, other]) => (other < 0 ? [at] : [])),
  };
}

/** Traces an original and its translation, in which sections have the same ids; a word of a section that changed is another one. */
function trace(moments: readonly (readonly [original?: Sections | undefined, translation?: Sections])[]) {
  return traceTranslation(
    moments.map(([original, translation]) => ({
      original: createPage(original),
      translation: createPage(translation),
    })),
    {
      match: matchByIds,
      countChanged: () => 1,
    },
  );
}

const CURRENT: TranslationState = { state: 'current' };

/** An original with two sections, and a translation that has both. */
const IN_STEP = [
  { a: 'one', b: 'two' },
  { a: 'eins', b: 'zwei' },
] as const;

test('a translation that changes with its original is up to date, and one that comes later, too', (t) => {
  t.deepEqual(
    trace([
      [{ a: 'one' }, { a: 'eins' }],
      [{ a: 'two' }, { a: 'zwei' }],
    ]),
    [CURRENT, CURRENT],
  );
  t.deepEqual(trace([[{ a: 'one' }], [{ a: 'two' }], [{ a: 'two' }, { a: 'zwei' }]]), [
    { state: 'missing', since: 0 },
    { state: 'missing', since: 0 },
    CURRENT,
  ]);
});

test('a translation is behind from the version on in which only its original changed, until it changes itself', (t) => {
  const [first, second, third, fourth] = trace([
    [{ a: 'one two three four' }, { a: 'eins' }],
    [{ a: 'one two three 4' }, { a: 'eins' }],
    [{ a: 'one two three 4' }, { a: 'eins' }],
    [{ a: 'one two three 4' }, { a: 'vier' }],
  ]);
  const behind: TranslationState = {
    state: 'behind',
    since: 1,
    inStep: 0,
    amount: 0.25,
    sections: [{ state: 'changed', id: 'a', heading: 'A', since: 1, inStep: 0 }],
  };
  t.deepEqual([first, second, third, fourth], [CURRENT, behind, behind, CURRENT]);
});

test('an original that is again as it was leaves nothing behind', (t) => {
  const states = trace([
    [{ a: 'one' }, { a: 'eins' }],
    [{ a: 'two' }, { a: 'eins' }],
    [{ a: 'one' }, { a: 'eins' }],
  ]);
  t.deepEqual(
    states.map((state) => state?.state),
    ['current', 'behind', 'current'],
  );
});

test('a change elsewhere in the translation does not hide that a section is behind', (t) => {
  const [, , last] = trace([
    IN_STEP,
    [
      { a: 'one', b: 'three' },
      { a: 'eins', b: 'zwei' },
    ],
    [
      { a: 'one', b: 'three' },
      { a: 'Eins', b: 'zwei' },
    ],
  ]);
  t.deepEqual(last, {
    state: 'behind',
    since: 1,
    inStep: 0,
    amount: 0.5,
    sections: [{ state: 'changed', id: 'b', heading: 'B', since: 1, inStep: 0 }],
  });
});

test('sections that are new or gone are told with the version in which they came or went', (t) => {
  const [, second, third] = trace([
    IN_STEP,
    [
      { a: 'one', b: 'two', c: 'new words' },
      { a: 'eins', b: 'zwei' },
    ],
    [
      { a: 'one', c: 'new words' },
      { a: 'eins', b: 'zwei' },
    ],
  ]);
  t.like(second, {
    state: 'behind',
    since: 1,
    amount: 0.5,
    sections: [{ state: 'missing', id: 'c', heading: 'C', since: 1, inStep: 0 }],
  });
  t.like(third, {
    state: 'behind',
    since: 1,
    sections: [
      { state: 'missing', id: 'c', heading: 'C', since: 1, inStep: 0 },
      { state: 'removed', id: 'b', heading: 'B', since: 2, inStep: 1 },
    ],
  });
});

test('what a translation never had has no version in which it was in step', (t) => {
  const [state] = trace([[{ a: 'one', b: 'two' }, { a: 'eins' }]]);
  t.like(state, { state: 'behind', since: 0, inStep: undefined, amount: 0.5 });
});

test('there is no state without an original, and a page that comes again is told as missing from then on', (t) => {
  const states = trace([[{ a: 'one' }], [], [undefined, { a: 'eins' }], [{ a: 'one' }]]);
  t.deepEqual(states, [{ state: 'missing', since: 0 }, undefined, undefined, { state: 'missing', since: 3 }]);
});

test('where sections are not paired, a page tells what its original changed since the whole translation did', (t) => {
  const moments = [
    [
      { a: 'one', b: 'two' },
      { x: 'eins', y: 'zwei', z: 'drei' },
    ],
    [
      { a: 'one', b: 'three', c: 'four' },
      { x: 'eins', y: 'zwei', z: 'drei' },
    ],
  ].map(([original, translation]) => ({
    original: createPage(original),
    translation: createPage(translation),
  }));
  const [first, second] = traceTranslation(moments, {
    match: () => ({ pairs: [], missing: [] }),
    countChanged: () => 1,
  });
  t.deepEqual(first, CURRENT);
  t.like(second, {
    sections: [
      { state: 'changed', id: 'b', heading: 'B', since: 1, inStep: 0 },
      { state: 'missing', id: 'c', heading: 'C', since: 1, inStep: 0 },
    ],
  });
});

test('a translation that was gone and comes back as it was is as far behind as it would be', (t) => {
  const [, , last] = trace([
    IN_STEP,
    [{ a: 'one', b: 'three' }],
    [
      { a: 'one', b: 'three' },
      { a: 'eins', b: 'zwei' },
    ],
  ]);
  t.like(last, { state: 'behind', since: 1, inStep: 0, sections: [{ state: 'changed', id: 'b', since: 1 }] });
});

test('what a translation never had does not hide from which version on its original has changed', (t) => {
  const [, second] = trace([
    [{ a: 'one', b: 'two' }, { a: 'eins' }],
    [{ a: 'three', b: 'two' }, { a: 'eins' }],
  ]);
  t.like(second, { state: 'behind', since: 0, inStep: 0, sections: [{ inStep: 0 }, { inStep: undefined }] });
});

test('headings that get another id only say what they said', (t) => {
  const states = trace([
    [
      { a: 'one', b: 'more' },
      { a: 'eins', b: 'mehr' },
    ],
    [
      { a: 'one', c: 'more' },
      { a: 'eins', c: 'mehr' },
    ],
    [{ a: 'one' }, { a: 'eins', c: 'mehr' }],
  ]);
  t.deepEqual(states.slice(0, 2), [CURRENT, CURRENT]);
  t.like(states[2], { state: 'behind', since: 2, sections: [{ state: 'removed', since: 2 }] });
});

test('any past of a page can be told, also of one that has an id twice', (t) => {
  const sections = fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c'), fc.constantFrom('one', 'two', 'three')), {
    maxLength: 4,
  });
  const page = fc.option(sections, { nil: undefined, freq: 5 });
  const create = (some: readonly (readonly [string, string])[] | undefined): TracedPage | undefined =>
    some && {
      hash: some.map(([, hash]) => hash).join(),
      sections: some.map(([id, hash]) => ({ id, heading: id, hash, words: 1 })),
    };
  t.notThrows(() =>
    fc.assert(
      fc.property(fc.array(fc.tuple(page, page), { maxLength: 6 }), (moments) => {
        const traced = moments.map(([original, translation]) => ({
          original: create(original),
          translation: create(translation),
        }));
        const states = traceTranslation(traced, { match: matchByIds, countChanged: () => 1 });
        for (const [at, state] of states.entries()) {
          t.is(state === undefined, traced[at]!.original === undefined);
          if (state?.state === 'behind') t.true(state.since <= at && state.sections.every(({ since }) => since <= at));
        }
      }),
    ),
  );
});
