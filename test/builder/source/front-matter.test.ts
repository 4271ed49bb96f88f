import test from 'ava';
import { BuildError } from '../../../builder/build-error.ts';
import { splitFrontMatter } from '../../../builder/source/front-matter.ts';
import { cpuTimeMs } from '../../helpers/cpu-time.ts';

test('splitFrontMatter() gives the data, the body and the line at which it begins', async (t) => {
  t.deepEqual(await splitFrontMatter('---\ntitle: Guide\norder: 2\n---\n\n# Hello\n'), {
    data: { title: 'Guide', order: 2 },
    body: '\n# Hello\n',
    firstLine: 5,
  });
});

test('splitFrontMatter() accepts dots at the end, blanks behind the fences, and no body', async (t) => {
  t.deepEqual(await splitFrontMatter('---  \ntitle: a\n...\t\nx'), { data: { title: 'a' }, body: 'x', firstLine: 4 });
  t.deepEqual(await splitFrontMatter('---\ntitle: a\n---'), { data: { title: 'a' }, body: '', firstLine: 4 });
});

test('splitFrontMatter() accepts empty front matter and comments alone', async (t) => {
  t.deepEqual(await splitFrontMatter('---\n---\nx'), { data: {}, body: 'x', firstLine: 3 });
  t.deepEqual(await splitFrontMatter('---\n# draft\n---\nx'), { data: {}, body: 'x', firstLine: 4 });
});

for (const text of [
  '',
  '# Title\n---\n',
  '---',
  '---\n',
  '---\nprose without an end',
  '----\na: b\n----\n',
  ' ---\na: b\n---\n',
  '---\n\nA text after a thematic break.\n\n---\n\nAnother: part\n',
  '---\n\n# Heading\n\nNote: this\n- is no front matter\n\n---\n',
  '---\n\n```yaml\na: b\n```\n\n---\n',
  '---\n\n# A heading alone\n\n---\n\nText\n',
]) {
  test(`splitFrontMatter() finds none in ${JSON.stringify(text.slice(0, 40))}`, async (t) => {
    t.deepEqual(await splitFrontMatter(text), { data: {}, body: text, firstLine: 1 });
  });
}

test('splitFrontMatter() accepts a blank first line and a comment before the first key', async (t) => {
  t.deepEqual((await splitFrontMatter('---\n\n# draft\ntitle: a\n---\n')).data, { title: 'a' });
  t.deepEqual((await splitFrontMatter('---\n\n"title": a\n---\n')).data, { title: 'a' });
  t.deepEqual((await splitFrontMatter('---\n\n标题: a\n---\n')).data, { 标题: 'a' });
});

for (const [title, text, line, message] of [
  ['that is not closed', '---\ntitle: a\n\n# Hello\n', 1, /^Front matter is not closed by a line "---"$/],
  ['with an open bracket', '---\ntitle: ok\nlist: [a, b\nx: y\n---\n', 4, /^Front matter is not valid YAML: /],
  ['with an open quote', '---\na: 1\ntitle: "x\n---\n', 3, /^Front matter is not valid YAML: /],
  ['with a tab', '---\na:\n\tb: 1\n---\n', 3, /^Front matter is not valid YAML: /],
  ['with a key twice', '---\na: 1\nb: 2\na: 3\n---\n', 4, /^Front matter is not valid YAML: Map keys must be unique$/],
  ['with two keys in a line', '---\na: b: c\n---\n', 2, /^Front matter is not valid YAML: /],
  ['that is a list', '---\n- a\n- b\n---\n', 2, /must be a map/],
  ['that is prose', '---\njust text\n---\n', 2, /must be a map/],
  ['with an anchor that does not exist', '---\na: 1\nb: *x\n---\n', 3, /^Front matter is not valid YAML: /],
] as const) {
  test(`splitFrontMatter() refuses front matter ${title} and names the line`, async (t) => {
    const error = (await t.throwsAsync(splitFrontMatter(text), { instanceOf: BuildError })) as BuildError;
    t.is(error.code, 'front-matter');
    t.regex(error.message, message);
    t.notRegex(error.message, /\n/);
    t.is(error.location.line, line);
  });
}

