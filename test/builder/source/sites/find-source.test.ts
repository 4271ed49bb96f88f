import test from 'ava';
import { DEFAULT_LIMITS } from '../../../../builder/build-limits.ts';
import { createTreeWalker } from '../../../../builder/source/files/walk-tree.ts';
import { createSourceFinder, type FoundSource } from '../../../../builder/source/sites/find-source.ts';
import { createReader, type TreeSketch } from '../create-reader.ts';

/** Returns so many pages as a tree. */
function pages(count: number): TreeSketch {
  return Object.fromEntries(Array.from({ length: count }, (_, n) => [`p${n}.md`, `# ${n}\n`]));
}

async function find(tree: TreeSketch, asked?: string): Promise<FoundSource | undefined> {
  const reader = createReader();
  return createSourceFinder(reader, createTreeWalker(reader, { ...DEFAULT_LIMITS, maxFiles: 1000 })).find(
    reader.add(tree),
    asked,
  );
}

const GENERATORS: readonly (readonly [title: string, tree: TreeSketch, folder: string, generator: string])[] = [
  [
    'Docusaurus in website/ with pages beside it',
    {
      website: { 'docusaurus.config.js': "module.exports = {presets: [['classic', {docs: {path: '../docs'}}]]}" },
      docs: pages(3),
    },
    'docs/',
    'docusaurus',
  ],
  [
    'Docusaurus whose path is only mentioned in a comment',
    {
      website: {
        'docusaurus.config.ts': "export default {presets: [['classic', {docs: { // path: '../docs'\n}}]]}",
        docs: pages(1),
      },
    },
    'website/docs/',
    'docusaurus',
  ],
  [
    'Docusaurus whose versions have paths of their own',
    {
      www: {
        'docusaurus.config.ts':
          "export default {presets: [['c', {docs: {versions: {current: {path: 'v2'}}, sidebarPath: 'sidebars.js'}}]]}",
        docs: pages(1),
      },
    },
    'www/docs/',
    'docusaurus',
  ],
  [
    'Docusaurus whose path contains a brace and a quote',
    {
      'docusaurus.config.mjs': `export default {presets: [['c', {docs: {editUrl: "a}'b", path: "handbook"}}]]}`,
      handbook: pages(1),
    },
    'handbook/',
    'docusaurus',
  ],
  [
    'Docusaurus 1, which keeps pages beside the site',
    { website: { 'siteConfig.js': 'const siteConfig = {headerLinks: []}' }, docs: pages(2) },
    'docs/',
    'docusaurus',
  ],
  [
    'VitePress in docs/',
    { docs: { '.vitepress': { 'config.mts': 'export default {}' }, ...pages(2) } },
    'docs/',
    'vitepress',
  ],
  [
    'VitePress with srcDir',
    { docs: { '.vitepress': { config: { 'index.ts': 'export default { srcDir: "./src" }' } }, src: pages(2) } },
    'docs/src/',
    'vitepress',
  ],
  ['VuePress in packages/docs', { packages: { docs: { '.vuepress': {}, ...pages(1) } } }, 'packages/docs/', 'vuepress'],
  [
    'MkDocs with docs_dir',
    { 'mkdocs.yml': 'site_name: X\ndocs_dir: "manual"\n', manual: pages(1), docs: pages(1) },
    'manual/',
    'mkdocs',
  ],
  ['MkDocs', { 'mkdocs.yml': 'site_name: X\n', docs: pages(1), content: pages(9) }, 'docs/', 'mkdocs'],
  [
    'Starlight in docs/, beside a demo of it',
    {
      docs: { 'astro.config.mjs': '', src: { content: { docs: pages(2) } } },
      examples: { 'astro.config.mjs': '', src: { content: { docs: pages(9) } } },
    },
    'docs/src/content/docs/',
    'starlight',
  ],
  ['Hugo', { 'hugo.toml': 'title = "x"', content: { en: pages(2) } }, 'content/', 'hugo'],
  [
    'Hugo with its old file name',
    { 'config.toml': 'baseURL = "/"', content: pages(2), archetypes: {} },
    'content/',
    'hugo',
  ],
  [
    'Hugo whose configuration is a folder, in a folder of any name',
    { 'my.dev': { config: { _default: { 'hugo.yaml': 'contentDir: pages\n' } }, pages: pages(2) } },
    'my.dev/pages/',
    'hugo',
  ],
  ['Zola', { docs: { 'config.toml': 'base_url = "https://x.test"', content: pages(2) } }, 'docs/content/', 'zola'],
  ['Jekyll in docs/', { docs: { '_config.yml': 'title: x\n', ...pages(2) } }, 'docs/', 'jekyll'],
  ['Jekyll at the root', { '_config.yml': 'title: x\n', 'index.md': '', docs: pages(2) }, '', 'jekyll'],
  [
    'Hexo, which its package.json tells from Jekyll',
    { '_config.yml': 'title: x\n', 'package.json': '{"hexo":{"version":"7"}}', 'README.md': '', source: pages(2) },
    'source/',
    'hexo',
  ],
  [
    'Hexo among the dependencies of a site in a folder',
    { website: { '_config.yml': '', 'package.json': '{"dependencies":{"hexo":"^7"}}', source: { docs: pages(2) } } },
    'website/source/',
    'hexo',
  ],
  [
    'Hexo by its folder of scaffolds, and with source_dir',
    { '_config.yml': 'source_dir: "./text/"\n', scaffolds: { 'post.md': '' }, text: pages(2) },
    'text/',
    'hexo',
  ],
  [
    'Jekyll beside a package.json of something else',
    { '_config.yml': 'title: x\n', 'package.json': '{"dependencies":{"hexo-theme":"1","hexose":"1"}}', 'index.md': '' },
    '',
    'jekyll',
  ],
  [
    'Jekyll beside a package.json that is none',
    { '_config.yml': 'title: x\n', 'package.json': '["hexo', 'index.md': '' },
    '',
    'jekyll',
  ],
  [
    'Docsify in docs/',
    {
      docs: { 'index.html': '<script>window.$docsify = {}</script>', '_sidebar.md': '', ...pages(2) },
      src: pages(9),
    },
    'docs/',
    'docsify',
  ],
  [
    'Docsify at the root, with its pages elsewhere',
    {
      'index.html': '<script>window.$docsify = { basePath: "/text/" }</script>',
      'README.md': '',
      '.nojekyll': '',
      text: pages(2),
    },
    'text/',
    'docsify',
  ],
  [
    'mdBook',
    { guide: { 'book.toml': '[book]\ntitle = "x"\nsrc = "text"\n', text: pages(2) } },
    'guide/text/',
    'mdbook',
  ],
  [
    'the larger one of two mdBooks in a folder',
    { doc: { book: { 'book.toml': '[book]\n', src: pages(9) }, contrib: { 'book.toml': '[book]\n', src: pages(3) } } },
    'doc/book/src/',
    'mdbook',
  ],
  [
    'mdBook beside the code',
    {
      src: {
        'main.rs': '',
        doc: { 'book.toml': '[book]\n', src: pages(2), contrib: { 'book.toml': '', src: pages(1) } },
      },
    },
    'src/doc/src/',
    'mdbook',
  ],
];

