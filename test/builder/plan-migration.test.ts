import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { planMigration } from '../../builder/plan-migration.ts';
import { createCodeHosts } from '../../platform/code-hosts/code-hosts.ts';
import { createRepository } from '../helpers/create-repository.ts';
import { createSite, type TestSite } from '../helpers/create-site.ts';
import { readSidebar } from '../helpers/read-sidebar.ts';
import { commitFiles } from '../helpers/write-pages.ts';

interface Migrated {
  readonly text: string;
  /** Settings that were not taken over, as lines. */
  readonly notes: readonly string[];
  /** The site with the project file. */
  readonly site: TestSite;
  readonly told: readonly string[];
}

/** Migrates a repository and builds it before and after; pages keep their navigation. */
async function migrate(t: ExecutionContext, files: Readonly<Record<string, string>>): Promise<Migrated> {
  const repository = createRepository(t);
  commitFiles(repository, files);
  const before = createSite(t);
  await before.build(repository.folder);
  const { text, notes } = await planMigration({
    repository: repository.folder,
    cacheFolder: before.cacheFolder,
    codeHosts: createCodeHosts().patterns,
  });
  writeFileSync(join(repository.folder, '.docbuild.yml'), text);
  repository.commit('migrated');
  const site = createSite(t);
  const { warnings, errors } = await site.build(repository.folder);
  t.deepEqual(errors, []);
  const pages = site.list().filter((path) => path.endsWith('.html') && path.includes('/main/'));
  t.true(pages.length > 0);
  for (const page of pages.filter((path) => before.list().includes(path))) {
    if (!site.read(page).includes('id="_sidebar"')) continue;
    t.deepEqual(readSidebar(site.read(page)), readSidebar(before.read(page)), page);
  }
  return {
    text: text.replace(/^#.*\n/gm, ''),
    notes: notes.map(({ file, line, message }) => `${file}:${line}: ${message}`),
    site,
    told: warnings.map(({ file, line, message }) => `${file}:${line}: ${message}`),
  };
}

function pages(folder: string, titles: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(titles).map(([path, title]) => [`${folder}${path}.md`, `# ${title}\n`]));
}

/** Where a redirect leads. */
function targetOf(site: TestSite, path: string): string | undefined {
  return /<meta http-equiv="refresh" content="0; ?url=([^"]+)"/.exec(site.read(path))?.[1];
}

