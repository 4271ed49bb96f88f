import { fileURLToPath } from 'node:url';
import test from 'ava';
import { createConfig } from '../../helpers/create-config.ts';
import { createSite } from '../../helpers/create-site.ts';
import { commitFiles, createDocs } from '../../helpers/write-pages.ts';

const TOY = {
  name: 'Toy',
  aliases: ['ty'],
  scopeName: 'source.toy',
  patterns: [{ include: '#word' }, { match: '#.*$', name: 'comment.line.toy' }],
  repository: { word: { match: '\\b(?:let|give)\\b', name: 'keyword.control.toy' } },
};
const fence = (language: string, text: string): string => `\`\`\`${language}\n${text}\n\`\`\`\n`;
const toy = (grammar: object): string => `{ name: 'toy', languages: [${JSON.stringify(grammar)}] }`;

test('a grammar of an extension colours code by its name and its aliases, and no page says that the language is unknown', async (t) => {
  const repository = createDocs(t, {
    'docs/index.md': `# Home\n\n${fence('toy', 'let a # word')}\n${fence('ty', 'give b')}\n${fence('toy-run{1}', 'let c')}\n${fence('toi', 'let')}`,
    'docs/cell.md': '# Cell\n\n```{toy}\nlet x\n```\n\n<<< ../parts/a.toy\n',
    'parts/a.toy': 'give y\n',
  });
  const site = createSite(t);
  const { warnings, extensions } = await site.build(repository.folder, { config: createConfig(t)(toy(TOY)) });
  t.deepEqual(
    warnings.map(({ file, line, message }) => [file, line, message]),
    [['docs/index.md', 15, 'Unknown language "toi"; its code is not highlighted']],
  );
  const html = site.read('en/main/index.html');
  t.true(
    html.includes(
      'data-language="toy"><pre tabindex="0"><code><span class="tk">let</span> a <span class="tm"># word</span>',
    ),
  );
  t.true(html.includes('data-language="ty"><pre tabindex="0"><code><span class="tk">give</span> b'));
  t.true(html.includes('<span class="line highlighted"><span class="tk">let</span> c</span>'));
  const cell = site.read('en/main/cell.html');
  t.true(cell.includes('<span class="tk">let</span> x'));
  t.true(cell.includes('<span class="tk">give</span> y'));
  const [cost, ...others] = extensions;
  t.deepEqual([cost!.name, cost!.calls, others], ['toy', 5, []]);
  t.true(cost!.ms > 0);
});

test('only pages with code in the language depend on its grammar, and versions share the others', async (t) => {
  const repository = createDocs(t, {
    'docs/index.md': `# Toy\n\nA toy, and the Toy language.\n\n${fence('js', 'let a')}`,
    'docs/code.md': `# Code\n\n${fence('toy', 'let a')}`,
  });
  const write = createConfig(t);
  const site = createSite(t);
  t.is((await site.build(repository.folder)).rendered, 2);
  const index = site.read('en/main/index.html');
  t.is((await site.build(repository.folder, { config: write(toy(TOY)) })).rendered, 1);
  t.is(site.read('en/main/index.html'), index);
  t.true(site.read('en/main/code.html').includes('<span class="tk">let</span> a'));
  // Another part of the configuration is not part of the language.
  const other = `${toy(TOY)}, { name: 'other', components: { Kbd: () => '' } }`;
  t.is((await site.build(repository.folder, { config: write(other) })).rendered, 0);
  const changed = { ...TOY, repository: { word: { match: 'a', name: 'string.quoted.double.toy' } } };
  t.is((await site.build(repository.folder, { config: write(toy(changed)) })).rendered, 1);
  t.true(site.read('en/main/code.html').includes('let <span class="tx">a</span>'));
  await site.build(repository.folder);
  t.notRegex(site.read('en/main/code.html'), /<span class="t[kx]">/);
});

