import test from 'ava';
import { createRepository } from '../../helpers/create-repository.ts';
import { createSite } from '../../helpers/create-site.ts';
import { commitFiles } from '../../helpers/write-pages.ts';

/** Returns the links of a page's header as `text → address`, those of menus indented. */
function listHeader(html: string): readonly string[] {
  const nav = /<nav class="site-links".*?<\/nav>/s.exec(html)?.[0] ?? '';
  const found = nav.matchAll(/<summary[^>]*>(.*?)<\/summary>|<a ([^>]*)>(.*?)<\/a>|<\/details>/gs);
  let indent = '';
  return [...found].flatMap(([whole, menu, attributes, content]) => {
    if (whole === '</details>') indent = '';
    if (menu !== undefined) indent = '  ';
    if (menu !== undefined) return [menu];
    if (attributes === undefined) return [];
    const text = /^<svg/.test(content!) ? `(${/aria-label="([^"]*)"/.exec(content!)?.[1]})` : content;
    const marks = [/aria-current/.test(attributes) ? ' *' : '', /outside/.test(attributes) ? ' ↗' : ''].join('');
    return [`${indent}${text} → ${/href="([^"]*)"/.exec(attributes)?.[1]}${marks}`];
  });
}

test('links of the header lead to pages of the same language and version, to files and to other sites', async (t) => {
  const repository = createRepository(t);
  commitFiles(repository, {
    'docs/en/index.md': '# Home\n',
    'docs/en/guide/index.md': '# Guide\n',
    'docs/en/guide/a.md': '# A\n',
    'docs/fr/index.md': '# Accueil\n',
  });
  repository.git('tag', 'v1');
  commitFiles(repository, {
    'docs/en/new.md': '# New\n\n## Part\n',
    'docs/en/list.pdf': 'pdf',
    '.docbuild.yml': `theme:
  links:
    - {title: Guide, url: guide/}
    - title: More
      links:
        - {title: New, url: new.md#part}
        - {title: List, url: list.pdf}
        - {title: Forum, url: "https://example.test/forum"}
    - {title: Old, url: /en/v1/guide/a.html}
    - {title: Source, url: "https://github.com/you/guide"}
    - {title: Talk, url: "https://github.com/you/guide/discussions"}
    - {title: Mirror, url: "https://git.example.test/x", icon: gitlab}
`,
  });
  const site = createSite(t);
  const { warnings } = await site.build(repository.folder, { alsoBelow: '/docs/x/' });
  t.deepEqual(warnings, []);
  const rest = [
    'Old → ../../../en/v1/guide/a.html',
    '(Source) → https://github.com/you/guide',
    'Talk → https://github.com/you/guide/discussions ↗',
    '(Mirror) → https://git.example.test/x',
  ];
  t.deepEqual(listHeader(site.read('en/main/guide/a.html')), [
    'Guide → ../guide/ *',
    'More',
    '  New → ../new.html#part',
    '  List → ../list.pdf',
    '  Forum → https://example.test/forum ↗',
    ...rest,
  ]);
  t.true(site.has('en/main/list.pdf'), 'the file travels with the version');
  t.deepEqual(listHeader(site.read('en/v1/guide/a.html')), [
    'Guide → ../guide/ *',
    'More',
    '  Forum → https://example.test/forum ↗',
    ...rest,
  ]);
  t.is(listHeader(site.read('fr/main/index.html'))[0], 'Guide → ./guide/');
  for (const [path, base] of [
    ['404.html', '/'],
    ['_docbuild/below/fr/404.html', '/docs/x/'],
  ] as const) {
    const language = path.includes('fr') ? 'fr' : 'en';
    t.deepEqual(listHeader(site.read(path)).slice(0, 3), [
      `Guide → ${base}${language}/latest/guide/`,
      'More',
      `  New → ${base}${language}/latest/new.html#part`,
    ]);
  }
});

