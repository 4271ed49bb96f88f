import test, { type ExecutionContext } from 'ava';
import { createRepository } from '../../helpers/create-repository.ts';
import { createSite, type TestSite } from '../../helpers/create-site.ts';
import { commitFiles } from '../../helpers/write-pages.ts';

/** Builds one version and returns its site with the warnings as lines. */
async function build(
  t: ExecutionContext,
  files: Readonly<Record<string, string>>,
): Promise<TestSite & { readonly told: readonly string[] }> {
  const repository = createRepository(t);
  commitFiles(repository, files);
  const site = createSite(t);
  const { warnings } = await site.build(repository.folder);
  return { ...site, told: warnings.map(({ file, code, message }) => `${file} ${code}: ${message}`) };
}

const pagesOf = (site: TestSite, folder = 'en/main/'): readonly string[] =>
  site
    .list()
    .filter((path) => path.startsWith(folder) && path.endsWith('.html'))
    .map((path) => path.slice(folder.length));

/** Where the links of a page lead that have the text `x`, from the release's root. */
const targetsOf = (site: TestSite, page: string): readonly string[] =>
  [...site.read(`en/main/${page}`).matchAll(/<a href="([^"]*)"[^>]*>x</g)].map(([, href]) =>
    new URL(href!, `http://x/${page}`).pathname.slice(1),
  );

const links = (...urls: readonly string[]): string => urls.map((url) => `[x](${url})\n`).join('');

test('Docusaurus: slugs count from the root or the folder, numbers and ids make names, folders are named by a page', async (t) => {
  const site = await build(t, {
    'docusaurus.config.js': 'module.exports = { baseUrl: "/site/", presets: [["classic", { docs: {} }]] };\n',
    'docs/intro.md': `---\nslug: /\n---\n\n# Intro\n\n${links(
      './01-guide/02-use.md',
      './guide/use',
      '/docs/guide/use',
      '/site/docs/guide/api/config',
      'guide/api',
    )}`,
    'docs/01-guide/02-use.md': `# Use\n\n${links('start', './start', '../', 'api/config', '01-start.md', '10-x.md')}`,
    'docs/01-guide/01-start.md': '---\nid: start-here\nslug: start\n---\n\n# Start\n',
    'docs/01-guide/10-x.md': '---\nid: ten\n---\n\n# Ten\n',
    'docs/01-guide/api/api.md': '# API\n',
    'docs/01-guide/api/2021-11-notes.md': '# Notes\n',
    'docs/01-guide/api/v1.2-notes.md': '# Notes\n',
    'docs/01-guide/api/options.md': '---\nslug: ./config\n---\n\n# Options\n',
    'docs/01-guide/api/up.md': '---\nslug: ../../up\n---\n\n# Up\n',
  });
  t.deepEqual(site.told, []);
  t.deepEqual(pagesOf(site), [
    'guide/api/2021-11-notes.html',
    'guide/api/config.html',
    'guide/api/index.html',
    'guide/api/v1.2-notes.html',
    'guide/start.html',
    'guide/ten.html',
    'guide/use.html',
    'index.html',
    'up.html',
  ]);
  const [use, config] = ['guide/use.html', 'guide/api/config.html'];
  t.deepEqual(targetsOf(site, 'index.html'), [use, use, use, config, 'guide/api/']);
  t.deepEqual(targetsOf(site, use), [
    'guide/start.html',
    'guide/start.html',
    '',
    config,
    'guide/start.html',
    'guide/ten.html',
  ]);
});

