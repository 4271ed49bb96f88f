import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { createRepository } from '../../helpers/create-repository.ts';
import { createSite } from '../../helpers/create-site.ts';
import { commitFiles } from '../../helpers/write-pages.ts';

const lfsPointer = 'version https://git-lfs.github.com/spec/v1\noid sha256:4d7a2146\nsize 12345\n';

test('buildSite() rewrites links between pages as they stand on disk, on the site, and from the root', async (t) => {
  const repository = createRepository(t);
  const links = [
    'b.md',
    './b.md#two',
    'b',
    'b.html',
    '../index.md',
    '../',
    '/guide/b.md',
    '/guide/b',
    '/',
    '../other/',
    'b.md?x=1#two',
  ];
  commitFiles(repository, {
    'docs/index.md': '# Home\n',
    'docs/other/README.md': '# Other\n',
    'docs/guide/b.md': '# B\n\n## Two\n',
    'docs/guide/a.md': `# A\n\n${links.map((link) => `[x](${link})`).join('\n')}\n`,
  });
  const site = createSite(t);
  const { warnings } = await site.build(repository.folder);
  t.deepEqual(warnings, []);
  const article = site.read('en/main/guide/a.html').split('<article')[1]!.split('</article>')[0]!;
  const hrefs = [...article.matchAll(/<a href="([^"]*)"[^>]*>x</g)].map(([, href]) =>
    new URL(href!, 'http://x/en/main/guide/a.html').href.slice(8),
  );
  const b = '/en/main/guide/b.html';
  t.deepEqual(hrefs, [
    b,
    `${b}#two`,
    b,
    b,
    '/en/main/',
    '/en/main/',
    b,
    b,
    '/en/main/',
    '/en/main/other/',
    `${b}?x=1#two`,
  ]);
});

test('buildSite() reports dead links, anchors and images with the line in the file, front matter counted', async (t) => {
  const repository = createRepository(t);
  commitFiles(repository, {
    'docs/index.md': '# Home\n\n## Two\n',
    'docs/a.md': [
      '---', // 1
      'title: A',
      'order: 2',
      '---', // 4
      '',
      '# A', // 6
      '',
      '[gone](gone.md)', // 8
      '',
      '- item', // 10
      '',
      '  [anchor](index.md#three) and ![image](x.png)', // 12
      '',
      '> [own](#nowhere) [ref][r]', // 14
      '',
      '<a href="raw.md">raw</a>', // 16
      '',
      '| a |', // 18
      '|---|',
      '| [cell](cell.md) |', // 20
      '',
      '[r]: reference.md', // 22
      '',
      '[fine](index.md#two) [out](https://example.test/x.md) [mail](mailto:a@b.test) [top](#top)', // 24
    ].join('\n'),
  });
  const { warnings } = await createSite(t).build(repository.folder);
  t.deepEqual(
    warnings.map(({ line, code, message }) => [line, code, /"([^"]*)"/.exec(message)?.[1]]),
    [
      [8, 'dead-link', 'gone.md'],
      [12, 'dead-anchor', '#three'],
      [12, 'missing-file', 'x.png'],
      [14, 'dead-anchor', '#nowhere'],
      [14, 'dead-link', 'reference.md'],
      [16, 'dead-link', 'raw.md'],
      [20, 'dead-link', 'cell.md'],
    ],
  );
  t.true(warnings.every(({ ref, file }) => ref === 'main' && file === 'docs/a.md'));
});

test('buildSite() brings images and downloads along, also from outside the folder, under their bytes', async (t) => {
  const repository = createRepository(t);
  const png = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 255, 13, 10, 26, 10]);
  commitFiles(repository, {
    'docs/en/guide/a.md':
      '![1](pic.png) ![2](../../shared/p q.png) ![2](<../../shared/p q.png>) ![3](../../../assets/logo.png) [4](/files/x.zip) [5](../data.csv?x#y) <img src="pic.png">\n',
    'docs/de/guide/a.md': '![1](pic.png)\n',
    'docs/en/guide/pic.png': png,
    'docs/en/unused.png': png,
    'docs/de/guide/pic.png': 'another',
    'docs/shared/p q.png': 'shared',
    'docs/public/files/x.zip': 'zip',
    'docs/en/data.csv': 'a,b',
    'assets/logo.png': 'logo',
  });
  const site = createSite(t);
  const { warnings } = await site.build(repository.folder);
  t.deepEqual(warnings, []);
  const article = site.read('en/main/guide/a.html').split('<article')[1]!.split('</article>')[0]!;
  const targets = [...article.matchAll(/<(?:img[^>]*? src|a href)="([^"]*)"/g)].map(([, url]) =>
    decodeURIComponent(new URL(url!, 'http://x/en/main/guide/').pathname).slice(1),
  );
  t.deepEqual(
    targets.map((path) => site.read(path)),
    ['\ufffdPNG\0\ufffd\r\n\u001a\n', 'shared', 'logo', 'zip', 'a,b', '\ufffdPNG\0\ufffd\r\n\u001a\n'],
  );
  t.true(targets.every((path) => path.startsWith('en/main/')));
  t.false(site.list().some((path) => path.includes('unused')));
  t.is(site.read('de/main/guide/pic.png'), 'another');
});

