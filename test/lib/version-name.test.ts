import test from 'ava';
import { compareVersionNames, parseVersionName, rankVersions } from '../../lib/version-name.ts';

/** Names of one family, oldest first. */
const ORDERS: Readonly<Record<string, readonly string[]>> = {
  semver: [
    ...[
      '1.0.0-0',
      '1.0.0-1',
      '1.0.0-alpha',
      '1.0.0-alpha.1',
      '1.0.0-alpha.beta',
      '1.0.0-beta',
      '1.0.0-beta.2',
      '1.0.0-beta.11',
    ],
    ...[
      '1.0.0-rc.1',
      '1.0.0',
      '1.0.1',
      '1.2.0',
      '1.10.0',
      '2.0.0-next.9',
      '2.0.0-next.10',
      'v2.0.0',
      'v10',
      'v10.0.1',
      'V11.2',
    ],
  ],
  'PEP 440': [
    '1.0.dev3',
    '1.0a1',
    '1.0a2.dev1',
    '1.0b1',
    '1.0b10',
    '1.0rc1',
    '1.0',
    '1.0.post1',
    '1.0.post2',
    '1.1',
    '1!0.5',
  ],
  Maven: [
    '1.0-alpha-1',
    '1.0-alpha-2',
    '1.0-beta-1',
    '1.0-M1',
    '1.0-M2',
    '1.0-RC1',
    '1.0-CR2',
    '1.0-SNAPSHOT',
    '1.0',
    '1.0-SP1',
    '1.1.0.Final',
  ],
  lines: ['7.x', '9.x', '10.x', '13.1', '13.2.x', '13.x', 'v14'],
  'four numbers': ['1.2.3.4', '1.2.3.9', '1.2.3.10', '1.2.4'],
  calendar: ['2019.12', '2020-01', '2020-01-15', '2020.2.0', '24.04'.replace('24', '2024'), '20240401'],
  letters: ['1.1.1', '1.1.1a', '1.1.1k', '1.1.2'],
  underscores: ['REL_9_6', 'REL_15_2', 'REL_16_BETA1', 'REL_16_RC1', 'REL_16_0', 'REL_16_10'],
  prefixed: ['release-1.9', 'release-1.9.1', 'release-1.10', 'release-2.0-rc.1', 'release-2.0'],
  scoped: ['@scope/name@1.2.0', '@scope/name@1.10.0-next.1', '@scope/name@1.10.0'],
  joined: ['go1.4', 'go1.21rc2', 'go1.21', 'go1.21.3'],
};

for (const [kind, names] of Object.entries(ORDERS)) {
  test(`versions are ordered as ${kind} has it`, (t) => {
    const parsed = names.map((name) => parseVersionName(name));
    for (const [index, name] of names.entries()) {
      t.truthy(parsed[index], name);
      t.is(parsed[index]!.family, parsed[0]!.family, name);
      for (const [other, last] of names.entries()) {
        const order = Math.sign(compareVersionNames(parsed[index]!, parsed[other]!));
        t.is(order, Math.sign(index - other), `${name} and ${last}`);
      }
    }
  });
}

test('names of one version in other words are equal', (t) => {
  for (const [one, other] of [
    ['2.0.0', 'v2.0.0'],
    ['1.0', '1.0.0'],
    ['V0.9', 'v0.9.0'],
    ['2.0.0rc1', '2.0.0-rc.1'],
    ['2.0.0-beta1', '2.0.0b1'],
    ['3.0.0', '3.0.0.Final'],
    ['3.0.0', '3.0.0+build.5'],
    ['version-1.2', 'ver1.2'],
    ['2020-01', '2020.1'],
    ['Release-1.0', 'release-1.0'],
  ]) {
    const [a, b] = [parseVersionName(one!), parseVersionName(other!)];
    t.truthy(a && b && a.family === b.family, `${one} ${other}`);
    t.is(compareVersionNames(a!, b!), 0, `${one} ${other}`);
  }
});

