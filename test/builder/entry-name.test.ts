import test from 'ava';
import { judgeEntryName } from '../../builder/entry-name.ts';
import fc from '../helpers/fast-check.ts';
import { fastestMs } from '../helpers/fastest-ms.ts';

const verdicts = {
  ok: [
    'guide.md',
    'zh_CN',
    '.gitignore',
    '.gitattributes',
    '.github',
    'git',
    'agit~1',
    'a.git',
    'con1.md',
    'contact.md',
    'console',
    'aux-1',
    'x.con',
    'a b.md',
    'é.md',
    '指南.md',
    '😀.md',
    '👩‍👩‍👧.md',
    'a..b',
    '...x',
    '--upload-pack=touch',
    'a$(id)',
    "x'",
    '%2e%2e',
    '~',
    'a~1',
    '__proto__',
    'راهنما\u200cها.md',
    `${'x'.repeat(237)}.md`,
  ],
  skip: [
    'a\\b',
    '..\\x',
    '\\',
    'C:\\x',
    'CON',
    'con.md',
    'Aux',
    'nul.txt',
    'COM1',
    'lpt9.md',
    'com¹',
    'CONIN$',
    'prn.',
    'c:x',
    'a:b',
    'x<svg>',
    'a"b',
    'a|b',
    'what?',
    'a*b',
    'a.',
    'a ',
    'a\nb',
    'a\tb',
    'a\u007f',
    'a\u0085b',
    'a\u200b.md',
    'a\u200eb',
    'a\u202eb',
    'a\u2066b',
    'a\u2069',
    '\ufeffa',
    'a\u00adb',
    'a\u061cb',
    'a\u{e0041}b',
    `${'x'.repeat(240)}.md`,
    '指'.repeat(81),
  ],
  refuse: [
    '',
    '.',
    '..',
    'a/b',
    '/etc',
    '../x',
    'a\0b',
    '\0',
    '.git',
    '.GIT',
    '.Git',
    '.git.',
    '.git ',
    '.git . .',
    '.git::$INDEX_ALLOCATION',
    '.git:x',
    '.git\\x',
    'git~1',
    'GIT~1',
    'git~1.',
    'Git~2',
    '.g\u200cit',
    '\u200d.git',
    '.git\u200b',
    '.gi\u2066t',
    '.\ufeffgit',
    '．git',
    '.ｇｉｔ',
    '.g\u{e0069}it',
  ],
} as const;
for (const [verdict, names] of Object.entries(verdicts)) {
  for (const name of names) {
    const shown = JSON.stringify(name.length > 30 ? `${name.slice(0, 10)}…${name.length}` : name);
    test(`judgeEntryName() gives ${verdict} for ${shown}`, (t) => {
      t.is<string, string>(judgeEntryName(name).verdict, verdict);
    });
  }
}

test('judgeEntryName() passes no name that could leave its folder', (t) => {
  const hostile = fc.string({
    unit: fc.oneof(
      fc.constantFrom('.', '/', '\\', '\0', 'g', 'i', 't', 'G', '~', '1', ':', ' ', '\u200b'),
      fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
    ),
  });
  t.notThrows(() =>
    fc.assert(
      fc.property(hostile, (name) => {
        if (judgeEntryName(name).verdict !== 'ok') return;
        t.notRegex(name, /[/\\\0:]|^\.{0,2}$|^\.git[ .]*$|^git~\d$/i);
      }),
      { numRuns: 1_700 },
    ),
  );
});

test('judgeEntryName() stays fast with a name of 100,000 characters', (t) => {
  const ms = fastestMs(() => {
    for (const name of [
      '.git'.repeat(25_000),
      `.git${' .'.repeat(50_000)}x`,
      '\u200b'.repeat(100_000),
      `con${'.'.repeat(100_000)}`,
    ])
      judgeEntryName(name);
  });
  t.true(ms < 50);
});
