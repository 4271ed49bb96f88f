import test from 'ava';
import { chooseLatest, type DatedRef, sortVersions } from '../../../builder/refs/sort-versions.ts';
import fc, { type Arbitrary } from '../../helpers/fast-check.ts';
import { createDatedRefs } from './create-refs.ts';

function order(times: Readonly<Record<string, number>>, latest?: string): readonly string[] {
  return sortVersions(createDatedRefs(times), latest).map(({ name }) => name);
}

const versionName = fc.oneof(
  fc
    .tuple(
      fc.constantFrom('', 'v'),
      fc.array(fc.nat(20), { minLength: 1, maxLength: 3 }),
      fc.constantFrom('', '-rc.1', '-rc.2', '-rc.10', '-beta', '+b1', '-9007199254740993', '-9007199254740992', '-01'),
    )
    .map(([v, numbers, suffix]) => v + numbers.join('.') + suffix),
  fc.constantFrom('main', 'dev', 'a', 'B', 'é', '1.x', '1.2.3.4', 'v', '999999999999', '__proto__'),
);
const refArbitrary: Arbitrary<DatedRef> = fc.record({
  name: versionName,
  kind: fc.constantFrom('branch' as const, 'tag' as const, 'worktree' as const),
  oid: fc.constant('0'),
  time: fc.nat(3),
});
const refSet = fc.uniqueArray(refArbitrary, { selector: ({ name }) => name, maxLength: 12 });

test('sortVersions() puts the latest first, then branches, then tags', (t) => {
  t.deepEqual(
    order({ 'tag:v1': 1, main: 2, 'tag:v2': 3, dev: 4 }, 'v1'),
    ['v1', 'dev', 'main', 'v2', 'v1'].slice(0, 4),
  );
});

test('sortVersions() orders versions by number, newest first, prereleases below their release', (t) => {
  t.deepEqual(
    order({ 'tag:v1.9': 9, 'tag:v1.10': 1, 'tag:2.0.0-rc.2': 1, 'tag:2.0.0-rc.10': 1, 'tag:v2': 0, 'tag:v1.10.1': 0 }),
    ['v2', '2.0.0-rc.10', '2.0.0-rc.2', 'v1.10.1', 'v1.10', 'v1.9'],
  );
});

test('sortVersions() puts names that are no versions after those that are, newest commit first', (t) => {
  t.deepEqual(order({ 'tag:nightly': 50, 'tag:old': 10, 'tag:v0.1': 1, 'tag:b': 50 }), ['v0.1', 'b', 'nightly', 'old']);
});

test('sortVersions() does not depend on the order it is given', (t) => {
  const shuffled = refSet.chain((refs) =>
    fc.tuple(fc.constant(refs), fc.shuffledSubarray(refs, { minLength: refs.length })),
  );
  fc.assert(
    fc.property(shuffled, fc.constantFrom(undefined, 'main', 'v1'), ([refs, other], latest) => {
      t.deepEqual(sortVersions(other, latest), sortVersions(refs, latest));
    }),
    { numRuns: 170 },
  );
});

test('sortVersions() is a total order: sorting a part keeps the order of the whole', (t) => {
  fc.assert(
    fc.property(
      refSet.chain((refs) => fc.tuple(fc.constant(refs), fc.subarray(refs))),
      ([refs, some]) => {
        const whole = sortVersions(refs, undefined).filter((ref) => some.includes(ref));
        t.deepEqual(sortVersions(some, undefined), whole);
      },
    ),
    { numRuns: 170 },
  );
});

test('sortVersions() keeps families together, numbers in each before dates, the one with the newest commit first', (t) => {
  t.deepEqual(
    order({
      'tag:release-1.9': 1,
      'tag:release-1.9.1': 9,
      'tag:release-1.10': 2,
      'tag:v3.59': 3,
      'tag:v3.60': 4,
      'tag:lamp@1.9.0': 5,
      'tag:lamp@1.10.0': 12,
      'tag:nightly': 99,
      'tag:release-2.0-rc.1': 8,
    }),
    [
      'lamp@1.10.0',
      'lamp@1.9.0',
      'release-2.0-rc.1',
      'release-1.10',
      'release-1.9.1',
      'release-1.9',
      'v3.60',
      'v3.59',
      'nightly',
    ],
  );
});

test('sortVersions() orders branches as lines of versions', (t) => {
  t.deepEqual(order({ '9.x': 9, '13.x': 1, '5.10': 7, '5.8': 8, '12.x': 2, main: 3 }, '13.x'), [
    '13.x',
    '12.x',
    '9.x',
    '5.10',
    '5.8',
    'main',
  ]);
});

test('chooseLatest() takes the ref that is asked for', (t) => {
  const refs = createDatedRefs({ main: 1, 'tag:v1': 1, 'feature/x': 1 });
  t.is(chooseLatest(refs, { asked: 'feature/x', head: 'main' }).name, 'feature/x');
});

test('chooseLatest() names a ref that is asked for and not built', (t) => {
  const refs = createDatedRefs({ main: 1 });
  t.throws(() => chooseLatest(refs, { asked: 'v9', head: 'main' }), {
    code: 'no-such-ref',
    message: /^Ref "v9", .* with \{option latest\}$/,
  });
});

test('chooseLatest() takes HEAD, else the newest release, else the newest branch', (t) => {
  const refs = createDatedRefs({ main: 1, dev: 9, 'tag:v1.9': 1, 'tag:v2.0.0-rc.1': 2, 'tag:nightly': 99 });
  t.is(chooseLatest(refs, { asked: undefined, head: 'main' }).name, 'main');
  t.is(chooseLatest(refs, { asked: undefined, head: 'gone' }).name, 'v1.9');
  t.is(chooseLatest(refs, { asked: undefined, head: undefined }).name, 'v1.9');
  t.is(chooseLatest(createDatedRefs({ a: 1, b: 2 }), { asked: undefined, head: undefined }).name, 'b');
});

test('chooseLatest() takes the newest prerelease when no tag is a release', (t) => {
  const refs = createDatedRefs({ dev: 9, 'tag:v2.0.0-rc.1': 2, 'tag:v2.0.0-rc.2': 1 });
  t.is(chooseLatest(refs, { asked: undefined, head: undefined }).name, 'v2.0.0-rc.2');
});

test('chooseLatest() takes no backport and no pre-release while there is a release, and a line before a pre-release', (t) => {
  const choose = (times: Readonly<Record<string, number>>) =>
    chooseLatest(createDatedRefs(times), { asked: undefined, head: undefined }).name;
  t.is(choose({ 'tag:release-1.10': 1, 'tag:release-1.9.1': 9, 'tag:release-2.0-rc.1': 10 }), 'release-1.10');
  t.is(choose({ 'tag:v2.0.0rc1': 9, 'tag:V1.10.0': 1, 'tag:v1.9.1': 8 }), 'V1.10.0');
  t.is(choose({ 'tag:v2.0.0rc1': 9, '1.9': 2, '1.10': 1 }), '1.10');
});