test('MkDocs: title, navigation, redirects, colour, footer, links and images are taken over; the rest is named with its line', async (t) => {
  const { text, notes, site, told } = await migrate(t, {
    'mkdocs.yml': `site_name: Weaver
site_url: https://weaver.example/docs/
repo_url: https://github.com/weaver/weaver
copyright: Copyright &copy; 2024&ndash;26 <a href="https://weaver.example">Weavers</a>
theme:
  name: material
  logo: img/logo.svg
  favicon: img/missing.ico
  custom_dir: overrides
  palette:
    - scheme: default
      primary: deep purple
    - scheme: slate
      primary: deep purple
plugins:
  - git-revision-date-localized
  - macros
  - redirects:
      redirect_maps:
        setup.md: guide/install.md
        old/index.md: guide/install.md#linux
        forum.md: https://forum.example/
        gone.md: nowhere.md
        guide/use.md: guide/install.md
extra_css: [extra.css]
extra:
  social:
    - icon: fontawesome/brands/github
      link: https://github.com/weaver
    - icon: fontawesome/brands/mastodon
      link: https://social.example/@weaver
      name: News
nav:
  - index.md
  - Guide:
      - Install it: guide/install.md
      - guide/use.md
  - Reference: reference/
  - path: guide/title.md
  - Forum: https://forum.example/
`,
    'docs/img/logo.svg': '<svg xmlns="http://www.w3.org/2000/svg"/>',
    ...pages('docs/', {
      index: 'Home',
      'guide/install': 'Install\n\n## Linux',
      'guide/use': 'Use',
      'guide/title': 'Title',
      'reference/a': 'A',
      'reference/b': 'B',
    }),
  });
  t.is(
    text,
    `title: Weaver
sourceDir: docs
lastUpdated: true
theme:
  accent: "#7e56c2"
  logo: docs/img/logo.svg
  links:
    - title: GitHub
      icon: github
      url: https://github.com/weaver
    - title: News
      url: https://social.example/@weaver
  footer: Copyright © 2024–26 Weavers
redirects:
  setup/: guide/install.md
  old/: guide/install.md#linux
  forum/: https://forum.example/
nav:
  - index.md
  - Guide:
      - Install it: guide/install.md
      - guide/use.md
  - Reference:
      - folder: reference
  - title: path
    path: guide/title.md
  - Forum: https://forum.example/
`,
  );
  t.deepEqual(notes, [
    'mkdocs.yml:0: Image "img/missing.ico" is not in the repository',
    'mkdocs.yml:2: "site_url" is not taken over: pass the URL of the site with --base-url',
    'mkdocs.yml:9: "theme.custom_dir" is not taken over: templates of the theme are not used',
    'mkdocs.yml:17: Plugin "macros" is not run',
    'mkdocs.yml:23: Redirect from "gone.md" leads to no page: "nowhere.md"',
    'mkdocs.yml:25: "extra_css" is not taken over: styles made for another theme do not fit; "theme.styles" takes a CSS file made for this one',
  ]);
  t.deepEqual(told, []);
  t.is(targetOf(site, 'en/main/setup/index.html'), '../guide/install.html');
  t.is(targetOf(site, 'en/main/old/index.html'), '../guide/install.html#linux');
});

test('VitePress: languages share one navigation with the titles of each; rewritten pages lead from their old URLs', async (t) => {
  const nav = (prefix: string, guide: string, start: string): string => `{
      nav: [{ text: '${guide}', link: '${prefix}/guide/start' }, { text: version, link: '/changes' }, { text: 'More', items: [
        { text: 'Team', link: 'https://team.example/' }, { items: [{ text: 'Gone', link: '/gone' }] } ] }],
      sidebar: { '${prefix}/guide/': [{ text: '${guide}', collapsed: true, items: [{ text: '${start}', link: '${prefix}/guide/start' }] }],
        '${prefix}/packages/': [{ text: 'API', items: [{ text: 'core', link: '${prefix}/packages/core/docs/core' }] }] },
      footer: { message: 'Released under <b>MIT</b>' },
    }`;
  const { text, notes, site, told } = await migrate(t, {
    'docs/.vitepress/config.mts': `import { defineConfig } from 'vitepress'
import { version } from '../../package.json'
import fs from 'node:fs'
fs.writeFileSync('ran', '')
export default defineConfig({
  title: 'Weaver',
  description: 'Weaves',
  base: '/weaver/', lastUpdated: true,
  head: [['link', { rel: 'icon', href: '/weaver/icon.svg' }], ['script', { src: 'https://x.example/a.js' }]],
  rewrites: { 'packages/:name/docs/:rest*': ':name/:rest*', 'guide/start.md': 'guide/start.md' },
  themeConfig: { logo: { light: '/icon.svg', dark: '/d.svg' }, socialLinks: [{ icon: 'github', link: 'https://github.com/w/w' }],
    search: { provider: 'local' }, carbonAds: { code: 'x' } },
  locales: {
    root: { label: 'English', lang: 'en', themeConfig: ${nav('', 'Guide', 'Start')} },
    zh: { label: '中文', lang: 'zh-CN', themeConfig: ${nav('/zh', '指南', '开始')} },
  },
  transformHead() { return [] },
})
`,
    'package.json': '{"version": "1.2.3"}',
    'docs/public/icon.svg': '<svg xmlns="http://www.w3.org/2000/svg"/>',
    ...pages('docs/', { index: 'Home', changes: 'Changes', 'guide/start': 'Start', 'packages/core/docs/core': 'Core' }),
    ...pages('docs/zh/', { index: '首页', 'guide/start': '开始', 'packages/core/docs/core': '核心' }),
  });
  t.is(
    text,
    `title: Weaver
sourceDir: docs
lang: [en, zh]
lastUpdated: true
theme:
  logo: docs/public/icon.svg
  favicon: docs/public/icon.svg
  links:
    - title: {en: Guide, zh: 指南}
      url: guide/start.md
    - title: 1.2.3
      url: changes.md
    - title: More
      links:
        - title: Team
          url: https://team.example/
    - title: GitHub
      icon: github
      url: https://github.com/w/w
  footer: Released under MIT.
redirects:
  core/core.html: packages/core/docs/core.md
nav:
  - title: {en: Guide, zh: 指南}
    collapsed: true
    children:
      - title: {en: Start, zh: 开始}
        path: guide/start.md
  - API:
      - core: packages/core/docs/core.md
`,
  );
  t.deepEqual(
    notes.map((note) => note.replace('docs/.vitepress/config.mts:', '')),
    [
      '0: Image "/d.svg" is not in the repository',
      '7: "description" is not taken over: give pages a description in their front matter',
      '8: "base" is not taken over: pass the URL of the site with --base-url',
      '9: <script> "https://x.example/a.js" of "head" is not taken over',
      '12: "themeConfig.carbonAds" is not taken over',
      '16: Link "Gone" of the header leads to no page: "/gone"',
      '29: "transformHead" is not taken over',
    ],
  );
  t.deepEqual(told, []);
  t.is(targetOf(site, 'en/main/core/core.html'), '../packages/core/docs/core.html');
  t.is(targetOf(site, 'zh/main/core/core.html'), '../packages/core/docs/core.html');
  t.regex(site.read('zh/main/guide/start.html'), /<a href="..\/guide\/start.html" aria-current="true">指南</);
});

