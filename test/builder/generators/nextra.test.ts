import test, { type ExecutionContext } from 'ava';
import { planMigration } from '../../../builder/plan-migration.ts';
import { createRepository } from '../../helpers/create-repository.ts';
import { createSite } from '../../helpers/create-site.ts';
import { readSidebar } from '../../helpers/read-sidebar.ts';
import { commitFiles } from '../../helpers/write-pages.ts';

const create = (t: ExecutionContext, files: Readonly<Record<string, string>>) => {
  const repository = createRepository(t);
  commitFiles(repository, files);
  return { repository, site: createSite(t) };
};

const PAGES: Readonly<Record<string, string>> = {
  'docs/next.config.mjs': `import nextra from 'nextra'
const withNextra = nextra({ latex: true })
export default withNextra({ i18n: { locales: ['en', 'es'], defaultLocale: 'en' } })
`,
  'docs/public/p.png': 'p',
  'docs/content/en/_meta.ts': `import type { MetaRecord } from 'nextra'
export default {
  '*': { theme: { footer: false } },
  index: { type: 'page', display: 'hidden' },
  docs: { type: 'page', title: 'Documentation' },
  company: { type: 'menu', title: 'Company', items: { team: { title: 'Team', href: '/docs/start' } } },
  'site-link': { title: 'Site itself', href: 'https://example.test' },
} satisfies MetaRecord
`,
  'docs/content/en/index.mdx': '# Home\n\n[Start](/docs/start)\n',
  'docs/content/en/docs/_meta.tsx': `export default {
  _: { type: 'separator', title: <Separator>First steps</Separator> },
  start: '',
  internal: { display: 'hidden' },
  __: { type: 'separator' },
  'deep-things': '',
  loose: 'Loose ones',
}
`,
  'docs/content/en/docs/start.mdx':
    '# Start\n\n> [!TIP]\n>\n> A *tip*.\n\n## Long title [#short]\n\n[Short](#short) [One](/docs/deep-things/one) [Base](./deep-things/one) ![](/p.png)\n',
  'docs/content/en/docs/internal.mdx': '# Internal\n',
  'docs/content/en/docs/unlisted.mdx': '# Unlisted\n',
  'docs/content/en/docs/deep-things/_meta.json': '{ "two": "Second", "one": "First" }',
  'docs/content/en/docs/deep-things/one.mdx': '# One\n',
  'docs/content/en/docs/deep-things/two.mdx': '# Two\n',
  'docs/content/en/docs/loose/a.mdx': '# A\n',
  'docs/content/en/[...slug].mdx': '# Route\n',
  'docs/content/es/_meta.ts':
    "import meta from '../en/_meta'\nexport default { ...meta, docs: { ...meta.docs, title: 'Documentación' } }\n",
  'docs/content/es/docs/start.mdx': '# Empezar\n\n[Uno](/es/docs/deep-things/one)\n',
};

test('Nextra: _meta files are the sidebar of each language; links, alerts and ids of headings are understood', async (t) => {
  const { repository, site } = create(t, PAGES);
  const { sources, warnings } = await site.build(repository.folder);
  t.deepEqual(sources, [{ folder: 'docs/content', generator: 'nextra', isReadmeOnly: false, refs: ['main'] }]);
  const start = site.read('en/main/docs/start.html');
  t.deepEqual(
    readSidebar(start).map((line) => line.replace('../docs/', './')),
    [
      'Documentation',
      '  First steps',
      '    Start -> ./start.html',
      '  Deep Things +',
      '    Second -> ./deep-things/two.html',
      '    First -> ./deep-things/one.html',
      '  Loose ones +',
      '    A -> ./loose/a.html',
      'Company',
      '  Team -> ./start.html',
      'Site itself -> https://example.test',
      'Docs',
      '  Unlisted -> ./unlisted.html',
    ],
  );
  t.is(readSidebar(site.read('es/main/docs/start.html'))[0], 'Documentación');
  t.regex(start, /<div class="callout tip">/);
  t.regex(start, /<h2 id="short"[^>]*>Long title </);
  t.is(start.match(/href="[^"]*deep-things\/one\.html">(?:One|Base)</g)?.length, 2);
  t.false(site.list().some((path) => path.includes('slug')));
  t.deepEqual(warnings, []);
});

test('Nextra: in the folder app, page.mdx is the page of its folder, and _meta.global is the navigation of all', async (t) => {
  const { repository, site } = create(t, {
    'next.config.ts': "import nextra from 'nextra'\nexport default nextra()({})\n",
    'app/_meta.global.tsx': `const GUIDE = { link: '', 'md-files': { title: 'Markdown' } }
export default { docs: { items: { index: '', guide: { title: 'The guide', items: GUIDE } } } }
`,
    'app/page.tsx': 'export default Page\n',
    'app/docs/page.mdx': '# Docs\n\n[Link](/docs/guide/link)\n',
    'app/docs/guide/page.mdx': '# Guide\n',
    'app/docs/guide/link/page.mdx': '# Links\n',
    'app/docs/guide/md-files/page.mdx': '# Files\n',
  });
  const { warnings } = await site.build(repository.folder);
  t.deepEqual(readSidebar(site.read('en/main/docs/index.html')), [
    'Docs -> ../docs/',
    '  The guide -> ../docs/guide/ +',
    '    Links -> ../docs/guide/link/',
    '    Markdown -> ../docs/guide/md-files/',
  ]);
  t.deepEqual(warnings, []);
});

test('Nextra: pages of version 2 have their language in the name; docbuild migrate reads the configuration of the theme', async (t) => {
  const { repository, site } = create(t, {
    'next.config.js': "module.exports = require('nextra')({ theme: 'nextra-theme-docs' })()\n",
    'theme.config.tsx':
      "export default { logo: <span>Anvil</span>, project: { link: 'https://github.com/anvil/anvil' }, head: () => null, footer: { text: '© Smiths' } }\n",
    'pages/_app.mdx': 'export default App\n',
    'pages/_meta.en.json': '{ "index": "Home", "b": "Bee", "a": "Ay" }',
    'pages/_meta.de.json': '{ "index": "Start", "b": "Be", "a": "A" }',
    ...Object.fromEntries(
      ['index', 'a', 'b'].flatMap((name) => [
        [`pages/${name}.en.mdx`, `# ${name} en\n`],
        [`pages/${name}.de.mdx`, `# ${name} de\n`],
      ]),
    ),
  });
  const { warnings } = await site.build(repository.folder);
  t.deepEqual(warnings, []);
  t.deepEqual(readSidebar(site.read('en/main/a.html')), ['Home -> ./', 'Bee -> ./b.html', 'Ay -> ./a.html']);
  t.deepEqual(readSidebar(site.read('de/main/a.html')), ['Start -> ./', 'Be -> ./b.html', 'A -> ./a.html']);
  const { project } = await planMigration({ repository: repository.folder, cacheFolder: site.cacheFolder });
  t.is(project.title, 'Anvil');
  t.is(project.theme?.footer?.text, '© Smiths');
  t.deepEqual(
    project.theme?.links?.map(({ title }) => title),
    ['GitHub'],
  );
});
