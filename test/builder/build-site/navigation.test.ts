import test, { type ExecutionContext } from 'ava';
import { createRepository, type TestRepository } from '../../helpers/create-repository.ts';
import { createSite, type TestSite } from '../../helpers/create-site.ts';
import { readSidebar } from '../../helpers/read-sidebar.ts';
import { commitFiles } from '../../helpers/write-pages.ts';

interface Built extends TestSite {
  readonly repository: TestRepository;
  /** Warnings as lines. */
  readonly told: readonly string[];
  /** The sidebar of a page of `main`. */
  sidebar(page: string): readonly string[];
}

async function build(t: ExecutionContext, files: Readonly<Record<string, string>>): Promise<Built> {
  const repository = createRepository(t);
  commitFiles(repository, files);
  const site = createSite(t);
  const { warnings } = await site.build(repository.folder);
  return {
    ...site,
    repository,
    told: warnings.map(({ file, line, code, message }) => `${file}:${line} ${code}: ${message}`),
    sidebar: (page) => readSidebar(site.read(page.includes('/main/') ? page : `en/main/${page}`)),
  };
}

/** Pages with their titles as headings. */
function pages(folder: string, titles: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(titles).map(([path, title]) => [`${folder}${path}.md`, `# ${title}\n`]));
}

test('MkDocs: nav gives order, titles and groups; what it does not name is published but not listed', async (t) => {
  const site = await build(t, {
    'mkdocs.yml': `site_name: Site
theme:
  name: material
  custom_dir: !ENV [THEME_DIR, overrides]
  features:
    - navigation.indexes
markdown_extensions:
  - pymdownx.emoji:
      emoji_index: !!python/name:material.extensions.emoji.twemoji
nav:
  - Welcome: index.md
  - start.md
  - User guide:
      - guide/index.md
      - Install: guide/install.md
      - Deep:
          - guide/deep.md
  - Empty: []
  - Forum: https://example.test/forum
  - Gone: guide/gone.md
  - /absolute/
`,
    ...pages('docs/', {
      index: 'Home',
      start: 'Start',
      other: 'Other',
      'guide/index': 'Guide',
      'guide/install': 'X',
      'guide/deep': 'Deeper',
    }),
  });
  t.deepEqual(site.sidebar('start.html'), [
    'Welcome -> ./',
    'Start -> ./start.html',
    'User guide -> ./guide/',
    '  Install -> ./guide/install.html',
    '  Deep +',
    '    Deeper -> ./guide/deep.html',
    'Forum -> https://example.test/forum',
  ]);
  t.true(site.has('en/main/other.html'));
  t.deepEqual(site.told, [
    'mkdocs.yml:20 dead-link: Navigation entry "docs/guide/gone.md" does not match any page',
    'mkdocs.yml:21 dead-link: Navigation entry "/absolute/" does not match any page',
  ]);
});

test('MkDocs: translations share the nav, with titles of their own pages where it gives none', async (t) => {
  const site = await build(t, {
    'mkdocs.yml': 'site_name: Site\nnav:\n  - b.md\n  - a.md\n',
    ...pages('docs/', { a: 'A', b: 'B', 'a.de': 'Ah', index: 'Home' }),
  });
  t.deepEqual(site.sidebar('de/main/a.html'), ['B -> ./b.html', 'Ah -> ./a.html']);
  t.deepEqual(site.told, []);
});

test('mdBook: SUMMARY.md gives parts, chapters inside one another and their order; it is no page itself', async (t) => {
  const site = await build(t, {
    'book/book.toml': '[book]\ntitle = "Book"\n',
    'book/src/SUMMARY.md': `# Summary

[Introduction](README.md)

# Basics

- [Start \`here\`](./start.md "Title")
    - [Deep](<deep/a b.md>)
        - [Draft]()
- [Next\\_one](next.md#part)

---

[Away](https://example.test/)
[Gone](gone.md)
`,
    ...pages('book/src/', { README: 'Intro', start: 'S', 'deep/a b': 'D', next: 'N', unlisted: 'U' }),
  });
  t.deepEqual(site.sidebar('start.html'), [
    'Introduction -> ./',
    'Basics',
    '  Start here -> ./start.html',
    '    Deep -> ./deep/a%20b.html +',
    '      Draft',
    '  Next_one -> ./next.html',
    'Away -> https://example.test/',
  ]);
  t.false(site.has('en/main/SUMMARY.html'));
  t.deepEqual(site.told, [
    'book/src/SUMMARY.md:15 dead-link: Navigation entry "book/src/gone.md" does not match any page',
  ]);
});

