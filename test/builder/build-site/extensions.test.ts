import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import { readConfigFile } from '../../../builder/index.ts';
import { createConfig } from '../../helpers/create-config.ts';
import { createFolder } from '../../helpers/create-repository.ts';
import { createSite } from '../../helpers/create-site.ts';
import { commitFiles, createDocs } from '../../helpers/write-pages.ts';

const EMOJI = fileURLToPath(import.meta.resolve('markdown-it-emoji'));

const PRICE = `<p class="price">{{ attributes.plan | upper }}{% if attributes.new %} (new){% endif %}</p>
<div class="details">{{ content }}</div>
`;
const PROJECT = 'extensions:\n  components:\n    Price: parts/price.njk\n';
const PAGE = `# Prices

<Price plan="pro" new>

Some *text*, [a link](other.md#part) and

## A section

\`\`\`js
const a = 1;
\`\`\`

</Price>
`;

test('a template of the repository is a component: its content is Markdown, with headings, code and links', async (t) => {
  const repository = createDocs(t, {
    '.docbuild.yml': PROJECT,
    'parts/price.njk': PRICE,
    'docs/index.md': PAGE,
    'docs/other.md': '# Other\n\n## Part\n\nIn a text, <Price plan="a &amp; b" />.\n',
  });
  const site = createSite(t);
  const { errors, warnings, extensions } = await site.build(repository.folder);
  t.deepEqual([errors, warnings], [[], []]);
  t.like(extensions, [{ name: 'components', calls: 2 }]);
  const html = site.read('en/main/index.html');
  t.regex(html, /<p class="price">PRO \(new\)<\/p>\s*<div class="details">\s*<p>Some <em>text<\/em>/);
  t.regex(html, /<a href="\.\/other\.html#part">a link<\/a>/);
  t.regex(html, /<h2 id="a-section"[\s\S]*<div class="code-block" data-language="js">/);
  // The section is in the table of contents, too.
  t.regex(html, /<a[^>]* href="#a-section"[^>]*>\s*A section\s*<\/a>/);
  t.regex(site.read('en/main/other.html'), /<p class="price">A &amp; B<\/p>/);
  const again = await site.build(repository.folder);
  t.deepEqual([again.rendered, again.extensions], [0, []]);
});

test('only pages with a component depend on its template, and versions share what is equal', async (t) => {
  const files = {
    'docs/index.md': PAGE,
    'docs/other.md': '# Other\n\n## Part\n',
    'docs/plain.md': '# Plain\n\n<b>a</b>\n',
  };
  const repository = createDocs(t, files);
  const site = createSite(t);
  await site.build(repository.folder);
  repository.git('tag', 'v1');
  commitFiles(repository, { '.docbuild.yml': PROJECT, 'parts/price.njk': PRICE });
  t.is((await site.build(repository.folder)).rendered, 1);
  t.is(site.inode('en/main/other.html'), site.inode('en/v1/other.html'));
  t.notRegex(site.read('en/v1/index.html'), /class="price"/);
  t.regex(site.read('en/main/index.html'), /class="price"/);
  commitFiles(repository, { 'parts/price.njk': `<hr>${PRICE}` });
  t.is((await site.build(repository.folder)).rendered, 1);
  t.regex(site.read('en/main/index.html'), /<hr><p class="price">/);
});

test('a template that fails costs the pages that use it, and the message names it, page and line', async (t) => {
  const repository = createDocs(t, {
    '.docbuild.yml':
      'extensions:\n  components:\n    Bad: parts/bad.njk\n    Lost: parts/lost.njk\n    Twice: parts/twice.njk\n',
    'parts/bad.njk': '<p>\n{{ "".constructor.constructor("return process.exit(1)")() }}\n',
    'parts/twice.njk': '{{ content }}{{ content }}',
    'docs/index.md': '# Home\n',
    'docs/bad.md': '# Bad\n\nText\n\n<Bad />\n',
    'docs/twice.md': '# Twice\n\n<Twice>\na\n</Twice>\n',
    'docs/lost.md': '# Lost\n\n<Lost>\nstays\n</Lost>\n',
  });
  const site = createSite(t);
  const { errors } = await site.build(repository.folder);
  t.deepEqual(
    errors.map(({ file, line, code, message }) => [file, line, code, message]),
    [
      [
        '.docbuild.yml',
        4,
        'project-file',
        'Template "parts/lost.njk" of component "Lost" does not exist; paths begin at the root of the repository',
      ],
      [
        'docs/bad.md',
        5,
        'extension',
        'Extension "components" failed: component <Bad>, parts/bad.njk:2: Functions cannot be used in a template of a repository',
      ],
      [
        'docs/twice.md',
        3,
        'extension',
        'Extension "components" failed: component <Twice> puts its content in 2 places; one is possible',
      ],
    ],
  );
  t.regex(site.read('en/main/index.html'), /Home/);
  t.regex(site.read('en/main/lost.html'), /stays/);
});

