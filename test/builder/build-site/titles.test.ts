import test from 'ava';
import { createRepository } from '../../helpers/create-repository.ts';
import { createSite, type TestSite } from '../../helpers/create-site.ts';
import { commitFiles } from '../../helpers/write-pages.ts';

/** The title of the site, which stands behind that of each page. */
function titleOf(site: TestSite, page: string): string | undefined {
  return /<title>.* \| (.*)<\/title>/.exec(site.read(page))?.[1];
}

const GENERATORS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  MkDocs: { 'mkdocs.yml': 'site_name: Weaver &amp; Loom\n', 'docs/a.md': '# A\n' },
  VitePress: {
    'docs/.vitepress/config.ts':
      "import { defineConfig } from 'vitepress'\nexport default defineConfig({ title: 'Weaver &amp; Loom', themeConfig: {} })\n",
    'docs/a.md': '# A\n',
  },
  Docusaurus: {
    'docusaurus.config.js':
      "export default { title: 'Unseen', themeConfig: { navbar: { title: 'Weaver & Loom' } } };\n",
    'docs/a.md': '# A\n',
  },
  Starlight: {
    'astro.config.mjs':
      "import { defineConfig } from 'astro/config';\nimport starlight from '@astrojs/starlight';\nexport default defineConfig({ integrations: [starlight({ title: 'Weaver & Loom' })] });\n",
    'src/content/docs/a.md': '---\ntitle: A\n---\n',
  },
  Hugo: { 'hugo.toml': 'title = "Weaver & Loom"\n', 'content/a.md': '---\ntitle: A\n---\n' },
  Jekyll: { 'docs/_config.yml': 'title: Weaver & Loom\n', 'docs/a.md': '---\ntitle: A\n---\n' },
  mdBook: { 'book.toml': '[book]\ntitle = "Weaver & Loom"\n', 'src/SUMMARY.md': '- [A](a.md)\n', 'src/a.md': '# A\n' },
  Docsify: {
    'docs/index.html': "<script>window.$docsify = { name: 'Weaver &amp; <b>Loom</b>' }</script>\n",
    'docs/a.md': '# A\n',
  },
};

for (const [name, files] of Object.entries(GENERATORS)) {
  test(`a site has the title in the settings of ${name}`, async (t) => {
    const repository = createRepository(t);
    commitFiles(repository, files);
    const site = createSite(t);
    await site.build(repository.folder);
    const page = site.list().find((path) => /\/main\/.*a(?:\/index)?\.html$/.test(path))!;
    t.is(titleOf(site, page), 'Weaver &amp; Loom');
  });
}

test('a title is that of the option, else of .docbuild.yml, else of the latest version of the generator, else of the repository', async (t) => {
  const repository = createRepository(t);
  const site = createSite(t);
  const page = 'en/latest/a.html';
  const isChanged = async (files: Readonly<Record<string, string>>, options = {}): Promise<string | undefined> => {
    commitFiles(repository, files);
    await site.build(repository.folder, options);
    return titleOf(site, page);
  };
  const ofRepository = await isChanged({ 'docs/a.md': '# A\n', 'mkdocs.yml': 'theme: material\n' });
  t.regex(ofRepository!, /^\w/);
  repository.git('tag', 'v1');
  t.is(await isChanged({ 'mkdocs.yml': 'site_name: Weaver\n' }), 'Weaver');
  t.is(await isChanged({ 'mkdocs.yml': 'site_name: Loom\n' }), 'Loom', 'nothing of the page has changed');
  // The title is that of the whole site: older versions have it, too.
  t.is(titleOf(site, 'en/v1/a.html'), 'Loom');
  t.is(await isChanged({ '.docbuild.yml': 'sourceDir: docs\n' }), 'Loom', 'a project file without a title');
  t.is(await isChanged({ '.docbuild.yml': 'latest: v1\n' }), ofRepository, 'the latest version has none');
  t.is(await isChanged({ '.docbuild.yml': 'title: Own\n' }), 'Own');
  t.is(await isChanged({}, { title: 'Given' }), 'Given');
  t.is(
    await isChanged({ 'mkdocs.yml': 'site_name: [\n', '.docbuild.yml': '' }),
    ofRepository,
    'settings that cannot be read',
  );
});