const docusaurus = {
  'website/docusaurus.config.ts': `import type { Config } from '@docusaurus/types';
const config: Config = {
  baseUrl: '/',
  presets: [['classic', { docs: { path: '../docs', sidebarPath: require.resolve('./sidebars.ts') } }]],
  themeConfig: { navbar: { items: [{ type: 'docSidebar', sidebarId: 'api', label: 'Reference' }] } },
};
export default config;
`,
  ...pages('docs/', {
    '01-intro': 'Introduction',
    '02-guide/02-use': 'Use it',
    '02-guide/01-start': 'Start',
    'api/index': 'API home',
    'api/z': 'Zed',
    'api/deep/one': 'One',
    'api/deep/two': 'Two',
    alone: 'Alone',
  }),
};

test('Docusaurus: sidebars are read as data, with several as groups, generated parts and pages by their ids', async (t) => {
  const site = await build(t, {
    ...docusaurus,
    'docs/named.md': '---\nid: other-id\ntitle: Named\nsidebar_label: Name\n---\n',
    'docs/api/deep/_category_.json': '{ "label": "Deep things", "position": 1, "collapsed": false }\n',
    'docs/api/deep/two.md': '---\nsidebar_position: 1\n---\n\n# Two\n',
    'website/sidebars.ts': `import type { SidebarsConfig } from '@docusaurus/plugin-content-docs';
import more from './more.json';
const label = 'Guides';
const ids: string[] = ['guide/use'];
const sidebars = {
  tutorialSidebar: [
    'intro',
    {
      type: 'category',
      label,
      collapsed: true,
      link: { type: 'doc', id: 'guide/start' },
      items: [...ids, { type: 'doc', id: 'other-id' }, { type: 'link', label: 'Away', href: 'https://example.test/' }],
    },
    { 'Short hand': ['alone', 'nowhere'] },
    { type: 'html', value: '<hr>' },
    ...more,
  ],
  api: [{ type: 'autogenerated', dirName: 'api' }],
} satisfies SidebarsConfig;
module.exports = sidebars;
`,
    'website/more.json':
      '[{ "type": "category", "label": "Generated", "link": { "type": "generated-index" }, "items": ["api/z"] }]\n',
  });
  t.deepEqual(site.sidebar('intro.html'), [
    'Tutorial',
    '  Introduction -> ./intro.html',
    '  Guides -> ./guide/start.html +',
    '    Use it -> ./guide/use.html',
    '    Name -> ./other-id.html',
    '    Away -> https://example.test/',
    '  Short hand +',
    '    Alone -> ./alone.html',
    '  Generated +',
    '    Zed -> ./api/z.html',
    'Reference',
    '  Deep things',
    '    Two -> ./api/deep/two.html',
    '    One -> ./api/deep/one.html',
    '  API home -> ./api/',
    '  Zed -> ./api/z.html',
  ]);
  t.deepEqual(site.told, ['website/sidebars.ts:15 dead-link: Navigation entry "nowhere" does not match any page']);
});

test('Docusaurus: translations have the labels of their own', async (t) => {
  const site = await build(t, {
    'docusaurus.config.js': `module.exports = {
  i18n: { defaultLocale: 'en', locales: ['en', 'de'] },
  presets: [['classic', { docs: { sidebarPath: './sidebars.js' } }]],
};
`,
    'sidebars.js': `export default { docs: [{ type: 'category', label: 'Guides', items: ['a', { type: 'doc', id: 'b', label: 'Bee' }] }] };\n`,
    ...pages('docs/', { a: 'A', b: 'B' }),
    ...pages('i18n/de/docusaurus-plugin-content-docs/current/', { a: 'Ah' }),
    'i18n/de/docusaurus-plugin-content-docs/current.json': JSON.stringify({
      'sidebar.docs.category.Guides': { message: 'Anleitungen', description: 'A category' },
      'sidebar.docs.doc.Bee': { message: 'Biene' },
    }),
  });
  t.deepEqual(site.sidebar('a.html'), ['Guides', '  A -> ./a.html', '  Bee -> ./b.html']);
  t.deepEqual(site.sidebar('de/main/a.html'), ['Anleitungen', '  Ah -> ./a.html', '  Biene -> ./b.html']);
  t.deepEqual(site.told, []);
});

