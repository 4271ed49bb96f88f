import test, { type ExecutionContext } from 'ava';
import { planMigration } from '../../../builder/plan-migration.ts';
import { createRepository } from '../../helpers/create-repository.ts';
import { createSite } from '../../helpers/create-site.ts';
import { readSidebar } from '../../helpers/read-sidebar.ts';
import { commitFiles } from '../../helpers/write-pages.ts';

const CONFIG = `import path from 'node:path';
export default defineConfig({
  root: path.join(__dirname, 'text'),
  base: '/project/',
  locales: [{ lang: 'zh', label: '中文' }, { lang: 'en', label: 'English' }],
  title: 'Anvil',
  icon: '/icon.png',
  lang: 'en',
  logo: { light: '/light.svg', dark: '/dark.svg' },
  route: { exclude: ['**/parts/**'] },
  themeConfig: {
    lastUpdated: true,
    footer: { message: '© Smiths' },
    socialLinks: [{ icon: 'github', mode: 'link', content: 'https://github.com/anvil/anvil' }],
  },
  markdown: { showLineNumbers: true },
});
`;

const nav = (guide: string): string =>
  JSON.stringify([
    { text: guide, link: '/guide/start', activeMatch: '/guide/' },
    { text: 'More', items: [{ text: 'API', link: '/api/' }] },
  ]);

const FILES: Readonly<Record<string, string>> = {
  'website/rspress.config.ts': CONFIG,
  'website/i18n.json': '{ "basics": { "en": "Basics", "zh": "基础" } }',
  'website/text/public/icon.png': 'icon',
  'website/text/public/light.svg': '<svg/>',
  'website/text/public/dark.svg': '<svg/>',
  'website/text/en/_nav.json': nav('Guide'),
  'website/text/zh/_nav.json': nav('指南'),
  'website/text/en/index.md':
    '---\npageType: home\nhero:\n  name: Anvil\n  actions:\n    - text: Go\n      link: /guide/start\n---\n',
  'website/text/en/guide/_meta.json': `[
  "start",
  { "type": "dir-section-header", "name": "basic", "label": "basics", "collapsed": true },
  { "type": "divider" },
  { "type": "section-header", "label": "Further" },
  { "type": "file", "name": "deep.mdx", "label": "Deeper" },
  { "type": "dir", "name": "use-mdx" },
  { "type": "custom-link", "label": "Forum", "link": "https://example.test/" },
  "gone"
]`,
  'website/text/en/guide/start.mdx':
    '# Start\n\n:::tip Title\nA *tip*.\n:::\n\n[Deep](/guide/deep) [Base](/project/guide/deep) [Two](./basic/two.mdx) ![](/icon.png)\n',
  'website/text/en/guide/deep.mdx': '# Deep\n',
  'website/text/en/guide/unlisted.mdx': '# Unlisted\n',
  'website/text/en/guide/basic/_meta.json': '["two", "one"]',
  'website/text/en/guide/basic/index.md': '# All basics\n',
  'website/text/en/guide/basic/one.md': '# One\n',
  'website/text/en/guide/basic/two.mdx': '# Two\n',
  'website/text/en/guide/use-mdx/a.mdx': '# A\n',
  'website/text/en/parts/part.mdx': '# Part\n',
  'website/text/en/api/_meta.json': '[{ "type": "file", "name": "index", "label": "Overview" }]',
  'website/text/en/api/index.mdx': '# API\n',
  'website/text/zh/guide/_meta.json': '["start", { "type": "dir-section-header", "name": "basic", "label": "basics" }]',
  'website/text/zh/guide/start.mdx': '# 开始\n\n[二](/zh/guide/basic/two)\n',
  'website/text/zh/guide/basic/two.mdx': '# 二\n',
};

const create = (t: ExecutionContext, files: Readonly<Record<string, string>>) => {
  const repository = createRepository(t);
  commitFiles(repository, files);
  return { repository, site: createSite(t) };
};