test('buildSite() skips links out of the repository, submodules and LFS pointers with warnings that name the file', async (t) => {
  const repository = createRepository(t);
  commitFiles(repository, {
    'docs/index.md': '# Home\n\n![pointer](big.png) ![link](link.png) [sub](sub/x.md)\n',
    'docs/big.png': lfsPointer,
    'docs/real.png': 'x',
    'docs/pointer.md': lfsPointer,
  });
  symlinkSync('real.png', join(repository.folder, 'docs/link.png'));
  symlinkSync('/etc', join(repository.folder, 'docs/etc'));
  repository.git('update-index', '--add', '--cacheinfo', `160000,${repository.git('rev-parse', 'HEAD')},docs/sub`);
  repository.git('add', 'docs/link.png', 'docs/etc');
  repository.git('commit', '--quiet', '-m', 'Links');
  const site = createSite(t);
  const { warnings } = await site.build(repository.folder);
  const found = warnings.map(({ code, file }) => `${code} ${file}`).sort();
  t.deepEqual(
    found.filter((row) => !/dead-link|missing-file/.test(row)),
    ['lfs-pointer docs/big.png', 'submodule docs/sub', 'symbolic-link docs/etc'],
  );
  t.is(site.read('en/main/link.png'), 'x');
  t.false(site.has('en/main/big.png') || site.has('en/main/etc'));
});

test('buildSite() takes README and index as index of a folder, index first', async (t) => {
  const repository = createRepository(t);
  commitFiles(repository, {
    'docs/README.md': '# Home\n\n[a](a/README.md) [b](b/index.md)\n',
    'docs/a/README.md': '# A\n',
    'docs/b/index.md': '# B\n',
    'docs/b/README.md': '# Not B\n',
  });
  const site = createSite(t);
  const { warnings, pages } = await site.build(repository.folder);
  t.is(pages, 3);
  t.deepEqual(
    warnings.map(({ file, code }) => [file, code]),
    [['docs/b/README.md', 'duplicate-page']],
  );
  t.regex(site.read('en/main/index.html'), /href="\.\/a\/">a<\/a> <a href="\.\/b\/">b</);
  t.regex(site.read('en/main/b/index.html'), /<h1[^>]*>B/);
});

test('buildSite() gives a folder without an index a home that lists its pages', async (t) => {
  const repository = createRepository(t);
  commitFiles(repository, { 'docs/b.md': '# Second\n', 'docs/a.md': '# First\n', 'docs/deep/c d.md': '# Third\n' });
  const site = createSite(t);
  await site.build(repository.folder, { title: 'Our docs' });
  const home = site.read('en/latest/index.html');
  t.regex(home, /<title>Our docs<\/title>/);
  for (const href of ['a.html', 'b.html', 'deep/c%20d.html']) t.true(home.includes(`href="./${href}"`), href);
});