for (const [title, tree, folder, generator] of GENERATORS) {
  test(`createSourceFinder() finds the pages of ${title}`, async (t) => {
    const found = await find(tree);
    t.deepEqual([found?.folder, found?.generator, found?.isReadmeOnly], [folder, generator, false]);
  });
}

const PLAIN: readonly (readonly [title: string, tree: TreeSketch, folder: string | undefined])[] = [
  ['docs/ before others', { docs: pages(2), content: pages(9) }, 'docs/'],
  ['another folder when docs/ is next to empty', { docs: pages(1), documentation: pages(9) }, 'documentation/'],
  ['another folder when docs/ holds no page', { docs: { 'a.txt': '' }, doc: pages(1) }, 'doc/'],
  ['folders in any case', { Documentation: pages(1) }, 'Documentation/'],
  ['the inner folder when it holds all pages', { docs: { content: pages(2), 'README.md': '' } }, 'docs/content/'],
  ['the outer folder when the inner one holds only some', { docs: { content: pages(2), 'a.md': '' } }, 'docs/'],
  [
    'docs/ where a site in one of its folders has few pages',
    { docs: { ...pages(5), blog: { 'astro.config.mjs': '', src: { content: { docs: pages(2) } } } } },
    'docs/',
  ],
  [
    "docs/ beside a page of HTML that is not Docsify's",
    { 'index.html': '<p>Hello', 'README.md': '', docs: pages(1) },
    'docs/',
  ],
  ['docs/ where Jekyll only names a theme', { '_config.yml': 'theme: x\n', 'README.md': '', docs: pages(1) }, 'docs/'],
  [
    'docs/ where Hexo has no pages but posts',
    { '_config.yml': '', 'package.json': '{"hexo":{}}', source: { _posts: pages(3) }, docs: pages(1) },
    'docs/',
  ],
  [
    'docs/ where a Hexo blog has a file of the same name as Jekyll',
    { '_config.yml': 'source_dir: s\n', docs: pages(1), 'index.md': '' },
    'docs/',
  ],
  ['docs/ where a generator has no pages', { 'mkdocs.yml': 'docs_dir: nowhere\n', docs: pages(1) }, 'docs/'],
  [
    'docs/ where only tests are written for a generator',
    { tests: { 'mkdocs.yml': '', docs: pages(3) }, docs: pages(1) },
    'docs/',
  ],
  ['an empty docs/ when there is nothing else, so that its error can say so', { docs: { 'a.txt': '' } }, 'docs/'],
  ['nothing in what a generator made', { 'index.html': '', 'README.md': '', docs: { 'a.html': '' } }, undefined],
  ['nothing where nothing is', { src: { 'a.ts': '' } }, undefined],
];

