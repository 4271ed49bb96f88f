import test from 'ava';
import { describeSite, type GeneratorSite } from '../../../../builder/source/sites/describe-site.ts';
import { cpuTimeMs } from '../../../helpers/cpu-time.ts';

function describe(
  generator: GeneratorSite['generator'],
  config: string,
  { home = '', configName = 'config.toml' } = {},
): Promise<GeneratorSite> {
  return describeSite(generator, { home, configName, config });
}

test('describeSite() reads literals of a script, whatever quotes and comments surround them', async (t) => {
  const config = `
    /* path: 'wrong' */
    const config = {
      url: "https://x.test", // baseUrl: '/wrong/'
      'baseUrl': "/right/",
      i18n: { locales: ['en', "fr", \`de\`], defaultLocale: "fr" },
      presets: [[ 'classic', { docs: { editUrl: ({path}) => \`https://x.test/{\${path}\`, "path": '../handbook', exclude: ['**/x.md'] } } ]],
    };`;
  const site = await describe('docusaurus', config, { home: 'site/' });
  t.is(site.content, 'handbook/');
  t.deepEqual(site.bases, ['/right/docs/', '/right/', '/docs/', '/']);
  t.deepEqual(site.languages, ['en', 'fr', 'de']);
  t.is(site.defaultLanguage, 'fr');
  t.deepEqual(site.statics, ['site/static/']);
  t.deepEqual(site.exclude, ['**/x.md']);
});

test('describeSite() takes no value that a script computes', async (t) => {
  const config = `export default { base: process.env.BASE ?? '/x/', srcDir: join('a', 'b'), locales: { ...all } }`;
  const site = await describe('vitepress', config, { home: 'docs/' });
  t.deepEqual([site.content, site.bases, site.languages, site.defaultLanguage], ['docs/', ['/'], [], undefined]);
});

test('describeSite() takes the language of the root from locales, and none that stands elsewhere', async (t) => {
  const root = `{ locales: { root: { label: 'x', lang: 'zh-CN', themeConfig: { search: { lang: 'x' } } }, 'en': { lang: 'en-US' } } }`;
  t.is((await describe('vitepress', root)).defaultLanguage, 'zh-CN');
  t.is(
    (await describe('vitepress', `{ locales: { root: { ...zh }, ko: { lang: 'ko-KR' } } }`)).defaultLanguage,
    undefined,
  );
  t.is((await describe('vuepress', `{ lang: 'ja-JP' }`)).defaultLanguage, 'ja-JP');
});

test("describeSite() reads Hexo's configuration", async (t) => {
  const config = `language:\n- zh-tw\n- en\nroot: /x/\nsource_dir: text\ntheme: navy\nskip_render: "raw/**"\nexclude:\n  - "*.draft.md"\n`;
  const site = await describe('hexo', config, { home: 'www/', configName: '_config.yml' });
  t.deepEqual([site.content, site.defaultLanguage, site.hasPageFolders], ['www/text/', 'zh-tw', false]);
  t.deepEqual(
    [site.languages, site.bases],
    [
      ['zh-tw', 'en'],
      ['/x/', '/'],
    ],
  );
  t.deepEqual(site.statics, ['www/text/', 'www/themes/navy/source/']);
  t.deepEqual(site.exclude, ['raw/**', '*.draft.md']);
  const plain = await describe('hexo', 'url: https://a.test/b\npost_asset_folder: true\n', {
    configName: '_config.yml',
  });
  t.deepEqual([plain.content, plain.bases, plain.hasPageFolders], ['source/', ['/b/', '/'], true]);
});

