import test from 'ava';
import { openSearch } from '../../bench/corpus/open-search.ts';
import { createRepository } from '../helpers/create-repository.ts';
import { createSite } from '../helpers/create-site.ts';
import { shareSetup } from '../helpers/share-setup.ts';
import { commitFiles } from '../helpers/write-pages.ts';

const FILES = {
  'docs/en/index.md': '# Kettle\n\nBoils water, with trust.\n',
  'docs/en/deploy.md':
    '# Deploy\n\nWith Docker, after `v2.0.0`; the sidebar and the footer stay. See `kettle-v3.1.4.tgz`.\n',
  'docs/en/loading.md': '# Getting started\n\nCall `createContentLoader()`, a loader.\n\nThen `foo.bar.bazQux`.\n',
  'docs/en/search.md': '# Search\n\nRouting by `document.documentElement`. It is 1.5.0 that counts.\n',
  'docs/en/ports.md':
    '# Ports\n\nA sport for two. Start it with `serve --port 80`, or a `--port` of yours.\n\n```sh\nserve --port 80\n```\n',
  'docs/en/options.md':
    '# Commands\n\nWhat there is.\n\n## Serve\n\n- `--host`: a name\n- `--port`: a number\n- `-q`: silent\n\n## Other options\n\nNone.\n',
  'docs/en/vessels.md': '# Vessels\n\nOne lid, spout and all, and brass.\n',
  'docs/en/tags.md': '# Tags\n\nUse `<spout lid>`, and mind the brass.\n',
  'docs/ru/index.md': '# Чайник\n\nКарты сайта и картинки.\n',
  'docs/zh_CN/index.md': '# 水壶\n\n烧水。\n',
  'docs/zh_CN/deploy.md': '# 部署\n\n部署到 GitHub 的网站。\n',
  'docs/zh_CN/footer.md': '# 页脚\n\n自定义页脚和侧边栏。\n',
  'docs/zh_CN/cms.md': '# 连接 CMS\n\n内容来自 CMS。\n',
  'docs/ja/index.md': '# やかん\n\nお湯を沸かします。\n',
  'docs/ja/deploy.md': '# デプロイ\n\nサイトをデプロイします。\n',
  'docs/ko/index.md': '# 주전자\n\n물을 끓입니다.\n',
  'docs/ko/deploy.md': '# 배포\n\n사이트를 배포합니다.\n',
};

const build = shareSetup(async (t) => {
  const repository = createRepository(t);
  commitFiles(repository, FILES);
  const site = createSite(t);
  await site.build(repository.folder);
  return site.out;
});

async function find(language: string, query: string) {
  const { pages, isPartial } = openSearch(await build(), language).find(query);
  return { paths: pages.map(({ path }) => path.replace('.html', '')), isPartial, pages };
}

for (const [query, page] of [
  ['delpoy', 'deploy'],
  ['dokcer', 'deploy'],
  ['sidebra', 'deploy'],
  ['fotoer', 'deploy'],
  ['serach', 'search'],
  ['routign', 'search'],
  ['lodaer', 'loading'],
  ['getting strated', 'loading'],
  ['delpo', 'deploy'],
  ['getting-strated', 'loading'],
] as const) {
  test(`search: "${query}", with two letters swapped, finds what is meant`, async (t) => {
    t.deepEqual((await find('en', query)).paths, [page]);
  });
}

for (const [query, page] of [
  ['contentloader', 'loading'],
  ['contentLoader', 'loading'],
  ['bazqux', 'loading'],
  ['documentelement', 'search'],
  ['ContentLoad', 'loading'],
] as const) {
  test(`search: "${query}" finds the identifier that it is a part of`, async (t) => {
    const { paths, pages } = await find('en', query);
    t.deepEqual(paths, [page]);
    t.true(pages[0]!.passages[0]!.terms.size > 0);
  });
}

for (const [query, pages] of [
  ['2.0.0', ['deploy']],
  ['v2.0.0', ['deploy']],
  ['2.0', ['deploy']],
  ['v1.5.0', ['search']],
  ['3.1.4', ['deploy']],
  ['.0.0', []],
  ['5.0', []],
] as const) {
  test(`search: the version "${query}" is found with and without v`, async (t) => {
    t.deepEqual((await find('en', query)).paths, pages);
  });
}

for (const query of ['deploy zzqqxx', 'zzqqxx deploy']) {
  test(`search: "${query}", of which one word is nowhere, finds what has the other`, async (t) => {
    t.deepEqual(await find('en', query).then(({ paths, isPartial }) => [paths, isPartial]), [['deploy'], true]);
  });
}