test('grammars of npm are used as they come, with what they embed, also in the place of one that docbuild has', async (t) => {
  const [vue, html] = ['vue', 'html'].map((name) => fileURLToPath(import.meta.resolve(`@shikijs/langs/${name}`)));
  const text = '<template>\n  <p :a="b + 1">{{ c }}</p>\n</template>\n<style>\np { color: red }\n</style>';
  const repository = createDocs(t, {
    'docs/index.md': `# Home\n\n${fence('vue', text)}`,
    'docs/page.md': `# Page\n\n${fence('page', '<b title="x">let</b>\n%%\nlet a = 1;')}`,
  });
  const site = createSite(t);
  await site.build(repository.folder);
  const expected = site.read('en/main/index.html');
  const page = {
    name: 'page',
    scopeName: 'text.page',
    embeddedLangs: ['javascript'],
    patterns: [{ begin: '%%', end: '(?!)', patterns: [{ include: 'source.js' }] }, { include: 'text.html.basic' }],
  };
  const config = createConfig(t)(
    `{ name: 'npm', languages: [vue, [...html, ${JSON.stringify(page)}]] }`,
    `import vue from ${JSON.stringify(vue)};\nimport html from ${JSON.stringify(html)};`,
  );
  const { warnings, rendered } = await site.build(repository.folder, { config });
  t.deepEqual([warnings, rendered], [[], 2]);
  t.is(site.read('en/main/index.html'), expected);
  const shown = site.read('en/main/page.html');
  t.true(
    shown.includes('<span class="tf">title</span><span class="tk">=</span><span class="tx">"x"</span>&gt;let&lt;'),
  );
  t.true(shown.includes('<span class="tk">let</span> a <span class="tk">= </span><span class="tc">1</span>;'));
});

