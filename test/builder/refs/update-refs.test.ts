import type { Ref } from '../../../builder/model.ts';
import { freezeRefs, updateRefs } from '../../../builder/refs/update-refs.ts';
import test from '../../helpers/serial-test.ts';

const ref = (name: string, oid: string, kind: Ref['kind'] = 'branch'): Ref => ({ name, kind, oid });
const remote = [ref('main', '2'), ref('dev', '2'), ref('x', '2', 'tag'), ref('x', '3'), ref('other', '9')];
const published = [ref('main', '1'), ref('gone', '1')];

test('updateRefs() takes the named refs as they are now and keeps the others as published', (t) => {
  t.deepEqual(updateRefs(remote, { published, update: ['dev'] }, {}), [...published, ref('dev', '2')]);
  t.deepEqual(updateRefs(remote, { published, update: ['main'] }, {}), [ref('gone', '1'), ref('main', '2')]);
  t.deepEqual(updateRefs(remote, { published, update: [] }, {}), published);
});

test('updateRefs() prefers the branch of a name that is also a tag', (t) => {
  t.deepEqual(updateRefs(remote, { published: [], update: ['x'] }, {}), [ref('x', '3')]);
});

test('updateRefs() says what cannot be updated', (t) => {
  const update = ['nope'];
  t.throws(() => updateRefs(remote, { published, update }, {}), { message: /"nope" does not exist/ });
  t.throws(() => updateRefs(remote, { published, update: ['dev'] }, { exclude: 'd*' }), {
    message: /"dev" is excluded/,
  });
  t.throws(() => updateRefs(remote, { published: [], update: [] }, {}), { message: /No versions are left/ });
});

test('updateRefs() says how to choose another latest where that is what cannot be updated', (t) => {
  const advice = /, requested as latest, .*; choose another one with \{option latest\}$/;
  const update = (latest: string) => updateRefs(remote, { published, update: [latest] }, { latest, exclude: 'dev' });
  t.throws(() => update('nope'), { code: 'no-such-ref', message: advice });
  t.throws(() => update('dev'), { code: 'no-refs', message: advice });
});

test('updateRefs() takes refs out that are gone, and builds those that are said to be gone but exist', (t) => {
  const gone = { published, update: [], remove: ['gone'] };
  t.deepEqual(updateRefs(remote, gone, {}), [ref('main', '1')]);
  t.deepEqual(updateRefs(remote, { published, update: [], remove: ['main'] }, {}), [
    ref('gone', '1'),
    ref('main', '2'),
  ]);
  t.deepEqual(updateRefs(remote, { published, update: [], remove: ['main'] }, { exclude: 'main' }), [ref('gone', '1')]);
  t.deepEqual(updateRefs([], { published: [ref('gone', '1')], update: [], remove: ['gone'] }, {}), []);
});

test('freezeRefs() shows refs that are said to be gone as the repository has them', (t) => {
  const update = { published, update: [], remove: ['main', 'gone'] };
  t.deepEqual(freezeRefs(remote, 'dev', update), [ref('main', '2'), ref('dev', '2')]);
});

test('freezeRefs() shows published refs as they were, the default branch, and those to update', (t) => {
  t.deepEqual(freezeRefs(remote, 'main', { published, update: ['dev'] }), [ref('dev', '2'), ...published]);
  t.deepEqual(freezeRefs(remote, 'main', { published: [], update: ['dev'] }), [ref('main', '2'), ref('dev', '2')]);
});