test('search: of two words that no page has both of, pages that have one follow, those with the rarer one first', async (t) => {
  const { paths, isPartial } = await find('en', 'brass docker');
  t.is(paths[0], 'deploy');
  t.deepEqual(paths.slice(1).sort(), ['tags', 'vessels']);
  t.true(isPartial);
});

test('search: where words stand together, they are found first', async (t) => {
  t.deepEqual((await find('en', 'spout lid')).paths, ['tags', 'vessels']);
  t.deepEqual((await find('en', 'lid spout')).paths, ['vessels', 'tags']);
});

test('search: of a query that no page has as a whole, words that say little may be missing', async (t) => {
  t.true((await find('en', 'what is the brass')).paths.includes('tags'));
});

for (const query of ['rust', 'zzqqxx', 'kettel zzqqxx']) {
  test(`search: "${query}", which is nowhere, finds no page by its inner letters`, async (t) => {
    t.false((await find('en', query)).paths.some((path) => path !== 'index'));
  });
}
for (const [language, query, page] of [
  ['zh_CN', '如何部署', 'deploy'],
  ['zh_CN', '怎么样部署', 'deploy'],
  ['zh_CN', '如何 部署', 'deploy'],
  ['zh_CN', '如何部署到github', 'deploy'],
  ['zh_CN', '部署到github怎么做', 'deploy'],
  ['zh_CN', '如何自定义侧边栏', 'footer'],
  ['zh_CN', '在哪里修改页脚', undefined],
  ['zh_CN', '无头CMS', 'cms'],
  ['zh_CN', '量子计算机', undefined],
  ['ja', 'デプロイの方法', 'deploy'],
  ['ja', 'デプロイのやり方を教えて', 'deploy'],
  ['ja', 'どうですか', undefined],
  ['ko', '배포하기', 'deploy'],
  ['ko', '사이트배포방법', 'deploy'],
  ['ko', '설치', undefined],
] as const) {
  test(`search: "${query}" finds the pages that have a good part of it, the best first`, async (t) => {
    const { paths, isPartial } = await find(language, query);
    t.is(paths[0], page);
    t.is(isPartial, page !== undefined || isPartial);
  });
}

test('search: a page with all signs hides those with some, and more words of three come before fewer', async (t) => {
  t.deepEqual(await find('zh_CN', '部署').then(({ paths, isPartial }) => [paths, isPartial]), [['deploy'], false]);
  t.deepEqual((await find('zh_CN', '自定义部署到 GitHub')).paths[0], 'deploy');
});

test('search: what resembles a word is not found where the word itself is', async (t) => {
  t.deepEqual((await find('en', 'port')).paths, ['ports', 'options']);
  t.deepEqual((await find('en', 'prot')).paths.slice(0, 2).sort(), ['options', 'ports']);
  const { pages } = await find('en', 'port');
  t.deepEqual([...new Set(pages.flatMap(({ passages }) => passages.flatMap(({ terms }) => [...terms])))].sort(), [
    'port',
    'ports',
  ]);
});

for (const [query, pages] of [
  ['--port', ['options', 'ports']],
  ['--po', ['options', 'ports']],
  ['serve --port', ['options', 'ports']],
  ['-q', ['options']],
  ['--hots', ['options']],
] as const) {
  test(`search: "${query}" finds the page that explains the option first`, async (t) => {
    t.deepEqual((await find('en', query)).paths, pages);
  });
}

test('search: the best passage of a page is the one that has what its title lacks', async (t) => {
  const best = async (query: string) => (await find('en', query)).pages[0]!.passages[0]!.id;
  t.is(await best('commands other'), 'other-options');
  t.is(await best('commands serve'), 'serve');
  t.is(await best('commands'), '');
});

test('search: a word is found in its other forms, where a language has such', async (t) => {
  t.deepEqual((await find('ru', 'карта сайта')).pages[0]!.passages[0]!.terms, new Set(['карты', 'саита']));
});

test('search: pages that lack one word of three follow those that have all', async (t) => {
  t.deepEqual((await find('en', 'port number serve')).paths, ['options', 'ports']);
});

test('suggestQueries() returns what finds something: the nearest spellings first, then words alone', async (t) => {
  const search = openSearch(await build(), 'en');
  t.deepEqual(search.suggest('tzg'), ['tgz']);
  t.deepEqual(search.suggest('tzg kettle'), ['tgz kettle'], 'what has one of them is shown already');
  t.deepEqual(search.suggest('boils vinegar'), []);
  t.deepEqual(search.suggest('zzqqxx'), []);
  for (const sign of ['%', 'x', '-- -', '\u{1F642}']) t.deepEqual(search.suggest(sign), [], sign);
});