const laughs = [
  'a: &a [x,x,x,x,x,x,x,x,x]',
  ...'bcdefgh'.split('').map((name, at) => `${name}: &${name} [${Array(9).fill(`*${'abcdefgh'[at]}`).join(',')}]`),
].join('\n');
for (const [title, yaml] of [
  ['a billion laughs', laughs],
  ['100,000 brackets', `a: ${'['.repeat(100_000)}`],
  ['100,000 closed brackets', `a: ${'['.repeat(5_000)}${']'.repeat(5_000)}`],
  ['deep indentation', Array.from({ length: 2_000 }, (_, at) => `${' '.repeat(at)}a:`).join('\n')],
  ['a circle', 'a: &a [*a]'],
  ['three megabytes', `a: "${'x'.repeat(3_000_000)}"`],
] as const) {
  test.serial(`splitFrontMatter() gives a plain error or small data, fast, for ${title}`, async (t) => {
    const start = cpuTimeMs();
    try {
      const { data } = await splitFrontMatter(`---\n${yaml}\n---\n`);
      t.true((JSON.stringify(data) ?? '').length < 100_000);
    } catch (error) {
      t.true(error instanceof BuildError, String(error));
      t.is((error as BuildError).code, 'front-matter');
      t.true((error as BuildError).message.length < 300);
    }
    t.true(cpuTimeMs() - start < 1000);
  });
}

test('splitFrontMatter() keeps hostile keys as data', async (t) => {
  const { data } = await splitFrontMatter(
    '---\n__proto__: {polluted: 1}\nconstructor: {prototype: {polluted: 2}}\n---\n',
  );
  t.is(({} as Record<string, unknown>).polluted, undefined);
  t.deepEqual(Object.keys(data).sort(), ['__proto__', 'constructor']);
});

test('splitFrontMatter() leaves dates and numbers as YAML has them', async (t) => {
  t.deepEqual((await splitFrontMatter('---\ndate: 2024-01-02\nn: 1e3\nno: no\nempty:\n---\n')).data, {
    date: '2024-01-02',
    n: 1000,
    no: 'no',
    empty: null,
  });
});

test('splitFrontMatter() says nothing on the console about odd keys', async (t) => {
  const warnings: Error[] = [];
  const note = (warning: Error): void => void warnings.push(warning);
  process.on('warning', note);
  t.teardown(() => process.off('warning', note));
  await splitFrontMatter('---\n? [a, b]\n: c\n!tag x: !other y\n---\n').catch(() => {});
  await new Promise((resolve) => setTimeout(resolve, 20));
  t.deepEqual(warnings, []);
});

test.serial('splitFrontMatter() stays fast with five megabytes of dashes', async (t) => {
  for (const text of [
    `---\n${'---x\n'.repeat(1_000_000)}`,
    `---\n${'-'.repeat(5_000_000)}`,
    `---\n${' '.repeat(5_000_000)}---`,
    `---${' '.repeat(5_000_000)}x`,
  ]) {
    const start = cpuTimeMs();
    await splitFrontMatter(text).catch(() => {});
    t.true(cpuTimeMs() - start < 500);
  }
});

test('splitFrontMatter() reads the TOML of Zola and Hugo between lines of pluses', async (t) => {
  const text =
    '+++\ntitle = "Guide"\nweight = 2\ndraft = true\ndate = 2024-01-02\n\n[extra]\nx.y = [1, 2]\n+++\n\n# Hello\n';
  t.deepEqual(await splitFrontMatter(text), {
    data: { title: 'Guide', weight: 2, draft: true, date: '2024-01-02', extra: { x: { y: [1, 2] } } },
    body: '\n# Hello\n',
    firstLine: 10,
  });
  t.deepEqual(await splitFrontMatter('+++\n+++\nx'), { data: {}, body: 'x', firstLine: 3 });
});

