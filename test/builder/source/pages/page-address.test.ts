import test from 'ava';
import type { Generator } from '../../../../builder/generators/generators.ts';
import { findNumber, withoutNumber } from '../../../../builder/generators/shared/numbered-names.ts';
import { defaultOutput, parseAddress, wantedOutput } from '../../../../builder/source/pages/page-address.ts';
import { cpuTimeMs } from '../../../helpers/cpu-time.ts';
import fc from '../../../helpers/fast-check.ts';

test('parseAddress() gives the file at an address, however it is written', (t) => {
  const cases: readonly (readonly [string, string, string | undefined])[] = [
    ['/', '', 'index.html'],
    ['', 'guide/', 'guide/index.html'],
    ['/a', 'guide/', 'a.html'],
    ['/a/', '', 'a/index.html'],
    ['a', 'guide/', 'guide/a.html'],
    ['./a/b', 'guide/', 'guide/a/b.html'],
    ['../a/', 'guide/', 'a/index.html'],
    ['a.html', '', 'a.html'],
    ['a.htm', '', 'a.html'],
    ['/a/index.html', '', 'a/index.html'],
    ['/v1.2', '', 'v1.2.html'],
    ['/a%20b/%E6%8C%87', '', 'a b/指.html'],
    ['/指南/', '', '指南/index.html'],
    ['..', 'a/b/', 'a/index.html'],
  ];
  for (const [address, folder, output] of cases) t.is(parseAddress(address, folder), output, address);
});

for (const address of [
  '../up',
  '/a/../../up',
  'https://example.test/a',
  'mailto:x',
  '//host/a',
  '/a?b',
  '/a#b',
  '/a\\b',
  '/:year/:title/',
  '/feed.xml',
  '/data.json',
  '/.git/x',
  '/.well-known/x',
  '/con',
  '/a\u0000b',
  '/a%00b',
  '/a%2f..%2f..%2fb',
  '/%zz',
  '/a./b',
  '/a b /c',
  '/_files/x',
  '/_docbuild/x',
  `/${'x'.repeat(300)}`,
  `/${'x/'.repeat(500)}`,
]) {
  test(`parseAddress() knows no page at ${JSON.stringify(address.slice(0, 40))}`, (t) => {
    t.is(parseAddress(address, ''), undefined);
  });
}

test('parseAddress() never leaves the release, and is fast', (t) => {
  fc.assert(
    fc.property(
      fc.oneof(fc.webPath(), fc.string({ unit: 'binary' }), fc.stringMatching(/^[./a%2e\\:]*$/)),
      (address) => {
        const output = parseAddress(address, 'a/b/');
        if (output === undefined) return true;
        const parts = output.split('/');
        return (
          output.endsWith('.html') &&
          parts.every((part) => part !== '' && !part.startsWith('.') && !part.includes('\0'))
        );
      },
    ),
  );
  const start = cpuTimeMs();
  for (const piece of ['/', '../', 'a/', '%2e', '.', 'index.html']) parseAddress(piece.repeat(200_000), 'a/');
  t.true(cpuTimeMs() - start < 4_000);
});

test('numbers before names are those that Docusaurus takes for positions', (t) => {
  const names = [
    '01-intro',
    '2. Next',
    '003 - x',
    '4_y',
    '10.html',
    '1-.html',
    '2021-11-notes',
    '1.2-notes',
    'v1-x',
    '7',
    'x-1',
  ];
  t.deepEqual(names.map(findNumber), [
    1,
    2,
    3,
    4,
    undefined,
    undefined,
    undefined,
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
  t.deepEqual(names.slice(0, 5).map(withoutNumber), ['intro', 'Next', 'x', 'y', '10.html']);
});

test('defaultOutput() takes off what generators take off', (t) => {
  t.is(defaultOutput('01-a/02-b.html', 'docusaurus'), 'a/b.html');
  t.is(defaultOutput('01-a/02-b.html', 'hugo'), '01-a/02-b.html');
  t.is(defaultOutput('a/2024-01-02-b.html', 'zola'), 'a/b.html');
  t.is(defaultOutput('a/2024-01-02.html', 'zola'), 'a/2024-01-02.html');
});

test('wantedOutput() counts from the root, the folder or the name', (t) => {
  const at = (path: string, generator?: Generator) => ({
    path,
    usual: defaultOutput(path.replace(/\.md$/, '.html'), generator),
    generator,
    languageFolder: 'zh_CN',
  });
  t.is(wantedOutput({ kind: 'whole', path: '/x/y' }, at('a/b.md')), 'x/y.html');
  t.is(wantedOutput({ kind: 'whole', path: 'zh_cn/x' }, at('a/b.md')), 'x.html', 'without the language');
  t.is(wantedOutput({ kind: 'beside', path: '../x' }, at('a/b.md')), 'x.html');
  t.is(wantedOutput({ kind: 'name', path: 'x' }, at('a/b.md', 'hugo')), 'a/x.html');
  t.is(wantedOutput({ kind: 'name', path: 'x/y' }, at('a/b.md', 'hugo')), undefined);
  t.is(wantedOutput({ kind: 'name', path: 'x' }, at('a/b/index.md', 'hugo')), 'a/x/index.html');
  t.is(wantedOutput({ kind: 'name', path: 'x' }, at('a/_index.md', 'hugo')), 'a/_index.html');
});