test('buildSite() makes the README of the repository the home of docs/ without an index, in each language that has none', async (t) => {
  const repository = createRepository(t);
  commitFiles(repository, {
    'README.md':
      '# Ours\n\n![logo](logo.png) [start](docs/en/start.md) [fr](./docs/fr/README-fr.md) [code](lib/a.js)\n',
    'logo.png': Buffer.from('89504e470d0a1a0a', 'hex'),
    'lib/a.js': 'a\n',
    'docs/en/start.md': '# Start\n\n[home](../../README.md)\n',
    'docs/fr/start.md': '# Début\n',
    'docs/fr/README-fr.md': '# Le nôtre\n\n[début](./docs/fr/start.md) [en](../../README.md)\n',
    'docs/de/start.md': '# Anfang\n',
  });
  const site = createSite(t);
  const { warnings } = await site.build(repository.folder);
  t.deepEqual(
    warnings.map(({ file, message }) => `${file}: ${message}`),
    [],
  );
  const english = site.read('en/main/index.html');
  t.regex(english, /<h1.*Ours/);
  t.regex(english, /src="\.\/_files\/logo[^"]*\.png"/);
  t.regex(english, /href="\.\/start\.html">start</);
  t.regex(english, /href="\.\.\/\.\.\/fr\/main\/">fr</);
  t.regex(site.read('en/main/start.html'), /href="\.\/">home</);
  const french = site.read('fr/main/index.html');
  t.regex(french, /<h1.*Le nôtre/);
  t.regex(french, /href="\.\/start\.html">début</);
  t.regex(french, /href="\.\.\/\.\.\/en\/main\/">en</);
  t.regex(site.read('de/main/index.html'), /<h1.*Ours/);
});

test('buildSite() takes no README from outside for a folder that has an index, or that was asked for', async (t) => {
  const repository = createRepository(t);
  commitFiles(repository, { 'README.md': '# Ours\n', 'docs/a.md': '# A\n' });
  const asked = createSite(t);
  await asked.build(repository.folder, { sourceDir: 'docs' });
  t.notRegex(asked.read('en/main/index.html'), /Ours/);
  commitFiles(repository, { 'docs/en/index.md': '# English\n', 'docs/de/index.md': '# Deutsch\n' });
  const site = createSite(t);
  const { warnings } = await site.build(repository.folder);
  t.deepEqual(warnings, []);
  t.regex(site.read('en/main/index.html'), /<h1.*English/);
});

test('buildSite() leads links to the index that is not there to the home it makes', async (t) => {
  const repository = createRepository(t);
  const links = (...urls: string[]) => `# A\n\n${urls.map((url) => `[x](${url})`).join(' ')}\n`;
  commitFiles(repository, {
    'docs/en/guide/a.md': links('/', '../', '..', '../index.md', '../README.md'),
    'docs/de/b.md': links('/', './', 'index.md', 'index.md#x'),
  });
  const site = createSite(t);
  const { warnings } = await site.build(repository.folder);
  t.deepEqual(
    warnings.map(({ file, message }) => `${file}: ${message}`),
    ['docs/de/b.md: Anchor "#x" does not exist in page "docs/de/index.md"'],
  );
  const hrefs = (path: string) => [...site.read(path).matchAll(/<a href="([^"]*)">x</g)].map(([, href]) => href);
  for (const language of ['en', 'de']) t.deepEqual(hrefs(`${language}/main/guide/a.html`), Array(5).fill('../'));
  t.deepEqual(hrefs('de/main/b.html'), ['./', './', './', './#x']);
});

test('buildSite() leaves a link to a file index.html to the file where no page is the index', async (t) => {
  const repository = createRepository(t);
  commitFiles(repository, { 'docs/a.md': '# A\n\n[x](index.html)\n', 'docs/index.html': 'own\n' });
  const site = createSite(t);
  await site.build(repository.folder);
  t.regex(site.read('en/main/a.html'), /<a href="\.\/_files\/docs\/">x</);
  t.is(site.read('en/main/_files/docs/index.html'), 'own\n');
});

test('buildSite() orders the sidebar by front matter, else by name, and takes the nav of the project file', async (t) => {
  const repository = createRepository(t);
  const pages = {
    'docs/index.md': '# Home\n',
    'docs/10-ten.md': '# Ten\n',
    'docs/2-two.md': '# Two\n',
    'docs/last.md': '---\norder: 99\n---\n# Ordered\n',
    'docs/guide/index.md': '---\ntitle: The guide\norder: 1\n---\n# X\n',
    'docs/guide/a.md': '# A\n',
  };
  commitFiles(repository, pages);
  const site = createSite(t);
  await site.build(repository.folder);
  const titles = () => {
    const sidebar = site.read('en/main/2-two.html').split('class="sidebar"')[1]!.split('</nav>')[0]!;
    return [...sidebar.matchAll(/<(?:a|summary)[^>]*>([^<]+)</g)].map(([, title]) => title);
  };
  t.deepEqual(titles(), ['Home', 'The guide', 'A', 'Ordered', 'Two', 'Ten']);
  commitFiles(repository, {
    '.docbuild.yml':
      'nav:\n  - Start: index.md\n  - Group:\n      - 2-two.md\n      - guide/a.md\n  - title: Blog\n    path: https://example.test/\n',
  });
  await site.build(repository.folder);
  t.deepEqual(titles(), ['Start', 'Group', 'Two', 'A', 'Blog']);
});

