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

/** Pages as all of its versions have them, in a folder; `settings` is the name of the files with settings of folders. */
const createPages = (folder: string, settings = '.navigation.yml'): Record<string, string> => ({
  [`${folder}1.index.md`]: '---\ntitle: Kettle\n---\n\n[Set up](/guide/setup#first) [Ten](/guide/ten) ![](/p.png)\n',
  [`${folder}2.guide/${settings}`]: 'title: The guide\nicon: i-x\n',
  [`${folder}2.guide/1.setup.md`]:
    '---\ntitle: Set up\nnavigation:\n  title: Setting up\n---\n\n## First\n\n[Back](/) [3.9](/guide/3.9)\n',
  [`${folder}2.guide/10.ten.md`]: '---\ntitle: Ten\n---\n\nText\n',
  [`${folder}2.guide/3.9.md`]: '---\ntitle: Version 3.9\n---\n\nText\n',
  [`${folder}2.guide/9.nine/0.index.md`]: '---\ntitle: Nine\n---\n\nText\n',
  [`${folder}2.guide/9.nine/more.md`]: '---\ntitle: More\n---\n\nText\n',
  [`${folder}3.secret/${settings}`]: 'navigation: false\n',
  [`${folder}3.secret/1.page.md`]: '---\ntitle: Secret\n---\n\nText\n',
  [`${folder}4.hidden.md`]: '---\ntitle: Hidden\nnavigation: false\n---\n\nText\n',
  [`${folder}5.words/1.a-b.md`]: '---\ntitle: A\n---\n\nText\n',
  [`${folder}_part.md`]: 'A part\n',
});

const SIDEBAR = [
  'Kettle -> ../',
  'The guide',
  '  Setting up -> ../guide/setup.html',
  '  Nine -> ../guide/nine/ +',
  '    More -> ../guide/nine/more.html',
  '  Ten -> ../guide/ten.html',
  '  Version 3.9 -> ../guide/3.9.html',
  'Words',
  '  A -> ../words/a-b.html',
];

test('Nuxt Content: numbers order pages and folders and are no part of addresses, and folders have settings', async (t) => {
  for (const [folder, settings, others] of [
    ['docs/content/', '.navigation.yml', { 'docs/nuxt.config.ts': "export default { extends: ['docus'] }\n" }],
    ['docs/content/', '_dir.yml', { 'docs/nuxt.config.ts': "export default { modules: ['@nuxt/content'] }\n" }],
    ['docs/content/', '_dir.yml', { 'docs/nuxt.config.js': "import { withDocus } from '@docus/app'\n" }],
    ['docs/content/', '.navigation.yml', { 'docs/content.config.ts': 'export default {}\n' }],
    ['content/', '.navigation.yml', { 'package.json': '{"dependencies": {"docus": "latest"}}' }],
    ['docs/', '.navigation.yml', { 'docs/.config/docs.yaml': 'name: Kettle\n' }],
    ['docs/', '.navigation.yml', { 'docs/.navigation.yml': 'title: Docs\n' }],
  ] as const) {
    const home = folder.replace('content/', '');
    const { repository, site } = create(t, {
      ...createPages(folder, settings),
      ...others,
      [`${home}${home === folder ? '.docs/' : ''}public/p.png`]: 'p',
    });
    const { sources, warnings } = await site.build(repository.folder);
    t.deepEqual(sources, [
      { folder: folder.slice(0, -1), generator: 'nuxt-content', isReadmeOnly: false, refs: ['main'] },
    ]);
    t.deepEqual(warnings, [], JSON.stringify(others));
    t.deepEqual(readSidebar(site.read('en/main/guide/ten.html')), SIDEBAR);
    t.regex(site.read('en/main/index.html'), /href="\.\/guide\/setup\.html#first"[\s\S]*src="[^"]+\.png"/);
    t.false(site.list().some((path) => /part\.html|\/\d+\.[a-z]+\.html/.test(path)));
    t.true(site.list().includes('en/main/secret/page.html'));
  }
});

test('a site of Nuxt without Nuxt Content is not one of Nuxt Content', async (t) => {
  const { repository, site } = create(t, {
    'docs/1.a.md': '# A\n',
    'docs/content/b.md': '# B\n',
    'docs/nuxt.config.ts': "export default { modules: ['@nuxt/image'] }\n",
  });
  t.is((await site.build(repository.folder)).sources[0]?.generator, undefined);
});