test('Docusaurus: without sidebars, numbers before names, positions and _category_ files order the folders', async (t) => {
  const site = await build(t, {
    'docusaurus.config.js': 'module.exports = { presets: [["classic", { docs: {} }]] };\n',
    ...pages('docs/', {
      '01-intro': 'Introduction',
      '03-last': 'Last',
      '02-guide/02-use': 'Use it',
      '02-guide/01-start': 'Start',
      'api/overview': 'API overview',
      'api/a': 'A',
      free: 'Free',
    }),
    'docs/02-guide/index.md': '---\nsidebar_position: 99\n---\n\n# The guide\n',
    'docs/api/_category_.yml': 'label: API\nposition: 2.5\nlink:\n  type: doc\n  id: overview\n',
    'docs/odd/_category_.json': '{ "label": \n',
    'docs/odd/x.md': '# X\n',
  });
  t.deepEqual(site.sidebar('intro.html'), [
    'Introduction -> ./intro.html',
    'The guide -> ./guide/',
    '  Start -> ./guide/start.html',
    '  Use it -> ./guide/use.html',
    'API -> ./api/overview.html',
    '  A -> ./api/a.html',
    'Last -> ./last.html',
    'Free -> ./free.html',
    'Odd',
    '  X -> ./odd/x.html',
  ]);
  t.is(site.told.length, 1);
  t.regex(site.told[0]!, /^docs\/odd\/_category_\.json:\d navigation: Left out: the file is not valid: /);
});

test('_category_ files give folders a title in each language, an order and a state; otherwise their pages do', async (t) => {
  const site = await build(t, {
    ...pages('docs/en/', { index: 'Home', 'guide/index': 'Guide', 'guide/a': 'A', 'api/b': 'B', 'more/c': 'C' }),
    ...pages('docs/de/', {
      index: 'Start',
      'guide/index': 'Anleitung',
      'guide/a': 'Ah',
      'api/b': 'Be',
      'more/c': 'Ce',
    }),
    'docs/en/api/_category_.yml': 'title: API\norder: 1\n',
    'docs/de/api/_category_.json': '{ "label": "Schnittstelle", "position": 1 }\n',
    'docs/more/_category_.yml': 'title:\n  en: Other things\n  de-AT: Anderes\ncollapsed: true\n',
  });
  t.deepEqual(site.sidebar('index.html'), [
    'Home -> ./',
    'API',
    '  B -> ./api/b.html',
    'Guide -> ./guide/',
    '  A -> ./guide/a.html',
    'Other things +',
    '  C -> ./more/c.html',
  ]);
  t.deepEqual(
    site.sidebar('de/main/index.html').map((line) => line.replace(/ ->.*/, '')),
    ['Start', 'Schnittstelle', '  Be', 'Anleitung', '  Ah', 'Anderes +', '  Ce'],
  );
  t.deepEqual(site.told, []);
});

test('_category_ files title the folders that a nav lists, and one that is not valid is a warning', async (t) => {
  const site = await build(t, {
    ...pages('docs/', { index: 'Home', 'x/y/a': 'A', 'x/z/b': 'B' }),
    'docs/x/y/_category_.yml': 'title: {en: Why}\n',
    'docs/x/z/_category_.yml': 'title: [\n',
    '.docbuild.yml': 'nav:\n  - title: Parts\n    children:\n      - folder: x\n',
  });
  t.deepEqual(site.sidebar('index.html'), [
    'Parts',
    '  Why +',
    '    A -> ./x/y/a.html',
    '  Z +',
    '    B -> ./x/z/b.html',
  ]);
  t.is(site.told.length, 1);
  t.regex(site.told[0]!, /^docs\/x\/z\/_category_\.yml:\d navigation: Left out: the file is not valid: /);
});

