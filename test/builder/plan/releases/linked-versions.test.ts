import test from 'ava';
import type { LinkSlot } from '../../../../builder/model.ts';
import { createVersionDirectory, createVersionNames } from '../../../../builder/plan/releases/linked-versions.ts';
import type { Version, VersionSource } from '../../../../builder/plan/versions/version-source.ts';
import { findLanguages, type Language } from '../../../../builder/source/languages.ts';

const languages: readonly Language[] = [
  { key: 'en', code: 'en', tag: 'en', dir: 'ltr' },
  { key: 'zh', code: 'zh', tag: 'zh', dir: 'ltr' },
];
const versions = ['v2.0', '1.0', 'release/0.9', 'main'].map(
  (name): Version => ({ ref: { name, kind: 'branch', oid: name }, rootTree: name, time: 0 }),
);
const slugs = new Map(versions.map(({ ref }) => [ref.name, ref.name.replace('/', '-')]));
const names = createVersionNames(versions, slugs);

/** Opens the links of version 2.0; the others have these files. */
function open(files: readonly string[], ...urls: readonly string[]) {
  const list = files.map((path) => ({ path, oid: path }));
  const source = { listing: { files: list, warnings: [] }, layout: findLanguages(list, ['en', 'zh']) };
  const asked: string[] = [];
  const directory = createVersionDirectory({
    names,
    languages,
    async readSource(version) {
      asked.push(version.ref.name);
      return source as unknown as VersionSource;
    },
    listPublished: ({ ref }, code) => (ref.name === 'main' && code === 'en' ? ['kept.html'] : undefined),
  });
  const slots = urls.map((url): LinkSlot => ({ kind: 'link', url, line: 1 }));
  return { asked, opened: directory.open(versions[0]!, new Map([['a.md', { slots }]])) };
}

test('versions have the names of refs, of folders in URLs, and numbers with or without "v"', (t) => {
  const slugOf = (name: string) => names.find(name)?.slug;
  t.deepEqual(['v2.0', '2.0', '1.0', 'v1.0', 'release-0.9', '0.9', 'latest', 'main', 'constructor', ''].map(slugOf), [
    'v2.0',
    'v2.0',
    '1.0',
    '1.0',
    'release-0.9',
    undefined,
    'latest',
    'main',
    undefined,
    undefined,
  ]);
  t.is(names.find('latest')?.version, versions[0]);
});

test('links that name versions mean their pages', async (t) => {
  const { opened, asked } = open(
    ['guide/a.md', 'guide/index.md', 'zh/guide/b.md'],
    ...[
      '/docs/1.0/guide/a',
      '../1.0/guide/a.md',
      '/2.0/x',
      '/main/kept',
      '/3.0/x',
      '../guide/main/a',
      '/docs/api/x',
      '#1.0',
    ],
    'https://host.test/release-0.9/x',
  );
  const { named, find } = await opened;
  t.deepEqual(named, [
    ['1.0', '1.0'],
    ['2.0', 'v2.0'],
    ['3.0', ''],
    ['main', 'main'],
  ]);
  t.deepEqual(asked, ['1.0']);
  const [en, zh] = languages as [Language, Language];
  t.deepEqual(find('/docs/1.0/guide/a', en), { slug: '1.0', language: en, output: 'guide/a.html' });
  t.deepEqual(find('/docs/1.0/guide/a', zh), { slug: '1.0', language: zh, output: 'guide/a.html' });
  t.deepEqual(find('../../1.0/guide/', en), { slug: '1.0', language: en, output: 'guide/index.html' });
  t.deepEqual(find('/1.0', en), { slug: '1.0', language: en, output: 'index.html' });
  t.deepEqual(find('/1.0/guide/b', zh), { slug: '1.0', language: zh, output: 'guide/b.html' });
  t.is(find('/1.0/guide/b', en), undefined);
  t.deepEqual(find('/1.0/zh/guide/b', en), { slug: '1.0', language: zh, output: 'guide/b.html' });
  t.deepEqual(find('/x/v2.0/a/b', en), undefined);
  t.deepEqual(find('/x/2.0/a/b', en), { path: '/a/b' });
  t.deepEqual(find('/main/kept', en), { slug: 'main', language: en, output: 'kept.html' });
  t.is(find('1.0/guide/a', en), undefined);
  t.is(find('/3.0/x', en), undefined);
});

test("the names in one version's links are bounded", async (t) => {
  const { opened } = open([], ...Array.from({ length: 2_000 }, (_, index) => `/docs/1.0.${index}/x`));
  t.is((await opened).named.length, 500);
});

test('a version without a language is linked in the default one', async (t) => {
  const [en, zh] = languages as [Language, Language];
  const { find } = await open(['a.md'], '/1.0/').opened;
  t.deepEqual(find('/1.0/', zh), { slug: '1.0', language: en, output: 'index.html' });
  t.deepEqual(find('/1.0/a', zh), { slug: '1.0', language: en, output: 'a.html' });
  t.is((await open([], '/1.0/').opened).find('/1.0/', en), undefined);
});