test('a link of the header that leads nowhere is reported once, with its line, and left out', async (t) => {
  const repository = createRepository(t);
  commitFiles(repository, { 'docs/index.md': '# Home\n', 'docs/b.md': '# B\n' });
  repository.git('tag', 'v1');
  commitFiles(repository, {
    '.docbuild.yml': `title: T
theme:
  links:
    - {title: B, url: b.md}
    - title: Gone
      url: gone.md
    - title: Menu
      links:
        - {title: Gone too, url: no/such/}
    - {title: Code, url: "https://example.test/", icon: sourcehut}
`,
  });
  const site = createSite(t);
  const { warnings } = await site.build(repository.folder);
  t.deepEqual(
    warnings.map(({ ref, file, line, code, message }) => [ref, file, line, code, message]),
    [
      ['main', '.docbuild.yml', 6, 'dead-link', 'Link "gone.md" of the header leads to no page or file'],
      ['main', '.docbuild.yml', 9, 'dead-link', 'Link "no/such/" of the header leads to no page or file'],
      [
        'main',
        '.docbuild.yml',
        10,
        'project-file',
        'There is no icon "sourcehut": write one of bitbucket, gitea, gitee, github, gitlab, gogs',
      ],
    ],
  );
  t.deepEqual(listHeader(site.read('en/main/b.html')), ['B → ./b.html *', 'Code → https://example.test/ ↗']);
});

test('without links, the top folders are the navigation of the header, if they are two to six with short titles', async (t) => {
  const build = async (folders: readonly string[]): Promise<readonly string[]> => {
    const repository = createRepository(t);
    const pages = folders.flatMap((name) => [
      [`docs/${name}/a.md`, '# A\n'],
      [`docs/${name}/b.md`, '# B\n'],
    ]);
    commitFiles(repository, { 'docs/index.md': '# Home\n', 'docs/c.md': '# C\n', ...Object.fromEntries(pages) });
    const site = createSite(t);
    await site.build(repository.folder);
    return listHeader(site.read(`en/main/${folders[0]}/b.html`));
  };
  t.deepEqual(await build(['guide']), []);
  t.deepEqual(await build(['guide', 'reference']), ['Guide → ../guide/a.html *', 'Reference → ../reference/a.html']);
  t.is((await build(['a1', 'b1', 'c1', 'd1', 'e1', 'f1'])).length, 6);
  t.deepEqual(await build(['a1', 'b1', 'c1', 'd1', 'e1', 'f1', 'g1']), []);
  t.deepEqual(await build(['a-folder-with-a-long-name', 'another-folder-with-a-long-name']), []);
});

test('a landing page always leads into the documentation', async (t) => {
  const repository = createRepository(t);
  const home = '---\nlayout: home\nhero: {name: Example}\n---\n';
  commitFiles(repository, { 'docs/index.md': home, 'docs/a.md': '# A\n', 'docs/b.md': '# B\n' });
  const site = createSite(t);
  await site.build(repository.folder);
  t.deepEqual(listHeader(site.read('en/main/index.html')), ['Documentation → ./a.html']);
  t.deepEqual(listHeader(site.read('en/main/a.html')), []);
  commitFiles(repository, { '.docbuild.yml': 'theme: {links: [{title: B, url: b.md}]}\n' });
  await site.build(repository.folder);
  t.deepEqual(listHeader(site.read('en/main/index.html')), ['B → ./b.html']);
});

test('versions that have the same pages share them, whatever the header', async (t) => {
  const repository = createRepository(t);
  commitFiles(repository, {
    'docs/index.md': '# Home\n',
    'docs/a.md': '# A\n',
    '.docbuild.yml': 'theme: {links: [{title: A, url: a.md}]}\n',
  });
  repository.git('tag', 'v1');
  const site = createSite(t);
  await site.build(repository.folder);
  t.is(site.inode('en/main/a.html'), site.inode('en/v1/a.html'));
});

test('titles of the header may have a text for each language, on the 404 page, too; the first is for the others', async (t) => {
  const repository = createRepository(t);
  commitFiles(repository, {
    'docs/en/a.md': '# A\n',
    'docs/de/a.md': '# A\n',
    'docs/fr/a.md': '# A\n',
    '.docbuild.yml':
      'theme: {links: [{title: {en: Guide, de-AT: Anleitung}, url: a.md}, {title: {de: Mehr, en: More}, links: [{title: B, url: a.md}]}]}\n',
  });
  const site = createSite(t);
  t.deepEqual((await site.build(repository.folder)).warnings, []);
  const titles = (page: string): readonly string[] => listHeader(site.read(page)).map((line) => line.split(' → ')[0]!);
  t.deepEqual(titles('en/main/a.html'), ['Guide', 'More', '  B']);
  t.deepEqual(titles('de/main/a.html'), ['Anleitung', 'Mehr', '  B']);
  t.deepEqual(titles('fr/main/a.html'), ['Guide', 'Mehr', '  B']);
  t.deepEqual(titles('de/404.html'), ['Anleitung', 'Mehr', '  B']);
});