test('VitePress: a rewrite with many names is left out, as no path is matched with it', async (t) => {
  const { text, notes } = await migrate(t, {
    'docs/.vitepress/config.js': `export default { title: 'A', rewrites: { '${':a'.repeat(60)}x.md': 'y.md', ':a*/:b*/:c*/z.md': 'z.md', 'guide/:name.md': ':name.md' } }`,
    ...pages('docs/', { index: 'Home', [`guide/${'a'.repeat(200)}`]: 'Long', 'guide/b': 'B' }),
  });
  t.regex(text, /\nredirects:\n {2}a{200}\.html: guide\/a{200}\.md\n {2}b\.html: guide\/b\.md\n$/);
  t.is(notes.filter((note) => /Redirect from "[yz]\.md" leads to no page/.test(note)).length, 2);
});

test('VitePress: languages with different trees keep the navigation of the configuration', async (t) => {
  const { text, notes } = await migrate(t, {
    'docs/.vitepress/config.js': `export default { title: 'Two', locales: {
  root: { lang: 'en', themeConfig: { nav: [{ text: 'A', link: '/a' }], sidebar: [{ text: 'B', link: '/b' }, { text: 'A', link: '/a' }] } },
  de: { lang: 'de', themeConfig: { nav: [{ text: 'B', link: '/de/b' }], sidebar: [{ text: 'A', link: '/de/a' }] } },
} }`,
    ...pages('docs/', { a: 'A', b: 'B' }),
    ...pages('docs/de/', { a: 'A' }),
  });
  t.is(text, 'title: Two\nsourceDir: docs\nlang: [en, de]\ntheme:\n  links:\n    - title: A\n      url: a.md\n');
  t.regex(notes.join('\n'), /config\.js:3: The header of language "de" has other links, and is not taken over/);
  t.regex(notes.join('\n'), /config\.js:2: "nav" is not written: languages have navigations of their own/);
});

