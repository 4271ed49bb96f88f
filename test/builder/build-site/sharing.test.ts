import { statSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { createRepository } from '../../helpers/create-repository.ts';
import { createSite } from '../../helpers/create-site.ts';
import { commitFiles } from '../../helpers/write-pages.ts';

const BASE = 'https://docs.example.test/x/';
const LONG = 'This page explains in a few words how the thing is installed.';

/** Returns what the head of a page says: contents of `meta` by their names, `hreflang` with URLs from the base, breadcrumbs. */
function readHead(html: string) {
  const head = html.slice(0, html.indexOf('</head>'));
  const metas = [...head.matchAll(/<meta (?:name|property)="([^"]*)" content="([^"]*)">/g)];
  const links = [...head.matchAll(/<link rel="alternate" hreflang="([^"]*)" href="([^"]*)">/g)];
  const [, json] = /<script type="application\/ld\+json">(.*?)<\/script>/s.exec(head) ?? [];
  const trail = json === undefined ? undefined : (JSON.parse(json) as { itemListElement: Record<string, unknown>[] });
  return {
    meta: Object.fromEntries(metas.map(([, name, content]) => [name!, content!])),
    alternates: links.map(([, tag, url]) => `${tag} ${url!.replace(BASE, '')}`),
    trail: trail?.itemListElement.map(
      ({ position, name, item }) => `${position} ${name} ${String(item).replace(BASE, '')}`,
    ),
  };
}

test('pages say in their heads what search engines and previews of links ask, in all versions alike', async (t) => {
  const repository = createRepository(t);
  commitFiles(repository, {
    '.docbuild.yml': 'title: Guide\n',
    'docs/en/index.md': '# Home\n\n- a\n\n## Install\n\n## Use\n',
    'docs/en/guide/index.md': `# Manual & more\n\n${LONG}\n`,
    'docs/en/guide/a.md': `---\ntitle: A </script>\n---\n${LONG}\n`,
    'docs/en/guide/given.md': `---\ndescription: Given\n---\n# Given\n\n${LONG}\n`,
    'docs/en/hidden.md': '---\nunlisted: true\n---\n# Hidden\n',
    'docs/zh_CN/index.md': '# 首页\n',
    'docs/zh_CN/guide/a.md': '# 甲\n\n这个页面用几句话说明如何安装这个东西，以及安装之后怎么使用。\n',
  });
  repository.git('tag', 'v1');
  const site = createSite(t);
  await site.build(repository.folder, { baseUrl: BASE });

  const page = readHead(site.read('en/latest/guide/a.html'));
  t.like(page.meta, {
    description: LONG,
    'og:description': LONG,
    'og:url': `${BASE}en/latest/guide/a.html`,
    'og:locale': 'en_US',
  });
  t.deepEqual(page.alternates, [
    'en en/latest/guide/a.html',
    'zh-CN zh_CN/latest/guide/a.html',
    'x-default en/latest/guide/a.html',
  ]);
  t.deepEqual(page.trail, [
    '1 Guide en/latest/',
    '2 Manual & more en/latest/guide/',
    '3 A </script> en/latest/guide/a.html',
  ]);

  const translated = readHead(site.read('zh_CN/v1/guide/a.html'));
  t.is(translated.meta['og:locale'], 'zh_CN');
  t.is(translated.meta.description, '这个页面用几句话说明如何安装这个东西，以及安装之后怎么使用。');
  t.deepEqual(translated.alternates, page.alternates);
  t.is(translated.meta['og:url'], `${BASE}zh_CN/latest/guide/a.html`);

  const fallback = readHead(site.read('zh_CN/latest/guide/index.html'));
  t.is(fallback.meta['og:url'], `${BASE}en/latest/guide/`);
  t.is(fallback.meta['og:locale'], 'en_US');
  t.deepEqual([fallback.alternates, fallback.trail], [[], undefined]);

  const home = readHead(site.read('en/latest/index.html'));
  t.is(home.meta.description, 'Install · Use');
  t.is(home.trail, undefined);
  t.deepEqual(home.alternates, ['en en/latest/', 'zh-CN zh_CN/latest/', 'x-default en/latest/']);
  t.is(readHead(site.read('en/latest/guide/given.html')).meta.description, 'Given');
  t.deepEqual(readHead(site.read('en/latest/hidden.html')).alternates, []);
  for (const path of ['guide/a.html', 'guide/index.html']) {
    const [first, second] = ['v1', 'latest'].map((slug) => statSync(join(site.folder, 'out', 'en', slug, path)).ino);
    t.is(first, second, path);
  }
});

test('what pages say of translations follows the latest version, in old versions, too', async (t) => {
  const repository = createRepository(t);
  commitFiles(repository, {
    'docs/en/index.md': '# Home\n',
    'docs/en/a.md': `# A\n\n${LONG}\n`,
    'docs/de/index.md': '# Start\n',
  });
  repository.git('tag', 'v1');
  const site = createSite(t);
  const options = { baseUrl: BASE };
  await site.build(repository.folder, options);
  t.deepEqual(readHead(site.read('en/v1/a.html')).alternates, []);
  commitFiles(repository, { 'docs/de/a.md': '# A\n' });
  await site.build(repository.folder, options);
  const expected = ['en en/latest/a.html', 'de de/latest/a.html', 'x-default en/latest/a.html'];
  t.deepEqual(readHead(site.read('en/v1/a.html')).alternates, expected);
  t.deepEqual(readHead(site.read('de/latest/a.html')).alternates, expected);
});

test('without the URL of the site no page names an absolute one, and its author may say other things', async (t) => {
  const repository = createRepository(t);
  const head = [
    'head:',
    '  - [meta, {property: "og:locale", content: en_GB}]',
    '  - [meta, {property: "og:url", content: "https://other.example/"}]',
    '  - [link, {rel: alternate, hreflang: fr, href: "https://other.example/fr"}]',
  ];
  commitFiles(repository, {
    'docs/en/index.md': '# Home\n',
    'docs/en/a.md': `---\n${head.join('\n')}\n---\n# A\n\n${LONG}\n`,
    'docs/de/a.md': `# A\n\n${LONG}\n`,
  });
  const site = createSite(t);
  await site.build(repository.folder);
  const bare = readHead(site.read('de/latest/a.html'));
  t.is(bare.meta.description, LONG);
  t.is(bare.meta['og:locale'], 'de_DE');
  t.deepEqual([bare.meta['og:url'], bare.alternates, bare.trail], [undefined, [], undefined]);
  await site.build(repository.folder, { baseUrl: BASE });
  const given = readHead(site.read('en/latest/a.html'));
  t.deepEqual([given.meta['og:locale'], given.meta['og:url']], ['en_GB', 'https://other.example/']);
  t.deepEqual(
    [...site.read('en/latest/a.html').matchAll(/hreflang="(\w+)"/g)].map(([, tag]) => tag),
    ['fr'],
  );
});
