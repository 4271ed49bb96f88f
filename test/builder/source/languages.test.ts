import test from 'ava';
import { chooseLanguages, findLanguages } from '../../../builder/source/languages.ts';
import { fastestMs } from '../../helpers/fastest-ms.ts';
import { createFiles } from './create-files.ts';

function find(paths: readonly string[], declared?: readonly string[]) {
  const { folders, suffixes, hasRootPages } = findLanguages(createFiles(...paths), declared);
  return { folders: [...folders.values()].sort(), suffixes: [...suffixes.values()].sort(), hasRootPages };
}

const plain = (...folders: string[]) => ({ folders, suffixes: [], hasRootPages: false });
const root = (...folders: string[]) => ({ folders, suffixes: [], hasRootPages: true });
const suffixed = (...suffixes: string[]) => ({ folders: [], suffixes, hasRootPages: true });

const layouts: readonly (readonly [title: string, paths: readonly string[], found: ReturnType<typeof find>])[] = [
  ['a folder per language', ['en/index.md', 'en/a.md', 'zh_CN/a.md', 'fa/index.md'], plain('en', 'fa', 'zh_CN')],
  ['one language alone in its folder', ['zh/index.md', 'zh/a.md'], plain('zh')],
  ['languages beside English at the root', ['index.md', 'a.md', 'zh/index.md', 'pt/a.md'], root('pt', 'zh')],
  ['no languages', ['index.md', 'guide/a.md', 'reference/b.md'], root()],
  ['no pages', ['logo.svg'], plain()],
  [
    'region and script in names',
    ['a.md', 'zh-Hant-TW/b.md', 'sr-Latn/b.md', 'es-419/b.md', 'pt_br/b.md'],
    root('es-419', 'pt_br', 'sr-Latn', 'zh-Hant-TW'),
  ],
  ['countries that stand for languages', ['a.md', 'b.md', 'cn/a.md', 'jp/a.md', 'kr/b.md'], root('cn', 'jp', 'kr')],
  ['countries as suffixes', ['a.md', 'a.cn.md', 'b.md', 'b.cn.md', 'a.fr.md'], suffixed('cn', 'fr')],
  ['a country that stands for itself', ['a.md', 'b.md', 'cn/office.md'], root()],
  ['suffixes', ['a.md', 'a.zh_CN.md', 'b.md', 'b.fr.md'], suffixed('fr', 'zh_CN')],
  [
    'a suffix with another meaning beside those of many languages',
    ['a', 'b', 'c', 'd'].flatMap((name) => ['', '.fr', '.de', '.ja', '.ar'].map((suffix) => `${name}${suffix}.md`)),
    suffixed('ar', 'de', 'fr', 'ja'),
  ],
  [
    'suffixes on all languages',
    ['a.en.md', 'a.fr.md', 'b.en.md'],
    { folders: [], suffixes: ['en', 'fr'], hasRootPages: false },
  ],
  ['a translated README', ['README.md', 'README.vi.md', 'guide.md'], suffixed('vi')],
  [
    'folders and suffixes mixed',
    ['index.md', 'zh/index.md', 'guide.md', 'guide.fr.md'],
    { folders: ['zh'], suffixes: ['fr'], hasRootPages: true },
  ],
  ['departments called like languages', ['index.md', 'hr/index.md', 'hr/leave.md', 'it/index.md', 'it/vpn.md'], root()],
  ['a translation that has only begun', ['index.md', 'guide.md', 'fr/index.md'], root('fr')],
  [
    'languages often mistaken, beside English',
    ['en/index.md', 'en/a.md', 'vi/index.md', 'id/a.md', 'cs/b.md'],
    plain('cs', 'en', 'id', 'vi'),
  ],
  [
    'languages often mistaken, translated from the root',
    ['index.md', 'a.md', 'b.md', 'vi/a.md', 'vi/b.md'],
    root('vi'),
  ],
];
for (const [title, paths, found] of layouts) {
  test(`findLanguages() finds ${title}`, (t) => {
    t.deepEqual(find(paths), found);
  });
}

const mistakable: readonly (readonly [title: string, paths: readonly string[]])[] = [
  ['TypeScript', ['index.md', 'ts/index.md', 'ts/types.md', 'js/index.md']],
  ['TypeScript alone', ['ts/index.md', 'ts/types.md']],
  ['TypeScript that repeats the root', ['index.md', 'install.md', 'usage.md', 'ts/install.md', 'ts/usage.md']],
  ['TypeScript and operating systems that repeat each other', ['ts/install.md', 'os/install.md']],
  ['machine learning', ['index.md', 'ml/index.md', 'ml/train.md']],
  ['to-do', ['index.md', 'to-do/index.md']],
  ['ts-node', ['index.md', 'ts-node/index.md']],
  ['my-site', ['my-site/index.md']],
  ['no-js', ['index.md', 'no-js/a.md']],
  ['software', ['index.md', 'sw/index.md', 'sw/a.md']],
  ['shell', ['index.md', 'sh/index.md', 'install.md', 'sh/install.md']],
  ['three letters', ['index.md', 'api/index.md', 'cli/index.md', 'faq/index.md']],
  ['capitals', ['index.md', 'Go/index.md', 'CI/index.md']],
];
for (const [title, paths] of mistakable) {
  test(`findLanguages() takes no folder for a language: ${title}`, (t) => {
    t.deepEqual(find(paths).folders, []);
  });
}

