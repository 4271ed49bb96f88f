import { join } from 'node:path';
import test from 'ava';
import { createFolder, createRepository } from '../../helpers/create-repository.ts';
import { createSite } from '../../helpers/create-site.ts';
import { readSidebar } from '../../helpers/read-sidebar.ts';
import { buildInput, changeInput, inputTest, makeInput } from '../../helpers/reported-inputs.ts';
import { commitFiles } from '../../helpers/write-pages.ts';

/** Returns what a page's code blocks show. */
function listCode(html: string): readonly string[] {
  return [...html.matchAll(/<pre[^>]*><code>([\s\S]*?)<\/code>/g)].map(([, code]) =>
    code!
      .replace(/<[^>]*>/g, '')
      .trim()
      .replace(/\n+/g, '|'),
  );
}

/** Returns the links in the text of a page. */
function listLinks(html: string): readonly string[] {
  const text = /<main[\s\S]*?<\/main>/.exec(html)![0].replace(/<h1[\s\S]*?<\/h1>/, '');
  return [...text.matchAll(/<p>([\s\S]*?)<\/p>/g)].flatMap(([, paragraph]) =>
    [...paragraph!.matchAll(/<a href="([^"]*)"[^>]*>([^<]*)<\/a>/g)].map(([, href, words]) => `${words} -> ${href}`),
  );
}

inputTest("all forms of mdBook's includes show the lines they name", async (t) => {
  const site = await buildInput(t, 'f03-mdbook-include-range');
  t.deepEqual(listCode(site.read('en/main/one.html')), [
    'fn two() {}|fn three() {}|fn four() {}',
    'fn one() {}|fn two() {}',
    'fn two() {}|fn three() {}',
    'fn two() {}',
    'fn four() {}',
  ]);
});

inputTest('the home of a book is its first chapter', async (t) => {
  const site = await buildInput(t, 'f10-mdbook-first-chapter');
  t.regex(site.read('en/main/index.html'), /<meta http-equiv="refresh" content="0; url=.\/foreword.html">/);
  t.deepEqual(readSidebar(site.read('en/main/light.html')), ['Foreword -> ./foreword.html', 'Light -> ./light.html']);
});

test('a chapter that is not written yet is not the home of a book, nor is any where there is a README', async (t) => {
  const repository = createRepository(t);
  repository.write('book.toml', '[book]\n');
  repository.write('src/SUMMARY.md', '# Summary\n\n- [Later]()\n  - [Deep](part/deep.md)\n- [Last](last.md)\n');
  repository.write('src/part/deep.md', '# Deep\n');
  repository.write('src/last.md', '# Last\n\n[home](README.md)\n');
  repository.commit('One');
  const site = createSite(t);
  const { warnings } = await site.build(repository.folder);
  t.deepEqual(warnings, []);
  t.regex(site.read('en/main/index.html'), /content="0; url=.\/part\/deep.html"/);
  repository.write('src/README.md', '# Home\n');
  repository.commit('Two');
  await site.build(repository.folder);
  t.regex(site.read('en/main/index.html'), /<h1 id="home"/);
});

inputTest('links without the numbers before names, and names that one page has, lead to pages', async (t) => {
  const site = createSite(t);
  const { warnings } = await site.build(makeInput(t, 'f16-number-prefix-links'));
  t.deepEqual(
    warnings.map(({ message }) => message),
    ['Link "/docs/setup" leads to no page or file'],
  );
  t.deepEqual(listLinks(site.read('en/main/01-basics/01-setup.html')), [
    'light -> ../01-basics/02-light.html',
    'shade -> ../02-parts/01-shade.html',
    'again -> ../01-basics/02-light.html#warm',
  ]);
  t.deepEqual(listLinks(site.read('en/main/index.html')), [
    'setup -> ./01-basics/01-setup.html',
    'shade -> ./02-parts/01-shade.html',
  ]);
});

