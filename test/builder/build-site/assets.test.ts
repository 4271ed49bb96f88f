import test from 'ava';
import { createRepository } from '../../helpers/create-repository.ts';
import { createSite, type TestSite } from '../../helpers/create-site.ts';
import { commitFiles } from '../../helpers/write-pages.ts';

/** Returns the text of a page's own part. */
function readArticle(site: TestSite, path: string): string {
  return site.read(path).split('<article')[1]!.split('</article>')[0]!;
}

/** Returns the addresses in a text that begin with a mark, resolved as a browser does that shows it at `path`. */
function resolveAll(text: string, path: string): readonly string[] {
  const urls = [...text.matchAll(/(?:src|data|href|poster|background)="([^"#]*)[^"]*"/g)].map(([, url]) => url!);
  return urls.filter((url) => url !== '').map((url) => decodeURIComponent(new URL(url, `http://x/${path}`).pathname));
}

test('buildSite() publishes every kind of file that the raw HTML of a page refers to', async (t) => {
  const repository = createRepository(t);
  const html = [
    '<svg><use href="1.svg#a"></use><use xlink:href="2.svg#b"/><image href="3.png"/></svg>',
    '<object data="4.svg"></object><embed src="5.pdf"><iframe src="6.html"></iframe>',
    '<script src="7.js"></script><input type="image" src="8.png"><audio src="9.ogg"></audio>',
    '<video src="10.mp4" poster="11.jpg"><source src="12.webm"><track src="13.vtt"></video>',
    '<link rel="stylesheet" href="14.css"><link rel="icon" href="15.ico"><table background="16.png"></table>',
  ].join('\n\n');
  const files = Array.from(html.matchAll(/"(\d+\.\w+)/g), ([, file]) => file!);
  commitFiles(repository, {
    'docs/index.md': `# Home\n\n${html}\n`,
    ...Object.fromEntries(files.map((file) => [`docs/${file}`, `file ${file}`])),
  });
  const site = createSite(t);
  const { warnings } = await site.build(repository.folder);
  t.deepEqual(warnings, []);
  t.is(files.length, 16);
  const targets = resolveAll(readArticle(site, 'en/main/index.html'), 'en/main/').map((path) => path.slice(1));
  t.deepEqual(
    targets.filter((path) => !path.endsWith('/')).map((path) => site.read(path)),
    files.map((file) => `file ${file}`),
  );
});

test('buildSite() publishes the candidates of srcset however they are written, and leaves data addresses alone', async (t) => {
  const repository = createRepository(t);
  commitFiles(repository, {
    'docs/guide/a.md': [
      '<img srcset="../a.png 1x,../b.png 2x" src="../a.png">',
      '',
      '<picture><source srcset="../c,d.png 640w, data:image/png;base64,AA== 1x, https://x.test/a,b 2x,../e.png"></picture>',
    ].join('\n'),
    'docs/a.png': 'a',
    'docs/b.png': 'b',
    'docs/c,d.png': 'c',
    'docs/e.png': 'e',
  });
  const site = createSite(t);
  const { warnings } = await site.build(repository.folder);
  t.deepEqual(warnings, []);
  const article = readArticle(site, 'en/main/guide/a.html');
  t.true(article.includes('srcset="../a.png 1x,../b.png 2x"'));
  t.true(
    article.includes('srcset="../c%2Cd.png 640w, data:image/png;base64,AA== 1x, https://x.test/a,b 2x,../e.png"'),
    article,
  );
  t.deepEqual(
    ['a.png', 'b.png', 'c,d.png', 'e.png'].map((file) => site.read(`en/main/${file}`)),
    ['a', 'b', 'c', 'e'],
  );
});

test('buildSite() publishes what style attributes and style blocks refer to', async (t) => {
  const repository = createRepository(t);
  commitFiles(repository, {
    'docs/guide/a.md': [
      `<div style="color: red; background: url('../a b.png')">x</div>`,
      '',
      '<style>',
      '@import "../base.css";',
      '.x > p { background-image: url( ../img/b.png ) }',
      '</style>',
      '',
      '<svg><rect fill="url(#g)" filter="url(../f.svg#blur)"/></svg>',
    ].join('\n'),
    'docs/a b.png': 'a',
    'docs/img/b.png': 'b',
    'docs/base.css': '',
    'docs/f.svg': '<svg/>',
  });
  const site = createSite(t);
  const { warnings } = await site.build(repository.folder);
  t.deepEqual(warnings, []);
  const article = readArticle(site, 'en/main/guide/a.html');
  t.true(article.includes('style="color: red; background: url(&quot;../a%20b.png&quot;)"'));
  t.true(article.includes('@import "../base.css";\n.x > p { background-image: url("../img/b.png") }'));
  t.true(article.includes('<rect fill="url(#g)" filter="url(&quot;../f.svg#blur&quot;)"'));
  t.deepEqual(
    ['a b.png', 'img/b.png', 'base.css', 'f.svg'].filter((file) => !site.has(`en/main/${file}`)),
    [],
  );
});

test('buildSite() reports what a page refers to and is not there, with the line', async (t) => {
  const repository = createRepository(t);
  commitFiles(repository, {
    'docs/index.md': [
      '# Home', // 1
      '',
      '<style>', // 3
      'a { color: red }',
      'b { background: url(x.png) }', // 5
      '</style>',
      '',
      '<p style="background: url(y\\29 .png)">', // 8
      '</p>',
      '',
      '<object data="z.pdf"></object>', // 11
    ].join('\n'),
  });
  const { warnings } = await createSite(t).build(repository.folder);
  t.deepEqual(
    warnings.map(({ line, code, message }) => [line, code, message]),
    [
      [5, 'missing-file', 'File "x.png" does not exist'],
      [8, 'missing-file', 'File "y).png" does not exist'],
      [11, 'missing-file', 'File "z.pdf" does not exist'],
    ],
  );
});

test('buildSite() publishes what style sheets refer to, through circles, and reports what is missing with its line', async (t) => {
  const repository = createRepository(t);
  commitFiles(repository, {
    'docs/guide/a.md': '<link rel="stylesheet" href="../theme/a.css">\n',
    'docs/theme/a.css': '@import "b.css";\n@import url(parts/c.css);\n',
    'docs/theme/b.css': '@import "a.css";\n@font-face { src: url("fonts/x.woff2") format("woff2") }\n',
    'docs/theme/parts/c.css': [
      '/* url(comment.png) */',
      'a { background: image-set("1.png" 1x type("image/png"), url(2.png) 2x) }',
      'b { background: url(gone.png) } c { background: url(data:image/png;base64,AA==), url(https://x.test/y.png) }',
    ].join('\n'),
    'docs/theme/fonts/x.woff2': 'font',
    'docs/theme/parts/1.png': '1',
    'docs/theme/parts/2.png': '2',
  });
  const site = createSite(t);
  const { warnings } = await site.build(repository.folder);
  t.deepEqual(
    warnings.map(({ file, line, code, message }) => [file, line, code, message]),
    [['docs/theme/parts/c.css', 3, 'missing-file', 'File "gone.png" does not exist']],
  );
  const files = ['a.css', 'b.css', 'parts/c.css', 'fonts/x.woff2', 'parts/1.png', 'parts/2.png'];
  t.deepEqual(
    files.map((file) => site.read(`en/main/theme/${file}`).trimEnd()),
    files.map((file) => repository.git('show', `HEAD:docs/theme/${file}`)),
  );
});

test('buildSite() rewrites a style sheet only where its addresses would lead elsewhere, and shares it between versions', async (t) => {
  const repository = createRepository(t);
  const pages = {
    'docs/en/a.md': '<link rel="stylesheet" href="../../theme/main.css">\n',
    'docs/de/a.md': '<link rel="stylesheet" href="../../theme/main.css">\n',
  };
  commitFiles(repository, {
    ...pages,
    'theme/main.css': 'a { background: url(/img/a.png) }\nb { background: url("../docs/shared/b%20c.png") }\r\n',
    'docs/public/img/a.png': 'a',
    'docs/shared/b c.png': 'b',
  });
  repository.git('tag', 'v1');
  commitFiles(repository, { 'docs/en/b.md': '# B\n' });
  const site = createSite(t);
  const { warnings } = await site.build(repository.folder);
  t.deepEqual(warnings, []);
  for (const release of ['en/main', 'de/main', 'en/v1']) {
    t.is(
      site.read(`${release}/_files/theme/main.css`),
      'a { background: url("../../public/img/a.png") }\nb { background: url("../../shared/b%20c.png") }\r\n',
      release,
    );
    t.is(site.read(`${release}/public/img/a.png`), 'a');
    t.is(site.read(`${release}/shared/b c.png`), 'b');
  }
  t.is(site.inode('en/main/_files/theme/main.css'), site.inode('de/v1/_files/theme/main.css'));
});

test('buildSite() brings along what the index of a linked folder takes from outside the documentation', async (t) => {
  const repository = createRepository(t);
  commitFiles(repository, {
    'docs/index.md': '# Home\n\n[one](one/)\n',
    'docs/guide/a.md': '# A\n\n[two](../two) [three](./three/) [four](four.html?x#y)\n',
    'docs/one/index.html': '<img src="../../shared/1.png">',
    'docs/two/index.html': '<img src="../../shared/2.png">',
    'docs/guide/three/index.html': '<img src="../../../shared/3.png">',
    'docs/guide/four.html': '<img src="../../shared/4.png">',
    ...Object.fromEntries([1, 2, 3, 4].map((n) => [`shared/${n}.png`, `picture ${n}`])),
  });
  const site = createSite(t);
  const { warnings } = await site.build(repository.folder);
  t.deepEqual(warnings, []);
  for (const [at, page] of ['one/index', 'two/index', 'guide/three/index', 'guide/four'].entries()) {
    const [path] = resolveAll(site.read(`en/main/${page}.html`), `en/main/${page}.html`);
    t.is(site.read(path!.slice(1)), `picture ${at + 1}`);
  }
});

test('buildSite() follows drawings and pages of HTML to their files, and the links between such pages', async (t) => {
  const repository = createRepository(t);
  commitFiles(repository, {
    'docs/index.md': '# Home\n\n[demo](demo/) ![drawing](pics/a.svg)\n',
    'docs/guide.md': '# Guide\n\n## Two\n',
    'docs/demo/index.html': [
      '<!doctype html><title>x</title>',
      '<link rel=stylesheet href=style.css?v=1><script src="app.js"></script>',
      '<a href="second.html#x">second</a> <a href="../guide.md#two">guide</a> <a href="#here">here</a>',
      '<img src="gone.png"> <img src="/logo.png">',
      '<script>const x = "<img src=none.png>"</script>',
    ].join('\n'),
    'docs/demo/style.css': 'a { cursor: url("hand.cur"), auto }',
    'docs/demo/hand.cur': 'hand',
    'docs/demo/app.js': 'js',
    'docs/demo/second.html': '<a href="index.html">back</a>',
    'docs/public/logo.png': 'logo',
    'docs/pics/a.svg': [
      '<?xml version="1.0"?><?xml-stylesheet type="text/css" href="a.css"?>',
      '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink">',
      '<style><![CDATA[ @font-face { src: url(f.woff) } ]]></style>',
      '<image xlink:href="p.png"/><use href="b.svg#x"/><use href="#y"/><rect style="fill: url(#g)"/></svg>',
    ].join('\n'),
    'docs/pics/b.svg': '<svg><image href="missing.png"/></svg>',
    'docs/pics/a.css': '',
    'docs/pics/f.woff': 'f',
    'docs/pics/p.png': 'p',
  });
  const site = createSite(t);
  const { warnings } = await site.build(repository.folder);
  t.deepEqual(
    warnings.map(({ file, line, code, message }) => [file, line, code, message]),
    [
      ['docs/demo/index.html', 4, 'missing-file', 'File "gone.png" does not exist'],
      ['docs/pics/b.svg', 1, 'missing-file', 'File "missing.png" does not exist'],
    ],
  );
  t.true(readArticle(site, 'en/main/index.html').includes('<a href="./demo/">'));
  t.is(
    site.read('en/main/demo/index.html'),
    repository
      .git('show', 'HEAD:docs/demo/index.html')
      .replace('style.css?v=1', '"style.css?v=1"')
      .replace('"../guide.md#two"', '"../guide.html#two"')
      .replace('"/logo.png"', '"../public/logo.png"'),
  );
  const files = ['style.css', 'hand.cur', 'app.js', 'second.html'].map((file) => `demo/${file}`);
  files.push('pics/a.svg', 'pics/b.svg', 'pics/a.css', 'pics/f.woff', 'pics/p.png');
  t.deepEqual(
    files.filter((file) => site.read(`en/main/${file}`) !== repository.git('show', `HEAD:docs/${file}`)),
    [],
  );
});

test('buildSite() takes files along that a file refers to from outside the source folder, and builds again when they change', async (t) => {
  const repository = createRepository(t);
  commitFiles(repository, {
    'docs/a.md': '<link rel="stylesheet" href="style.css">\n',
    'docs/b.md': '# B\n',
    'docs/style.css': '@import "../shared/base.css";',
    'shared/base.css': 'a { background: url(pics/a.png) }',
    'shared/pics/a.png': 'one',
  });
  const site = createSite(t);
  t.deepEqual((await site.build(repository.folder)).warnings, []);
  t.is(site.read('en/main/style.css'), '@import "./_files/shared/base.css";');
  t.is(site.read('en/main/_files/shared/pics/a.png'), 'one');
  commitFiles(repository, { 'shared/pics/a.png': 'two' });
  await site.build(repository.folder);
  t.is(site.read('en/main/_files/shared/pics/a.png'), 'two');
  repository.git('rm', '--quiet', 'shared/pics/a.png');
  repository.commit('Remove');
  const { warnings } = await site.build(repository.folder);
  t.deepEqual(
    warnings.map(({ file, line, code }) => [file, line, code]),
    [['shared/base.css', 1, 'missing-file']],
  );
  t.false(site.has('en/main/_files/shared/pics/a.png'));
});

test('buildSite() shows a translation the default language’s files where it has none of its own', async (t) => {
  const repository = createRepository(t);
  commitFiles(repository, {
    'docs/en/guide/a.md': '![](a.png) ![](/img/b.png)\n',
    'docs/en/guide/a.png': 'en a',
    'docs/en/img/b.png': 'en b',
    'docs/de/guide/a.md': '![](a.png) ![](/img/b.png) ![](/img/c.png)\n\n<link rel="stylesheet" href="c.css">\n',
    'docs/de/img/b.png': 'de b',
    'docs/en/guide/c.css': '@import "../../../shared/d.css";',
    'shared/d.css': '',
  });
  const site = createSite(t);
  const { warnings } = await site.build(repository.folder);
  t.deepEqual(
    warnings.map(({ file, message }) => [file, message]),
    [['docs/de/guide/a.md', 'File "/img/c.png" does not exist']],
  );
  const shown = resolveAll(readArticle(site, 'de/main/guide/a.html'), 'de/main/guide/a.html').filter((path) =>
    /(?:a|b)\.png$/.test(path),
  );
  t.deepEqual(
    shown.map((path) => site.read(path.slice(1))),
    ['en a', 'de b'],
  );
  t.true(site.has('de/main/_files/shared/d.css'));
});

test('buildSite() finds pictures in a generator’s static folders that are named as if they stood beside the page', async (t) => {
  const repository = createRepository(t);
  commitFiles(repository, {
    'hugo.toml': 'title = "x"\n',
    'content/guide/_index.md': '# Guide\n',
    'content/guide/a.md': '# A\n\n![](images/a.png) ![](images/b.png) ![](../images/a.png)\n',
    'content/guide/images/b.png': 'beside',
    'assets/images/a.png': 'a',
    'assets/images/b.png': 'b',
  });
  const site = createSite(t);
  const { warnings } = await site.build(repository.folder);
  t.deepEqual(
    warnings.map(({ message }) => message),
    ['File "../images/a.png" does not exist'],
  );
  const page = site.list().find((path) => path.endsWith('guide/a.html'))!;
  const pictures = [...readArticle(site, page).matchAll(/<img src="([^"]*)"/g)].slice(0, 2);
  t.deepEqual(
    pictures.map(([, url]) => site.read(new URL(url!, `http://x/${page}`).pathname.slice(1))),
    ['a', 'beside'],
  );
});

test('buildSite() does not look into files above the limit for a page, and says so', async (t) => {
  const repository = createRepository(t);
  commitFiles(repository, {
    'docs/a.md': '![](big.svg)\n',
    'docs/big.svg': `<svg><image href="x.png"/>${' '.repeat(5_000_000)}</svg>`,
  });
  const site = createSite(t);
  const { warnings } = await site.build(repository.folder);
  t.deepEqual(
    warnings.map(({ file, code }) => [file, code]),
    [['docs/big.svg', 'too-large']],
  );
  t.true(site.has('en/main/big.svg'));
});

test('buildSite() keeps what safe HTML takes out from being published', async (t) => {
  const repository = createRepository(t);
  commitFiles(repository, {
    '.docbuild.yml': 'markdown: { html: safe }\n',
    'docs/a.md': [
      '<p style="background: url(a.png)">text</p>',
      '',
      '<style>b { background: url(b.png) }</style>',
      '',
      '<script src="c.js"></script><object data="d.svg"></object><iframe src="e.html"></iframe>',
      '',
      '<link rel="stylesheet" href="f.css"> <svg><use href="g.svg"/></svg> <input type="image" src="h.png">',
      '',
      '<img src="i.png" srcset="i.png 1x">',
    ].join('\n'),
    ...Object.fromEntries(
      ['a.png', 'b.png', 'c.js', 'd.svg', 'e.html', 'f.css', 'g.svg', 'h.png', 'i.png'].map((file) => [
        `docs/${file}`,
        'x',
      ]),
    ),
  });
  const site = createSite(t);
  await site.build(repository.folder);
  const article = readArticle(site, 'en/main/a.html');
  t.notRegex(article, /style|script|object|iframe|<link|<use|background/);
  t.deepEqual(
    site.list().filter((path) => /^en\/main\/[a-i]\.(?!html|md)/.test(path)),
    ['en/main/i.png'],
  );
});

test('buildSite() asks no third party for style sheets and fonts, unless the project allows it', async (t) => {
  const repository = createRepository(t);
  commitFiles(repository, {
    'docs/index.md':
      '<link rel="stylesheet" href="own.css">\n\n<script src="https://cdn.example/a.js"></script>\n\n# A\n',
    'docs/own.css':
      '@import url(https://fonts.example/a.css);\nbody { background: url(https://img.example/a.png) }\n@font-face { src: url("https://fonts.example/a.woff") }\n',
  });
  const site = createSite(t);
  const { warnings } = await site.build(repository.folder, { single: true });
  t.deepEqual(
    warnings.map(({ file, line, code }) => [file, line, code]),
    [
      ['docs/index.md', 3, 'foreign-host'],
      ['docs/own.css', 1, 'foreign-host'],
      ['docs/own.css', 3, 'foreign-host'],
    ],
  );
  t.is(
    site.read('own.css'),
    '@import url("data:,");\nbody { background: url(https://img.example/a.png) }\n@font-face { src: url("data:,") }\n',
  );
  t.notRegex(site.read('index.html'), /cdn\.example/);
  repository.write('.docbuild.yml', 'allowedHosts: [fonts.example, "*.example"]\n');
  repository.commit('allow');
  t.deepEqual((await site.build(repository.folder, { single: true })).warnings, []);
  t.regex(site.read('own.css'), /fonts\.example\/a\.css/);
  t.regex(site.read('index.html'), /cdn\.example/);
});

test('buildSite() puts no file of an author among the theme’s own, whose scripts may run on a shared host', async (t) => {
  const repository = createRepository(t);
  commitFiles(repository, {
    'docs/index.md': '# Home\n\n<script src="_docbuild/a.js"></script><script src="_DocBuild/b.js"></script>\n',
    'docs/_docbuild/a.js': 'a',
    'docs/_DocBuild/b.js': 'b',
    'docs/_docbuild/page.md': '# Page\n',
  });
  const site = createSite(t);
  for (const single of [false, true]) {
    await site.build(repository.folder, { single });
    t.true(site.list().some((path) => path.endsWith('_files/docs/_DocBuild/b.js')));
    const own = site
      .list()
      .filter(
        (path) => /^_docbuild\//i.test(path) && !/^_docbuild\/(?:below\/|versions\/|changes\/|search)/.test(path),
      );
    t.true(
      own.every((path) =>
        /^_docbuild\/(?:site|docbuild|search|history|compare(?:-en)?|icon)\.[0-9a-f]{8}\.\w+$/.test(path),
      ),
      own.join(' '),
    );
  }
});

test('buildSite() writes the sizes of images into pages, and others where an image differs', async (t) => {
  const repository = createRepository(t);
  const drawing = (width: number): string => `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="10"/>`;
  commitFiles(repository, {
    'docs/index.md': '# A\n\n![](a.svg) <img src="a.svg" width="4">\n',
    'docs/a.svg': drawing(20),
  });
  repository.git('tag', 'v1');
  repository.write('docs/a.svg', drawing(40));
  repository.commit('wider');
  const site = createSite(t);
  await site.build(repository.folder);
  const images = (version: string) => site.read(`en/${version}/index.html`).match(/<img [^>]*>/g);
  t.deepEqual(images('v1'), [
    '<img src="./a.svg" width="20" height="10" alt="">',
    '<img src="./a.svg" height="2" width="4">',
  ]);
  t.regex(images('main')![0]!, /width="40" height="10"/);
});

test('buildSite() warns of a picture that is larger than readers should load, and publishes it', async (t) => {
  const repository = createRepository(t);
  commitFiles(repository, {
    'docs/index.md': '# Home\n\n![a](a.png) ![b](b.png) [c](c.zip)\n',
    'docs/a.png': 'x'.repeat(5_000_001),
    'docs/b.png': 'x'.repeat(5_000_000),
    'docs/c.zip': 'x'.repeat(5_000_001),
  });
  const site = createSite(t);
  const { warnings } = await site.build(repository.folder);
  t.deepEqual(
    warnings.map(({ file, line, code, message }) => [file, line, code, message]),
    [
      [
        'docs/a.png',
        0,
        'large-picture',
        'Picture of 5.0 MB: readers load all of it with the page; pictures should have less than 5 MB',
      ],
    ],
  );
  t.is(site.read('en/main/a.png').length, 5_000_001);
});