test('a language that cannot be used is refused with extension, language and place', async (t) => {
  const repository = createDocs(t, { 'docs/index.md': '# Home\n' });
  const write = createConfig(t);
  const list = (value: unknown): string => `{ name: 'toy', languages: ${JSON.stringify(value)} }`;
  for (const [extensions, message] of [
    [list(TOY), /extension "toy": "languages" must be a list of grammars/],
    [list([3]), /"languages" language 1: must be a grammar of TextMate, an object/],
    [list([[]]), /"languages" has an empty list at place 1/],
    [list([{ ...TOY, name: 'a b' }]), /language "a b": "name" must be 1 to 50 characters, no blanks/],
    [list([{ ...TOY, aliases: 'ty' }]), /language "Toy": "aliases" must be a list of names/],
    [list([{ ...TOY, scopeName: undefined }]), /language "Toy": "scopeName" must be a text/],
    [list([{ ...TOY, patterns: undefined }]), /language "Toy": "patterns" must be a list/],
    [list([{ ...TOY, patterns: [{ patterns: [{ match: 3 }] }] }]), /"patterns\.0\.patterns\.0\.match" must be a text/],
    [list([{ ...TOY, repository: { word: 'x' } }]), /language "Toy": "repository\.word" must be a rule/],
    [
      list([{ ...TOY, repository: { word: { match: '(let' } } }]),
      /extension "toy": language "Toy": "repository\.word\.match" is no regular expression: \(let$/,
    ],
    [
      list([TOY, { ...TOY, name: 'other', aliases: ['TY'] }]),
      /"languages" has "ty" a second time, after extension "toy"/,
    ],
    [list(Array(51).fill(TOY)), /"languages" has 51 languages; 50 are possible/],
    [list([{ ...TOY, note: 'x'.repeat(10_000_000) }]), /language "Toy" has 10\d+ characters; 10000000 are possible/],
    ["{ name: 'toy', languages: [Object.assign(toy, { toy })] }", /language "Toy": it must be data: .*circular/],
  ] as const) {
    const head = `const toy = ${JSON.stringify(TOY)};`;
    const { code, message: said } = await createSite(t).fail(repository.folder, { config: write(extensions, head) });
    t.is(code, 'bad-option');
    t.regex(said, message);
  }
});

test('a regular expression that would not end is given up: its code is shown, and other code has its colours', async (t) => {
  const slow = { ...TOY, patterns: [...TOY.patterns, { match: '(x+x+)+y' }] };
  const repository = createDocs(t, {
    'docs/index.md': `# Home\n\n${fence('toy', `let ${'x'.repeat(4_000)}`)}\n${fence('toy', 'let a')}`,
  });
  const site = createSite(t);
  const { warnings, errors } = await site.build(repository.folder, { config: createConfig(t)(toy(slow)) });
  t.deepEqual([warnings, errors], [[], []]);
  const html = site.read('en/main/index.html');
  t.regex(html, / x{4000}<\/code>/);
  t.true(html.includes('<span class="tk">let</span> a'));
});

/** As themes for editors are written. */
const NIGHT = {
  colors: { 'editor.background': '#1a1b26', 'editor.foreground': '#c0caf5' },
  tokenColors: [
    { scope: ['comment', 'punctuation.definition.comment'], settings: { foreground: '#444b6a' } },
    { scope: 'keyword, storage', settings: { foreground: '#bb9af7', fontStyle: 'bold' } },
    { scope: ['string'], settings: { foreground: '#9ece6aff' } },
    { scope: 'source.css string', settings: { foreground: '#ff0000' } },
    { scope: 'entity.name.function', settings: { foreground: '#7aa2f780' } },
  ],
};

test('a theme for editors sets the colours of code; what cannot be read is replaced, and pages are not rendered again', async (t) => {
  const repository = createDocs(t, { 'docs/index.md': `# Home\n\n${fence('js', 'let a')}` });
  const site = createSite(t);
  await site.build(repository.folder);
  const stylesOf = (): string =>
    site.read(`_docbuild/${/_docbuild\/(site\.\w+\.css)/.exec(site.read('en/main/index.html'))![1]}`);
  const plain = stylesOf();
  const write = createConfig(t);
  const night = `{ name: 'night', codeTheme: { dark: ${JSON.stringify(NIGHT)} } }`;
  const { rendered, warnings, extensions } = await site.build(repository.folder, { config: write(night) });
  t.is(rendered, 0);
  t.deepEqual(
    extensions?.map(({ name, calls, ms }) => [name, calls, ms > 0]),
    [['night', 1, true]],
  );
  t.deepEqual(
    warnings.map(({ file, code, message }) => [file, code, message.replaceAll(/by #\w+/g, 'by #…')]),
    [
      [
        '',
        'contrast',
        'Extension "night": "codeTheme.dark" has colours with a contrast of less than 4.5:1 on #1a1b26, which are replaced: functions #4a5f8f (2.7:1) by #…, comments #444b6a (2:1) by #…',
      ],
    ],
  );
  const styles = stylesOf();
  t.not(styles, plain);
  const colourOf = (name: string): string =>
    new RegExp(`--${name}:light-dark\\(([^)]*)\\)`).exec(styles.slice(plain.length))![1]!;
  t.is(colourOf('code-bg'), '#f6f7f9,#1a1b26');
  t.is(colourOf('tk'), '#7a2bb8,#bb9af7');
  t.is(colourOf('ts'), '#14683a,#9ece6a');
  t.is(colourOf('tp'), '#7d4d00,#c0caf5');
  const light = `{ name: 'night', codeTheme: { light: ${JSON.stringify(NIGHT)} } }`;
  const wrong = await site.build(repository.folder, { config: write(light) });
  t.deepEqual(
    wrong.warnings.map(({ message }) => message),
    ['Extension "night": "codeTheme.light" is left out: its background #1a1b26 is not light enough'],
  );
  t.is(stylesOf(), plain);
});

test('a theme that cannot be used is refused with the extension', async (t) => {
  const repository = createDocs(t, { 'docs/index.md': '# Home\n' });
  const write = createConfig(t);
  const theme = (value: unknown, name = 'a'): string => `{ name: '${name}', codeTheme: ${JSON.stringify(value)} }`;
  for (const [extensions, message] of [
    [theme('nord'), /extension "a": "codeTheme" must have "light", "dark" or both/],
    [theme({ night: NIGHT }), /extension "a": "codeTheme" must have "light", "dark" or both/],
    [theme({ dark: 'nord' }), /"codeTheme" has no theme as "dark": it must be an object with "tokenColors"/],
    [theme({ dark: { ...NIGHT, colors: { a: 1 } } }), /"codeTheme" has no texts in "colors" of "dark"/],
    [
      `${theme({ dark: NIGHT })}, ${theme({ light: NIGHT }, 'b')}`,
      /extension "b": "codeTheme" is there a second time, after extension "a"/,
    ],
  ] as const) {
    const { code, message: said } = await createSite(t).fail(repository.folder, { config: write(extensions) });
    t.is(code, 'bad-option');
    t.regex(said, message);
  }
});

test('every thread that highlights gets the grammar, in each build', async (t) => {
  const repository = createDocs(t, { 'docs/index.md': '# Home\n' });
  const site = createSite(t);
  for (const word of ['let', 'give']) {
    const blocks = Array.from({ length: 30 }, (_, at) => fence('toy', `${word} ${at}\n${'# x\n'.repeat(2_000)}`));
    commitFiles(repository, { 'docs/index.md': `# Home\n\n${blocks.join('\n')}` });
    const { extensions } = await site.build(repository.folder, { config: createConfig(t)(toy(TOY)), jobs: 2 });
    t.is(extensions[0]!.calls, 30);
    t.is(site.read('en/main/index.html').split(`<span class="tk">${word}</span>`).length, 31);
  }
});