inputTest('links that spell a version out lead to its page', async (t) => {
  const site = createSite(t);
  const { warnings } = await site.build(makeInput(t, 'f09-literal-version-in-link'));
  t.deepEqual(warnings, []);
  t.deepEqual(listLinks(site.read('en/5.4/releases.html')), [
    'mail -> ./mail.html',
    'old cache -> ../../en/5.3/cache.html',
    'tpl -> ./queue.html',
  ]);
  t.deepEqual(listLinks(site.read('en/5.3/releases.html')), [
    'mail -> ../../en/5.4/mail.html',
    'old cache -> ./cache.html',
    'tpl -> ./queue.html',
  ]);
});

test('links to pages of other versions need no numbers before names', async (t) => {
  const repository = createRepository(t);
  commitFiles(repository, {
    'docs/1.start/01.intro.md': '# Intro\n',
    'docs/1.start/2.setup.md': '# Setup\n',
    'docs/2.guide/1.setup.md': '# Setup\n',
  });
  repository.git('branch', '1.x');
  commitFiles(repository, {
    'docs/1.start/01.intro.md':
      '# Intro\n\n[a](/docs/1.x/start/setup#setup), [b](/docs/1.x/start), [c](/docs/1.x/setup), [d](/1.x/guide/setup)\n',
  });
  repository.git('branch', '2.x');
  const site = createSite(t);
  const { warnings } = await site.build(repository.folder, { refs: '*.x' });
  t.deepEqual(listLinks(site.read('en/2.x/1.start/01.intro.html')), [
    'a -> ../../../en/1.x/1.start/2.setup.html#setup',
    'b -> /docs/1.x/start',
    'c -> /docs/1.x/setup',
    'd -> ../../../en/1.x/2.guide/1.setup.html',
  ]);
  t.is(warnings.length, 2);
});

test('links to other versions follow what is published, and pages that are not there are reported', async (t) => {
  const repository = createRepository(t);
  for (const name of ['mail', 'queue', 'cache', 'blade', 'views']) repository.write(`${name}.md`, `# ${name}\n`);
  repository.commit('One');
  repository.git('branch', 'v1.0');
  repository.write(
    'links.md',
    '# Links\n\n[a](/docs/1.0/mail#top), [b](/docs/v1.0/none), [c](../v1.0/queue.md), [d](/x/latest/cache), [e](/docs/v1.0/), [f](/2.0/mail)\n',
  );
  repository.commit('Two');
  repository.git('branch', 'v1.1');
  const site = createSite(t);
  const first = await site.build(repository.folder, { refs: 'v*' });
  const links = () => listLinks(site.read('en/v1.1/links.html'));
  const expected = [
    'a -> ../../en/v1.0/mail.html#top',
    'b -> /docs/v1.0/none',
    'c -> ../../en/v1.0/queue.html',
    'd -> ./cache.html',
    'e -> ../../en/v1.0/',
    'f -> /2.0/mail',
  ];
  t.deepEqual(links(), expected);
  t.deepEqual(
    first.warnings.map(({ message }) => message),
    ['Link "/2.0/mail" leads to no page or file', 'Link "/docs/v1.0/none" leads to no page or file'],
  );
  // A version that comes is found, though nothing else has changed, and one that goes is not.
  repository.git('branch', 'v2.0', 'v1.0');
  await site.build(repository.folder, { refs: 'v*' });
  t.deepEqual(links(), expected.with(3, 'd -> ../../en/latest/cache.html').with(5, 'f -> ../../en/v2.0/mail.html'));
  repository.git('branch', '-D', 'v2.0');
  await site.build(repository.folder, { refs: 'v*' });
  t.deepEqual(links(), expected);
});

inputTest('a list of links to most pages is the navigation and no page, whatever it is called', async (t) => {
  for (const name of ['TOC', 'SUMMARY', 'documentation']) {
    const site = createSite(t);
    const repository = join(createFolder(t), 'repository');
    changeInput(repository, 'f22-list-of-links-as-navigation', name);
    const { warnings } = await site.build(repository);
    t.deepEqual(warnings, []);
    t.false(site.has(`en/main/${name}.html`));
    t.deepEqual(readSidebar(site.read('en/main/alpha.html')), [
      'Start',
      '  The last letter -> ./omega.html',
      '  Alpha -> ./alpha.html',
      'Guide',
      '  How to use -> ./guide/use.html',
      '  More +',
      '    Zeta -> ./zeta.html',
      '    Gamma -> ./gamma.html',
      'Beta -> ./beta.html',
      'Delta -> ./delta.html',
    ]);
  }
});

