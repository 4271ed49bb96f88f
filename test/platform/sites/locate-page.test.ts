import test from 'ava';
import type { VersionMoves } from '../../../lib/follow-page.ts';
import { locatePage } from '../../../platform/sites/locate-page.ts';
import type { SiteIndex } from '../../../platform/sites/site-indexes.ts';

const releases: Readonly<Record<string, readonly string[]>> = {
  'en main': ['index.html', 'guide/index.html', 'guide/a.html', 'guide/b c.html'],
  'en v1': ['index.html', 'guide/a.html'],
  'en feature/x': ['index.html', 'guide/index.html'],
  'fr main': ['index.html', 'guide/a.html'],
};
const index: SiteIndex = {
  latest: 'main',
  latestRef: 'main',
  single: false,
  tags: new Map(),
  languages: ['en', 'fr'],
  homes: [],
  refs: new Map([
    ['main', { kind: 'branch', slug: 'main' }],
    ['feature/x', { kind: 'branch', slug: 'feature-x' }],
    ['v1', { kind: 'tag', slug: 'v1' }],
  ]),
  versions: new Map([
    ['en', ['latest', 'main', 'feature/x', 'v1']],
    ['fr', ['latest', 'main']],
  ]),
  pagesOf(language, version) {
    const pages = releases[`${language} ${version === 'latest' ? 'main' : version}`];
    return pages && new Set(pages);
  },
  translatedOf: () => undefined,
  originalOf: (_language, _version, page) => page,
  translationOf: (_language, _version, page) => page,
  movesIn: () => ({ baseOf: () => undefined, movesOf: () => undefined }),
  historyFiles: () => 0,
};
const urls = (path: string) =>
  locatePage(index, path)?.alternates.map(({ url, exists }) => (exists ? url : `${url} (missing)`));

test('locatePage() finds a page in every version of its language and every language of its version', (t) => {
  t.deepEqual(urls('/en/main/guide/a.html'), [
    'en/latest/guide/a.html',
    'en/main/guide/a.html',
    'en/feature-x/guide/ (missing)',
    'en/v1/guide/a.html',
    'fr/main/guide/a.html',
  ]);
});

test('locatePage() leads to the nearest page above where there is no such page', (t) => {
  t.deepEqual(urls('/en/latest/guide/b%20c.html'.replace('%20', ' ')), [
    'en/latest/guide/b%20c.html',
    'en/main/guide/b%20c.html',
    'en/feature-x/guide/ (missing)',
    'en/v1/ (missing)',
    'fr/latest/ (missing)',
  ]);
});

test('locatePage() enters a language that lacks the version by its latest', (t) => {
  t.deepEqual(urls('/en/v1/guide/a.html')?.at(-1), 'fr/latest/guide/a.html');
});

test('locatePage() understands addresses without ending, of folders, of home pages and of pages that do not exist', (t) => {
  t.is(locatePage(index, '/en/v1/guide/a')?.path, 'guide/a.html');
  t.is(locatePage(index, '/en/main/guide/')?.path, 'guide/');
  t.is(locatePage(index, '/en/main/guide')?.path, 'guide/');
  t.is(locatePage(index, '/en/main')?.path, '');
  t.is(locatePage(index, 'en/main/')?.path, '');
  t.deepEqual(urls('/fr/main/none.html'), [
    ...['fr/latest/ (missing)', 'fr/main/ (missing)'],
    // Readers of a page that does not exist look for it in the latest version of other languages, too.
    ...['en/main/ (missing)', 'en/latest/ (missing)'],
  ]);
});

test('locatePage() keeps the full name of a ref, never its slug', (t) => {
  t.is(locatePage(index, '/en/feature-x/')?.version, 'feature/x');
  t.is(locatePage(index, '/en/feature/x/')?.version, '');
});

test('locatePage() finds a page of a version that does not exist in those that do', (t) => {
  t.deepEqual(urls('/en/v9/guide/b c.html'), [
    'en/latest/guide/b%20c.html',
    'en/main/guide/b%20c.html',
    'en/feature-x/guide/ (missing)',
    'en/v1/ (missing)',
    'fr/latest/ (missing)',
  ]);
  t.deepEqual(urls('/en/v9/guide/b c'), urls('/en/v9/guide/b c.html'));
  t.true(urls('/en/v9/none.html')?.every((url) => url.endsWith(' (missing)')));
  t.like(locatePage(index, '/en/v9/guide/a.html'), { lang: 'en', version: '', path: 'guide/a.html' });
  t.like(locatePage(index, '/en/__proto__/'), { lang: 'en', version: '', path: '' });
});

for (const path of [
  '/',
  '',
  '/de/main/',
  '/de/v9/a.html',
  '/en/v9',
  '/__proto__/main/',
  '/en/__proto__',
  '/404.html',
]) {
  test(`locatePage() knows no release at ${JSON.stringify(path)}`, (t) => t.is(locatePage(index, path), undefined));
}