test('VitePress: sidebars that stand in the configuration as data, for each place and language, with their bases', async (t) => {
  const site = await build(t, {
    'docs/.vitepress/config/index.mts': `import { defineConfig } from 'vitepress';
import { de } from './de';
export default defineConfig({
  title: 'Site',
  locales: { root: { label: 'English', lang: 'en' }, de: { label: 'Deutsch', ...de } },
  themeConfig: {
    nav: [{ text: 'The guide', link: '/guide/start', activeMatch: '/guide/' }],
    sidebar: {
      '/guide/': { base: '/guide/', items: guide() },
      '/api/': [{ text: 'API <em>x</em>', collapsed: true, items: [{ text: 'A', link: '/api/a.html#part' }] }],
      '/more/': { base: '/guide/', items: guide() },
    },
  },
});
function guide() {
  return [
    { text: 'Begin', link: 'start' },
    { text: 'Theme', base: '/guide/theme-', items: [{ text: 'Nav', link: 'nav' }, { text: 'Gone', link: 'gone' }] },
  ];
}
`,
    'docs/.vitepress/config/de.ts': `export const de = { themeConfig: { sidebar: [{ text: 'Los', link: '/de/guide/start' }] } };\n`,
    ...pages('docs/', {
      index: 'Home',
      'guide/start': 'Start',
      'guide/theme-nav': 'Nav page',
      'api/a': 'A\n\n## Part',
      other: 'Other',
    }),
    ...pages('docs/de/', { index: 'Anfang', 'guide/start': 'Beginn' }),
  });
  t.deepEqual(site.sidebar('other.html'), [
    'The guide',
    '  Begin -> ./guide/start.html',
    '  Theme +',
    '    Nav -> ./guide/theme-nav.html',
    'API x +',
    '  A -> ./api/a.html#part',
  ]);
  t.deepEqual(site.sidebar('de/main/guide/start.html'), ['Los -> ../guide/start.html']);
  t.deepEqual(site.told, [
    'docs/.vitepress/config/index.mts:18 dead-link: Navigation entry "/guide/theme-gone" does not match any page',
  ]);
});

test('VitePress: what is computed is said, and its pages come at the end', async (t) => {
  const site = await build(t, {
    'docs/.vitepress/config.js': `import { generateSidebar } from 'vitepress-sidebar';
export default {
  themeConfig: { sidebar: [{ text: 'B', link: '/b' }, { text: 'All', items: generateSidebar({ path: 'docs' }) }, ...process.env.X] },
};
`,
    ...pages('docs/', { index: 'Home', a: 'A', b: 'Bee', 'x/c': 'C' }),
  });
  t.deepEqual(site.sidebar('a.html'), ['B -> ./b.html', 'Home -> ./', 'A -> ./a.html', 'X', '  C -> ./x/c.html']);
  t.deepEqual(site.told, [
    'docs/.vitepress/config.js:3 navigation: Navigation is computed here; its pages are shown at the end',
    'docs/.vitepress/config.js:3 navigation: Parts of the navigation are computed; their pages are shown at the end',
  ]);
});

test('VuePress: its forms of sidebars, old and new', async (t) => {
  const site = await build(t, {
    'docs/.vuepress/config.js': `module.exports = {
  base: '/site/',
  themeConfig: {
    sidebar: {
      '/guide/': ['', ['start', 'Begin'], { title: 'More', collapsable: false, children: ['/guide/more.md', '/README.md'] }],
      '/': 'auto',
    },
    locales: { '/de/': { sidebar: ['/de/guide/start'] } },
  },
};
`,
    ...pages('docs/', {
      README: 'Home',
      'guide/README': 'The guide',
      'guide/start': 'Start',
      'guide/more': 'More page',
    }),
    ...pages('docs/de/', { README: 'Anfang', 'guide/start': 'Beginn' }),
  });
  t.deepEqual(site.sidebar('index.html'), [
    'The guide -> ./guide/',
    'Begin -> ./guide/start.html',
    'More',
    '  More page -> ./guide/more.html',
    '  Home -> ./',
  ]);
  t.deepEqual(site.sidebar('de/main/index.html'), ['Beginn -> ./guide/start.html']);
  t.deepEqual(site.told, []);
});

