import test from 'ava';
import { locateFrontMatter, splitFrontMatter } from '../../../../builder/source/text/front-matter.ts';
import { cpuTimeMs } from '../../../helpers/cpu-time.ts';

test.serial('splitFrontMatter() gives the data, the body and the line at which it begins', async (t) => {
  t.deepEqual(await splitFrontMatter('---\ntitle: Guide\norder: 2\n---\n\n# Hello\n'), {
    data: { title: 'Guide', order: 2 },
    body: '\n# Hello\n',
    firstLine: 5,
  });
});

test.serial('splitFrontMatter() accepts dots at the end, blanks behind the fences, and no body', async (t) => {
  t.deepEqual(await splitFrontMatter('---  \ntitle: a\n...\t\nx'), { data: { title: 'a' }, body: 'x', firstLine: 4 });
  t.deepEqual(await splitFrontMatter('---\ntitle: a\n---'), { data: { title: 'a' }, body: '', firstLine: 4 });
});

test.serial('splitFrontMatter() accepts empty front matter and comments alone', async (t) => {
  t.deepEqual(await splitFrontMatter('---\n---\nx'), { data: {}, body: 'x', firstLine: 3 });
  t.deepEqual(await splitFrontMatter('---\n# draft\n---\nx'), { data: {}, body: 'x', firstLine: 4 });
});

test.serial('splitFrontMatter() accepts front matter of Hexo without the line above it', async (t) => {
  t.deepEqual(await splitFrontMatter('title: Tag Plugins\nprev: a\ntags:\n- b\n  - c\nnext:\n---\n\nText\n'), {
    data: { title: 'Tag Plugins', prev: 'a', tags: ['b - c'], next: null },
    body: '\nText\n',
    firstLine: 8,
  });
  t.is((await splitFrontMatter('title: a\n---')).body, '');
  const long = `title: a\n${'b: c\n'.repeat(40_000)}`;
  const start = cpuTimeMs();
  t.is((await splitFrontMatter(long)).body, long);
  t.true(cpuTimeMs() - start < 500);
});

