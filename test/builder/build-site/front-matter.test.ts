import test from 'ava';
import { createRepository } from '../../helpers/create-repository.ts';
import { createSite } from '../../helpers/create-site.ts';
import { commitFiles } from '../../helpers/write-pages.ts';

const article = (html: string): string => html.split('<article')[1]!.split('</article>')[0]!;
const h1s = (html: string): readonly string[] =>
  [...html.matchAll(/<h1[^>]*>(.*?)<\/h1>/gs)].map(([, text]) =>
    text!.replace(/ ?<a class="anchor".*?<\/a>|<[^>]*>/g, ''),
  );
const sidebar = (html: string): string => html.split('id="_sidebar"')[1]!.split('</nav>')[0]!;
/** Titles of the sidebar's entries, in their order. */
const entries = (html: string): readonly string[] =>
  [...sidebar(html).matchAll(/<(?:a|span|summary)\b[^>]*>([^<]+)</g)].map(([, title]) => title!);

test('buildSite() shows a title of front matter as the heading of its page, once, and not on landing pages', async (t) => {
  const repository = createRepository(t);
  commitFiles(repository, {
    'docs/index.md': '---\nlayout: home\ntitle: Home\nhero:\n  name: Name\n---\n\nText.\n',
    'docs/a.md': '---\ntitle: Only here\n---\n\n## Only here\n\n[down](#only-here)\n',
    'docs/b.md': '---\ntitle: B\n---\n\n# Its own\n',
    'docs/c.md': '---\ntitle: C\nhide_title: true\n---\n\nText.\n',
    'docs/d.md': '---\ntitle: ""\n---\n\nText.\n',
    'docs/e.md': '+++\ntitle = "Of TOML"\nweight = 1\n+++\n\nText.\n',
    'docs/f.md': '{\n  "title": "Of JSON"\n}\n\nText.\n',
  });
  const site = createSite(t);
  const { warnings } = await site.build(repository.folder);
  t.deepEqual(warnings, []);
  const shown = (page: string): readonly string[] => h1s(site.read(`en/main/${page}`));
  t.deepEqual(
    ['index', 'a', 'b', 'c', 'd', 'e', 'f'].map((name) => shown(`${name}.html`)),
    [['Name'], ['Only here'], ['Its own'], ['C'], ['D'], ['Of TOML'], ['Of JSON']],
  );
  t.regex(site.read('en/main/c.html'), /<h1 class="visually-hidden">C</);
  t.regex(site.read('en/main/a.html'), /<h2 id="only-here"/);
  t.regex(site.read('en/main/e.html'), /<title>Of TOML \|/);
  t.deepEqual(entries(site.read('en/main/a.html')), ['Of TOML', 'Only here', 'B', 'C', 'D', 'Of JSON']);
});

test('buildSite() publishes no drafts, and says of links to them why they are dead', async (t) => {
  const repository = createRepository(t);
  commitFiles(repository, {
    'docs/index.md': '# Home\n\n[a](a.md) [b](guide/b) [c](/c.html)\n',
    'docs/a.md': '---\ndraft: true\n---\n\n# A\n',
    'docs/guide/b.md': '---\npublished: false\n---\n\n# B\n',
    'docs/c.md': '---\ndraft: false\ndate: 2999-01-01\nexpiryDate: 2000-01-01\n---\n\n# C\n',
    'docs/de/index.md': '# Anfang\n',
    'docs/de/c.md': '---\ndraft: true\n---\n\n# Entwurf\n',
    'docs/de/a.md': '# Nur hier\n',
  });
  const site = createSite(t);
  const { warnings, pages, fallbacks } = await site.build(repository.folder);
  t.deepEqual(
    warnings.map(({ file, code, message }) => [file, code, message]),
    [
      ['docs/index.md', 'dead-link', 'Link "a.md" leads to a page that is not published: "docs/a.md" (draft: true)'],
      [
        'docs/index.md',
        'dead-link',
        'Link "guide/b" leads to a page that is not published: "docs/guide/b.md" (published: false)',
      ],
    ],
  );
  t.deepEqual([pages, fallbacks], [4, 1]);
  t.false(site.has('en/main/a.html') || site.has('en/main/guide/b.html'));
  t.regex(article(site.read('de/main/c.html')), /<h1 id="c"/, 'the default language stands in');
  t.regex(article(site.read('de/main/a.html')), /Nur hier/);
});