test('Starlight: slugs, links, groups, generated parts and translated labels', async (t) => {
  const site = await build(t, {
    'astro.config.mjs': `// @ts-check
import { defineConfig } from 'astro/config';
import starlight from '@astrojs/starlight';
const locales = { root: { label: 'English', lang: 'en' }, de: { label: 'Deutsch' } };
export default defineConfig({
  site: process.env.SITE,
  integrations: [
    starlight({
      title: 'Site',
      locales,
      plugins: [somePlugin()],
      sidebar: [
        'start',
        { slug: 'reference/cli', label: 'Commands' },
        { label: 'Guides', translations: { de: 'Anleitungen' }, collapsed: true, items: [{ autogenerate: { directory: 'guides' } }] },
        { label: 'Old form', autogenerate: { directory: 'reference' } },
        { label: 'Away', link: 'https://example.test/' },
        { label: 'Home', link: '/' },
      ],
    }),
  ],
});
`,
    ...Object.fromEntries(
      Object.entries({
        index: 'Site',
        start: 'Getting started',
        'guides/b': 'B\nsidebar:\n  order: 1',
        'guides/a': 'A\nsidebar:\n  label: First',
        'guides/hidden': 'H\nsidebar:\n  hidden: true',
        'guides/draft': 'D\ndraft: true',
        'reference/cli': 'CLI',
        'de/start': 'Los',
      }).map(([path, title]) => [`src/content/docs/${path}.md`, `---\ntitle: ${title}\n---\n\nText.\n`]),
    ),
  });
  const expected = [
    'Getting started -> ./start.html',
    'Commands -> ./reference/cli.html',
    'Guides +',
    '  B -> ./guides/b.html',
    '  First -> ./guides/a.html',
    'Old form',
    '  CLI -> ./reference/cli.html',
    'Away -> https://example.test/',
    'Home -> ./',
  ];
  t.deepEqual(site.sidebar('start.html'), expected);
  t.deepEqual(site.sidebar('de/main/start.html').slice(0, 3), [
    'Los -> ./start.html',
    'Commands -> ./reference/cli.html',
    'Anleitungen +',
  ]);
  t.deepEqual(site.told, []);
});

test('Jekyll: pages name those above them, as Just the Docs has it', async (t) => {
  const page = (front: string): string => `---\nlayout: default\n${front}\n---\n\nText.\n`;
  const site = await build(t, {
    '_config.yml': 'title: Site\ntheme: just-the-docs\n',
    'index.md': page('title: Home\nnav_order: 1'),
    'README.md': '# Not listed\n',
    'b.md': page('title: Buttons\nparent: UI\nnav_order: 2'),
    'docs/ui.md': page('title: UI\nnav_order: 3\nhas_children: true'),
    'docs/a.md': page('title: Alerts\nparent: UI\nnav_order: 1'),
    'docs/x.md': page('title: Deep\nparent: Buttons\ngrand_parent: UI'),
    'docs/h.md': page('title: Hidden\nnav_exclude: true'),
    'docs/hc.md': page('title: Below hidden\nparent: Hidden'),
    'docs/z.md': page('title: zebra'),
    'docs/y.md': page('title: Apple'),
    'circle/a.md': page('title: One\nparent: Two'),
    'circle/b.md': page('title: Two\nparent: One'),
  });
  t.deepEqual(
    site.sidebar('docs/z.html').map((line) => line.replaceAll('../', './')),
    [
      'Home -> ./',
      'UI -> ./docs/ui.html',
      '  Alerts -> ./docs/a.html',
      '  Buttons -> ./b.html +',
      '    Deep -> ./docs/x.html',
      'Apple -> ./docs/y.html',
      'zebra -> ./docs/z.html',
    ],
  );
});