test('Docusaurus: sidebar with labels of each language, header, announcement, and redirects of the plugin', async (t) => {
  const { text, notes, site, told } = await migrate(t, {
    'website/docusaurus.config.ts': `import type { Config } from '@docusaurus/types';
const REPOSITORY = 'https://github.com/weaver/weaver';
const config: Config = {
  title: 'Weaver', tagline: 'Weaves', url: 'https://weaver.example', baseUrl: '/', favicon: 'img/icon.svg',
  i18n: { defaultLocale: 'en', locales: ['en', 'fr'] },
  presets: [['classic', { docs: { path: '../docs', sidebarPath: './sidebars.ts', showLastUpdateTime: true },
    blog: { showReadingTime: true }, theme: { customCss: './custom.css' } }]],
  plugins: [
    ['@docusaurus/plugin-client-redirects', {
      redirects: [
        { from: ['/docs/old', '/older/'], to: '/docs/guide/install' },
        { from: '/x', to: '/docs/gone' },
      ],
      createRedirects: (path) => [path + '/'],
    }],
    './own-plugin',
  ],
  themeConfig: {
    announcementBar: { content: 'Version <b>2</b> <a href="/docs/intro">is here</a>' },
    navbar: { title: 'Weaver!', logo: { src: 'img/icon.svg' }, items: [
      { type: 'docSidebar', sidebarId: 'docs', label: 'Docs' },
      { type: 'doc', docId: 'guide/install', label: 'Install' },
      { to: '/blog', label: 'Blog' },
      { type: 'dropdown', label: 'More', items: [{ to: 'docs/intro#why', label: 'Why' }, { href: REPOSITORY, label: 'Source' }] },
      { type: 'localeDropdown' },
      { type: 'html', value: '<b>x</b>' },
      { href: REPOSITORY, className: 'header-github-link', 'aria-label': 'GitHub' },
    ] },
    footer: { links: [
      { title: 'Docs', items: [{ label: 'Install', to: 'docs/guide/install' }, { label: 'News', to: '/blog' }] },
      { label: 'Alone', to: 'docs/intro' },
    ], copyright: \`Copyright \${new Date().getFullYear()}\` },
  },
};
export default config;
`,
    'website/sidebars.ts': `export default { docs: ['intro', { type: 'category', label: 'Guide', items: ['guide/install', 'guide/use'] },
      { type: 'autogenerated', dirName: 'reference' }] };`,
    'website/static/img/icon.svg': '<svg xmlns="http://www.w3.org/2000/svg"/>',
    'website/i18n/fr/docusaurus-plugin-content-docs/current/intro.md': '# Bonjour\n',
    'website/i18n/fr/docusaurus-theme-classic/navbar.json': '{"item.label.Install": {"message": "Installer"}}',
    'website/i18n/fr/docusaurus-plugin-content-docs/current.json':
      '{"sidebar.docs.category.Guide": {"message": "Le guide"}}',
    ...pages('docs/', { intro: 'Hello\n\n## Why', 'guide/install': 'Install', 'guide/use': 'Use' }),
    ...pages('docs/reference/', { a: 'A', b: 'B' }),
  });
  t.is(
    text,
    `title: Weaver!
sourceDir: docs
lang: [en, fr]
lastUpdated: true
announcement:
  text: Version 2 is here
  url: en/latest/intro.html
theme:
  logo: website/static/img/icon.svg
  favicon: website/static/img/icon.svg
  links:
    - title: Docs
      url: intro.md
    - title: {en: Install, fr: Installer}
      url: guide/install.md
    - title: More
      links:
        - title: Why
          url: intro.md#why
        - title: Source
          url: https://github.com/weaver/weaver
    - title: GitHub
      icon: github
      url: https://github.com/weaver/weaver
  footer:
    columns:
      - title: Docs
        links:
          - title: Install
            url: guide/install.md
redirects:
  old.html: guide/install.md
  older/: guide/install.md
nav:
  - intro.md
  - title: {en: Guide, fr: Le guide}
    children:
      - guide/install.md
      - guide/use.md
  - folder: reference
`,
  );
  t.deepEqual(
    notes.map((note) => note.replace('website/docusaurus.config.ts:', '')),
    [
      '4: "tagline" is not taken over: give pages a description in their front matter',
      '4: "url" is not taken over: pass the URL of the site with --base-url',
      '7: "presets.0.1.blog" is not taken over: blogs are not published',
      '7: styles made for another theme do not fit; "theme.styles" takes a CSS file made for this one',
      '12: Redirect from "/x" leads to no page: "/docs/gone"',
      '14: Redirects of "createRedirects" are not taken over',
      '16: Plugin "./own-plugin" is not run',
      '23: Link "Blog" of the header leads to no page: "/blog"',
      '26: A link of the header is not taken over',
      '30: Link "News" of the footer leads to no page: "/blog"',
      '31: Link "Alone" of the footer is not taken over: it is in no column',
      '32: "themeConfig.footer.copyright" is computed',
    ],
  );
  t.deepEqual(told, []);
  t.is(targetOf(site, 'en/main/old.html'), './guide/install.html');
  t.is(targetOf(site, 'fr/main/older/index.html'), '../guide/install.html');
});