test('with html: safe, what a template of the repository makes is sanitised like the rest of the page', async (t) => {
  const repository = createDocs(t, {
    '.docbuild.yml': `markdown:\n  html: safe\n${PROJECT}`,
    'parts/price.njk': '<p onclick="x()">Kept<script>alert(1)</script></p>{{ content }}',
    'docs/index.md': '# Home\n\n<Price>\n\n*a*\n\n</Price>\n',
  });
  const site = createSite(t);
  await site.build(repository.folder);
  const html = site.read('en/main/index.html');
  t.regex(html, /<p>Kept<\/p>[\s\S]*<em>a<\/em>/);
  t.notRegex(html, /onclick|alert\(1\)/);
});

test('keys of extensions are checked, with their lines', async (t) => {
  const repository = createDocs(t, {
    '.docbuild.yml': 'extensions:\n  components:\n    price: ../a.njk\n  plugins: [a]\n',
    'docs/index.md': '# Home\n',
  });
  const { message } = await createSite(t).fail(repository.folder);
  t.regex(message, /Unknown key "extensions\.plugins"/);
});

test('a plugin of markdown-it is used as it comes from npm, with options', async (t) => {
  const repository = createDocs(t, { 'docs/index.md': '# Home\n\nA :docbuild: and :-)\n' });
  const config = createConfig(t)(
    `{ name: 'emoji', markdown: (md) => md.use(bare, { defs: { docbuild: '📚' }, shortcuts: { docbuild: [':-)'] } }) }`,
    `import { bare } from ${JSON.stringify(EMOJI)};`,
  );
  const site = createSite(t);
  const { errors, extensions } = await site.build(repository.folder, { config });
  t.deepEqual(errors, []);
  t.is(extensions[0]!.name, 'emoji');
  t.true(extensions[0]!.calls > 0);
  t.regex(site.read('en/main/index.html'), /<p>A 📚 and 📚<\/p>/);
});

/** A plugin whose block begins as one of docbuild's own, as markdown-it-container's do. */
const SPOILER = `(md) => {
  md.block.ruler.before('fence', 'spoiler', (state, start, end, silent) => {
    const lineOf = (line) => state.src.slice(state.bMarks[line], state.eMarks[line]);
    if (!lineOf(start).startsWith('::: spoiler')) return false;
    if (silent) return true;
    let last = start + 1;
    while (last < end && lineOf(last) !== ':::') last++;
    state.push('spoiler_open', 'details', 1).map = [start, last];
    state.md.block.tokenize(state, start + 1, last);
    state.push('spoiler_close', 'details', -1);
    state.line = last + 1;
    return true;
  });
}`;

test('only pages to which an extension applies are rendered with it, and again when it changes', async (t) => {
  const repository = createDocs(t, {
    'docs/index.md': '# Home\n\n::: spoiler\n## Hidden\n:::\n',
    'docs/other.md': '# Other\n\n::: tip\na\n:::\n',
  });
  const write = createConfig(t);
  const site = createSite(t);
  const first = await site.build(repository.folder);
  t.is(first.rendered, 2);
  t.notRegex(site.read('en/main/index.html'), /<details><h2/);
  const extension = (tag: string) =>
    `{ name: 'spoiler', applies: /^::: spoiler/gm, markdown: ${SPOILER.replaceAll("'details'", `'${tag}'`)} }`;
  t.is((await site.build(repository.folder, { config: write(extension('details')) })).rendered, 1);
  t.regex(site.read('en/main/index.html'), /<details>\s*<h2 id="hidden"/);
  t.is((await site.build(repository.folder, { config: write(extension('details')) })).rendered, 0);
  // The process has loaded the module before.
  t.is((await site.build(repository.folder, { config: write(extension('aside')) })).rendered, 1);
  t.regex(site.read('en/main/index.html'), /<aside>\s*<h2 id="hidden"/);
  await site.build(repository.folder);
  t.notRegex(site.read('en/main/index.html'), /<aside>\s*<h2/);
});