test('buildSite() keeps hidden pages out of the navigation, and unlisted ones from search engines, too', async (t) => {
  const repository = createRepository(t);
  commitFiles(repository, {
    'docs/index.md': '# Home\n',
    'docs/a.md': '---\nnav_exclude: true\n---\n\n# A\n',
    'docs/b.md': '---\nsidebar:\n  hidden: true\n---\n\n# B\n',
    'docs/c.md': '---\nunlisted: true\n---\n\n# C\n',
    'docs/d.md': '---\nsidebar: false\n---\n\n# D\n',
    'docs/only/e.md': '---\nhidden: true\n---\n\n# E\n',
  });
  const site = createSite(t);
  const { warnings, pages } = await site.build(repository.folder, { baseUrl: 'https://example.test/' });
  t.deepEqual([warnings.length, pages], [0, 6]);
  const html = site.read('en/main/c.html');
  t.deepEqual(entries(html), ['Home', 'D']);
  t.regex(html, /<meta name="robots" content="noindex">/);
  t.notRegex(site.read('en/main/a.html'), /noindex/);
  const sitemap = site.read('sitemap.xml');
  t.true(sitemap.includes('/a.html') && !sitemap.includes('/c.html'));
});

test('buildSite() takes orders and labels of front matter for pages and, from their index, for folders', async (t) => {
  const repository = createRepository(t);
  commitFiles(repository, {
    'docs/index.md': '# Home\n',
    'docs/z.md': '---\ntitle: A long title\nsidebar_label: Short\nsidebar_position: 1\n---\n\nText.\n',
    'docs/y.md': '---\ntitle: Y\nsidebar:\n  label: Ypsilon\n  order: 2\n---\n\nText.\n',
    'docs/guide/_index.md': '---\ntitle: The guide to all\nlinkTitle: Guide\nweight: 3\n---\n\nText.\n',
    'docs/guide/b.md': '---\ntitle: B\nnav_order: "2"\n---\n\nText.\n',
    'docs/guide/c.md': '---\ntitle: C\nnav_title: Cee\norder: 1\n---\n\nText.\n',
    'docs/a.md': '# A\n',
  });
  const site = createSite(t);
  const { warnings } = await site.build(repository.folder);
  t.deepEqual(warnings, []);
  const html = site.read('en/main/guide/index.html');
  t.deepEqual(entries(html), ['Home', 'Short', 'Ypsilon', 'Guide', 'Cee', 'B', 'A']);
  t.deepEqual(h1s(html), ['The guide to all']);
});

test('buildSite() puts pages at the addresses of their front matter, and all ways of linking to them work', async (t) => {
  const repository = createRepository(t);
  const links = [
    '../a.md',
    '/start',
    '/start.html',
    '/start/',
    'deep.md',
    'below',
    './below.html',
    '/old',
    '/very/old/',
  ];
  commitFiles(repository, {
    'docs/index.md': '# Home\n',
    'docs/a.md':
      '---\nslug: /start\naliases: [/old, /very/old/]\nredirect_from: gone.html\n---\n\n# A\n\n[b](guide/b.md)\n',
    'docs/guide/b.md': `---\nslug: sub/b\n---\n\n# B\n\n${links.map((link) => `[x](${link})`).join('\n')}\n`,
    'docs/guide/deep.md': '---\npermalink: /guide/sub/below/\n---\n\n# Deep\n\n![x](../x.png)\n',
    'docs/x.png': 'PNG',
  });
  const site = createSite(t);
  const { warnings } = await site.build(repository.folder);
  t.deepEqual(warnings, []);
  const files = site.list().filter((path) => path.startsWith('en/main/') && !/\.(?:md|txt)$/.test(path));
  t.deepEqual(files, [
    'en/main/gone.html',
    'en/main/guide/sub/b.html',
    'en/main/guide/sub/below/index.html',
    'en/main/index.html',
    'en/main/old.html',
    'en/main/start.html',
    'en/main/very/old/index.html',
    'en/main/x.png',
  ]);
  const hrefs = [...article(site.read('en/main/guide/sub/b.html')).matchAll(/<a href="([^"]*)"[^>]*>x</g)].map(
    ([, href]) => new URL(href!, 'http://x/en/main/guide/sub/b.html').pathname,
  );
  const [start, below] = ['/en/main/start.html', '/en/main/guide/sub/below/'];
  t.deepEqual(hrefs, [start, start, start, start, below, below, below, start, start]);
  t.regex(site.read('en/main/very/old/index.html'), /url=\.\.\/\.\.\/start\.html/);
  t.regex(site.read('en/main/guide/sub/below/index.html'), /src="\.\.\/\.\.\/\.\.\/x\.png"/);
  t.deepEqual(
    entries(site.read('en/main/start.html')),
    ['Home', 'A', 'Guide', 'B', 'Deep'],
    'the navigation follows the files',
  );
});