test('Nuxt Content: folders of languages are languages, and positions order the pages of version 1', async (t) => {
  const { repository, site } = create(t, {
    'docs/nuxt.config.js': "import theme from '@nuxt/content-theme-docs'\nexport default theme({})\n",
    'docs/content/settings.json': '{"title": "Kettle", "github": "a/kettle", "twitter": "@kettle"}',
    'docs/content/en/index.md': '---\ntitle: Home\nposition: 1\n---\n\nText\n',
    'docs/content/en/a.md': '---\ntitle: A\nposition: 3\n---\n\nText\n',
    'docs/content/en/b.md': '---\ntitle: B\nposition: 2\n---\n\nText\n',
    'docs/content/fr/index.md': '---\ntitle: Accueil\n---\n\nTexte\n',
  });
  const { warnings } = await site.build(repository.folder);
  t.deepEqual(warnings, []);
  t.deepEqual(readSidebar(site.read('en/main/a.html')), ['Home -> ./', 'B -> ./b.html', 'A -> ./a.html']);
  t.regex(site.read('fr/main/index.html'), /<title>Accueil \| Kettle<\/title>/);
  const { project } = await planMigration({ repository: repository.folder, cacheFolder: site.cacheFolder });
  t.deepEqual(project.theme?.links as unknown, [
    { title: 'GitHub', url: 'https://github.com/a/kettle' },
    { title: 'Twitter', url: 'https://twitter.com/kettle' },
  ]);
});

test('Nuxt Content: pages in the folder of their only language have its name nowhere in their addresses', async (t) => {
  for (const code of ['en', 'zh']) {
    const { repository, site } = create(t, {
      ...createPages(`docs/content/${code}/`),
      'docs/content/settings.json': '{"title": "Kettle"}',
      'docs/nuxt.config.js': "export default { modules: ['@nuxt/content'] }\n",
      'docs/public/p.png': 'p',
    });
    const { warnings } = await site.build(repository.folder);
    t.deepEqual(warnings, []);
    t.deepEqual(readSidebar(site.read(`${code}/main/guide/ten.html`)), SIDEBAR);
    t.regex(site.read(`${code}/main/index.html`), /<title>Kettle[\s\S]*href="\.\/guide\/setup\.html#first"/);
  }
});

test('Nuxt Content: docbuild migrate takes over what Nuxt, the application and Undocs are told', async (t) => {
  const pages = createPages('docs/content/');
  const nuxt = create(t, {
    ...pages,
    'docs/nuxt.config.ts':
      "export default defineNuxtConfig({ modules: ['@nuxt/content'], site: { name: 'Kettle' }, routeRules: { '/old': { redirect: '/guide/setup' }, '/far': { redirect: { to: 'https://example.test', statusCode: 301 } }, '/api': { cors: true } } })\n",
    'docs/app/app.config.ts':
      "export default defineAppConfig({ header: { title: 'Other', logo: { light: '/p.png', dark: '/d.png' } }, elements: { a: 1 }, ui: { b: 2 }, socials: { x: 'https://x.com/kettle' }, github: { url: 'https://github.com/a/kettle' } })\n",
    'docs/public/p.png': 'p',
    'docs/public/d.png': 'd',
  });
  const plan = ({ repository, site }: typeof nuxt) =>
    planMigration({ repository: repository.folder, cacheFolder: site.cacheFolder });
  const { project, notes } = await plan(nuxt);
  t.is(project.title, 'Kettle');
  t.deepEqual(project.redirects, { 'far.html': 'https://example.test', 'old.html': '2.guide/1.setup.md' });
  t.deepEqual([project.theme?.logo, project.theme?.logoDark], ['docs/public/p.png', 'docs/public/d.png']);
  t.deepEqual(project.theme?.links as unknown, [
    { title: 'GitHub', url: 'https://github.com/a/kettle' },
    { title: 'X', url: 'https://x.com/kettle' },
  ]);
  t.deepEqual(
    notes.map(({ message }) => message.split(':')[0]),
    ['"elements" is not taken over', '"ui" is not taken over'],
  );
  const undocs = create(t, {
    ...createPages('docs/'),
    'docs/.config/docs.yaml':
      'name: Kettle\ngithub: a/kettle\nthemeColor: pink\nsocials:\n  x: https://x.com/kettle\nredirects:\n  /old: /guide/setup\n',
  });
  const migrated = await plan(undocs);
  t.is(migrated.project.title, 'Kettle');
  t.deepEqual(migrated.project.redirects, { 'old.html': '2.guide/1.setup.md' });
  t.true(migrated.notes.some(({ message }) => message.includes('"themeColor"')));
});
