import { selectRefs } from '../../../builder/refs/select-refs.ts';
import test from '../../helpers/serial-test.ts';
import { createRefs } from './create-refs.ts';

const refs = createRefs('main', 'dev', 'feature/x', 'dependabot/npm/x', 'tag:v1.0', 'tag:v1.1', 'tag:v2.0');

function names(options: Parameters<typeof selectRefs>[1], from = refs): readonly string[] {
  return selectRefs(from, options).map(({ name }) => name);
}

test('selectRefs() takes everything by default', (t) => {
  t.deepEqual(
    names({}),
    refs.map(({ name }) => name),
  );
});

test('selectRefs() takes names and globs', (t) => {
  t.deepEqual(names({ include: 'main|v1.*' }), ['main', 'v1.0', 'v1.1']);
});

test('selectRefs() leaves out what is excluded, even when it is included', (t) => {
  t.deepEqual(names({ include: '**', exclude: 'dependabot/**|v1.0|dev' }), ['main', 'feature/x', 'v1.1', 'v2.0']);
});

test('selectRefs() takes the branch of a name that is also a tag, in any order', (t) => {
  for (const twins of [createRefs('v1', 'tag:v1'), createRefs('tag:v1', 'v1')]) {
    t.deepEqual(
      selectRefs(twins, {}).map(({ kind }) => kind),
      ['branch'],
    );
  }
});

test('selectRefs() names an included ref that does not exist, and some that do', (t) => {
  const error = t.throws(() => names({ include: 'main|v9' }), { code: 'no-such-ref' });
  t.is(
    error?.message,
    'Ref "v9" does not exist; the repository has "main", "dev", "feature/x", "dependabot/npm/x", "v1.0", "v1.1", "v2.0"',
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