test('a change of what a configuration loads is seen, in a process that has loaded it', async (t) => {
  const repository = createDocs(t, { 'docs/index.md': '# Home\n\n<Kbd>x</Kbd> <Name />\n' });
  const folder = createFolder(t);
  const write = (name: string, text: string) => writeFileSync(join(folder, name), text);
  const path = join(folder, 'docbuild.config.mjs');
  write(
    'docbuild.config.mjs',
    `import { components } from './parts.mjs';\nexport default { extensions: [{ name: 'parts', components }] };\n`,
  );
  write(
    'parts.mjs',
    `import { name } from './name.mjs';\nexport const components = { Kbd: ({ content }) => '<kbd>' + content + '</kbd>', Name: () => name };\n`,
  );
  write('name.mjs', `export const name = 'first';\n`);
  const site = createSite(t);
  await site.build(repository.folder, { config: readConfigFile(path) });
  t.regex(site.read('en/main/index.html'), /<p><kbd>x<\/kbd> first<\/p>/);
  write('name.mjs', `export const name = 'second';\n`);
  await site.build(repository.folder, { config: readConfigFile(path) });
  t.regex(site.read('en/main/index.html'), /<p><kbd>x<\/kbd> second<\/p>/);
});

test('an extension that fails or does not end costs the pages it is at', async (t) => {
  const repository = createDocs(t, {
    'docs/index.md': '# Home\n',
    'docs/throws.md': '# Page\n\ntext\n\n<Throws />\n',
    'docs/number.md': '# Page\n\n<Gives />\n',
    'docs/rule.md': '# Page\n\na\n\n!!fail\n',
    'docs/endless.md': '# Page\n\n<Endless />\n',
  });
  const config = createConfig(t)(`{
    name: 'bad',
    components: {
      Throws: () => { throw new Error('no such price'); },
      Gives: () => 3,
      Endless: () => { for (;;); },
    },
    markdown: (md) => md.block.ruler.before('paragraph', 'fail', (state, line) => {
      if (state.src.slice(state.bMarks[line]).startsWith('!!fail')) throw 'as asked';
      return false;
    }),
  }`);
  const site = createSite(t);
  const { errors } = await site.build(repository.folder, { config });
  t.deepEqual(
    errors.map(({ file, line, code, message }) => [file, line, code, message]),
    [
      ['docs/endless.md', 3, 'page-too-slow', 'Extension "bad" takes too long at this page'],
      [
        'docs/number.md',
        3,
        'extension',
        'Extension "bad" failed: component <Gives> returned number instead of a string',
      ],
      ['docs/rule.md', 5, 'extension', 'Extension "bad" failed: as asked'],
      ['docs/throws.md', 5, 'extension', 'Extension "bad" failed: no such price'],
    ],
  );
  t.regex(site.read('en/main/index.html'), /Home/);
});

test('what the machine refuses an extension is no error of a page: nothing is published', async (t) => {
  const repository = createDocs(t, { 'docs/index.md': '# Home\n\n<Reads />\n' });
  const site = createSite(t);
  for (const part of ['components: { Reads: fail }', 'pages: fail']) {
    const head = "const fail = () => { throw Object.assign(new Error('too many open files'), { code: 'EMFILE' }); };";
    const config = createConfig(t)(`{ name: 'full', ${part} }`, head);
    await t.throwsAsync(site.build(repository.folder, { config }), { code: 'EMFILE' } as never);
  }
});