test('Jekyll: a navigation among the data of a theme', async (t) => {
  const site = await build(t, {
    '_config.yml': 'title: Site\n',
    '_data/navigation.yml': `main:
  - title: About
    url: /about/
docs:
  - title: Getting started
    children:
      - title: Install
        url: /docs/install/
      - title: Use
        url: "{{ site.baseurl }}/docs/use/"
  - title: Reference
    url: /docs/reference.html
`,
    'index.md': '---\ntitle: Home\n---\n',
    'docs/install.md': '---\ntitle: I\npermalink: /docs/install/\n---\n',
    'docs/use.md': '---\ntitle: U\n---\n',
    'docs/reference.md': '---\ntitle: R\n---\n',
  });
  t.deepEqual(site.sidebar('docs/use.html'), [
    'Getting started',
    '  Install -> ../docs/install/',
    '  Use -> ../docs/use.html',
    'Reference -> ../docs/reference.html',
  ]);
});

test("Jekyll: a navigation of one's own layout, whose entries have the titles of their pages", async (t) => {
  const site = await build(t, {
    '_config.yml': 'title: Site\n',
    '_data/docs_nav.yml':
      '- title: Start\n  docs:\n    - link: /docs/use/\n    - link: /docs/install/\n- title: Empty\n',
    'index.md': '---\ntitle: Home\n---\n',
    'docs/install.md': '---\ntitle: Install\npermalink: /docs/install/\n---\n',
    'docs/use.md': '---\ntitle: Use\nmenu_name: Use it\npermalink: /docs/use/\n---\n',
  });
  t.deepEqual(site.sidebar('docs/use/index.html'), [
    'Start',
    '  Use it -> ../../docs/use/',
    '  Install -> ../../docs/install/',
  ]);
});

test('Hugo and Zola: folders by weight, then title; hidden sections take what lies below along', async (t) => {
  const page = (title: string, rest = ''): string => `+++\ntitle = "${title}"\n${rest}\n+++\n\nText.\n`;
  const hugo = await build(t, {
    'hugo.toml': 'baseURL = "https://example.test/"\n',
    'content/_index.md': page('Home'),
    'content/docs/_index.md': page('Documentation', 'linkTitle = "Docs"\nweight = 20'),
    'content/docs/z.md': page('Zero', 'weight = 0'),
    'content/docs/b.md': page('Beta', 'weight = 2'),
    'content/docs/m.md': page('Alpha'),
    'content/docs/sub/_index.md': page('Sub', 'weight = 1'),
    'content/docs/sub/x.md': page('X'),
    'content/about.md': page('About', 'weight = 10'),
    'content/hid/_index.md': page('Hidden', 'toc_hide = true'),
    'content/hid/x.md': page('Hidden X'),
    'content/blog/_index.md': page('Blog', 'weight = 30'),
    'content/blog/old.md': page('A', 'date = 2020-01-01'),
    'content/blog/new.md': page('B', 'date = 2024-01-01'),
  });
  t.deepEqual(hugo.sidebar('about.html'), [
    'Home -> ./',
    'About -> ./about.html',
    'Docs -> ./docs/',
    '  Sub -> ./docs/sub/ +',
    '    X -> ./docs/sub/x.html',
    '  Beta -> ./docs/b.html',
    '  Alpha -> ./docs/m.html',
    '  Zero -> ./docs/z.html',
    'Blog -> ./blog/',
    '  B -> ./blog/new.html',
    '  A -> ./blog/old.html',
  ]);
  t.deepEqual(hugo.told, []);
});

test('.docbuild.yml goes before the navigation of a generator, and a SUMMARY.md counts without any', async (t) => {
  const own = await build(t, {
    '.docbuild.yml': 'nav:\n  - a.md\n',
    'mkdocs.yml': 'nav:\n  - gone.md\n  - b.md\n',
    ...pages('docs/', { a: 'A', b: 'B' }),
  });
  t.deepEqual([own.sidebar('a.html'), own.told], [['A -> ./a.html'], []]);
  const book = await build(t, {
    'docs/SUMMARY.md': '# Summary\n\n* [Hello](README.md)\n* [Bee](b.md)\n',
    ...pages('docs/', { README: 'Home', a: 'A', b: 'B' }),
  });
  t.deepEqual(book.sidebar('b.html'), ['Hello -> ./', 'Bee -> ./b.html']);
});