test('buildSite() uses what the project file says: title, folder, languages, latest, exclusions, theme', async (t) => {
  const repository = createRepository(t);
  commitFiles(repository, {
    'manual/de/a.md': '# A\n',
    'manual/en/a.md': '# A\n',
    'manual/fr/a.md': '# A\n',
    'art/logo.svg': '<svg xmlns="http://www.w3.org/2000/svg"/>',
    '.docbuild.yml': [
      'title: "The <b>Manual</b>"',
      'sourceDir: manual',
      'lang: [de, en]',
      'latest: v1',
      'excluded: [test, "wip/**"]',
      'theme:',
      '  accent: "#07603f"',
      '  logo: art/logo.svg',
      '  links: [{title: Code, url: "https://example.test/code"}]',
      '  footer: "© us"',
    ].join('\n'),
  });
  repository.git('tag', 'v1');
  for (const branch of ['test', 'wip/a/b', 'next']) repository.git('branch', branch);
  const site = createSite(t);
  const { versions, languages } = await site.build(repository.folder);
  t.deepEqual([versions, languages], [3, 2]);
  t.regex(site.read('index.html'), /url=\.\/de\/latest\//);
  const text = site.read('en/latest/a.html');
  t.regex(text, /<title>A \| The &lt;b&gt;Manual&lt;\/b&gt;<\/title>/);
  t.regex(text, /href="https:\/\/example\.test\/code"/);
  t.true(text.includes('© us'));
  const logo = /src="([^"]*logo\.[0-9a-f]+\.svg)"/.exec(text)![1]!;
  t.regex(site.read(join('en/latest', logo)), /<svg/);
  const style = /<link rel="stylesheet" href="([^"]*)"/.exec(text)![1]!;
  t.true(site.read(join('en/latest', style)).includes('#07603f'));
});

test('buildSite() lets the command win over the project file, and adds up exclusions', async (t) => {
  const repository = createRepository(t);
  commitFiles(repository, {
    'docs/a.md': '# A\n',
    'other/a.md': '# Other\n',
    '.docbuild.yml': 'title: File\nsourceDir: other\nexcluded: test\nlatest: next\n',
  });
  for (const branch of ['test', 'old', 'next']) repository.git('branch', branch);
  const site = createSite(t);
  const { versions } = await site.build(repository.folder, {
    title: 'Command',
    sourceDir: 'docs',
    exclude: 'old',
    latest: 'main',
  });
  t.is(versions, 2);
  t.regex(site.read('en/latest/a.html'), /<title>A \| Command<\/title>/);
});

