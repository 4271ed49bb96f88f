import test from 'ava';
import { profileOf } from '../../../../builder/generators/generators.ts';
import { describeSite } from '../../../../builder/source/sites/describe-site.ts';
import { cpuTimeMs } from '../../../helpers/cpu-time.ts';

async function read(config: string, generator: 'vuepress' | 'vitepress' = 'vuepress', configName = 'config.js') {
  const { aliases = [] } = await profileOf(generator).describe({ home: '', configName, config });
  return aliases.filter(([name]) => !/^~?@(?:source|theme|vuepress)\/$/.test(name) && !name.startsWith('~'));
}

test('aliases of webpack, Vite and VuePress are read', async (t) => {
  t.deepEqual(
    await read("module.exports = { configureWebpack: { resolve: { alias: { '@alias': 'docs/images' } } } }"),
    [
      ['@alias/', 'docs/images'],
      ['@alias/', '../docs/images'],
    ],
  );
  const script = `
    // alias: { '@no': 'x' }
    const path = require('path');
    export default {
      alias: {
        '@a/': path.resolve(__dirname, '../a'), "@b": path.join(__dirname, '..', "b"),
        '@long': fileURLToPath(
          new URL('./long', import.meta.url),
        ),
        '@t': \`\${__dirname}/t\`,
        '@r': require('path').resolve(__dirname, 'r'),
        c: __dirname + '/c', // word
        computed: dirOf('d'),
        '@none': somewhere,
        '.': 'x',
      },
    }`;
  const found = new Map(await read(script));
  t.deepEqual(Object.fromEntries(found), {
    '@a/': '.vuepress/../a',
    '@b/': '.vuepress/../b',
    '@long/': '.vuepress/./long',
    '@t/': '.vuepress//t',
    '@r/': '.vuepress/r',
    'c/': '.vuepress//c',
    'computed/': '../d',
  });
});

test('aliases: lists of Vite, and what replaces the beginning of paths of included code', async (t) => {
  const vite = `export default { vite: { resolve: { alias: [
    { find: '@img', replacement: fileURLToPath(new URL('../img', import.meta.url)) },
    { find: /^~(.*)/, replacement: '$1' },
  ] } } }`;
  t.deepEqual(await read(vite, 'vitepress', 'index.ts'), [['@img/', '.vitepress/config/../img']]);
  const code =
    "importCode: { handleImportPath: (str) => str.replace(/^@src/, path.resolve(__dirname, 'path/to/src')) }";
  t.deepEqual(await read(code), [['@src/', '.vuepress/path/to/src']]);
});

test('aliases: those of VuePress, also as webpack marks them, the longest first', async (t) => {
  const { aliases } = await describeSite('vuepress', { home: '', configName: 'config.js', config: '' });
  t.deepEqual(
    aliases.find(([name]) => name === '@source/'),
    ['@source/', ''],
  );
  t.deepEqual(
    aliases.find(([name]) => name === '~@theme/'),
    ['~@theme/', '.vuepress/theme/'],
  );
  const lengths = aliases.map(([name]) => name.length);
  t.deepEqual(
    lengths,
    lengths.toSorted((a, b) => b - a),
  );
});

test.serial('aliases: no configuration takes long to read', async (t) => {
  const start = cpuTimeMs();
  for (const part of [
    "alias: { '@a': [",
    "find: 'a', replacement: ",
    '.replace(/^@a/, ',
    "alias:{'",
    'alias:{ a:((((',
    'find   ',
    ',',
  ]) {
    await read(`alias ${part.repeat(400_000 / part.length)}`);
  }
  t.true(cpuTimeMs() - start < 5_000);
});