test('.docbuild.yml: an entry may name a folder, a place in a page, and groups that are closed', async (t) => {
  const site = await build(t, {
    '.docbuild.yml': `nav:
  - Part: a.md#part
  - title: Commands
    collapsed: true
    children:
      - folder: ./commands/
  - folder: gone
`,
    ...pages('docs/', { a: 'A\n\n## Part', b: 'B', 'commands/build': 'Build', 'commands/run': 'Run' }),
  });
  t.deepEqual(site.sidebar('a.html'), [
    'Part -> ./a.html#part',
    'Commands +',
    '  Build -> ./commands/build.html',
    '  Run -> ./commands/run.html',
  ]);
  t.deepEqual(site.told, ['.docbuild.yml:7 dead-link: Navigation folder "gone/" has no pages']);
});

test('.docbuild.yml: titles may have a text for each language; the first is for the others', async (t) => {
  const site = await build(t, {
    '.docbuild.yml': `lang: [en, zh_CN, fr]
nav:
  - title: {en: Guide, zh-Hans: 指南, zh_CN: 教程}
    children: [a.md, {title: {en: Bee, fr: Abeille}, path: b.md}]
`,
    ...pages('docs/en/', { a: 'A', b: 'B' }),
    ...pages('docs/zh_CN/', { a: '甲' }),
    ...pages('docs/fr/', { a: 'Un' }),
  });
  t.deepEqual(site.sidebar('a.html'), ['Guide', '  A -> ./a.html', '  Bee -> ./b.html']);
  t.deepEqual(site.sidebar('zh_CN/main/a.html'), ['教程', '  甲 -> ./a.html', '  Bee -> ./b.html']);
  t.deepEqual(site.sidebar('fr/main/a.html'), ['Guide', '  Un -> ./a.html', '  Abeille -> ./b.html']);
  t.deepEqual(site.told, []);
});

test('a navigation file that changes renders nothing anew, and each version has its own', async (t) => {
  const repository = createRepository(t);
  commitFiles(repository, { 'mkdocs.yml': 'nav: [a.md, b.md]\n', ...pages('docs/', { a: 'A', b: 'B' }) });
  repository.git('tag', 'v1');
  const site = createSite(t);
  t.is((await site.build(repository.folder)).rendered, 2);
  repository.write('mkdocs.yml', 'nav: [b.md, a.md]\n');
  repository.commit('turned');
  t.is((await site.build(repository.folder)).rendered, 0);
  t.deepEqual(readSidebar(site.read('en/v1/a.html')), ['A -> ./a.html', 'B -> ./b.html']);
  t.deepEqual(readSidebar(site.read('en/main/a.html')), ['B -> ./b.html', 'A -> ./a.html']);
  repository.write('mkdocs.yml', 'nav: [b.md\n');
  repository.commit('broken');
  const { warnings, rendered } = await site.build(repository.folder);
  t.is(rendered, 0);
  t.deepEqual(
    warnings.map(({ ref, file, line, code }) => [ref, file, line, code]),
    [['main', 'mkdocs.yml', 1, 'navigation']],
  );
  t.deepEqual(readSidebar(site.read('en/main/a.html')), ['A -> ./a.html', 'B -> ./b.html']);
});

test('buildSite() names the lines of entries and redirects of the project file that lead nowhere', async (t) => {
  const repository = createRepository(t);
  const nav = [
    'nav:',
    '  - index.md',
    '  - gone.md',
    '  - Group:',
    '      - a.md',
    '      - Title: lost.md',
    '  - title: Two',
    '    path: nowhere.md',
    '    children:',
    '      - folder: empty',
    'redirects:',
    '  old.html: a.md',
    '  a.html: index.md',
    '  dead.html: no.md',
  ];
  commitFiles(repository, {
    '.docbuild.yml': `${nav.join('\n')}\n`,
    'docs/index.md': '# Home\n',
    'docs/a.md': '# A\n',
  });
  const site = createSite(t);
  const { warnings } = await site.build(repository.folder);
  t.deepEqual(
    warnings.map(({ file, line, message }) => `${file}:${line} ${message}`),
    [
      '.docbuild.yml:3 Navigation entry "gone.md" does not match any page',
      '.docbuild.yml:6 Navigation entry "lost.md" does not match any page',
      '.docbuild.yml:8 Navigation entry "nowhere.md" does not match any page',
      '.docbuild.yml:10 Navigation folder "empty/" has no pages',
      '.docbuild.yml:13 Redirect from "a.html" ignored: "a.md" has that URL',
      '.docbuild.yml:14 Redirect from "dead.html": Link "no.md" leads to no page or file',
    ],
  );
});