test('Starlight: title, sidebar with translations, social links and redirects', async (t) => {
  const { text, notes, site, told } = await migrate(t, {
    'astro.config.mjs': `import { defineConfig } from 'astro/config';
import starlight from '@astrojs/starlight';
export default defineConfig({
  site: 'https://weaver.example',
  redirects: { '/old/': '/guides/first/', '/away': { status: 301, destination: 'https://x.example/' }, '/[...slug]': '/guides/first/' },
  integrations: [starlight({
    title: { en: 'Weaver', de: 'Weber' },
    logo: { src: './src/assets/logo.svg' },
    social: [{ icon: 'github', label: 'Code', href: 'https://github.com/w/w' }],
    defaultLocale: 'root', locales: { root: { label: 'English', lang: 'en' }, de: { label: 'Deutsch' } },
    customCss: ['./a.css'], lastUpdated: true,
    sidebar: [
      { label: 'Guides', translations: { de: 'Anleitungen' }, items: ['guides/first', { label: 'Two', slug: 'guides/second' }] },
      { label: 'Reference', autogenerate: { directory: 'reference' } },
    ],
  })],
});
`,
    'src/assets/logo.svg': '<svg xmlns="http://www.w3.org/2000/svg"/>',
    ...pages('src/content/docs/', {
      index: 'Home',
      'guides/first': 'First',
      'guides/second': 'Second',
      'reference/a': 'A',
    }),
    ...pages('src/content/docs/de/', { index: 'Start', 'guides/first': 'Erste' }),
  });
  t.is(
    text,
    `title: Weaver
sourceDir: src/content/docs
lang: [en, de]
lastUpdated: true
theme:
  logo: src/assets/logo.svg
  links:
    - title: Code
      icon: github
      url: https://github.com/w/w
redirects:
  old/: guides/first.md
  away.html: https://x.example/
nav:
  - title: {en: Guides, de: Anleitungen}
    children:
      - guides/first.md
      - Two: guides/second.md
  - Reference:
      - folder: reference
`,
  );
  t.deepEqual(notes, [
    'astro.config.mjs:4: "site" is not taken over: pass the URL of the site with --base-url',
    'astro.config.mjs:5: Redirect from "/[...slug]" is not taken over: it is a pattern, or no page can have that URL',
    'astro.config.mjs:7: Title "Weber" is not taken over: a site has one for all languages',
    'astro.config.mjs:11: "customCss" is not taken over: styles made for another theme do not fit; "theme.styles" takes a CSS file made for this one',
  ]);
  t.deepEqual(told, []);
  t.is(targetOf(site, 'de/main/old/index.html'), '../guides/first.html');
});