/** Returns the footer's texts and links, `text → address`. */
function listFooter(html: string): readonly string[] {
  const footer = /<footer class="site-footer".*?<\/footer>/s.exec(html)?.[0] ?? '';
  const parts = footer
    .replace(/<a [^>]*href="([^"]*)"[^>]*>(.*?)<\/a>/gs, '\0$2 → $1\0')
    .split(/\0|<(?!svg|path|\/svg)[^>]*>|\n/);
  return parts.filter((part) => part !== '');
}

test('the footer has texts of each language, with links, and columns of links into the version that is read', async (t) => {
  const repository = createRepository(t);
  commitFiles(repository, {
    'docs/en/index.md': '# Home\n',
    'docs/fr/index.md': '# Accueil\n',
    'docs/en/a.md': '# A\n',
  });
  repository.git('tag', 'v1');
  commitFiles(repository, {
    'docs/en/new.md': '# New\n',
    '.docbuild.yml': `theme:
  footer:
    text:
      en: "Released under the [MIT *License*](https://example.test/mit) © \`you\`"
      fr: "Sous [licence](new.md), <b>"
    columns:
      - title: {en: Docs, fr: Documentation}
        links:
          - {title: New, url: new.md}
          - {title: Source, url: "https://github.com/you/guide"}
      - title: Only there
        links:
          - {title: {en: New too, fr: Aussi}, url: new.md}
`,
  });
  const site = createSite(t);
  const { warnings } = await site.build(repository.folder);
  t.deepEqual(warnings, []);
  const text = ['Released under the ', 'MIT License → https://example.test/mit', ' © you'];
  const source = '<svg class="icon" viewBox="0 0 24 24" width="20" height="20" aria-hidden="true">';
  const read = (path: string) => listFooter(site.read(path)).map((one) => (one.startsWith(source) ? 'Source' : one));
  t.deepEqual(read('en/main/a.html'), [
    'Docs',
    'New → ./new.html',
    'Source',
    'Only there',
    'New too → ./new.html',
    ...text,
  ]);
  t.deepEqual(read('en/v1/a.html'), ['Docs', 'Source', ...text], 'a version without the page has no link to it');
  t.deepEqual(read('fr/main/index.html').slice(-3), ['Sous ', 'licence → ./new.html', ', &lt;b&gt;']);
  t.deepEqual(read('404.html').slice(1, 2), ['New → /en/latest/new.html']);
  t.deepEqual(read('_docbuild/versions/en.html').slice(-3), text);
});

test('a footer that is a line of text links where its Markdown says, and links that lead nowhere are reported', async (t) => {
  const repository = createRepository(t);
  commitFiles(repository, {
    'docs/index.md': '# Home\n',
    '.docbuild.yml': `title: T
theme:
  footer: 'See [the rules](rules.md), [home](index.md) or [this](javascript:alert(1))'
`,
  });
  const site = createSite(t);
  const { warnings } = await site.build(repository.folder);
  t.deepEqual(
    warnings.map(({ line, code, message }) => [line, code, message]),
    [[3, 'dead-link', 'Link "rules.md" of the footer leads to no page or file']],
  );
  t.regex(
    site.read('en/main/index.html'),
    /<p>See the rules, <a href="\.\/">home<\/a> or \[this\]\(javascript:alert\(1\)\)<\/p>/,
  );
  const columns = Array.from({ length: 7 }, () => '{title: A, links: [{title: B, url: index.md}]}').join(', ');
  for (const footer of ['{}', '{x: 1}', '{columns: [{title: A, links: []}]}', `{columns: [${columns}]}`]) {
    commitFiles(repository, { '.docbuild.yml': `theme:\n  footer: ${footer}\n` });
    const { message } = (await t.throwsAsync(site.build(repository.folder)))!;
    t.regex(message, /"theme\.footer/, footer);
  }
});