test('buildSite() asks what a project file meant where its navigation, header and redirects are mistyped', async (t) => {
  const repository = createRepository(t);
  const lines = [
    'nav:',
    '  - Guide: guide/othr.md',
    '  - Setup: guide/other.md#instalation',
    '  - Fine: guide/other.md#installation',
    '  - folder: giude',
    'theme:',
    '  links:',
    '    - {title: Guide, url: guide/othr.md}',
    'redirects:',
    '  old.md: guides/other.md',
  ];
  commitFiles(repository, {
    '.docbuild.yml': `${lines.join('\n')}\n`,
    'docs/index.md': '# Home\n\n[a](guide/othr.md#installation) [b](guide/other.md#instalation) ![c](img/lgoo.svg)\n',
    'docs/guide/other.md': '# Other\n\n## Installation\n',
    'docs/img/logo.svg': '<svg/>',
  });
  const { warnings } = await createSite(t).build(repository.folder);
  t.deepEqual(
    warnings.map(({ file, line, message }) => `${file}:${line} ${message}`),
    [
      '.docbuild.yml:2 Navigation entry "guide/othr.md" does not match any page: did you mean "guide/other.md"?',
      '.docbuild.yml:3 Navigation entry "guide/other.md#instalation" leads to an anchor that does not exist: did you mean "#installation"?',
      '.docbuild.yml:5 Navigation folder "giude/" has no pages: did you mean "guide/"?',
      '.docbuild.yml:8 Link "guide/othr.md" of the header leads to no page or file: did you mean "guide/other.md"?',
      '.docbuild.yml:10 Redirect from "old.md": Link "guides/other.md" leads to no page or file: did you mean "guide/other.md"?',
      'docs/index.md:3 Anchor "#instalation" does not exist in page "docs/guide/other.md": did you mean "#installation"?',
      'docs/index.md:3 File "img/lgoo.svg" does not exist: did you mean "img/logo.svg"?',
      'docs/index.md:3 Link "guide/othr.md#installation" leads to no page or file: did you mean "guide/other.md"?',
    ],
  );
});

test('buildSite() finds a page in the navigation by its file, whatever its slug is', async (t) => {
  const repository = createRepository(t);
  commitFiles(repository, {
    'docs/en/index.md': '# Home\n',
    'docs/en/guide/a.md': '---\nslug: hello\n---\n# A\n',
    'docs/en/guide/b.md': '---\nslug: /guide/a\n---\n# B\n',
    'docs/de/index.md': '# Heim\n',
    'docs/de/guide/a.md': '---\nslug: hallo\n---\n# A\n',
    '.docbuild.yml': 'nav: [guide/a.md, guide/b.md, {Again: guide/hello}, none.md]\n',
  });
  const site = createSite(t);
  const { warnings } = await site.build(repository.folder);
  t.deepEqual(
    warnings.map(({ message }) => message),
    ['Navigation entry "none.md" does not match any page'],
  );
  const urlsOf = (code: string): readonly (string | undefined)[] => {
    const sidebar = /<nav id="_sidebar"[\s\S]*?<\/nav>/.exec(site.read(`${code}/main/index.html`))![0];
    return [...sidebar.matchAll(/<a href="([^"]*)"/g)].map(([, url]) => url);
  };
  t.deepEqual(urlsOf('en'), ['./guide/hello.html', './guide/a.html', './guide/hello.html']);
  t.deepEqual(urlsOf('de').slice(0, 2), ['./guide/hallo.html', './guide/a.html']);
});
