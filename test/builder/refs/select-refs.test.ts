import test from 'ava';
import type { Ref } from '../../../builder/model.ts';
import { isVersionRef, type RefSelection, type RefUpdate, selectRefs } from '../../../builder/refs/select-refs.ts';
import { createRefs } from './create-refs.ts';

const refs = createRefs('main', 'dev', '2.x', 'feature/x', 'dependabot/npm/x', 'tag:v1.0', 'tag:v1.1', 'tag:rolling');

function names(selection: RefSelection, from = refs, update?: RefUpdate): readonly string[] {
  return selectRefs(from, selection, update).refs.map(({ name }) => name);
}

test('selectRefs() takes by default what is a version by its name, and tells what else there is', (t) => {
  const { refs: chosen, leftOut } = selectRefs(refs, {});
  t.deepEqual(
    chosen.map(({ name }) => name),
    ['main', 'dev', '2.x', 'v1.0', 'v1.1', 'rolling'],
  );
  t.deepEqual(
    leftOut.map(({ name }) => name),
    ['feature/x', 'dependabot/npm/x'],
  );
});

test('selectRefs() takes the default branch and the requested latest whatever they are called', (t) => {
  const from = createRefs('handbuch', 'work/a', 'work/b', 'tag:1.0');
  t.deepEqual(names({ head: 'handbuch' }, from), ['handbuch', '1.0']);
  t.deepEqual(names({ latest: 'work/b' }, from), ['work/b', '1.0']);
});

test('selectRefs() takes all branches where none is a version', (t) => {
  t.deepEqual(names({}, createRefs('work/a', 'work/b')), ['work/a', 'work/b']);
});

test('selectRefs() leaves out no branch that somebody excludes, and none beside a list', (t) => {
  t.deepEqual(
    selectRefs(refs, { exclude: 'dependabot/**' }).leftOut.map(({ name }) => name),
    ['feature/x'],
  );
  t.deepEqual(selectRefs(refs, { include: 'main' }).leftOut, []);
});

const VERSIONS = [
  '2.x',
  'v10',
  'release-8.5',
  'release/2.0',
  'stable/5.0.x',
  'REL_16_STABLE',
  'next',
  'develop',
  'LTS',
];
const TOPICS = [
  'feature/x',
  'dependabot/pip/x-1.2',
  'renovate/unified-10.x',
  'changeset-release/main',
  'fix-12',
  'gh-pages',
];
for (const [isVersion, list] of [
  [true, VERSIONS],
  [false, TOPICS],
] as const) {
  for (const name of list) {
    test(`isVersionRef() takes the branch ${name} for ${isVersion ? 'a version' : 'work in progress'}`, (t) => {
      t.is(isVersionRef({ name, kind: 'branch' }, 'main'), isVersion);
      t.true(isVersionRef({ name, kind: 'branch' }, name), 'as the default branch');
      t.true(isVersionRef({ name, kind: 'tag' }, 'main'), 'as a tag');
    });
  }
}

test('selectRefs() takes names and globs', (t) => {
  t.deepEqual(names({ include: 'main|v1.*' }), ['main', 'v1.0', 'v1.1']);
});

test('selectRefs() leaves out what is excluded, even when it is included', (t) => {
  t.deepEqual(names({ include: '**', exclude: 'dependabot/**|v1.0|dev' }), [
    'main',
    '2.x',
    'feature/x',
    'v1.1',
    'rolling',
  ]);
});

test('selectRefs() takes the branch of a name that is also a tag, in any order', (t) => {
  for (const twins of [createRefs('v1', 'tag:v1'), createRefs('tag:v1', 'v1')]) {
    t.deepEqual(
      selectRefs(twins, {}).refs.map(({ kind }) => kind),
      ['branch'],
    );
  }
});

test('selectRefs() names an included ref that does not exist, and some that do', (t) => {
  const error = t.throws(() => names({ include: 'main|v9' }), { code: 'no-such-ref' });
  t.is(
    error?.message,
    'Ref "v9" does not exist; the repository has "main", "dev", "2.x", "feature/x", "dependabot/npm/x", "v1.0", "v1.1", "rolling"',
  );
});

test('selectRefs() names no more than eight refs of many', (t) => {
  const many = createRefs(...Array.from({ length: 1000 }, (_, at) => `tag:v${at}`));
  const error = t.throws(() => names({ include: 'x' }, many));
  t.regex(error!.message, /"v7" and 992 more$/);
});

test('selectRefs() accepts a ref whose name holds pattern characters', (t) => {
  t.deepEqual(names({ include: '{a,b}' }, createRefs('{a,b}', 'c')), ['{a,b}']);
  t.deepEqual(names({ include: 'x]' }, createRefs('x]', 'c')), ['x]']);
});

test('selectRefs() says so when nothing is left', (t) => {
  t.throws(() => names({ exclude: '**' }), {
    code: 'no-refs',
    message: /^No ref is left to build: change \{option refs\|exclude\}; the repository has/,
  });
});

test('selectRefs() says so when the repository has no ref', (t) => {
  t.throws(() => names({}, []), { code: 'no-refs', message: 'The repository has no branches or tags' });
});

test('selectRefs() copes with refs named like properties of objects', (t) => {
  const odd = createRefs('__proto__', 'constructor', 'toString');
  t.deepEqual(names({ include: '__proto__|constructor' }, odd), ['__proto__', 'constructor']);
});

const published: readonly Ref[] = createRefs('main', 'feature/x', 'gone');

test('selectRefs() takes with an update all versions, what is published and still there, and what is asked for', (t) => {
  const push = { published, update: ['main'] };
  const versions = ['main', 'dev', '2.x', 'v1.0', 'v1.1', 'rolling'];
  t.deepEqual(names({}, refs, push).toSorted(), [...versions, 'feature/x'].toSorted());
  t.deepEqual(names({}, refs, { published: [], update: ['dependabot/npm/x'] }), versions, 'a push');
  const asked = { published: [], update: ['dependabot/npm/x'], isAsked: true };
  t.deepEqual(names({}, refs, asked).toSorted(), [...versions, 'dependabot/npm/x'].toSorted());
  t.deepEqual(
    names({ include: 'main' }, refs, push),
    ['main'],
    'beside a list nothing counts that was published before',
  );
  t.deepEqual(names({ include: 'main' }, refs, asked), ['main', 'dependabot/npm/x']);
});

test('selectRefs() says what cannot be updated', (t) => {
  t.throws(() => names({}, refs, { published, update: ['nope'] }), { message: /"nope" does not exist/ });
  t.throws(() => names({ exclude: 'd*' }, refs, { published, update: ['dev'] }), { message: /"dev" is excluded/ });
});

test('selectRefs() says how to choose another latest where that is what cannot be updated', (t) => {
  const advice = /, requested as latest, .*; choose another one with \{option latest\}$/;
  const update = (latest: string) => names({ latest, exclude: 'dev' }, refs, { published, update: [latest] });
  t.throws(() => update('nope'), { code: 'no-such-ref', message: advice });
  t.throws(() => update('dev'), { code: 'no-refs', message: advice });
});

test('selectRefs() leaves nothing only where the last version is said to be gone', (t) => {
  t.deepEqual(names({}, [], { published, update: [], remove: ['main'] }), []);
  t.throws(() => names({}, [], { published, update: [] }), { code: 'no-refs' });
});