for (const [title, tree, folder] of PLAIN) {
  test(`createSourceFinder() finds ${title}`, async (t) => {
    const found = await find(tree);
    t.deepEqual([found?.folder, found?.generator], [folder, undefined]);
  });
}

test('createSourceFinder() takes the README when there is nothing else', async (t) => {
  const found = await find({ 'README.md': '# X\n', src: { 'notes.md': '' } });
  t.deepEqual([found?.folder, found?.isReadmeOnly], ['', true]);
});

test('createSourceFinder() looks nowhere but in the folder that was asked for', async (t) => {
  const tree = { website: { 'docusaurus.config.js': '', docs: pages(3) }, docs: pages(1) };
  t.is((await find(tree, 'docs/'))?.folder, 'docs/');
  t.is((await find(tree, 'docs/'))?.generator, undefined);
  t.is((await find(tree, 'website/docs/'))?.generator, 'docusaurus');
  t.is(await find(tree, 'gone/'), undefined);
});

test('createSourceFinder() reads no tree twice for versions that share it', async (t) => {
  const reader = createReader();
  const finder = createSourceFinder(reader, createTreeWalker(reader, { ...DEFAULT_LIMITS, maxFiles: 1000 }));
  const [entry] = await reader.readTree(reader.add({ docs: { '.vitepress': {}, guide: pages(3) } }));
  const versions = ['a', 'b'].map((name) => reader.addEntries([entry!, { name, kind: 'file', oid: `blob:${name}` }]));
  await finder.find(versions[0]!, undefined);
  const before = reader.readCount();
  t.is((await finder.find(versions[1]!, undefined))?.folder, 'docs/');
  t.is(reader.readCount() - before, 1, 'the root tree of the second version');
});

test('createSourceFinder() lists the folders that hold most pages', async (t) => {
  const reader = createReader();
  const root = reader.add({ notes: pages(2), guides: { content: pages(7) }, src: {}, '.github': pages(3) });
  const candidates = await createSourceFinder(
    reader,
    createTreeWalker(reader, { ...DEFAULT_LIMITS, maxFiles: 1000 }),
  ).listCandidates(root);
  t.deepEqual(candidates, [
    { folder: 'guides/content/', pages: 7 },
    { folder: 'notes/', pages: 2 },
  ]);
});

test('a root of nothing but pages is the documentation; one with a few beside code is not', async (t) => {
  const readme = { 'README.md': '# Docs\n', 'CHANGELOG.md': '# Changes\n', LICENSE: 'MIT' };
  const found = await find({ ...readme, ...pages(5) });
  t.deepEqual([found?.folder, found?.isReadmeOnly], ['', false]);
  t.true((await find({ ...readme, ...pages(4) }))?.isReadmeOnly);
  const code = Object.fromEntries(['a.js', 'b.js', 'c.js', 'd.js', 'package.json'].map((name) => [name, '{}']));
  t.true((await find({ ...readme, ...pages(5), ...code }))?.isReadmeOnly);
  const community = ['CONTRIBUTING', 'SECURITY', 'HISTORY', 'CODE_OF_CONDUCT', 'GOVERNANCE', 'UPGRADING', 'AUTHORS'];
  const notes = Object.fromEntries(community.map((name) => [`${name}.md`, `# ${name}\n`]));
  t.true((await find({ ...readme, ...notes }))?.isReadmeOnly);
  t.is((await find({ ...readme, ...pages(9), docs: pages(1) }))?.folder, 'docs/');
});

test('a root whose pages are in folders of languages is the documentation; one with more pages elsewhere is not', async (t) => {
  const readme = { 'README.md': '# Docs\n' };
  const found = await find({ ...readme, 'en-US': pages(4), 'zh-CN': pages(3), images: {} });
  t.deepEqual([found?.folder, found?.isReadmeOnly], ['', false]);
  t.true((await find({ ...readme, 'en-US': pages(4), 'zh-CN': {} }))?.isReadmeOnly);
  t.true((await find({ ...readme, en: pages(4), fr: pages(3), guides: pages(7) }))?.isReadmeOnly);
  t.true((await find({ ...readme, go: pages(4), ts: pages(3) }))?.isReadmeOnly);
  t.is((await find({ ...readme, en: pages(9), fr: pages(3), docs: pages(1) }))?.folder, 'docs/');
});