test('Rspress: _meta.json and _nav.json are the sidebar of each language; links, containers and the home page are understood', async (t) => {
  const { repository, site } = create(t, FILES);
  const { sources, warnings } = await site.build(repository.folder);
  t.deepEqual(sources, [{ folder: 'website/text', generator: 'rspress', isReadmeOnly: false, refs: ['main'] }]);
  t.deepEqual(readSidebar(site.read('en/main/guide/start.html')), [
    'Guide',
    '  Start -> ../guide/start.html',
    '  Basics -> ../guide/basic/ +',
    '    Two -> ../guide/basic/two.html',
    '    One -> ../guide/basic/one.html',
    '  Further +',
    '    Deeper -> ../guide/deep.html',
    '    Use mdx +',
    '      A -> ../guide/use-mdx/a.html',
    '    Forum -> https://example.test/',
    'API',
    '  Overview -> ../api/',
  ]);
  t.deepEqual(readSidebar(site.read('zh/main/guide/start.html')).slice(0, 3), [
    '指南',
    '  开始 -> ../guide/start.html',
    '  基础 +',
  ]);
  const start = site.read('en/main/guide/start.html');
  t.regex(start, /<div class="callout tip">\s*<p class="callout-title">Title<\/p>/);
  t.deepEqual(
    [...start.matchAll(/<p><a href=.*/g)].map(([line]) =>
      [...line.matchAll(/href="([^"]+)"/g)].map(([, href]) => href),
    ),
    [['../guide/deep.html', '../guide/deep.html', '../guide/basic/two.html']],
  );
  t.regex(site.read('zh/main/guide/start.html'), /<p><a href="[^"]*\/basic\/two\.html">二</);
  t.regex(site.read('en/main/index.html'), /href="[^"]*\/guide\/start\.html"[^>]*>Go</);
  t.false(site.has('en/main/parts/part.html'));
  t.deepEqual(
    warnings.map(({ file, line, message }) => `${file}:${line} ${message}`),
    ['website/text/en/guide/_meta.json:9 Navigation entry "/guide/gone" does not match any page'],
  );
});

test('Rspress: a sidebar in the configuration counts, and a _meta.json at the root is the whole navigation', async (t) => {
  const pages = { 'docs/index.md': '# Home\n', 'docs/guide/a.md': '# A\n', 'docs/guide/b.md': '# B\n' };
  const sidebar = `{ '/guide/': [{ text: 'All', items: [{ text: 'Bee', link: '/guide/b' }, '/guide/a'] }] }`;
  const configured = create(t, {
    ...pages,
    'rspress.config.ts': `export default defineConfig({ themeConfig: { sidebar: ${sidebar} } });`,
  });
  await configured.site.build(configured.repository.folder);
  t.deepEqual(readSidebar(configured.site.read('en/main/guide/a.html')), [
    'All',
    '  Bee -> ../guide/b.html',
    '  A -> ../guide/a.html',
  ]);
  const whole = create(t, {
    ...pages,
    'rspress.config.js': 'export default {};',
    'docs/_meta.json': '["index", { "type": "dir", "name": "guide", "label": "Guide" }]',
  });
  await whole.site.build(whole.repository.folder);
  t.deepEqual(readSidebar(whole.site.read('en/main/guide/a.html')), [
    'Home -> ../',
    'Guide',
    '  A -> ../guide/a.html',
    '  B -> ../guide/b.html',
  ]);
});

test('Rspress: docbuild migrate takes over title, pictures, footer, dates and the header of all languages', async (t) => {
  const { repository, site } = create(t, FILES);
  const { project, notes } = await planMigration({ repository: repository.folder, cacheFolder: site.cacheFolder });
  t.deepEqual([project.title, project.sourceDir, project.lastUpdated], ['Anvil', 'website/text', true]);
  t.is(project.theme?.footer?.text, '© Smiths');
  t.is(project.theme?.logo, 'website/text/public/light.svg');
  t.is(project.theme?.logoDark, 'website/text/public/dark.svg');
  t.is(project.theme?.favicon, 'website/text/public/icon.png');
  t.deepEqual(
    project.theme?.links?.map(({ title }) => title),
    [{ en: 'Guide', zh: '指南' }, 'More', 'GitHub'],
  );
  t.true(
    notes.some(({ message }) => message === '"markdown" is not taken over: docbuild reads Markdown in its own way'),
  );
});