test('describeSite() takes aliases of folders from tsconfig.json', async (t) => {
  const read = async (tsconfig: string) => {
    const more = new Map(tsconfig === undefined ? [] : [['site/tsconfig.json', tsconfig]]);
    const site = { home: 'site/', configName: 'astro.config.mjs', config: '', more };
    return (await describeSite('starlight', site)).aliases;
  };
  const usual = [
    ['~/', 'site/src/'],
    ['@/', 'site/src/'],
  ] as const;
  const text = `{
\t// Comments, and commas at the end
\t"extends": "astro/tsconfigs/strict",
\t"compilerOptions": {
\t\t"baseUrl": ".",
\t\t"paths": {
\t\t\t"@assets/*": ["src/assets/*"],
\t\t\t"@assets/deep/*": ["./other/*", "never/*"], /* the longest first */
\t\t\t"@shared/*": ["../shared/*"],
\t\t\t"@file": ["src/file.ts"],
\t\t\t"@odd/*": ["src/odd"],
\t\t\t"./*": ["src/*"],
\t\t\t"*": ["src/*"],
\t\t\t"@out/*": ["../../out/*"],
\t\t\t"@root/*": ["/etc/*"],
\t\t},
\t},
}`;
  t.deepEqual(await read(text), [
    ['@assets/deep/', 'site/other/'],
    ['@assets/', 'site/src/assets/'],
    ['@shared/', 'shared/'],
    ...usual,
  ]);
  t.deepEqual(await read('{"compilerOptions": {"baseUrl": "src", "paths": {"@img/*": ["img/*"]}}}'), [
    ['@img/', 'site/src/img/'],
    ...usual,
  ]);
  for (const bad of [
    '',
    '{',
    '[]',
    '{"compilerOptions": {"paths": 1}}',
    '{"compilerOptions": {"paths": {"@a/*": 1}}}',
  ]) {
    t.deepEqual(await read(bad), usual, bad);
  }
});

test('describeSite() never names a folder outside the repository', async (t) => {
  for (const folder of ['/etc', '../..', '../../../x', 'a/../../..']) {
    const site = await describe('mdbook', `[book]\nsrc = "${folder}"\n`, { home: 'guide/', configName: 'book.toml' });
    t.is(site.content, 'guide/', folder);
  }
  const site = await describe('docusaurus', `{ staticDirectories: ['../../../etc', 'static', '/etc'] }`, {
    home: 'a/',
  });
  t.deepEqual(site.statics, ['a/static/']);
});

test('describeSite() reads what it can of a configuration that is none', async (t) => {
  for (const config of ['', '[', 'a: [', '{"a":', '= =', '\u0000', 'null', '[1, 2]', '"text"']) {
    for (const configName of ['hugo.toml', 'hugo.yaml', 'hugo.json']) {
      const site = await describe('hugo', config, { configName });
      t.deepEqual([site.content, site.bases, site.languages], ['content/', ['/'], []], `${configName}: ${config}`);
    }
  }
});

test.serial('describeSite() does not take long with any configuration', async (t) => {
  const start = cpuTimeMs();
  const long = 400_000;
  for (const part of [
    "'",
    '{',
    'locales: {',
    'docs: {',
    "plugin-content-docs', {",
    '\n',
    ' ',
    'locale: a\n  ',
    '/*',
    '`${',
    'lang:',
  ]) {
    const config = part.repeat(Math.floor(long / part.length));
    for (const generator of ['docusaurus', 'vitepress', 'starlight'] as const) await describe(generator, config);
    for (const name of ['mkdocs.yml', 'config.toml', 'hugo.json'])
      await describe('mkdocs', config, { configName: name });
  }
  t.true(cpuTimeMs() - start < 30_000);
});

test('describeSite() takes the last of keys that are written twice, as the generators do', async (t) => {
  t.is((await describe('jekyll', 'source: a\ntitle: x\nsource: b\n', { configName: '_config.yml' })).content, 'b/');
  t.is((await describe('mkdocs', 'docs_dir: a\ndocs_dir: b\n', { configName: 'mkdocs.yml' })).content, 'b/');
});

test('describeSite() reads from where MkDocs includes files, what it appends, and whether it resolves references', async (t) => {
  const read = async (config: string) =>
    (await describe('mkdocs', config, { home: 'a/', configName: 'mkdocs.yml' })).reading;
  t.deepEqual(await read('site_name: x\n'), { includeFolders: ['a/'], appended: [], hasReferences: false });
  t.deepEqual(
    await read(
      'docs_dir: d\nmarkdown_extensions:\n  - toc\n  - markdown_include.include: {base_path: ../src}\n  - pymdownx.snippets: {base_path: [!relative $docs_dir/p, x/one.md, ../../out], auto_append: [t.md]}\nplugins: [search, autorefs]\n',
    ),
    { includeFolders: ['src/', 'a/d/p/', 'a/x/', 'a/'], appended: ['t.md'], hasReferences: true },
  );
  t.true((await read('plugins:\n  mkdocstrings:\n    handlers: {}\n')).hasReferences);
});