test('a configuration that cannot be used is refused with the place of its mistake', async (t) => {
  const repository = createDocs(t, { 'docs/index.md': '# Home\n' });
  const write = createConfig(t);
  for (const [list, message] of [
    ['{ name: "a" }, { name: "a" }', /extension "a" is there twice/],
    ['{}', /extension 1: "name" must have one/],
    ['{ name: "a", markdown: 3 }', /extension "a": "markdown" must be a function/],
    [
      '{ name: "a", component: {} }',
      /extension "a": unknown key "component"; there are name, applies, markdown, components/,
    ],
    ['{ name: "a", components: { price: () => "" } }', /"components" has "price": names begin with a capital letter/],
    ['nothing', /Cannot load ".*docbuild\.config\.mjs": nothing is not defined \(.*docbuild\.config\.mjs:2:/],
  ] as const) {
    const { code, message: said } = await createSite(t).fail(repository.folder, { config: write(list) });
    t.is(code, 'bad-option');
    t.regex(said, message);
  }
  t.throws(() => readConfigFile('/nowhere/docbuild.config.mjs'), { message: /Cannot read "\/nowhere/ });
  t.throws(() => readConfigFile('docbuild.yml'), { message: /must be a script/ });
});

test('an extension sees what is about to be published, and may prevent it', async (t) => {
  const repository = createDocs(t, { 'docs/index.md': '# Home\n\n[gone](gone.md)\n' });
  const write = createConfig(t);
  const site = createSite(t);
  const hook = `{
    name: 'gate',
    async beforePublish({ pages, warnings }) {
      await null;
      if (warnings.length > 0) throw new Error(\`\${pages} page, \${warnings[0].file}:\${warnings[0].line}\`);
    },
  }`;
  const { code, message } = await site.fail(repository.folder, { config: write(hook) });
  t.deepEqual(
    [code, message],
    ['extension', 'Nothing was published. Extension "gate" failed: 1 page, docs/index.md:3'],
  );
  t.false(site.has('en/main/index.html'));
  commitFiles(repository, { 'docs/index.md': '# Home\n' });
  const { extensions } = await site.build(repository.folder, { config: write(hook) });
  t.like(extensions, [{ name: 'gate', calls: 1 }]);
  t.true(site.has('en/main/index.html'));
});

test('a TypeScript configuration needs a Node.js that runs it, and says so', async (t) => {
  const path = join(createFolder(t), 'docbuild.config.ts');
  writeFileSync(
    path,
    'const name: string = "typed";\nexport default { extensions: [{ name, components: { T: (): string => "typed" } }] };\n',
  );
  const runsTypes = Boolean((process.features as { readonly typescript?: unknown }).typescript);
  if (!runsTypes) {
    t.throws(() => readConfigFile(path), { message: /is TypeScript, which Node\.js runs from 22\.18 on/ });
    return;
  }
  const site = createSite(t);
  await site.build(createDocs(t, { 'docs/index.md': '# Home\n\n<T />\n' }).folder, { config: readConfigFile(path) });
  t.regex(site.read('en/main/index.html'), /typed/);
});

test('the key of a configuration holds all files that its modules name, however they do', (t) => {
  const folder = createFolder(t);
  const write = (name: string, text: string) => writeFileSync(join(folder, name), text);
  write(
    'docbuild.config.mjs',
    "import './a.mjs?x'; import b from './b.mjs#y'; // Don't\nexport default { extensions: [] };\n",
  );
  write('a.mjs', "import { createRequire } from 'node:module'; createRequire(import.meta.url)('./c');\n");
  write(
    'b.mjs',
    'export default new URL(\'data.json\', import.meta.url); // or join(import.meta.dirname, "rows.csv")\n',
  );
  write('c.js', '// module\n');
  const { path } = readConfigFile(join(folder, 'docbuild.config.mjs'));
  for (const name of ['a.mjs', 'b.mjs', 'c.js', 'data.json', 'rows.csv']) {
    const { key } = readConfigFile(path);
    write(name, '{"changed": 1}\n');
    t.not(readConfigFile(path).key, key, name);
    write(name, name === 'a.mjs' ? "require('./c')\n" : name === 'b.mjs' ? "'data.json', 'rows.csv'\n" : '');
  }
  const { key } = readConfigFile(path);
  write('other.txt', 'not named');
  t.is(readConfigFile(path).key, key);
});

test('a module that is named with a query is loaded again with it', async (t) => {
  const folder = createFolder(t);
  const path = join(folder, 'docbuild.config.mjs');
  const site = createSite(t);
  const repository = createDocs(t, { 'docs/index.md': '# Home\n\n<T />\n' });
  writeFileSync(
    path,
    "import one from './t.mjs?one'; import two from './t.mjs?two';\nexport default { extensions: [{ name: 't', components: { T: () => one + ' ' + two } }] };\n",
  );
  for (const word of ['first', 'second']) {
    writeFileSync(join(folder, 't.mjs'), `export default '${word}' + new URL(import.meta.url).search.slice(0, 4);\n`);
    await site.build(repository.folder, { config: readConfigFile(path) });
    t.regex(site.read('en/main/index.html'), new RegExp(`${word}\\?one ${word}\\?two`));
  }
});