test('buildSite() names both pages where addresses meet, and loses neither', async (t) => {
  const repository = createRepository(t);
  commitFiles(repository, {
    'docs/index.md': '# Home\n',
    'docs/a.md': '---\nslug: /b\n---\n\n# A\n',
    'docs/b.md': '# B\n',
    'docs/c.md': '---\nslug: /D\naliases: [/b, /e]\n---\n\n# C\n',
    'docs/d.md': '---\nslug: /d\naliases: /e\n---\n\n# D\n',
    'docs/f.md': '---\nslug: /../up\nredirect_from: [/a?b, "https://example.test/x"]\n---\n\n# F\n',
  });
  const site = createSite(t);
  const { warnings } = await site.build(repository.folder);
  t.deepEqual(
    warnings.map(({ file, line, code, message }) => `${file}${line > 0 ? `:${line}` : ''} ${code}: ${message}`),
    [
      'docs/a.md duplicate-page: Published as "a.html": "b.md" already produces the page "b.html"',
      'docs/c.md duplicate-page: Published as "c.html": "d.md" already produces the page "D.html"',
      'docs/c.md:3 duplicate-page: Redirect from "b.html" ignored: "b.md" has that URL',
      'docs/d.md:3 duplicate-page: Redirect from "e.html" ignored: it leads to "c.md"',
      'docs/f.md:2 bad-address: URL "/../up" ignored: no page can have it',
      'docs/f.md:3 bad-address: Redirect from "/a?b" ignored: no page can have that URL',
      'docs/f.md:3 bad-address: Redirect from "https://example.test/x" ignored: no page can have that URL',
    ],
  );
  t.deepEqual(
    site.list().filter((path) => path.startsWith('en/main/') && !/\.(?:md|txt)$/.test(path)),
    ['a', 'b', 'c', 'd', 'e', 'f', 'index'].map((name) => `en/main/${name}.html`),
  );
});

test('buildSite() warns of old URLs that meet, in whatever notation, with the line', async (t) => {
  const repository = createRepository(t);
  commitFiles(repository, {
    'docs/a.md': '---\ntitle: A\nredirect_from: older.html\n---\n\n# A\n',
    'docs/b.md': '+++\ntitle = "B"\naliases = ["older"]\n+++\n\n# B\n',
    'docs/c.md': '---\nredirect_from:\n  - c-old.html\n  - older.html\n---\n\n# C\n',
    'docs/d.md': '---\naliases: [older]\n---\n\n# D\n',
  });
  const { warnings } = await createSite(t).build(repository.folder);
  t.deepEqual(
    warnings.map(({ file, line, message }) => `${file}:${line} ${message}`),
    [
      'docs/b.md:3 Redirect from "older.html" ignored: it leads to "a.md"',
      'docs/c.md:4 Redirect from "older.html" ignored: it leads to "a.md"',
    ],
    'in YAML, a name may be another name of something',
  );
});