test('Hugo: slug is the last part, url the whole, aliases lie beside the page, relative addresses count from the page', async (t) => {
  const site = await build(t, {
    'hugo.toml': 'baseURL = "https://example.test/site/"\ntitle = "Site"\n',
    'content/_index.md': `+++\ntitle = "Home"\n+++\n\n${links('docs/First%20Page.md', '/docs/first-page/', '/site/docs/first-page/')}`,
    'content/docs/_index.md': `+++\ntitle = "Docs"\nslug = "ignored"\n+++\n\n${links('first-page/', 'renamed/')}`,
    'content/docs/First Page.md': `+++\ntitle = "First"\naliases = ["old-name", "/very/old/"]\n+++\n\n${links(
      '../renamed/',
      '../bundle-name',
      '/articles/whole/',
      '../../',
      '/docs/old-name/',
      'second.md',
    )}`,
    'content/docs/second.md': '+++\ntitle = "Second"\nslug = "renamed"\n+++\n',
    'content/docs/bundle/index.md': '+++\ntitle = "Bundle"\nslug = "bundle-name"\n+++\n\n![x](x.png)\n',
    'content/docs/bundle/x.png': 'PNG',
    'content/docs/whole.md': '+++\ntitle = "Whole"\nurl = "/articles/whole/"\n+++\n',
    'content/docs/list.md': '+++\ntitle = "Hidden"\n[build]\nlist = "never"\n+++\n',
    'content/docs/never.md': '+++\ntitle = "Never"\n[_build]\nrender = "never"\n+++\n',
    'content/docs/headless/index.md': '+++\ntitle = "Headless"\nheadless = true\n+++\n',
    'content/docs/draft.md': '+++\ntitle = "Draft"\nDraft = true\n+++\n',
  });
  t.deepEqual(site.told, []);
  t.deepEqual(pagesOf(site), [
    'articles/whole/index.html',
    'docs/First Page.html',
    'docs/bundle-name/index.html',
    'docs/index.html',
    'docs/list.html',
    'docs/old-name.html',
    'docs/renamed.html',
    'index.html',
    'very/old/index.html',
  ]);
  const first = 'docs/First%20Page.html';
  t.deepEqual(targetsOf(site, 'index.html'), [first, first, first]);
  t.deepEqual(targetsOf(site, 'docs/index.html'), [first, 'docs/renamed.html']);
  t.deepEqual(targetsOf(site, 'docs/First Page.html'), [
    'docs/renamed.html',
    'docs/bundle-name/',
    'articles/whole/',
    '',
    first,
    'docs/renamed.html',
  ]);
  t.notRegex(site.read('en/main/index.html'), /Hidden/);
});

test('Zola: path is the whole, slug the last part, dates leave names, a draft section takes its pages along', async (t) => {
  const site = await build(t, {
    'config.toml': 'base_url = "https://example.test"\n',
    'content/_index.md': `+++\ntitle = "Home"\n+++\n\n${links('notes/2024-01-02-hello.md', '/notes/hello/', '/any/where')}`,
    'content/notes/_index.md': '+++\ntitle = "Notes"\n+++\n',
    'content/notes/2024-01-02-hello.md': '+++\ntitle = "Hello"\naliases = ["old/hello"]\n+++\n',
    'content/notes/2024-01-03.md': '+++\ntitle = "A day"\n+++\n',
    'content/notes/a.md': '+++\ntitle = "A"\nslug = "b"\n+++\n',
    'content/notes/c.md': '+++\ntitle = "C"\npath = "/any/where"\nslug = "no"\n+++\n',
    'content/wip/_index.md': '+++\ntitle = "Wip"\ndraft = true\n+++\n',
    'content/wip/deep/page.md': '+++\ntitle = "Page"\n+++\n',
  });
  t.deepEqual(site.told, []);
  t.deepEqual(pagesOf(site), [
    'any/where.html',
    'index.html',
    'notes/2024-01-03.html',
    'notes/b.html',
    'notes/hello.html',
    'notes/index.html',
    'old/hello.html',
  ]);
  t.deepEqual(targetsOf(site, 'index.html'), ['notes/hello.html', 'notes/hello.html', 'any/where.html']);
});