for (const text of [
  '',
  'title: a\n',
  'title: a\n\nb: c\n---\n',
  'title: a\nprose\n---\n',
  'title: a: b: c\n---\n',
  'Title: a\n---\n',
  'name: a\n---\n',
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
  test.serial(`splitFrontMatter() finds none in ${JSON.stringify(text.slice(0, 40))}`, async (t) => {
    t.deepEqual(await splitFrontMatter(text), { data: {}, body: text, firstLine: 1 });
  });
}

test.serial('splitFrontMatter() accepts a blank first line and a comment before the first key', async (t) => {
  t.deepEqual((await splitFrontMatter('---\n\n# draft\ntitle: a\n---\n')).data, { title: 'a' });
  t.deepEqual((await splitFrontMatter('---\n\n"title": a\n---\n')).data, { title: 'a' });
  t.deepEqual((await splitFrontMatter('---\n\n标题: a\n---\n')).data, { 标题: 'a' });
});

test.serial('splitFrontMatter() passes over empty lines above, where what follows is a map', async (t) => {
  t.deepEqual(await splitFrontMatter('\n \n+++\ntitle = "a"\n+++\nx'), {
    data: { title: 'a' },
    body: 'x',
    firstLine: 6,
  });
  for (const text of ['\n---\nprose\n---\n', '\n---\na: [\n---\n', '\n\n', '\n---\n---\n']) {
    t.deepEqual(await splitFrontMatter(text), { data: {}, body: text, firstLine: 1 });
  }
});

for (const [title, text, line, message] of [
  ['that is not closed', '---\ntitle: a\n\n# Hello\n', 1, /^Front matter is not closed by the line "---"$/],
  ['with an open bracket', '---\ntitle: ok\nlist: [a, b\nx: y\n---\n', 3, /^Front matter is not valid YAML: /],
  ['with an open quote', '---\na: 1\ntitle: "x\n---\n', 3, /^Front matter is not valid YAML: /],
  ['with a tab', '---\na:\n\tb: 1\n---\n', 3, /^Front matter is not valid YAML: /],
  [
    'with a key twice',
    '---\na: 1\nb: 2\na: 3\n---\n',
    4,
    /^Front matter is not valid YAML: the key "a" is there twice$/,
  ],
  [
    'with two keys in a line',
    '---\na: b: c\n---\n',
    2,
    /^Front matter is not valid YAML: "b: c" has a colon before a blank, and must be in quotes$/,
  ],
  ['with an anchor that does not exist', '---\na: 1\nb: *x\n---\n', 3, /^Front matter is not valid YAML: /],
] as const) {
  test.serial(`splitFrontMatter() says what is wrong with front matter ${title}, and in which line`, async (t) => {
    const { problems = [] } = await splitFrontMatter(text);
    t.is(problems[0]!.line, line);
    t.regex(problems[0]!.message, message);
    t.notRegex(problems[0]!.message, /\n/);
  });
}

test.serial('splitFrontMatter() gives what it can read of broken YAML, with all that is wrong', async (t) => {
  const text = '---\ntitle: Guide: first\norder: 2\ntags: [a\nlayout: home\n---\n\n# Hello\n';
  const { problems, ...split } = await splitFrontMatter(text);
  t.deepEqual(split, { data: { title: 'Guide: first', order: 2, layout: 'home' }, body: '\n# Hello\n', firstLine: 7 });
  t.deepEqual(
    problems?.map(({ line }) => line),
    [2, 4],
  );
});

test.serial('splitFrontMatter() reads a title that can only be a text as it was written', async (t) => {
  for (const title of ['{#if ...}', '{@html ...}', '{let/const ...}', 'bind:']) {
    const { data, problems } = await splitFrontMatter(`---\ntitle: ${title}\norder: 2\n---\nText\n`);
    t.deepEqual([data, problems], [{ title, order: 2 }, undefined], title);
  }
  const { data } = await splitFrontMatter('---\ntitle: {en: A, fr: B}\n---\n');
  t.deepEqual(data, { title: { en: 'A', fr: 'B' } });
});

test.serial(
  'splitFrontMatter() reads a text that YAML takes for something else as it was written, and says so',
  async (t) => {
    for (const title of ['@page', '`code` first', 'A: b']) {
      const { data, problems } = await splitFrontMatter(`---\ntitle: ${title}\norder: 2\n---\nText\n`);
      t.deepEqual(data, { title, order: 2 }, title);
      t.deepEqual(
        problems?.map(({ line }) => line),
        [2],
        title,
      );
      t.regex(problems![0]!.message, /^Front matter is not valid YAML: .* must be in quotes$/);
    }
    const { problems } = await splitFrontMatter('---\ntitle: {#if}\nlayout: c: d\n---\nText\n');
    t.deepEqual(
      problems?.map(({ line }) => line),
      [3],
    );
  },
);

test.serial('splitFrontMatter() takes the last value of a key that stands twice', async (t) => {
  const { data, body } = await splitFrontMatter('---\ntitle: One\ntitle: Two\n---\nText\n');
  t.deepEqual([data, body], [{ title: 'Two' }, 'Text\n']);
});

test.serial('splitFrontMatter() reads the lines on top where front matter is not closed', async (t) => {
  const { data, body, firstLine } = await splitFrontMatter('---\ntitle: A\ntags:\n  - b\n\n# Hello\n');
  t.deepEqual([data, body, firstLine], [{ title: 'A', tags: ['b'] }, '\n# Hello\n', 5]);
});

for (const text of [
  '---\njust text\n---\n',
  '---\n- a\n- b\n---\n',
  '---\n"quoted" text: of prose, [with\n---\n',
  '---\n*emphasis* and `code`\n---\nText\n',
]) {
  test.serial(`splitFrontMatter() takes prose between two lines for text: ${JSON.stringify(text)}`, async (t) => {
    t.deepEqual(await splitFrontMatter(text), { data: {}, body: text, firstLine: 1 });
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
  test.serial(`splitFrontMatter() gives problems or small data, fast, for ${title}`, async (t) => {
    const start = cpuTimeMs();
    const { data, problems = [] } = await splitFrontMatter(`---\n${yaml}\n---\n`);
    t.true(JSON.stringify(data).length < 100_000);
    t.true(JSON.stringify(problems).length < 20_000);
    t.true(cpuTimeMs() - start < 1000);
  });
}

test.serial('splitFrontMatter() keeps hostile keys as data', async (t) => {
  const { data } = await splitFrontMatter(
    '---\n__proto__: {polluted: 1}\nconstructor: {prototype: {polluted: 2}}\n---\n',
  );
  t.is(({} as Record<string, unknown>).polluted, undefined);
  t.deepEqual(Object.keys(data).sort(), ['__proto__', 'constructor']);
});

test.serial('splitFrontMatter() leaves dates as YAML has them, and numbers as they are written', async (t) => {
  t.deepEqual((await splitFrontMatter('---\ndate: 2024-01-02\nn: 1e3\nm: 5\nno: no\nempty:\n---\n')).data, {
    date: '2024-01-02',
    n: '1e3',
    m: 5,
    no: 'no',
    empty: null,
  });
});

test.serial('splitFrontMatter() says nothing on the console about odd keys', async (t) => {
  const warnings: Error[] = [];
  const note = (warning: Error): void => void warnings.push(warning);
  process.on('warning', note);
  t.teardown(() => process.off('warning', note));
  await splitFrontMatter('---\n? [a, b]\n: c\n!tag x: !other y\n---\n');
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
    await splitFrontMatter(text);
    t.true(cpuTimeMs() - start < 500);
  }
});

test.serial('splitFrontMatter() reads the TOML of Zola and Hugo between lines of pluses', async (t) => {
  const text =
    '+++\ntitle = "Guide"\nweight = 2\ndraft = true\ndate = 2024-01-02\n\n[extra]\nx.y = [1, 2]\n+++\n\n# Hello\n';
  t.deepEqual(await splitFrontMatter(text), {
    data: { title: 'Guide', weight: 2, draft: true, date: '2024-01-02', extra: { x: { y: [1, 2] } } },
    body: '\n# Hello\n',
    firstLine: 10,
  });
  t.deepEqual(await splitFrontMatter('+++\n+++\nx'), { data: {}, body: 'x', firstLine: 3 });
});

test.serial('splitFrontMatter() reads the JSON of Hugo between braces on lines of their own', async (t) => {
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
  '+++\njust text\n+++\n',
  '{: .note }\n',
  '{\ncode\n}\n',
  '{\n"quoted" words\n',
]) {
  test.serial(`splitFrontMatter() finds neither TOML nor JSON in ${JSON.stringify(text)}`, async (t) => {
    t.deepEqual(await splitFrontMatter(text), { data: {}, body: text, firstLine: 1 });
  });
}

for (const [title, text, line, message] of [
  ['TOML that is not closed', '+++\ntitle = "a"\n\n# Hello\n', 1, /^Front matter is not closed by the line "\+\+\+"$/],
  ['TOML with an open quote', '+++\na = 1\ntitle = "x\n+++\n', 3, /^Front matter is not valid TOML: \S/],
  ['TOML with a key twice', '+++\na = 1\nb = 2\na = 3\n+++\n', 4, /^Front matter is not valid TOML: \S/],
  ['TOML nested too deeply', `+++\n[${'a.'.repeat(200)}a]\n+++\n`, 2, /nested too deeply/],
  ['JSON that is not closed', '{\n  "title": "a",\n\n# Hello\n', 1, /^Front matter is not closed by the line "}"$/],
  ['JSON without a comma', '{\n  "a": 1\n  "b": 2\n}\n', 2, /^Front matter is not valid JSON: \S/],
] as const) {
  test.serial(`splitFrontMatter() says what is wrong with ${title}, and in which line`, async (t) => {
    const { problems = [] } = await splitFrontMatter(text);
    t.is(problems[0]!.line, line);
    t.regex(problems[0]!.message, message);
    t.notRegex(problems[0]!.message, /\n/);
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
  test.serial(`splitFrontMatter() gives problems or small data, fast, for TOML and JSON with ${title}`, async (t) => {
    const start = cpuTimeMs();
    const { problems = [] } = await splitFrontMatter(text);
    t.true(JSON.stringify(problems).length < 500);
    t.true(cpuTimeMs() - start < 1000);
  });
}

test.serial('splitFrontMatter() keeps hostile keys of TOML as data', async (t) => {
  const { data } = await splitFrontMatter('+++\n__proto__.polluted = 1\nconstructor.prototype.polluted = 2\n+++\n');
  t.is(({} as Record<string, unknown>).polluted, undefined);
  t.is(Object.getPrototypeOf(data), Object.prototype);
  t.deepEqual(Object.keys(data).sort(), ['__proto__', 'constructor']);
});

test.serial('locateFrontMatter() finds the lines of keys in the file, in all notations', async (t) => {
  const yaml = await locateFrontMatter('\n---\ntitle: A\nhero:\n  actions:\n    - text: x\n      link: y\n---\nText\n');
  t.deepEqual([yaml(['title']), yaml(['hero', 'actions', 0, 'link']), yaml(['hero', 'none'])], [3, 7, 4]);
  const toml = await locateFrontMatter('+++\ntitle = "A"\n\n[extra]\nx = 1\n[[head]]\n+++\n');
  t.deepEqual([toml(['title']), toml(['extra', 'x']), toml(['head'])], [2, 4, 6]);
  const json = await locateFrontMatter('{\n  "title": "A",\n  "next": false\n}\n');
  t.deepEqual([json(['title']), json(['next'])], [2, 3]);
  const broken = await locateFrontMatter('---\ntitle: "A\nnext: {\n---\n');
  t.is(broken(['next']), 3);
  t.is((await locateFrontMatter('# Text\n'))(['title']), 1);
});
