import test from 'ava';
import { readMkdocsConfig } from '../../../../builder/generators/mkdocs/config.ts';
import { cpuTimeMs } from '../../../helpers/cpu-time.ts';

async function read(files: Readonly<Record<string, string>>, file = 'mkdocs.yml') {
  const config = await readMkdocsConfig(file, async (path) => files[path]);
  if ('reason' in config) throw new Error(config.reason);
  return config;
}

test('readMkdocsConfig() takes the last of equal keys, on every level, and says where the others stand', async (t) => {
  const { data, notes, placeOf } = await read({
    'mkdocs.yml': 'a: 1\nb:\n  c: 1\n  c: 2\na: 3\n"a": 4\n',
  });
  t.deepEqual(data, { b: { c: 2 }, a: 4 });
  t.deepEqual(
    notes.map(({ line, message }) => `${line} ${/again in line \d+/.exec(message)}`),
    ['1 again in line 6', '5 again in line 6', '3 again in line 4'],
  );
  t.deepEqual([placeOf(['a']).line, placeOf(['b', 'c']).line], [6, 4]);
});

test('readMkdocsConfig() replaces values of the environment by their defaults', async (t) => {
  const { data, environment } = await read({
    'mkdocs.yml':
      'a: !ENV A\nb: !ENV [B]\nc: !ENV [C, D, false]\nd: {e: !ENV [E, {f: 1}]}\nlist: [!ENV [X, x], y]\nf: !ENV [F, "1.0"]\n',
  });
  t.deepEqual(data, { a: null, b: null, c: false, d: { e: { f: 1 } }, list: ['x', 'y'], f: '1.0' });
  t.deepEqual(
    environment.map(({ key, line }) => `${key} ${line}`),
    ['a 1', 'b 2', 'c 3', 'e 4', 'list 5', 'f 6'],
  );
});

test('readMkdocsConfig() understands tags of Python, and `<<`', async (t) => {
  const { data, notes } = await read({
    'mkdocs.yml':
      'x: &x {a: 1, b: 2}\ny: {<<: *x, b: 3}\nz: !!python/name:os.path.join\nw: !!python/object/apply:slugs.slugify {kwds: {case: lower}}\nv: !relative $config_dir\n',
  });
  t.deepEqual(data.y, { a: 1, b: 3 });
  t.deepEqual([data.v, data.w], ['$config_dir', { kwds: { case: 'lower' } }]);
  t.deepEqual(notes, []);
});

test('readMkdocsConfig() joins maps with those of the file it inherits, and replaces lists', async (t) => {
  const { data, placeOf } = await read(
    {
      'docs/fr/mkdocs.yml': 'INHERIT: ../en/mkdocs.yml\n\nnav: [c.md]\ntheme: {language: fr}\n',
      'docs/en/mkdocs.yml': 'INHERIT: ../base.yml\nnav: [a.md, b.md]\ntheme: {name: material, language: en}\n',
      'docs/base.yml': '\n\nsite_name: Lamp\n',
    },
    'docs/fr/mkdocs.yml',
  );
  t.like(data, { site_name: 'Lamp', theme: { name: 'material', language: 'fr' } });
  t.deepEqual(data.nav, ['c.md']);
  t.deepEqual(placeOf(['site_name']), { file: 'docs/base.yml', line: 3 });
  t.deepEqual(placeOf(['theme', 'name']), { file: 'docs/en/mkdocs.yml', line: 3 });
  t.deepEqual(placeOf(['nav', 0]), { file: 'docs/fr/mkdocs.yml', line: 3 });
});

test('readMkdocsConfig() ends where files inherit from each other, lead out of the repository or are damaged', async (t) => {
  for (const [base, reason] of [
    ['mkdocs.yml', 'without end'],
    ['../../x.yml', 'no such file'],
    ['/etc/x.yml', 'no such file'],
    ['none.yml', 'no such file'],
    ['bad.yml', 'not valid YAML'],
  ] as const) {
    const { data, notes } = await read({ 'mkdocs.yml': `INHERIT: ${base}\na: 1\n`, 'bad.yml': 'a: [\n' });
    t.is(data.a, 1);
    t.is(notes.length, 1, base);
    t.true(notes[0]!.message.includes(reason), notes[0]!.message);
  }
  const bad = await readMkdocsConfig('mkdocs.yml', async () => 'a:\n  - [b');
  t.true('reason' in bad && bad.line === 2);
});

test.serial('readMkdocsConfig() does not take long with hostile files', async (t) => {
  const start = cpuTimeMs();
  for (const text of ['a: 1\n'.repeat(20_000), 'a: !ENV [A, b]\n'.repeat(5_000), `a: ${'!ENV [b, '.repeat(90)}`]) {
    await readMkdocsConfig('mkdocs.yml', async () => text);
  }
  t.true(cpuTimeMs() - start < 10_000);
});