test('pages that a table of contents does not list come last, and a README that lists pages stays one', async (t) => {
  const repository = createRepository(t);
  const names = ['mail', 'queue', 'cache', 'blade', 'views', 'events'];
  for (const name of names) repository.write(`${name}.md`, `# ${name}\n`);
  const list = names.slice(1).map((name) => `    - [The ${name}](/docs/{{version}}/${name})\n`);
  repository.write(
    'documentation.md',
    `---\ntitle: Contents\ntags:\n  - a\n---\n- ## Start\n${list.join('')}- [API](https://api.test/)\n`,
  );
  repository.write('README.md', `# Home\n\n- Start\n${names.map((name) => `  - [${name}](${name}.md)\n`).join('')}`);
  repository.commit('One');
  const site = createSite(t);
  const { warnings } = await site.build(repository.folder);
  t.deepEqual(warnings, []);
  t.regex(site.read('en/main/index.html'), /<h1 id="home"/);
  t.deepEqual(readSidebar(site.read('en/main/mail.html')), [
    'Start',
    ...names.slice(1).map((name) => `  The ${name} -> ./${name}.html`),
    'API -> https://api.test/',
    'mail -> ./mail.html',
  ]);
});

inputTest('Hexo is recognised: its folder, languages, ids and tags', async (t) => {
  const site = createSite(t);
  const summary = await site.build(makeInput(t, 'f05-hexo'));
  t.deepEqual(summary.sources, [{ folder: 'source', generator: 'hexo', isReadmeOnly: false, refs: ['main'] }]);
  t.deepEqual(
    summary.warnings.map(({ file, line, message }) => `${file}:${line} ${message}`),
    [
      'source/docs/index.md:4 Posts are not published: the link to "hello" is its text',
      'source/docs/writing.md:18 File "lamp.png" does not exist',
    ],
  );
  const pages = site.list().filter((path) => path.startsWith('en/main/') && path.endsWith('.html'));
  const names = ['docs/four', 'docs/index', 'docs/one', 'docs/three', 'docs/two', 'docs/writing', 'index'];
  t.deepEqual(
    pages,
    names.map((name) => `en/main/${name}.html`),
  );
  t.true(site.has('zh-cn/main/docs/one.html'));
  t.regex(site.read('en/main/docs/index.html'), /<title>Docs[^<]*Lamp/);
  t.deepEqual(listLinks(site.read('en/main/docs/index.html')), ['writing -> ../docs/writing.html#Front-Matter']);
  const writing = site.read('en/main/docs/writing.html');
  t.true(writing.includes('<span id="Front-Matter"></span>Front Matter'));
  t.regex(writing, /callout warning">\s*<p class="callout-title">Careful/);
  t.true(writing.includes('<p>— Jane Doe, Big Book</p>'));
  t.true(writing.includes('alt="A lamp"'));
  t.true(writing.includes('<p>{{ kept }}</p>'));
  t.deepEqual(listCode(writing), ['const a = 1;']);
});

test('the sidebar of Docsify is the navigation without the page that loads it, too', async (t) => {
  const repository = createRepository(t);
  for (const name of ['README', 'a', 'b', 'guide/README', 'c']) repository.write(`docs/${name}.md`, `# ${name}\n`);
  repository.write('docs/_sidebar.md', '- Part\n  - [Bee](b)\n  - [Guide](/guide/)\n- [Ay](a.md)\n');
  repository.commit('One');
  const site = createSite(t);
  await site.build(repository.folder);
  t.deepEqual(readSidebar(site.read('en/main/a.html')), [
    'Part',
    '  Bee -> ./b.html',
    '  Guide -> ./guide/',
    'Ay -> ./a.html',
    'c -> ./c.html',
  ]);
});