test('Hugo: title, languages, and the menu with what is below its entries', async (t) => {
  const { text, notes, told } = await migrate(t, {
    'hugo.toml': `baseURL = "https://weaver.example/"
title = "Weaver"
theme = "docsy"
defaultContentLanguage = "en"
enableGitInfo = true
[params]
copyright = "The weavers"
github_repo = "https://github.com/w/w"
[languages.en]
title = "Weaver in English"
[languages.de]
title = "Weber"
[[menus.main]]
name = "Docs"
pageRef = "/docs/start"
weight = 20
[[menus.main]]
name = "About"
identifier = "about"
weight = 10
[[menus.main]]
name = "Team"
parent = "about"
url = "https://team.example/"
[[menus.footer]]
name = "Imprint"
url = "/imprint"
`,
    'content/docs/start.md': '+++\ntitle = "Start"\naliases = ["/old/"]\n+++\n',
    'content/docs/start.de.md': '+++\ntitle = "Anfang"\n+++\n',
    'layouts/x.html': '',
  });
  t.is(
    text,
    `title: Weaver in English
sourceDir: content
lang: [en, de]
lastUpdated: true
theme:
  links:
    - title: About
      links:
        - title: Team
          url: https://team.example/
    - title: Docs
      url: docs/start.md
  footer: The weavers
`,
  );
  t.deepEqual(notes, [
    'hugo.toml:1: "baseURL" is not taken over: pass the URL of the site with --base-url',
    'hugo.toml:3: "theme" is not taken over: templates of the theme are not used',
    'hugo.toml:6: "params" of the theme are not taken over: github_repo',
    'hugo.toml:11: Title "Weber" is not taken over: a site has one for all languages',
    'hugo.toml:25: Menu "footer" is not taken over',
  ]);
  t.deepEqual(told, []);
});

test('Jekyll: title, footer and links of Just the Docs; redirects stay in the pages', async (t) => {
  const { text, notes, site, told } = await migrate(t, {
    '_config.yml': `title: Weaver
url: https://weaver.example
remote_theme: just-the-docs/just-the-docs
plugins: [jekyll-redirect-from, jekyll-mystery]
aux_links:
  Source:
    - https://github.com/w/w
footer_content: 'Made <b>by hand</b>'
`,
    'index.md': '---\ntitle: Home\nnav_order: 1\n---\n',
    'guide.md': '---\ntitle: Guide\nnav_order: 2\nredirect_from: /old/\n---\n',
  });
  t.is(
    text,
    'title: Weaver\ntheme:\n  links:\n    - title: Source\n      url: https://github.com/w/w\n  footer: Made by hand\n',
  );
  t.deepEqual(notes, [
    '_config.yml:2: "url" is not taken over: pass the URL of the site with --base-url',
    '_config.yml:3: "remote_theme" is not taken over: templates of the theme are not used',
    '_config.yml:4: Plugin "jekyll-mystery" is not run',
  ]);
  t.deepEqual(told, []);
  t.is(targetOf(site, 'en/main/old/index.html'), '../guide.html');
});

test('mdBook: title, redirects, and SUMMARY.md as navigation', async (t) => {
  const { text, notes, site } = await migrate(t, {
    'book.toml': `[book]
title = "The book"
[output.html.redirect]
"/old.html" = "first.html"
"/part/old.html" = "../second.html#two"
[preprocessor.toc]
command = "mdbook-toc"
`,
    'src/SUMMARY.md': '# Summary\n\n[Foreword](foreword.md)\n\n# Part\n\n- [One](first.md)\n  - [Two](second.md)\n',
    ...pages('src/', { foreword: 'Foreword', first: 'First', second: 'Second' }),
  });
  t.is(
    text,
    `title: The book
sourceDir: src
redirects:
  old.html: first.md
  part/old.html: second.md#two
nav:
  - Foreword: foreword.md
  - Part:
      - title: One
        path: first.md
        children:
          - Two: second.md
`,
  );
  t.deepEqual(notes, ['book.toml:6: Preprocessor "toc" is not run']);
  t.is(targetOf(site, 'en/main/old.html'), './first.html');
});