test('locatePage() in a site with one version finds pages at the root and of other languages in their folder', (t) => {
  const single: SiteIndex = {
    ...index,
    single: true,
    versions: new Map([
      ['en', ['main']],
      ['fr', ['main']],
    ]),
  };
  t.deepEqual(locatePage(single, '/guide/a.html'), {
    lang: 'en',
    version: 'main',
    path: 'guide/a.html',
    alternates: [
      { lang: 'en', version: 'main', url: 'guide/a.html', exists: true },
      { lang: 'fr', version: 'main', url: 'fr/guide/a.html', exists: true },
    ],
  });
  t.is(locatePage(single, '/fr/')?.lang, 'fr');
  t.is(locatePage(single, '/')?.path, '');
});

test('locatePage() gives addresses also of versions whose names mean something in addresses', (t) => {
  const odd: SiteIndex = {
    ...index,
    refs: new Map([['fix#1/50%?', { kind: 'branch', slug: 'fix#1-50%?' }]]),
    versions: new Map([['en', ['fix#1/50%?']]]),
    languages: ['en'],
    pagesOf: () => new Set(['index.html', 'a.html']),
  };
  const url = locatePage(odd, '/en/fix#1-50%?/a.html')!.alternates[0]!.url;
  t.is(url, 'en/fix%231-50%25%3F/a.html');
  t.is(decodeURIComponent(new URL(url, 'https://h.test/').pathname), '/en/fix#1-50%?/a.html');
});

test('locatePage() finds a page that is asked for as if it were a folder', (t) => {
  t.is(locatePage(index, '/en/v1/guide/a/')?.path, 'guide/a.html');
});

test('locatePage() leads from a translation to the same page where it has another path', (t) => {
  const pages: Readonly<Record<string, readonly string[]>> = {
    en: ['index.html', 'start.html'],
    de: ['index.html', 'anfang.html', 'start.html'],
    fr: ['debut.html', 'index.html', 'start.html'],
    it: ['index.html'],
  };
  const own: Readonly<Record<string, string>> = { de: 'anfang.html', fr: 'debut.html' };
  const translated: SiteIndex = {
    ...index,
    languages: ['en', 'de', 'fr', 'it'],
    versions: new Map(Object.keys(pages).map((code) => [code, ['latest', 'main']])),
    pagesOf: (language) => new Set(pages[language]),
    originalOf: (language, _version, page) => (page === own[language] ? 'start.html' : page),
    translationOf: (language, _version, page) => (page === 'start.html' ? (own[language] ?? page) : page),
  };
  for (const path of ['/en/main/start.html', '/de/main/anfang', '/fr/main/debut.html', '/de/main/start.html']) {
    const found = locatePage(translated, path)!.alternates.filter(({ version }) => version === 'main');
    t.deepEqual(
      found.map(({ url, exists }) => `${url} ${exists}`).sort(),
      ['de/main/anfang.html true', 'en/main/start.html true', 'fr/main/debut.html true', 'it/main/ false'],
      path,
    );
  }
});

test('locatePage() follows pages that have moved, and sections', (t) => {
  const pages: Readonly<Record<string, readonly string[]>> = {
    v1: ['index.html', 'guide/setup.html', 'guide/deploy.html'],
    v2: ['index.html', 'start/install.html', 'guide/setup.html', 'guide/index.html'],
  };
  const moves: VersionMoves = {
    moved: [['guide/setup.html', 'start/install.html']],
    merged: [['guide/deploy.html', 'start/install.html', 'deploy it']],
    sections: [['guide/setup.html', 'proxy', 'guide/index.html', 'behind']],
  };
  const moving: SiteIndex = {
    ...index,
    latest: 'v2',
    versions: new Map([['en', ['latest', 'v2', 'v1']]]),
    languages: ['en'],
    refs: new Map([
      ['v1', { kind: 'tag', slug: 'v1' }],
      ['v2', { kind: 'tag', slug: 'v2', base: 'v1' }],
    ]),
    pagesOf: (_language, version) => new Set(pages[version === 'latest' ? 'v2' : version]),
    movesIn: () => ({
      baseOf: (name) => (name === 'v2' ? 'v1' : undefined),
      movesOf: (name) => (name === 'v2' ? moves : undefined),
    }),
  };
  const find = (path: string, version: string) => {
    const found = locatePage(moving, path)!.alternates.find((one) => one.version === version)!;
    const { lang: _lang, version: _version, ...place } = found;
    return place;
  };
  const sections = { proxy: 'en/v2/guide/#behind' };
  t.deepEqual(find('/en/v1/guide/setup.html', 'v2'), { url: 'en/v2/start/install.html', exists: true, sections });
  t.deepEqual(find('/en/latest/start/install.html', 'v1'), { url: 'en/v1/guide/setup.html', exists: true });
  t.deepEqual(find('/en/v1/guide/deploy', 'latest'), {
    url: 'en/latest/start/install.html',
    exists: true,
    section: 'deploy it',
  });
  // Another page has taken the path.
  t.deepEqual(find('/en/v2/guide/setup.html', 'v1'), { url: 'en/v1/', exists: false });
  // A page that is not in its own version is the one that was there before.
  t.deepEqual(find('/en/v2/guide/deploy.html', 'v1'), { url: 'en/v1/guide/deploy.html', exists: true });
});