test('families are told apart by what stands before the number', (t) => {
  const familyOf = (name: string) => parseVersionName(name)?.family;
  t.deepEqual(
    [
      '1.0',
      'v1.0',
      'release-1.0',
      'release/1.0',
      'release/v1.0',
      'pkg-a@1.0',
      'pkg-b@1.0',
      'pkg2-1.0',
      'log4j-2.17',
      'stable/1.2.x',
      'docs-v1',
    ].map(familyOf),
    ['', '', 'release-', 'release/', 'release/', 'pkg-a@', 'pkg-b@', 'pkg2-', 'log4j-', 'stable/', 'docs-'],
  );
});

test('other names are those of no version', (t) => {
  for (const name of [
    ...[
      'main',
      'latest',
      'wgröße',
      'feature/2fa',
      'utf8',
      'k8s',
      'es6',
      'issue-123-crash',
      '1.0-docs',
      'v',
      'x',
      '1.2.',
      '.5',
    ],
    ...['3d-models', 'a1b2c3d', 'v1.0.0/draft', '1'.repeat(40), '', 'release', '2.0foo', 'i18n', '1.0 beta', '8-01'],
  ]) {
    t.is(parseVersionName(name), undefined, name);
  }
});

test('a branch stands for all versions that begin like it', (t) => {
  const compare = (branch: string, tag: string): number =>
    Math.sign(compareVersionNames(parseVersionName(branch, true)!, parseVersionName(tag)!));
  t.deepEqual(
    [compare('1.9', 'v1.9.5'), compare('1.9', 'v1.10.0'), compare('v2', 'v2.9.1'), compare('1.x', '2.0')],
    [1, -1, 1, -1],
  );
});

test.serial('long names cost little', (t) => {
  for (const name of [
    '1.'.repeat(120_000),
    `1${'-a'.repeat(100_000)}`,
    'v1'.repeat(100_000),
    `1.0-${'a.'.repeat(90_000)}!`,
  ]) {
    const started = performance.now();
    parseVersionName(name.slice(0, 1_000));
    t.true(performance.now() - started < 1_000);
  }
});

test('rankVersions() counts the versions of each family from the oldest; equal ones share a rank', (t) => {
  const names = ['v2.0.0', '2.0.0', 'v1.0', 'v2.1.0-rc.1', 'main', 'pkg@1.0', 'pkg@1.1'];
  const ranks = rankVersions([...names.map((name) => ({ name, isBranch: false })), { name: '1', isBranch: true }]);
  t.deepEqual(
    [...ranks].map(([name, { family, rank, isPreRelease }]) => [name, family, rank, isPreRelease]),
    [
      ['v1.0', '', 1, false],
      ['1', '', 2, false],
      ['v2.0.0', '', 3, false],
      ['2.0.0', '', 3, false],
      ['v2.1.0-rc.1', '', 4, true],
      ['pkg@1.0', 'pkg@', 1, false],
      ['pkg@1.1', 'pkg@', 2, false],
    ],
  );
});

test('branches of work are no lines of versions', (t) => {
  for (const name of [
    ...[
      'dependabot/npm_and_yarn/lodash-4.17.21',
      'renovate/vite-5.x',
      'feature/2.0',
      'fix/1.2.3-crash',
      'translate-de-1',
      'issue-12',
    ],
    ...[
      'you-patch-1',
      'backport/1.2',
      'pr-1234',
      'release-please--branches--main',
      'update-to-3.0',
      'gh-12',
      'my-work-2',
      'headers-for-v6',
      'docs-hotfix-v2.13.4',
      'Some-feature/terminus-v7',
      'effect-docs-2',
      'some-body/theme-0.7.2',
      '3.4-stable-backport-5920',
      'docs_in_2.0',
      'docs-cloudflare-workers-deploy-wrangler-v4',
      'rewrite_the_guide_python-3.14',
    ],
  ]) {
    t.is(parseVersionName(name, true), undefined, name);
  }
  for (const name of [
    '1.9',
    'v2',
    '13.x',
    'release-8.5',
    'release/2',
    'stable/5.0.x',
    'docs-v1',
    'REL_16_STABLE',
    'support/v3',
    'php-8.1',
    '5-stable',
    '1.0-branch',
    '1.2_branch',
    'release/lamp-1.2',
    'my-app-v2',
    'release/my-app-1.2',
    'release/the-large-blue-app-1.2',
  ]) {
    t.truthy(parseVersionName(name, true), name);
  }
});