test('Jekyll: permalink is the whole address, patterns and files that are no pages are left alone', async (t) => {
  const site = await build(t, {
    '_config.yml': 'title: Site\nbaseurl: /site\n',
    'index.md': `---\nlayout: home\ntitle: Home\n---\n\n${links('docs/setup.md', '/start/', '/site/start/', 'docs/b.html')}`,
    'docs/setup.md': `---\ntitle: Setup\npermalink: /start/\nredirect_from:\n  - /begin\n  - /docs/setup/\n---\n\n${links('../docs/b')}`,
    'docs/b.md': '---\ntitle: B\npermalink: pretty\n---\n',
    'docs/c.md': '---\ntitle: C\npermalink: /:collection/:title/\n---\n',
    'docs/feed.md': '---\ntitle: Feed\npermalink: /feed.xml\n---\n',
  });
  t.deepEqual(site.told, [
    'docs/c.md bad-address: URL "/:collection/:title/" ignored: no page can have it',
    'docs/feed.md bad-address: URL "/feed.xml" ignored: no page can have it',
  ]);
  t.deepEqual(pagesOf(site), [
    'begin.html',
    'docs/b.html',
    'docs/c.html',
    'docs/feed.html',
    'docs/setup/index.html',
    'index.html',
    'start/index.html',
  ]);
  t.deepEqual(targetsOf(site, 'index.html'), ['start/', 'start/', 'start/', 'docs/b.html']);
  t.deepEqual(targetsOf(site, 'start/index.html'), ['docs/b.html']);
  t.regex(site.read('en/main/index.html'), /class="layout-doc"/);
});

test('Starlight: slug is the whole address, with the language before it or without; its hero is a landing page', async (t) => {
  const site = await build(t, {
    'astro.config.mjs': 'export default { integrations: [] };\n',
    'src/content/docs/index.mdx': `---\ntitle: Site\ntemplate: splash\nhero:\n  tagline: Fast\n  image:\n    file: ../../assets/logo.svg\n  actions:\n    - text: Start\n      link: /guides/start/\n    - text: More\n      link: /far/away/\n      variant: minimal\n---\n\n${links('guides/my-page/')}`,
    'src/assets/logo.svg': '<svg xmlns="http://www.w3.org/2000/svg"/>',
    'src/content/docs/guides/start.md': `---\ntitle: Start\n---\n\n${links('../my-page/', '/guides/my-page', './My%20Page.md')}`,
    'src/content/docs/guides/My Page.md': '---\ntitle: My page\n---\n',
    'src/content/docs/moved.md': '---\ntitle: Moved\nslug: far/away\n---\n',
    'src/content/docs/de/moved.md': '---\ntitle: Verschoben\nslug: de/weit/weg\n---\n',
    'src/content/docs/de/index.md': '---\ntitle: Anfang\n---\n',
  });
  t.deepEqual(site.told, []);
  t.deepEqual(pagesOf(site), ['far/away.html', 'guides/My Page.html', 'guides/start.html', 'index.html']);
  t.true(site.has('de/main/weit/weg.html'));
  const mine = 'guides/My%20Page.html';
  t.deepEqual(targetsOf(site, 'guides/start.html'), [mine, mine, mine]);
  const home = site.read('en/main/index.html');
  t.regex(home, /<h1[^>]*>\s*(?:<[^>]*>)?Site/);
  t.regex(home, /href="\.\/guides\/start\.html"/);
  t.regex(home, /href="\.\/far\/away\.html"/);
  t.regex(home, /src="[^"]*logo\.svg"/);
});

test('VuePress: permalink is the whole address, home: true a landing page', async (t) => {
  const site = await build(t, {
    'docs/.vuepress/config.js': 'module.exports = { title: "Site", base: "/site/" };\n',
    'docs/README.md':
      '---\nhome: true\nheroText: Site\ntagline: Words\nactionText: Go\nactionLink: /guide/\nfeatures:\n  - title: One\n    details: Text\n---\n',
    'docs/guide/README.md': `---\npermalink: /handbook/\n---\n\n# Guide\n\n${links('/site/handbook/', '../README.md', 'b.md')}`,
    'docs/guide/b.md': '# B\n',
  });
  t.deepEqual(site.told, []);
  t.deepEqual(pagesOf(site), ['guide/b.html', 'handbook/index.html', 'index.html']);
  t.deepEqual(targetsOf(site, 'handbook/index.html'), ['handbook/', '', 'guide/b.html']);
  const home = site.read('en/main/index.html');
  t.regex(home, /class="layout-home"/);
  t.regex(home, /href="\.\/handbook\/"/);
});