test('migration: logos for dark ground and the image of shared pages are taken over', async (t) => {
  const svg = '<svg xmlns="http://www.w3.org/2000/svg"/>';
  const images = { 'static/l.svg': svg, 'static/d.svg': svg, 'static/og.png': 'PNG' };
  const docusaurus = await migrate(t, {
    'docusaurus.config.js': `module.exports = { title: 'W', presets: [['classic', {}]],
      themeConfig: { image: 'og.png', navbar: { logo: { src: 'l.svg', srcDark: 'd.svg' } } } };`,
    ...pages('docs/', { index: 'Home' }),
    ...images,
  });
  t.regex(docusaurus.text, /logo: static\/l\.svg\n {2}logoDark: static\/d\.svg\n {2}image: static\/og\.png\n/);
  t.deepEqual(docusaurus.notes, []);
  const vitepress = await migrate(t, {
    'docs/.vitepress/config.js': `export default { title: 'W', themeConfig: { logo: { light: '/l.svg', dark: '/d.svg' } } };`,
    ...pages('docs/', { index: 'Home' }),
    'docs/public/l.svg': svg,
    'docs/public/d.svg': svg,
  });
  t.regex(vitepress.text, /logo: docs\/public\/l\.svg\n {2}logoDark: docs\/public\/d\.svg\n/);
  const starlight = await migrate(t, {
    'astro.config.mjs': `import starlight from '@astrojs/starlight';
export default { integrations: [starlight({
  title: { en: 'W', de: 'Weber' },
  logo: { light: './src/l.svg', dark: './src/d.svg' },
})] };`,
    ...pages('src/content/docs/', { index: 'Home' }),
    'src/l.svg': svg,
    'src/d.svg': svg,
  });
  t.regex(starlight.text, /title: W\n[\s\S]*logo: src\/l\.svg\n {2}logoDark: src\/d\.svg\n/);
  t.deepEqual(starlight.notes, [
    'astro.config.mjs:3: Title "Weber" is not taken over: a site has one for all languages',
  ]);
});

test('migration: what settings say in other languages or leave to the environment is named', async (t) => {
  const mkdocs = await migrate(t, {
    'mkdocs.yml': `site_name: !ENV [NAME, Weaver]
plugins:
  - i18n:
      languages:
        - locale: en
        - locale: de
          nav_translations: {Home: Start}
extra:
  alternate: [{name: Deutsch, link: /de/}]
`,
    ...pages('docs/', { index: 'Home' }),
  });
  t.regex(mkdocs.text, /title: Weaver\n/);
  t.deepEqual(mkdocs.notes, [
    'mkdocs.yml:1: "site_name" depends on the environment; its default is taken',
    'mkdocs.yml:7: "nav_translations" is not taken over: a title in "nav" may be a map from languages to titles',
    'mkdocs.yml:9: "extra.alternate" is not taken over: docbuild finds languages by their folders',
  ]);
  const hugo = await migrate(t, {
    'hugo.toml': 'title = "W"\n[languages.en]\nweight = 1\n[languages.fr]\ntitle = "Tisserand"\n',
    ...pages('content/', { _index: 'Home' }),
  });
  t.deepEqual(hugo.notes, ['hugo.toml:4: Title "Tisserand" is not taken over: a site has one for all languages']);
  const jekyll = await migrate(t, {
    '_config.yml': 'title: W\naux_links: {Code: ["//github.com/weaver/weaver"]}\n',
    ...pages('', { index: 'Home' }),
  });
  t.regex(jekyll.text, /https:\/\/github\.com\/weaver\/weaver/);
});
