import test from 'ava';
import { readScript } from '../../../builder/config/script-data.ts';
import { COMPUTED } from '../../../builder/config/script-values.ts';
import { cpuTimeMs } from '../../helpers/cpu-time.ts';

/** Reads `main.ts` of some files. */
async function read(files: Readonly<Record<string, string>> | string) {
  const all = typeof files === 'string' ? { 'main.ts': files } : files;
  return readScript('main.ts', async (path) => (Object.hasOwn(all, path) ? all[path as keyof typeof all] : undefined));
}

const exported = async (files: Readonly<Record<string, string>> | string): Promise<unknown> =>
  (await read(files))?.exported();

test('readScript() puts literals together: names, spreads, templates, members, types', async (t) => {
  t.deepEqual(
    await exported(`
      import type { Config } from 'x';
      const base = '/guide/' as const;
      const more: readonly string[] = ['c', ...['d']];
      const texts = { a: { title: 'A' }, 'b-c': 2 };
      export default { list: ['a', \`\${base}b\`, ...more], [base]: texts.a.title, n: -1 ? 1 : 2, b: texts['b-c'], on: true, no: null } satisfies Config;
    `),
    { list: ['a', '/guide/b', 'c', 'd'], '/guide/': 'A', n: COMPUTED, b: 2, on: true, no: null },
  );
});

test('readScript() follows functions that only return something, and wrappers of packages', async (t) => {
  t.deepEqual(
    await exported(`
      import { defineConfig } from 'vitepress';
      const item = (text, { link, deep = 'x' }) => ({ text, link, deep });
      export default withMermaid(defineConfig({ nav: nav('/a/'), items: [item('T', { link: '/l' })].filter(Boolean) }));
      function nav(base: string, rest = ['z']): string[] {
        const first = base + 'one';
        return [first, ...rest];
      }
    `),
    { nav: ['/a/one', 'z'], items: [{ text: 'T', link: '/l', deep: 'x' }] },
  );
  t.deepEqual(await exported('export default defineConfig(async () => { const a = await { x: 1 }; return a; })'), {
    x: 1,
  });
  t.deepEqual(await exported('export default ({ mode }) => ({ a: mode, b: 1 })'), { a: COMPUTED, b: 1 });
});

test('readScript() follows imports inside the repository, in all their forms', async (t) => {
  const files = {
    'main.ts': `
      import en, { title as t } from './lang/en';
      import * as all from './all.js';
      import data from './data.json' with { type: 'json' };
      import { x } from '../outside';
      import pkg from 'package';
      const old = require('./old');
      export default { en, t, all, data, x, pkg: pkg.version, old: old.a, whole: require('./old.cjs'), gone: require('./gone') };
    `,
    'lang/en.ts': `export { title } from './title.mjs'; export default ['en'];`,
    'lang/title.mjs': `export const title = 'Title';`,
    'all.ts': `export * from './lang/title.mjs'; export const own = 1; export function f() { return 2 }`,
    'data.json': '{"a": [1]}',
    'old.cjs': 'exports.a = { b: 1 }; module.exports.c = [2];',
  };
  t.deepEqual(await exported({ ...files, 'old.js': 'module.exports = { a: "old" };' }), {
    en: ['en'],
    t: 'Title',
    all: { own: 1, f: COMPUTED },
    data: { a: [1] },
    x: COMPUTED,
    pkg: COMPUTED,
    old: 'old',
    whole: { a: { b: 1 }, c: [2] },
    gone: COMPUTED,
  });
});

test('readScript() calls computed what only running would tell, and runs nothing', async (t) => {
  const script = await read(`
    import { generateSidebar } from 'vitepress-sidebar';
    globalThis.ran = true;
    const list = [];
    for (const x of [1]) list.push(x);
    const loop = () => { if (true) return 1; return 2; };
    const self = self.x;
    const circle = { a: circle };
    export default {
      a: process.env.X ? [1] : [2], b: fs.readdirSync('.'), c: generateSidebar({ path: 'docs' }), d: new Date(), e: loop(),
      f: [1, unknown(), ...unknown(), 2], g: { x: 1, ...unknown() }, h: self, i: circle.a, j: /x/, k: () => 1, l: [1].map((x) => x),
    };
  `);
  const value = script!.exported() as Record<string, unknown>;
  const { f, g, ...rest } = value;
  t.true(Object.values(rest).every((item) => item === COMPUTED));
  t.deepEqual([f, g], [[1, 2], { x: 1 }]);
  t.true(script!.isPartial(f as object) && script!.isPartial(g as object) && !script!.isPartial(value));
  t.false('ran' in globalThis);
});