test('splitFrontMatter() reads the JSON of Hugo between braces on lines of their own', async (t) => {
  const text = '{\n\t"title": "Guide: \\u00e9",\n\t"params": {\n\t\t"list": [1, null]\n\t}\n}\n\n# Hello\n';
  t.deepEqual(await splitFrontMatter(text), {
    data: { title: 'Guide: é', params: { list: [1, null] } },
    body: '\n# Hello\n',
    firstLine: 7,
  });
});

for (const text of [
  '+++\nplain text\n',
  '++++\na = 1\n++++\n',
  '{: .note }\n',
  '{\ncode\n}\n',
  '{\n"quoted" words\n',
]) {
  test(`splitFrontMatter() finds neither TOML nor JSON in ${JSON.stringify(text)}`, async (t) => {
    t.deepEqual(await splitFrontMatter(text), { data: {}, body: text, firstLine: 1 });
  });
}

for (const [title, text, line, message] of [
  ['TOML that is not closed', '+++\ntitle = "a"\n\n# Hello\n', 1, /^Front matter is not closed by a line "\+\+\+"$/],
  ['TOML with an open quote', '+++\na = 1\ntitle = "x\n+++\n', 3, /^Front matter is not valid TOML: \S/],
  ['TOML with a key twice', '+++\na = 1\nb = 2\na = 3\n+++\n', 4, /^Front matter is not valid TOML: \S/],
  ['TOML that is prose', '+++\njust text\n+++\n', 2, /^Front matter is not valid TOML: \S/],
  ['TOML nested too deeply', `+++\n[${'a.'.repeat(200)}a]\n+++\n`, 2, /nested too deeply/],
  ['JSON that is not closed', '{\n  "title": "a",\n\n# Hello\n', 1, /^Front matter is not closed by a line "}"$/],
  ['JSON without a comma', '{\n  "a": 1\n  "b": 2\n}\n', 2, /^Front matter is not valid JSON: \S/],
] as const) {
  test(`splitFrontMatter() refuses ${title} and names the line`, async (t) => {
    const error = (await t.throwsAsync(splitFrontMatter(text), { instanceOf: BuildError })) as BuildError;
    t.is(error.code, 'front-matter');
    t.regex(error.message, message);
    t.notRegex(error.message, /\n/);
    t.is(error.location.line, line);
  });
}

for (const [title, text] of [
  ['100,000 brackets', `+++\na = ${'['.repeat(100_000)}\n+++\n`],
  ['a dotted key of 90,000 parts', `+++\n${'a.'.repeat(90_000)}a = 1\n+++\n`],
  ['40,000 tables', `+++\n${Array.from({ length: 20_000 }, (_, at) => `[t${at}]\n`).join('')}+++\n`],
  ['20,000 comments', `+++\na = [\n${'#\n'.repeat(90_000)}]\n+++\n`],
  ['three megabytes', `+++\na = "${'x'.repeat(3_000_000)}"\n+++\n`],
  ['open brackets of JSON', `{\n"a": ${'['.repeat(100_000)}\n}\n`],
] as const) {
  test.serial(
    `splitFrontMatter() gives a plain error or small data, fast, for TOML and JSON with ${title}`,
    async (t) => {
      const start = cpuTimeMs();
      const outcome = await splitFrontMatter(text).catch((error: unknown) => error);
      if (outcome instanceof Error) {
        t.true(outcome instanceof BuildError, String(outcome));
        t.true(outcome.message.length < 300);
      }
      t.true(cpuTimeMs() - start < 1000);
    },
  );
}

test('splitFrontMatter() keeps hostile keys of TOML as data', async (t) => {
  const { data } = await splitFrontMatter('+++\n__proto__.polluted = 1\nconstructor.prototype.polluted = 2\n+++\n');
  t.is(({} as Record<string, unknown>).polluted, undefined);
  t.is(Object.getPrototypeOf(data), Object.prototype);
  t.deepEqual(Object.keys(data).sort(), ['__proto__', 'constructor']);
});