test('buildSite() pairs translations by their files, whatever their addresses are', async (t) => {
  const repository = createRepository(t);
  commitFiles(repository, {
    'docs/index.md': '# Home\n\n[contact](contact.md)\n',
    'docs/contact.md': '---\nslug: contact-us\n---\n\n# Contact\n',
    'docs/de/index.md': '# Anfang\n\n[Kontakt](contact.md) [auch](/contact-us) [fehlt](other.md)\n',
    'docs/de/contact.md': '---\nslug: kontakt\n---\n\n# Kontakt\n',
    'docs/other.md': '---\nslug: /moved/other\n---\n\n# Other\n',
  });
  const site = createSite(t);
  const { warnings, fallbacks } = await site.build(repository.folder);
  t.deepEqual(warnings, []);
  t.is(fallbacks, 1);
  t.deepEqual(
    site.list().filter((path) => path.startsWith('de/main/') && path.endsWith('.html')),
    ['contact-us', 'index', 'kontakt', 'moved/other'].map((name) => `de/main/${name}.html`),
  );
  t.regex(site.read('de/main/contact-us.html'), /url=(?:\.\/)?kontakt\.html/);
  const hrefs = [...article(site.read('de/main/index.html')).matchAll(/<a href="([^"#]*)"/g)].map(([, href]) => href);
  t.deepEqual(hrefs, ['./kontakt.html', './kontakt.html', './moved/other.html']);
});

test('buildSite() sends readers of a page with redirect_to on', async (t) => {
  const repository = createRepository(t);
  commitFiles(repository, {
    'docs/index.md': '# Home\n\n[old](old.md)\n',
    'docs/old.md': '---\nredirect_to: guide/new.md\n---\n',
    'docs/away.md': '---\nredirect_to: [https://example.test/]\n---\n',
    'docs/dead.md': '---\nredirect_to: /nowhere\n---\n',
    'docs/guide/new.md': '# New\n',
  });
  const site = createSite(t);
  const { warnings } = await site.build(repository.folder);
  t.deepEqual(
    warnings.map(({ file, code }) => [file, code]),
    [['docs/dead.md', 'dead-link']],
  );
  t.regex(site.read('en/main/old.html'), /url=\.\/guide\/new\.html/);
  t.regex(site.read('en/main/away.html'), /url=https:\/\/example\.test\//);
  t.deepEqual(entries(site.read('en/main/index.html')), ['Home', 'Guide', 'New']);
});

test('buildSite() shares pages between versions though an address differs in one of them', async (t) => {
  const repository = createRepository(t);
  commitFiles(repository, { 'docs/index.md': '# Home\n', 'docs/a.md': '---\nslug: x\n---\n\n# A\n' });
  repository.git('tag', 'v1');
  repository.write('docs/a.md', '---\nslug: y\n---\n\n# A\n');
  repository.commit('moved');
  const site = createSite(t);
  const first = await site.build(repository.folder);
  t.is(first.rendered, 3);
  t.true(site.has('en/v1/x.html') && site.has('en/main/y.html') && !site.has('en/main/x.html'));
  const again = await site.build(repository.folder);
  t.is(again.rendered, 0);
});

test('buildSite() surrounds a page as its front matter says', async (t) => {
  const repository = createRepository(t);
  commitFiles(repository, {
    'docs/index.md': '---\nnext:\n  text: Begin\n  link: c.md\n---\n\n# Home\n',
    'docs/a.md':
      '---\nsidebar: false\noutline: [3, 4]\nprev: false\nnext: Read on\neditLink: false\n---\n\n# A\n\n## Two\n\n### Three\n\n#### Four\n',
    'docs/b.md': '+++\noutline = false\nprev = "/c"\neditLink = "https://example.test/b"\n+++\n\n# B\n\n## Two\n',
    'docs/c.md': '---\nprev:\n  link: nowhere.md\n---\n\n# C & D\n\n## Two\n\n### Three\n\n#### Four\n',
  });
  const site = createSite(t);
  const { warnings } = await site.build(repository.folder, { single: true });
  t.deepEqual(
    warnings.map(({ file, line, message }) => [file, line, message]),
    [['docs/c.md', 2, 'Link "nowhere.md" leads to no page or file']],
  );
  const toc = (html: string): readonly string[] => [...html.matchAll(/<li class="level-(\d)">/g)].map(([, n]) => n!);
  const neighbours = (html: string): readonly string[] =>
    [...html.matchAll(/<a class="(?:previous|next)" href="([^"]*)"[^>]*><small>\w+<\/small> ([^<]*)</g)].map(
      ([, url, title]) => `${title} ${url}`,
    );
  const [home, a, b, c] = ['index', 'a', 'b', 'c'].map((name) => site.read(`${name}.html`)) as [
    string,
    string,
    string,
    string,
  ];
  t.deepEqual([home, a, b, c].map(toc), [[], ['3', '4'], [], ['2', '3']]);
  t.deepEqual([home, a, b, c].map(neighbours), [
    ['Begin ./c.html'],
    ['Read on ./b.html'],
    ['C &amp; D ./c.html', 'C &amp; D ./c.html'],
    ['nowhere.md nowhere.md'],
  ]);
  t.regex(a, /<body class="layout-doc no-sidebar"/);
  t.regex(b, /<body class="layout-doc"/);
  t.regex(b, /<a class="edit" href="https:\/\/example\.test\/b"/);
});

test('buildSite() adds the safe elements of head, once each, and names the line of the others', async (t) => {
  const repository = createRepository(t);
  const head = [
    "  - [meta, {name: description, content: 'Mine \"&'}]",
    '  - [meta, {property: "og:title", content: Other}]',
    '  - [link, {rel: canonical, href: "https://example.test/a"}]',
    '  - [script, {src: "https://evil.example/x.js"}]',
  ];
  commitFiles(repository, {
    'docs/index.md': `---\ntitle: Home\ndescription: Not this\nhead:\n${head.join('\n')}\n---\n\nText.\n`,
  });
  const site = createSite(t);
  const { warnings } = await site.build(repository.folder, { baseUrl: 'https://docs.example/' });
  t.deepEqual(
    warnings.map(({ file, line, code, message }) => [file, line, code, message]),
    [
      [
        'docs/index.md',
        8,
        'front-matter',
        'Element of "head" left out: only "meta" and "link" are allowed, not "script"',
      ],
    ],
  );
  const html = site.read('en/main/index.html').split('<body')[0]!;
  t.deepEqual(html.match(/<meta name="description"[^>]*>/g), ['<meta name="description" content="Mine &quot;&amp;">']);
  t.deepEqual(html.match(/<meta property="og:title"[^>]*>/g), ['<meta property="og:title" content="Other">']);
  t.deepEqual(html.match(/<link rel="canonical"[^>]*>/g), ['<link rel="canonical" href="https://example.test/a">']);
  t.notRegex(html, /evil/);
});

test('buildSite() names the lines of links and addresses in front matter', async (t) => {
  const repository = createRepository(t);
  commitFiles(repository, {
    'docs/index.md':
      '---\nlayout: home\nhero:\n  image: no.png\n  actions:\n    - text: Go\n      theme: alt\n      link: no.md\nfeatures:\n  - title: F\n    link: gone.md\n---\n',
    'docs/a.md': '---\ntitle: A\nredirect_to: no.md\n---\n',
    'docs/b.md': '---\ntitle: B\nslug: ../../up\nredirect_from:\n  - /x?y\n---\n',
  });
  const site = createSite(t);
  const { warnings } = await site.build(repository.folder);
  t.deepEqual(
    warnings.map(({ file, line }) => `${file}:${line}`),
    ['docs/a.md:3', 'docs/b.md:3', 'docs/b.md:5', 'docs/index.md:4', 'docs/index.md:8', 'docs/index.md:11'],
  );
});

test('buildSite() writes the size of a hero picture into the page, which loads before others', async (t) => {
  const repository = createRepository(t);
  const page = (src: string): string => `---\nlayout: home\nhero:\n  name: A\n  image: ${src}\n---\n\n![](wide.svg)\n`;
  const drawing = (attributes: string): string => `<svg xmlns="http://www.w3.org/2000/svg" ${attributes}/>`;
  commitFiles(repository, {
    'docs/a.md': page('wide.svg'),
    'docs/b.md': page('box.svg'),
    'docs/c.md': page('small.svg'),
    'docs/d.md': page('none.svg'),
    'docs/e.md': page('https://img.example/e.png'),
    'docs/f.md': '![](wide.svg)\n',
    'docs/wide.svg': drawing('width="1280" height="640"'),
    'docs/box.svg': drawing('viewBox="0 0 24 24"'),
    'docs/small.svg': drawing('width="64" height="32"'),
    'docs/none.svg': drawing(''),
  });
  const site = createSite(t);
  await site.build(repository.folder);
  const images = (name: string): readonly string[] =>
    [...site.read(`en/main/${name}.html`).matchAll(/<img src="[^"]*"(.*?)>/g)].map(([, attributes]) =>
      attributes!.trim(),
    );
  const [text] = images('a').slice(1);
  t.is(text, 'width="1280" height="640" alt="" decoding="async" loading="lazy"', 'below the opening');
  t.deepEqual(
    ['a', 'b', 'c', 'd', 'e'].map((name) => images(name)[0]),
    [
      'alt="" width="640" height="320" fetchpriority="high"',
      'alt="" width="320" height="320" fetchpriority="high"',
      'alt="" width="64" height="32" fetchpriority="high"',
      'alt="" fetchpriority="high"',
      'alt="" fetchpriority="high"',
    ],
  );
  t.deepEqual(images('f'), ['width="1280" height="640" alt="" fetchpriority="high"'], 'a page that begins with it');
});

test('buildSite() shows icons and pictures of a landing page: text, SVG, images for light and dark pages', async (t) => {
  const repository = createRepository(t);
  commitFiles(repository, {
    'docs/index.md': `---
layout: home
hero:
  name: A <br>B
  image: {light: light.svg, dark: dark.svg, alt: Logo}
features:
  - {title: One, icon: ⚡}
  - {title: Two, icon: '<svg viewBox="0 0 9 9"><path d="M0 0h9v9z"/></svg>', details: 'With <code>code</code> in it'}
  - {title: Three, icon: img/three.svg}
  - title: Four
    icon: {src: /img/four.png, alt: Four}
  - title: Five
    icon: '<svg><script>alert(1)</script></svg>'
  - {title: Six, icon: img/none.svg}
---
`,
    'docs/light.svg': '<svg xmlns="http://www.w3.org/2000/svg" width="960" height="640"/>',
    'docs/dark.svg': '<svg xmlns="http://www.w3.org/2000/svg" fill="#fff"/>',
    'docs/img/three.svg': '<svg xmlns="http://www.w3.org/2000/svg"/>',
    'docs/img/four.png': 'png',
  });
  const site = createSite(t);
  const { warnings } = await site.build(repository.folder);
  t.deepEqual(
    warnings.map(({ line, code, message }) => [line, code, message]),
    [
      [
        13,
        'front-matter',
        'Icon left out: it must be an emoji, an image, or an SVG of shapes and colours without styles, scripts and links',
      ],
      [14, 'missing-file', 'File "img/none.svg" does not exist'],
    ],
  );
  const html = site.read('en/main/index.html');
  t.regex(html, /<span class="hero-name">A B<\/span>/);
  t.regex(
    html,
    /<img src="\.\/light\.svg" alt="Logo" class="on-light" width="480" height="320"><img src="\.\/dark\.svg" alt="Logo" class="on-dark" width="480" height="320">/,
  );
  const icons = [...html.matchAll(/<span class="feature-icon" aria-hidden="true">(.*?)<\/span>/gs)];
  t.deepEqual(
    icons.map(([, icon]) => icon!.trim()),
    [
      '⚡',
      '<svg viewBox="0 0 9 9"><path d="M0 0h9v9z"></path></svg>',
      '<img src="./img/three.svg" alt="" decoding="async" loading="lazy">',
      '<img src="./img/four.png" alt="Four" decoding="async" loading="lazy">',
      '<img src="img/none.svg" alt="" decoding="async" loading="lazy">',
    ],
  );
  t.regex(html, /<p>With code in it<\/p>/);
  for (const file of ['light.svg', 'dark.svg', 'img/three.svg', 'img/four.png'])
    t.true(site.has(`en/main/${file}`), file);
  t.false(html.includes('alert(1)'));
});