test('readScript() knows where things were written, in whatever file', async (t) => {
  const script = await read({
    'main.ts': `import more from './more.json';\nimport { list } from './list';\nexport default {\n  items: [\n    'a',\n    ...list,\n  ],\n};\n`,
    'list.ts': `export const list = [\n  'b',\n  { c: 1 },\n];\n`,
  });
  const { items } = script!.exported() as { items: readonly unknown[] };
  t.deepEqual(script!.placeOf(items), { file: 'main.ts', line: 4 });
  t.deepEqual(
    items.map((_, index) => script!.placeOf(items, index)),
    [
      { file: 'main.ts', line: 5 },
      { file: 'list.ts', line: 2 },
      { file: 'list.ts', line: 3 },
    ],
  );
  t.deepEqual(script!.placeOf(items[2] as object), { file: 'list.ts', line: 3 });
});

test('readScript() gives the arguments of what a package exports', async (t) => {
  const script = await read(`
    import starlight from '@astrojs/starlight';
    import { other } from 'other';
    const sidebar = ['a'];
    export default defineConfig({ integrations: [other({ x: 1 }), starlight({ title: 'T', sidebar, plugins: [plugin()] })] });
  `);
  t.deepEqual(script!.argumentsOfCalls('@astrojs/starlight'), [{ title: 'T', sidebar: ['a'], plugins: [] }]);
});

for (const [title, text] of [
  ['broken', 'export default {'],
  ['missing', undefined],
] as const) {
  test(`readScript() gives nothing for a script that is ${title}`, async (t) => {
    t.is(await read(text === undefined ? {} : text), undefined);
  });
}

const doubling = Array.from({ length: 60 }, (_, at) => `const a${at + 1} = [...a${at}, ...a${at}];`).join('\n');
for (const [title, files] of [
  ['lists that double', { 'main.ts': `const a0 = [1, 2];\n${doubling}\nexport default a60;` }],
  [
    'texts that double',
    {
      'main.ts': `const a0 = 'xx';\n${doubling.replace(/\[\.\.\.(\w+), \.\.\.\w+\]/g, (_, name: string) => `${name} + ${name}`)}\nexport default a60;`,
    },
  ],
  [
    'functions that call each other',
    { 'main.ts': 'const f = (x) => g(x); const g = (x) => [f(x), f(x)]; export default f(1);' },
  ],
  [
    'modules that import each other',
    {
      'main.ts': `export * from './b';`,
      'b.ts': `export * from './main'; export * from './c';`,
      'c.ts': `export * from './b';`,
    },
  ],
  ['5,000 brackets', { 'main.ts': `export default ${'['.repeat(5_000)}${']'.repeat(5_000)}` }],
  ['100,000 signs of addition', { 'main.ts': `export default ${Array(100_000).fill("'a'").join('+')}` }],
  [
    '15,000 imports',
    { 'main.ts': Array.from({ length: 15_000 }, (_, at) => `import x${at} from './x${at}';`).join('\n') },
  ],
  ['100,000 entries', { 'main.ts': `export default [${'{a:1},'.repeat(100_000)}]` }],
] as const) {
  test.serial(`readScript() ends soon for ${title}`, async (t) => {
    await read('export default 1');
    const start = cpuTimeMs();
    const script = await read(files);
    const value = script?.exported();
    script?.exported('nothing');
    // At most two seconds here; what is quadratic takes minutes.
    t.true(cpuTimeMs() - start < 20_000);
    t.true((JSON.stringify(value) ?? '').length < 5_000_000);
  });
}

for (const [open, inner, close, before = 'export default ', after = ''] of [
  ['[', '1', ']'],
  ['{a:', '1', '}'],
  ['(', '1', ')'],
  ['!', '1', ''],
  ['a => ', '1', ''],
  ['a ? ', '1', ' : 1'],
  ['a + ', '1', ''],
  ['new ', 'A', ''],
  ['`${', '1', '}`'],
  ['class extends ', 'A', ' {}'],
  ['function () { return ', '1', ' }'],
  ['if (a) ', ';', '', ''],
  ['{', '', '}', ''],
  ['function a() {', '', '}', ''],
  ['[', 'a', ']', 'const ', ' = 1'],
  ['keyof ', 'A', '', 'type T = '],
  ['A<', 'A', '>', 'type T = '],
  ['{a: ', 'A', '}', 'type T = '],
  ['() => ', 'A', '', 'type T = '],
  ['a.', 'a', '', 'namespace ', ' {}'],
] as const) {
  test(`readScript() reads 30 levels and refuses 600, before the stack ends: ${before}${open}`, async (t) => {
    const write = (levels: number): string =>
      `${before}${open.repeat(levels)}${inner}${close.repeat(levels)}${after}\nexport const b = 1;`;
    t.is((await read(write(30)))?.exported('b'), 1);
    t.is(await read(write(600)), undefined);
  });
}
