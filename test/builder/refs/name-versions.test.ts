import test from 'ava';
import { type NameRule, nameVersions } from '../../../builder/refs/name-versions.ts';
import { createRefs } from './create-refs.ts';

const rules = (written: Readonly<Record<string, string>>): readonly NameRule[] =>
  Object.entries(written).map(([pattern, name]) => ({ pattern, name }));
const named = (refs: readonly string[], written: Readonly<Record<string, string>> = {}): readonly string[] => [
  ...nameVersions(createRefs(...refs), rules(written)).values(),
];

test('nameVersions() leaves names as they are', (t) => {
  const refs = ['main', 'release/2.0', 'tag:v1.0.0', 'tag:release-1.1', 'tag:rolling'];
  t.deepEqual(named(refs), ['main', 'release/2.0', 'v1.0.0', 'release-1.1', 'rolling']);
});

const PACKAGES = [
  ['pkg-a@1.10.0', '1.10.0'],
  ['@scope/pkg-a@2.0.0-beta.1', '2.0.0-beta.1'],
  ['pkg-a/v1.2', 'v1.2'],
  ['tools/cli/v1.2.3', 'v1.2.3'],
  ['lamp-v2.0.0', 'v2.0.0'],
] as const;
for (const [tag, name] of PACKAGES) {
  test(`nameVersions() takes the package's name from ${tag} where no other one is built`, (t) => {
    t.deepEqual(named(['main', `tag:${tag}`]), ['main', name]);
    t.deepEqual(named([`tag:${tag}`, 'tag:other@1.0.0']), [tag, 'other@1.0.0']);
    t.deepEqual(named([`tag:${tag}`, 'tag:v0.1.0']), [tag, 'v0.1.0'], 'beside tags without a package');
    t.deepEqual(named([name, `tag:${tag}`]), [name, tag], 'not where a branch has that name');
  });
}

test('nameVersions() takes no name of something else than a package away', (t) => {
  for (const tag of ['release-1.10', 'release/2.0', 'stable-v1', 'v1.2.3', 'docs-v1.0', 'REL_16_1']) {
    t.deepEqual(named([`tag:${tag}`]), [tag]);
  }
});

const RULES = [
  [{ 'release-*': 'v*' }, 'release-8.5', 'v8.5'],
  [{ 'release/*': '*' }, 'release/2.0/lts', '2.0/lts'],
  [{ main: 'dev' }, 'main', 'dev'],
  [{ mai: 'dev' }, 'main', 'main'],
  [{ '*-v*': '* *' }, 'lamp-v2-v3', 'lamp 2-v3'],
  [{ 'a*a': '*' }, 'a', 'a'],
  [{ 'x-*': '*' }, 'x-', 'x-'],
  [{ '*-docs': '*', '*': 'other' }, 'v1-docs', 'v1'],
  [{ '*-docs': '*', 'v*': '*' }, 'v1', '1'],
  [{ '**': 'a*b' }, 'x/y', 'ax/yb'],
  [{ 'v*': '$& *' }, 'v$1', '$& $1'],
  [{ '(.*)+': 'x' }, '(y)+', '(y)+'],
] as const satisfies readonly (readonly [Readonly<Record<string, string>>, string, string])[];
for (const [written, ref, name] of RULES) {
  test(`nameVersions() calls ${ref} ${name} by ${JSON.stringify(written)}`, (t) => {
    t.deepEqual(named([ref], written), [name]);
  });
}

test('nameVersions() takes what a rule names out of the question which packages there are', (t) => {
  t.deepEqual(named(['tag:a@1.0.0', 'tag:b@2.0.0'], { 'b@*': 'b *' }), ['b 2.0.0', '1.0.0']);
  t.deepEqual(named(['tag:a@1.0.0', 'main'], { main: '1.0.0' }), ['1.0.0', 'a@1.0.0']);
});
