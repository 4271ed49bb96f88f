import test, { type ExecutionContext } from 'ava';
import { createRepository } from '../../helpers/create-repository.ts';
import { createSite } from '../../helpers/create-site.ts';
import { commitFiles } from '../../helpers/write-pages.ts';

/** A repository in the shape of a generator's, and what comes of it without any option. */
interface Shape {
  readonly files: Readonly<Record<string, string>>;
  readonly source: string;
  /** Pages of the only version by language, without translations that are missing. */
  readonly pages: Readonly<Record<string, readonly string[]>>;
  /** Where links and pictures of pages lead, by page from the site's root: what each is written as, and the published file. */
  readonly leads?: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

const shapes: Readonly<Record<string, Shape>> = {
  docusaurus: {
    files: {
      'website/docusaurus.config.ts': `
        // path: '../elsewhere' is only a comment
        const config = {
          baseUrl: '/project/',
          i18n: { defaultLocale: 'en', locales: ['en', 'fr', 'zh-Hans'] },
          plugins: [['@docusaurus/plugin-content-docs', { id: 'team', path: 'team', sidebarPath: false }]],
          presets: [['classic', { docs: { path: '../docs', routeBasePath: 'guide', editUrl: 'https://x.test/{' } }]],
        };
        export default config;`,
      'docs/intro.md':
        '# Intro\n\n[A](./start/a.md) [B](/guide/start/a) [C](/project/guide/start/a#a) ![](/img/p.png) ![](/project/img/p.png) ![](@site/static/img/p.png)\n',
      'docs/start/a.md': '# A\n\n![](./own.png) [Intro](intro.md)\n',
      'docs/start/own.png': 'own',
      'docs/_part.md': 'A part\n',
      'website/static/img/p.png': 'p',
      'website/static/img/unused.png': 'unused',
      'website/i18n/fr/docusaurus-plugin-content-docs/current/intro.md':
        '# Introduction\n\n[A](./start/a.md) ![](./fr.png)\n',
      'website/i18n/fr/docusaurus-plugin-content-docs/current/fr.png': 'fr',
      'website/i18n/fr/docusaurus-plugin-content-docs/version-1.0/old.md': '# Vieux\n',
      'website/i18n/zh-Hans/docusaurus-plugin-content-docs/current/start/a.md':
        '# 甲\n\n![](../../../../../static/img/p.png)\n',
      'website/i18n/en/code.json': '{}',
      'website/versioned_docs/version-1.0/old.md': '# Old\n',
      'website/blog/post.md': '# Post\n',
      'website/team/join.md': '# Join\n\n[Intro](/guide/intro)\n',
      'website/i18n/fr/docusaurus-plugin-content-docs-team/current/join.md': '# Rejoindre\n',
    },
    source: 'docs',
    pages: { en: ['intro', 'start/a', 'team/join'], fr: ['intro', 'team/join'], 'zh-Hans': ['start/a'] },
    leads: {
      'en/main/intro': {
        './start/a.md': 'en/main/start/a.html',
        '/guide/start/a': 'en/main/start/a.html',
        '/project/guide/start/a#a': 'en/main/start/a.html',
        '/img/p.png': 'en/main/_files/website/static/img/p.png',
        '/project/img/p.png': 'en/main/_files/website/static/img/p.png',
        '@site/static/img/p.png': 'en/main/_files/website/static/img/p.png',
      },
      'en/main/start/a': { './own.png': 'en/main/start/own.png', 'intro.md': 'en/main/intro.html' },
      'en/main/team/join': { '/guide/intro': 'en/main/intro.html' },
      'fr/main/intro': { './start/a.md': 'fr/main/start/a.html', './fr.png': 'fr/main/fr.png' },
      'zh-Hans/main/start/a': { '../../../../../static/img/p.png': 'zh-Hans/main/_files/website/static/img/p.png' },
    },
  },
  vitepress: {
    files: {
      'docs/.vitepress/config.mts': `export default defineConfig({
        base: '/tool/', srcExclude: ['**/TODO.md'],
        locales: { root: { label: 'Deutsch', lang: 'de-DE' }, en: { label: 'English', lang: 'en-US' } },
      })`,
      'docs/index.md': '# Start\n\n[A](/guide/a) [B](/tool/guide/a.html) ![](/logo.svg)\n',
      'docs/guide/a.md': '# A\n',
      'docs/guide/TODO.md': '# Todo\n',
      'docs/en/index.md': '# Start\n\n[A](/en/guide/a) ![](/logo.svg)\n',
      'docs/en/guide/a.md': '# A\n',
      'docs/public/logo.svg': '<svg/>',
      'README.md': '# Tool\n',
    },
    source: 'docs',
    pages: { de: ['guide/a', 'index'], en: ['guide/a', 'index'] },
    leads: {
      'de/main/index': {
        '/guide/a': 'de/main/guide/a.html',
        '/tool/guide/a.html': 'de/main/guide/a.html',
        '/logo.svg': 'de/main/public/logo.svg',
      },
      'en/main/index': { '/en/guide/a': 'en/main/guide/a.html', '/logo.svg': 'en/main/public/logo.svg' },
    },
  },
  vuepress: {
    files: {
      'packages/docs/docs/.vuepress/config.js': `module.exports = { base: '/v/', locales: { '/': { lang: 'en-US' }, '/zh/': { lang: 'zh-CN' } } }`,
      'packages/docs/docs/README.md':
        '---\nhome: true\nheroImage: /opening.png\n---\n# Home\n\n[A](./guide/) ![](/hero.png)\n',
      'packages/docs/docs/.vuepress/public/opening.png': 'opening',
      'packages/docs/docs/guide/README.md': '# Guide\n\n<<< @/samples/x.js\n',
      'packages/docs/samples/x.js': 'taken()\n',
      'packages/docs/docs/zh/README.md': '# 主页\n',
      'packages/docs/docs/.vuepress/public/hero.png': 'hero',
      'packages/core/README.md': '# Core\n',
    },
    source: 'packages/docs/docs',
    pages: { en: ['guide/index', 'index'], zh: ['index'] },
    leads: {
      'en/main/index': {
        './guide/': 'en/main/guide/index.html',
        '/hero.png': 'en/main/_files/packages/docs/docs/_.vuepress/public/hero.png',
      },
    },
  },
  'mkdocs with suffixes': {
    files: {
      'mkdocs.yml':
        'site_name: X\nsite_url: https://x.test/lib/\nplugins:\n  - i18n:\n      languages:\n        - locale: en\n          default: true\n        - locale: zh\nmarkdown_extensions:\n  - pymdownx.emoji:\n      emoji_index: !!python/name:material.extensions.emoji.twemoji\n',
      'docs/index.md': '# Home\n\n[A](a.md) ![](img/p.png)\n',
      'docs/a.md': '# A\n\n<img src="../img/q.png">\n',
      'docs/a.zh.md': '# 甲\n',
      'docs/img/p.png': 'p',
      'docs/img/q.png': 'q',
      'includes/part.md': 'part\n',
    },
    source: 'docs',
    pages: { en: ['a', 'index'], zh: ['a'] },
    leads: {
      'en/main/index': { 'a.md': 'en/main/a.html', 'img/p.png': 'en/main/img/p.png' },
      'en/main/a': { '../img/q.png': 'en/main/img/q.png' },
    },
  },
  'mkdocs with a site for each language': {
    files: {
      'docs/en/mkdocs.yml': 'site_name: X\n',
      'docs/en/docs/index.md': '# Home\n\n[A](guide/a.md) ![](img/p.png)\n',
      'docs/en/docs/guide/a.md': '# A\n',
      'docs/en/docs/img/p.png': 'p',
      'docs/de/mkdocs.yml': 'INHERIT: ../en/mkdocs.yml\n',
      'docs/de/docs/index.md': '# Start\n\n[A](guide/a.md) ![](/img/p.png)\n',
      'docs/missing-translation.md': '# Missing\n',
      'README.md': '# X\n',
    },
    source: 'docs',
    pages: { en: ['guide/a', 'index'], de: ['index'] },
    leads: {
      'en/main/index': { 'guide/a.md': 'en/main/guide/a.html', 'img/p.png': 'en/main/img/p.png' },
      'de/main/index': { 'guide/a.md': 'de/main/guide/a.html', '/img/p.png': 'de/main/_files/docs/en/img/p.png' },
    },
  },
  'mkdocs with a site for each of many languages, all but one of which are pages only': {
    files: {
      'docs/en/mkdocs.yml': 'site_name: X\n',
      'docs/en/docs/index.md': '# Home\n',
      'docs/en/docs/img/p.png': 'p',
      ...Object.fromEntries(
        ['de', 'es', 'fr', 'ja', 'ko', 'zh'].map((code) => [`docs/${code}/docs/index.md`, '# X\n\n![](/img/p.png)\n']),
      ),
    },
    source: 'docs',
    pages: Object.fromEntries(['en', 'de', 'es', 'fr', 'ja', 'ko', 'zh'].map((code) => [code, ['index']])),
    leads: { 'de/main/index': { '/img/p.png': 'de/main/_files/docs/en/img/p.png' } },
  },
  'mkdocs with a folder for each language': {
    files: {
      'mkdocs.yml': 'site_name: X\ndocs_dir: handbook/en\n',
      'handbook/en/index.md': '# Home\n',
      'handbook/fr/index.md': '# Accueil\n',
    },
    source: 'handbook',
    pages: { en: ['index'], fr: ['index'] },
  },
  starlight: {
    files: {
      'docs/astro.config.mjs': `export default defineConfig({ base: '/s', integrations: [starlight({
        locales: { root: { label: 'English', lang: 'en' }, 'pt-br': { label: 'Português', lang: 'pt-BR' } } })] })`,
      'docs/src/content/docs/index.mdx':
        '---\ntitle: Home\n---\n[A](/guides/a/) [B](/s/guides/a/) ![](~/assets/x.png) ![](@pics/y.png) ![](../../assets/y.png) ![](/f.svg)\n',
      'docs/tsconfig.json': '{ "compilerOptions": { // Named folders\n "paths": { "@pics/*": ["src/assets/*"] }, } }',
      'docs/src/content/docs/guides/a.md': '---\ntitle: A\n---\nText\n',
      'docs/src/content/docs/pt-br/index.md': '---\ntitle: Início\n---\n[A](/pt-br/guides/a/)\n',
      'docs/src/assets/x.png': 'x',
      'docs/src/assets/y.png': 'y',
      'docs/public/f.svg': '<svg/>',
      'packages/core/README.md': '# Core\n',
    },
    source: 'docs/src/content/docs',
    pages: { en: ['guides/a', 'index'], 'pt-br': ['index'] },
    leads: {
      'en/main/index': {
        '/guides/a/': 'en/main/guides/a.html',
        '/s/guides/a/': 'en/main/guides/a.html',
        '~/assets/x.png': 'en/main/_files/docs/src/assets/x.png',
        '@pics/y.png': 'en/main/_files/docs/src/assets/y.png',
        '../../assets/y.png': 'en/main/_files/docs/src/assets/y.png',
        '/f.svg': 'en/main/_files/docs/public/f.svg',
      },
      'pt-br/main/index': { '/pt-br/guides/a/': 'pt-br/main/guides/a.html' },
    },
  },
  'hugo with a folder for each language': {
    files: {
      'hugo.yaml': 'baseURL: https://x.test/h/\ndefaultContentLanguage: en\nlanguages:\n  en: {}\n  no: {}\n',
      'content/en/_index.md': '---\ntitle: Home\n---\n[A](/docs/a/) [B](docs/a/) ![](/images/i.png)\n',
      'content/en/docs/a.md': '---\ntitle: A\n---\n![](/h/images/i.png) <img src="../../images/i.png">\n',
      'content/no/docs/a.md': '---\ntitle: A\n---\nTekst\n',
      'static/images/i.png': 'i',
      'themes/x/README.md': '# Theme\n',
    },
    source: 'content',
    pages: { en: ['docs/a', 'index'], no: ['docs/a'] },
    leads: {
      'en/main/index': {
        '/docs/a/': 'en/main/docs/a.html',
        'docs/a/': 'en/main/docs/a.html',
        '/images/i.png': 'en/main/_files/static/images/i.png',
      },
      'en/main/docs/a': {
        '/h/images/i.png': 'en/main/_files/static/images/i.png',
        '../../images/i.png': 'en/main/_files/static/images/i.png',
      },
    },
  },
  'hugo with folders of other names, and suffixes': {
    files: {
      'site/config.toml':
        'baseURL = "/"\nDefaultContentLanguage = "en"\n[languages]\n[languages.en]\ncontentDir = "content"\n[languages.fr]\ncontentDir = "translations/french"\n[languages.zh-cn]\n',
      'site/content/a.md': '# A\n',
      'site/content/a.zh-cn.md': '# 甲\n',
      'site/translations/french/a.md': '# A\n\n![](pic.png)\n',
      'site/translations/french/pic.png': 'pic',
      'site/archetypes/default.md': '# {{ .Name }}\n',
    },
    source: 'site/content',
    pages: { en: ['a'], fr: ['a'], 'zh-cn': ['a'] },
    leads: { 'fr/main/a': { 'pic.png': 'fr/main/pic.png' } },
  },
  'jekyll at the root': {
    files: {
      '_config.yml':
        'title: X\nbaseurl: /x\npermalink: pretty\nlang: en\nexclude: [lib/, "*.gemspec", CONTRIBUTING.md]\ncollections:\n  manual:\n    output: true\n',
      'index.md':
        '---\ntitle: Home\n---\n[A](docs/a.html) [B](/x/docs/a.html) ![](/assets/i.png) ![](/x/assets/i.png)\n',
      'README.md': '# Not the home page\n',
      'CONTRIBUTING.md': '# Contributing\n',
      'docs/a.md': '---\ntitle: A\n---\n![](../../assets/i.png)\n',
      '_manual/m.md': '---\ntitle: M\n---\n[A](../docs/a.html)\n',
      '_includes/part.md': 'part\n',
      '_posts/2020-01-01-post.md': '---\ntitle: Post\n---\n',
      'lib/notes.md': '# Notes\n',
      'vendor/bundle/gem/README.md': '# Gem\n',
      'de/index.md': '---\ntitle: Start\n---\n',
      'assets/i.png': 'i',
    },
    source: '',
    pages: { en: ['docs/a', 'index', 'manual/m'], de: ['index'] },
    leads: {
      'en/main/index': {
        'docs/a.html': 'en/main/docs/a.html',
        '/x/docs/a.html': 'en/main/docs/a.html',
        '/assets/i.png': 'en/main/assets/i.png',
        '/x/assets/i.png': 'en/main/assets/i.png',
      },
      'en/main/docs/a': { '../../assets/i.png': 'en/main/assets/i.png' },
      'en/main/manual/m': { '../docs/a.html': 'en/main/docs/a.html' },
    },
  },
  'jekyll in a folder': {
    files: {
      'docs/_config.yml': 'title: X\n',
      'docs/README.md': '# Home\n\n![](/images/i.png)\n',
      'docs/a.md': '# A\n',
      'docs/images/i.png': 'i',
      'README.md': '# X\n',
    },
    source: 'docs',
    pages: { en: ['a', 'index'] },
    leads: { 'en/main/index': { '/images/i.png': 'en/main/images/i.png' } },
  },
  'docsify with names of its own': {
    files: {
      'docs/index.html':
        "<script>window.$docsify = { loadSidebar: 'sidebar.md', coverpage: 'cover.md' }</script><script src=\"//x.test/docsify.min.js\"></script>",
      'docs/sidebar.md': '- [Second](b.md)\n- [First](a.md)\n',
      'docs/cover.md': '# Cover\n',
      'docs/a.md': '# A\n\n[b](b?id=x)\n',
      'docs/b.md': '# B\n\n## X\n',
    },
    source: 'docs',
    pages: { en: ['a', 'b'] },
    leads: { 'en/main/a': { 'b?id=x': 'en/main/b.html' } },
  },
  mdbook: {
    files: {
      'guide/book.toml': '[book]\ntitle = "X"\nlanguage = "ja"\n',
      'guide/src/SUMMARY.md': '# Summary\n\n- [A](a.md)\n',
      'guide/src/README.md': '# Home\n\n[A](a.md) ![](i.png)\n',
      'guide/src/a.md': '# A\n',
      'guide/src/i.png': 'i',
      'tests/books/x/book.toml': '[book]\n',
      'tests/books/x/src/a.md': '# A\n',
    },
    source: 'guide/src',
    pages: { ja: ['a', 'index'] },
    leads: { 'ja/main/index': { 'a.md': 'ja/main/a.html', 'i.png': 'ja/main/i.png' } },
  },
  zola: {
    files: {
      'docs/config.toml': 'base_url = "https://x.test/z"\ndefault_language = "en"\n[languages.fr]\n',
      'docs/content/_index.md': '+++\ntitle = "Home"\n+++\n[A](@/guide/a.md) ![](/i.png) ![](/z/i.png)\n',
      'docs/content/guide/a.md': '+++\ntitle = "A"\n+++\nText\n',
      'docs/content/guide/a.fr.md': '+++\ntitle = "A"\n+++\nTexte\n',
      'docs/static/i.png': 'i',
      'test_site/config.toml': 'base_url = "https://x.test"\n',
      'test_site/content/a.md': '+++\n+++\n',
    },
    source: 'docs/content',
    pages: { en: ['guide/a', 'index'], fr: ['guide/a'] },
    leads: {
      'en/main/index': {
        '@/guide/a.md': 'en/main/guide/a.html',
        '/i.png': 'en/main/_files/docs/static/i.png',
        '/z/i.png': 'en/main/_files/docs/static/i.png',
      },
    },
  },
};

for (const [name, shape] of Object.entries(shapes)) {
  test(`buildSite() builds a repository of ${name} without options`, async (t) => {
    const repository = createRepository(t);
    commitFiles(repository, shape.files);
    const site = createSite(t);
    const { sources, fallbacks, pages, warnings } = await site.build(repository.folder);
    const [generator] = name.split(' ');
    t.deepEqual(sources, [{ folder: shape.source, generator, isReadmeOnly: false, refs: ['main'] }]);
    const index = JSON.parse(site.read('versions.json')) as { languages: readonly string[] };
    t.deepEqual([...index.languages].sort(), Object.keys(shape.pages).sort());
    t.is(pages, Object.values(shape.pages).flat().length, `also ${fallbacks} pages of other languages`);
    for (const [code, own] of Object.entries(shape.pages)) {
      const outputs = site.list().filter((path) => path.startsWith(`${code}/main/`) && path.endsWith('.html'));
      const all = [...new Set([...own, ...Object.values(shape.pages)[0]!, 'index'])];
      t.deepEqual(outputs, all.map((page) => `${code}/main/${page}.html`).sort());
    }
    for (const [page, leads] of Object.entries(shape.leads ?? {})) checkLeads(t, site.read, page, leads);
    t.false(
      site.list().some((path) => path.includes('unused')),
      'only what pages refer to is published',
    );
    t.deepEqual(
      warnings.map(({ code, file, message }) => `${code} ${file}: ${message}`),
      [],
    );
  });
}

/** Checks that addresses in a page's text, in their order, lead to published files. */
function checkLeads(
  t: ExecutionContext,
  read: (path: string) => string,
  page: string,
  leads: Readonly<Record<string, string>>,
): void {
  const html = read(`${page}.html`);
  const text = html.slice(html.indexOf('<article'), html.indexOf('</article>'));
  const found = [...text.matchAll(/<(?:a|img)\b(?![^>]*class="anchor")[^>]*? (?:href|src)="([^"]*)"/g)].map(
    ([, url]) => {
      const path = decodeURIComponent(new URL(url!, `http://x/${page}.html`).pathname).slice(1);
      return path.endsWith('/') ? `${path}index.html` : path;
    },
  );
  t.deepEqual(
    found.slice(0, Object.keys(leads).length),
    Object.values(leads),
    `${page}: ${Object.keys(leads).join(' ')}`,
  );
  for (const path of Object.values(leads)) t.notThrows(() => read(path), path);
}

test('buildSite() looks again for pictures when tsconfig.json alone says that their folder is another one', async (t) => {
  const repository = createRepository(t);
  const point = (folder: string): string => {
    repository.write('tsconfig.json', `{"compilerOptions": {"paths": {"@pics/*": ["${folder}/*"]}}}`);
    return repository.commit(folder);
  };
  repository.write('astro.config.mjs', 'export default defineConfig({ integrations: [starlight({ title: "T" })] })');
  repository.write('src/content/docs/index.md', '---\ntitle: Home\n---\n![](@pics/x.png)\n');
  repository.write('b/x.png', 'x');
  point('a');
  const site = createSite(t);
  t.regex(
    (await site.build(repository.folder)).warnings.map(({ message }) => message).join(),
    /"@pics\/x.png" does not exist/,
  );
  point('b');
  t.deepEqual((await site.build(repository.folder)).warnings, []);
  t.regex(site.read('en/main/index.html'), /<img src="\.\/_files\/b\/x\.png"/);
});