for (const paths of [
  ['config.md', 'config.ts.md'],
  ['Foo.md', 'Foo.cs.md', 'Bar.md', 'Baz.md', 'Baq.md'],
  ['index.md', 'index.ts.md', 'main.md', 'main.ts.md'],
  ['release.md', 'release.v2.md'],
  ['notes.fr.md'],
  ['a.b/x.md', 'a.b/c.md'],
]) {
  test(`findLanguages() takes no suffix for a language in ${paths.join(', ')}`, (t) => {
    t.deepEqual(find(paths).suffixes, []);
  });
}

test('findLanguages() takes declared languages as they are, however they are spelled', (t) => {
  t.deepEqual(find(['index.md', 'ts/types.md', 'ZH-cn/a.md', 'ckb/b.md'], ['en', 'ts', 'zh_CN', 'ckb']).folders, [
    'ZH-cn',
    'ckb',
    'ts',
  ]);
});

test('findLanguages() takes a declared suffix even where its page stands alone', (t) => {
  t.deepEqual(find(['only.ckb.md', 'a.md'], ['en', 'ckb']).suffixes, ['ckb']);
});

test('findLanguages() still sees languages that are not declared, so that their pages are not taken for others', (t) => {
  t.deepEqual(find(['en/a.md', 'fr/a.md'], ['en']).folders, ['en', 'fr']);
});

test('findLanguages() leaves out parts of pages and hidden files', (t) => {
  t.deepEqual(find(['en/a.md', '_partials/b.md', '.x/c.md', 'en/_part.md']), plain('en'));
});

test('findLanguages() copes with folders named like properties of objects', (t) => {
  t.deepEqual(find(['__proto__/a.md', 'constructor/b.md']), root());
});

test('findLanguages() stays fast with 50,000 pages and suffixes of 100,000 characters', (t) => {
  const paths = Array.from(
    { length: 50_000 },
    (_, at) => `${['en', 'zh', 'x', 'ts'][at % 4]}/${at >> 2}.${at % 7 ? 'fr.' : ''}md`,
  );
  const ms = fastestMs(() => {
    find([...paths, `a.${'b-'.repeat(50_000)}.md`, `${'.'.repeat(100_000)}.md`]);
  });
  t.true(ms < 1500);
});

function choose(refs: readonly (readonly string[])[], declared?: readonly string[]): readonly string[] {
  const layouts = refs.map((paths) => findLanguages(createFiles(...paths), declared));
  return chooseLanguages(layouts, declared).map(({ code }) => code);
}

test('chooseLanguages() puts English first, the others in the order of the alphabet', (t) => {
  t.deepEqual(choose([['zh/a.md', 'en/a.md', 'de/a.md']]), ['en', 'de', 'zh']);
});

test('chooseLanguages() takes English for pages that do not say their language', (t) => {
  t.deepEqual(choose([['a.md', 'zh_CN/a.md']]), ['en', 'zh_CN']);
  t.deepEqual(choose([['a.md']]), ['en']);
  t.deepEqual(choose([]), ['en']);
});

test('chooseLanguages() takes the English of the folders when there is one', (t) => {
  t.deepEqual(choose([['a.md', 'en-US/a.md', 'fr/a.md']]), ['en-US', 'fr']);
});

test('chooseLanguages() puts the first of the alphabet first where there is no English', (t) => {
  t.deepEqual(choose([['zh/a.md', 'fr/a.md']]), ['fr', 'zh']);
  t.deepEqual(choose([['zh/a.md']]), ['zh']);
});

test('chooseLanguages() adds no English when all pages have suffixes of others', (t) => {
  t.deepEqual(choose([['a.fr.md', 'a.zh.md']]), ['fr', 'zh']);
});

test('chooseLanguages() joins spellings of several refs and takes the first', (t) => {
  t.deepEqual(
    choose([
      ['en/a.md', 'zh_CN/a.md'],
      ['en/a.md', 'zh-cn/a.md'],
      ['EN/a.md', 'zh-CN/a.md', 'fa/a.md'],
    ]),
    ['en', 'fa', 'zh_CN'],
  );
});

test('chooseLanguages() keeps declared languages and their order', (t) => {
  t.deepEqual(choose([['en/a.md', 'fr/a.md']], ['zh_CN', 'en']), ['zh_CN', 'en']);
});

test('chooseLanguages() takes a language that is declared twice once', (t) => {
  t.deepEqual(choose([['en/a.md']], ['en', 'zh_CN', 'zh-cn', 'EN']), ['en', 'zh_CN']);
});

test('chooseLanguages() gives tags and directions', (t) => {
  t.deepEqual(
    chooseLanguages([], ['zh_CN', 'fa', 'az-Arab']).map(({ key, tag, dir }) => [key, tag, dir]),
    [
      ['zh-cn', 'zh-CN', 'ltr'],
      ['fa', 'fa', 'rtl'],
      ['az-arab', 'az-Arab', 'rtl'],
    ],
  );
});