test('buildSite() redirects addresses as the project file says, to pages, files and elsewhere', async (t) => {
  const repository = createRepository(t);
  commitFiles(repository, {
    'docs/index.md': '# Home\n',
    'docs/guide/a.md': '# A\n',
    'docs/x.pdf': 'pdf',
    '.docbuild.yml':
      'redirects:\n  old: guide/a.md\n  "/very/old.html": guide/a#part\n  folder/: /\n  file: x.pdf\n  away: https://example.test/\n  broken: gone.md\n  guide/a: index.md\n  ../up: index.md\n  what?: index.md\n',
  });
  const site = createSite(t);
  const { warnings } = await site.build(repository.folder);
  const target = (path: string) =>
    new URL(/url=([^"]*)"/.exec(site.read(`en/main/${path}`))![1]!, `http://x/en/main/${path}`).href;
  t.is(target('old.html'), 'http://x/en/main/guide/a.html');
  t.is(target('very/old.html'), 'http://x/en/main/guide/a.html#part');
  t.is(target('folder/index.html'), 'http://x/en/main/');
  t.is(target('file.html'), 'http://x/en/main/x.pdf');
  t.is(site.read('en/main/x.pdf'), 'pdf');
  t.is(target('away.html'), 'https://example.test/');
  t.regex(site.read('en/main/guide/a.html'), /<h1[^>]*>A/, 'a page wins');
  const told = warnings.filter(({ file }) => file === '.docbuild.yml').map(({ code, message }) => [code, message]);
  t.deepEqual(told, [
    ['dead-anchor', 'Redirect from "/very/old.html": Anchor "#part" does not exist in page "docs/guide/a"'],
    ['dead-link', 'Redirect from "broken": Link "gone.md" leads to no page or file'],
    ['project-file', 'Redirect from "guide/a" ignored: "guide/a.md" has that URL'],
    ['project-file', 'Redirect from "../up" ignored: no page can have that URL'],
    ['project-file', 'Redirect from "what?" ignored: no page can have that URL'],
  ]);
});

test('buildSite() writes sitemap with languages, canonical addresses and robots only with a base URL', async (t) => {
  const repository = createRepository(t);
  commitFiles(repository, {
    'docs/en/index.md': '# Home\n',
    'docs/en/a b.md': '# A\n',
    'docs/zh_CN/index.md': '# 首页\n',
  });
  repository.git('tag', 'v1');
  const site = createSite(t);
  await site.build(repository.folder);
  t.false(site.has('sitemap.xml'));
  t.is(site.read('robots.txt'), 'User-agent: *\nAllow: /\n');
  t.regex(site.read('en/v1/a b.html'), /<link rel="canonical" href="\.\.\/\.\.\/en\/latest\/a%20b\.html">/);
  await site.build(repository.folder, { baseUrl: 'https://docs.example.test/x' });
  t.is(site.read('robots.txt'), 'User-agent: *\nAllow: /\nSitemap: https://docs.example.test/x/sitemap.xml\n');
  t.regex(
    site.read('en/v1/a b.html'),
    /<link rel="canonical" href="https:\/\/docs\.example\.test\/x\/en\/latest\/a%20b\.html">/,
  );
  t.regex(
    site.read('zh_CN/v1/a b.html'),
    /<link rel="canonical" href="https:\/\/docs\.example\.test\/x\/en\/latest\/a%20b\.html">/,
  );
  const sitemap = site.read('sitemap.xml');
  const urls = [...sitemap.matchAll(/<loc>([^<]*)<\/loc>/g)].map(([, url]) =>
    url!.replace('https://docs.example.test/x/', ''),
  );
  t.deepEqual(urls.sort(), ['en/latest/', 'en/latest/a%20b.html', 'zh_CN/latest/']);
  t.regex(sitemap, /hreflang="zh-CN" href="https:\/\/docs\.example\.test\/x\/zh_CN\/latest\/"/);
  t.is(sitemap.match(/hreflang=/g)?.length, 6);
  t.is(sitemap.match(/hreflang="x-default" href="https:\/\/docs\.example\.test\/x\/en\/latest\/"/g)?.length, 2);
});

test('buildSite() writes a 404 page for each language whose addresses work at any depth', async (t) => {
  const repository = createRepository(t);
  commitFiles(repository, { 'docs/en/index.md': '# Home\n', 'docs/de/index.md': '# Start\n' });
  const site = createSite(t);
  await site.build(repository.folder, { baseUrl: 'https://docs.example.test/x/' });
  for (const path of ['404.html', 'en/404.html', 'de/404.html']) {
    const text = site.read(path);
    const addresses = [...text.matchAll(/ (?:href|src)="([^"#][^"]*)"/g)].map(([, url]) => url!);
    t.true(addresses.length > 3 && addresses.every((url) => url.startsWith('/x/')), `${path}: ${addresses}`);
  }
  t.regex(site.read('de/404.html'), /<html lang="de"/);
  t.regex(site.read('de/404.html'), /href="\/x\/de\/latest\/"/);
});

test('buildSite() writes 404 pages for a second place that the site is served at', async (t) => {
  const repository = createRepository(t);
  commitFiles(repository, { 'docs/en/index.md': '# Home\n', 'docs/de/index.md': '# Start\n' });
  const site = createSite(t);
  for (const single of [false, true]) {
    await site.build(repository.folder, { alsoBelow: '/docs/x/', single });
    const paths = site.list().filter((path) => path.endsWith('404.html'));
    t.is(paths.length, single ? 4 : 6);
    for (const path of paths) {
      const root = path.startsWith('_docbuild/below/') ? '/docs/x/' : '/';
      const addresses = [...site.read(path).matchAll(/ (?:href|src|data-site)="([^"#][^"]*)"/g)].map(([, url]) => url!);
      const inside = addresses.map((url) => url.slice(root.length).replace(/(?:^|\/)$/, '$&index.html'));
      t.true(addresses.length > 4 && addresses.every((url) => url.startsWith(root)), `${path}: ${addresses}`);
      for (const file of inside) t.true(site.has(file), `${path}: ${file}`);
    }
  }
});

test('buildSite() links to the editor of the code host for what is on the default branch', async (t) => {
  const repository = createRepository(t);
  commitFiles(repository, {
    'docs/old.md': '# Old\n',
    'docs/a b.md': '# A\n\n[code](../src/x.ts) [folder](../src)\n',
    'src/x.ts': 'x',
  });
  repository.git('tag', 'v1');
  repository.git('rm', '--quiet', 'docs/old.md');
  repository.commit('Less');
  repository.git('remote', 'add', 'origin', 'https://user:secret@github.com/o/r.git');
  const site = createSite(t);
  await site.build(repository.folder);
  const text = site.read('en/v1/a b.html');
  t.true(text.includes('href="https://github.com/o/r/edit/main/docs/a%20b.md"'));
  t.true(text.includes('href="https://github.com/o/r/blob/main/src/x.ts"'));
  t.true(text.includes('href="https://github.com/o/r/tree/main/src"'));
  t.false(site.read('en/v1/old.html').includes('/edit/'));
  for (const path of site.list()) t.false(site.read(path).includes('secret'), path);

  await site.build(repository.folder, { hideGit: true });
  for (const path of site.list()) {
    const own = site.read(path).match(/https:\/\/github\.com\/o\/r[^"\s)]*/g) ?? [];
    t.deepEqual(
      own.filter((url) => !/\/(?:blob\/main\/src\/x\.ts|tree\/main\/src)$/.test(url)),
      [],
      path,
    );
  }
});

test('buildSite() links to a file of just that name rather than to a page whose name begins with it', async (t) => {
  const repository = createRepository(t);
  commitFiles(repository, {
    'docs/index.md': '# Home\n\n[js](node.js) [page](node.js.md) [license](LICENSE) [io](socket.io) [html](odd.html)\n',
    'docs/node.js': 'code',
    'docs/node.js.md': '# Node\n',
    'docs/LICENSE': 'text',
    'docs/LICENSE.md': '# License\n',
    'docs/socket.io.md': '# Socket\n',
    'docs/odd.md': '# Odd\n',
    'docs/odd.html.md': '# Odd HTML\n',
  });
  const site = createSite(t);
  const { warnings } = await site.build(repository.folder);
  t.deepEqual(warnings, []);
  const urls = [...site.read('en/main/index.html').matchAll(/<a href="([^"]*)">(?:js|page|license|io|html)</g)];
  t.deepEqual(
    urls.map(([, url]) => url),
    ['./node.js', './node.js.html', './LICENSE', './socket.io.html', './odd.html'],
  );
  t.is(site.read('en/main/node.js'), 'code');
});

test('buildSite() finds links of a site of its own: by numbered names, titles, the root of all pages and its name', async (t) => {
  const repository = createRepository(t);
  const links = [
    '/docs/my-kettle/setup',
    '/docs/my-kettle/01-basics/setup',
    '/docs/my-kettle',
    'basics/setup',
    '/parts/the-lid-of-it',
    '/docs/other/setup',
  ];
  commitFiles(repository, {
    'docs/index.md': '# Home\n',
    'docs/01-basics/02-setup.md': '# Set up\n',
    'docs/parts/a.md': `# A\n\n${links.map((link) => `[x](${link})`).join('\n')}\n`,
    'docs/parts/b.md': '# The lid of it\n',
  });
  const site = createSite(t);
  const { warnings } = await site.build(repository.folder, { title: 'My kettle' });
  t.deepEqual(
    warnings.map(({ message }) => message),
    ['Link "/docs/other/setup" leads to no page or file'],
  );
  const article = site.read('en/main/parts/a.html').split('<article')[1]!.split('</article>')[0]!;
  t.deepEqual(
    [...article.matchAll(/<a href="([^"]*)"[^>]*>x</g)].map(([, href]) => href),
    [
      ...[
        '../01-basics/02-setup.html',
        '../01-basics/02-setup.html',
        '../',
        '../01-basics/02-setup.html',
        '../parts/b.html',
      ],
      '/docs/other/setup',
    ],
  );
});
