import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { createRepository } from '../../helpers/create-repository.ts';
import { createSite } from '../../helpers/create-site.ts';
import { commitFiles } from '../../helpers/write-pages.ts';

test('buildSite() says what is wrong with a file of the theme, and where it is named', async (t) => {
  const repository = createRepository(t);
  symlinkSync('/etc/hostname', join(repository.folder, 'outside.svg'));
  commitFiles(repository, {
    '.docbuild.yml': `title: Guide
theme:
  logo: gone.svg
  logoDark: docs
  favicon: docs/index.md
  image: outside.svg
  styles:
    - own.css
    - large.css
    - ../other.css
`,
    'docs/index.md': '# Home\n',
    'large.css': `/* ${'x'.repeat(200_000)} */`,
    'own.css': [
      '@import "own.css";',
      '.a { background: url(gone.png) }',
      '.b { background: url(../../x.png) }',
      '.c { background: url(run.js) }',
      '.d { background: url(data:image/png;base64,AA) url(#id) }',
      '@import "https://fonts.example/a.css";',
    ].join('\n'),
    'run.js': 'alert(1)',
  });
  const site = createSite(t);
  const { warnings } = await site.build(repository.folder);
  t.deepEqual(
    warnings.map(({ ref, file, line, code, message }) => `${ref} ${file}:${line}: ${code}: ${message}`).sort(),
    [
      'main .docbuild.yml:10: missing-file: File "../other.css" cannot be used: it points outside the repository',
      'main .docbuild.yml:3: missing-file: File "gone.svg" does not exist',
      'main .docbuild.yml:4: missing-file: File "docs" is not an image: its name must end in .svg, .png, .jpg, .jpeg, .webp, .gif, .avif, .ico',
      'main .docbuild.yml:5: missing-file: File "docs/index.md" is not an image: its name must end in .svg, .png, .jpg, .jpeg, .webp, .gif, .avif, .ico',
      'main .docbuild.yml:6: missing-file: File "outside.svg" cannot be used: it points outside the repository',
      'main .docbuild.yml:9: missing-file: File "large.css" has 200 kB, and must have 200 kB at most',
      'main own.css:1: missing-file: Style sheet "own.css" imports itself',
      'main own.css:2: missing-file: File "gone.png" does not exist',
      'main own.css:3: missing-file: File "../../x.png" is outside of the repository',
      'main own.css:4: missing-file: File "run.js" is not an image or font: its name must end in .svg, .png, .jpg, .jpeg, .webp, .gif, .avif, .ico, .woff2, .woff, .ttf, .otf',
      'main own.css:6: foreign-host: Style sheet or font of "fonts.example" left out: name the host in "allowedHosts" if readers\' browsers may ask it',
    ],
  );
  t.regex(site.read('en/main/index.html'), /<link rel="icon" href="\.\.\/\.\.\/_docbuild\/icon\./);
  t.false(site.list().some((path) => path.startsWith('_docbuild/run')));
});

test('buildSite() stops at a colour that is none, with its line', async (t) => {
  const repository = createRepository(t);
  const site = createSite(t);
  const failWith = async (theme: string) => {
    commitFiles(repository, { '.docbuild.yml': `title: Guide\ntheme:\n${theme}`, 'docs/index.md': '# Home\n' });
    const { message, location } = await site.fail(repository.folder);
    return `${location?.file}:${location?.line}: ${message}`;
  };
  t.is(
    await failWith('  accent: bluish\n'),
    '.docbuild.yml:3: "theme.accent" must be an opaque CSS colour such as "#3b82f6", not "bluish"',
  );
  t.is(
    await failWith('  accent: teal\n  colors:\n    background: "#888888"\n'),
    '.docbuild.yml:5: "theme.colors.background" must be light, for light pages, or dark, for dark ones, not "#888888"',
  );
  t.is(
    await failWith('  colors:\n    background:\n      light: "#222222"\n'),
    '.docbuild.yml:5: "theme.colors.background.light" must be light, since it is for light pages, not "#222222"',
  );
  t.is(
    await failWith('  colors:\n    backgruond: white\n'),
    '.docbuild.yml:4: Unknown key "theme.colors.backgruond": did you mean "background"?',
  );
  t.is(
    await failWith('  accent: {light: teal, drak: red}\n'),
    '.docbuild.yml:3: Unknown key "theme.accent.drak": did you mean "dark"?',
  );
});

test('buildSite() with a theme keeps what other files of the repository have not changed', async (t) => {
  const repository = createRepository(t);
  commitFiles(repository, {
    '.docbuild.yml': 'theme: {accent: teal, styles: own.css}\n',
    'docs/index.md': '# Home\n',
    'own.css': '.a { background: url(a.svg) }',
    'a.svg': '<svg/>',
  });
  const site = createSite(t);
  await site.build(repository.folder);
  const sheet = () => /_docbuild\/styles\.[0-9a-f]{8}\.css/.exec(site.read('en/main/index.html'))![0];
  const before = sheet();
  commitFiles(repository, { 'docs/other.md': '# Other\n', 'docs/_hidden.md': 'x' });
  await site.build(repository.folder);
  t.is(sheet(), before);
  commitFiles(repository, { 'a.svg': '<svg id="b"/>' });
  await site.build(repository.folder);
  t.not(sheet(), before, 'its file has another name');
  const [, name] = /url\("\.\/(a\.[0-9a-f]{8}\.svg)"\)/.exec(site.read(sheet()))! as unknown as [string, string];
  t.is(site.read(`_docbuild/${name}`), '<svg id="b"/>');
});

test('buildSite() leaves out scripts of authors where the site has no host of its own, and says so', async (t) => {
  const repository = createRepository(t);
  commitFiles(repository, {
    '.docbuild.yml': 'theme:\n  scripts: own.js\n  analytics:\n    google: G-ABC\n',
    'docs/index.md': '# Home\n',
    'own.js': 'alert(1)',
  });
  const site = createSite(t);
  const read = (): readonly string[] =>
    [...site.read('en/main/index.html').matchAll(/<script[^>]* src="([^"]*)"/g)].map(([, url]) => url!);
  const build = async (baseUrl: string | undefined) => {
    const { warnings } = await site.build(repository.folder, { baseUrl, alsoBelow: '/docs/guide/' });
    return warnings.map(({ line, code, message }) => `${line}: ${code}: ${message}`);
  };
  const why = "is left out: scripts of authors run at a host of the site's own only, which it does not have";
  t.deepEqual(await build('https://api.example/docs/guide/'), [
    `2: project-file: "theme.scripts" ${why}`,
    `3: project-file: "theme.analytics" ${why}`,
  ]);
  t.false(read().some((url) => /_docbuild-scripts|google/.test(url)));
  t.deepEqual(await build('https://guide.example/'), []);
  t.deepEqual(
    read()
      .slice(-3)
      .map((url) => url.replace(/\.[0-9a-f]{8}\./, '.')),
    [
      '../../_docbuild-scripts/own.js',
      '../../_docbuild-scripts/google.js',
      'https://www.googletagmanager.com/gtag/js?id=G-ABC',
    ],
  );
  t.false(
    site.list().some((path) => path.startsWith('_docbuild/own')),
    'where a policy for a shared host allows scripts',
  );
  await site.build(repository.folder, { liveScript: '/live.js' });
  t.false(
    read().some((url) => /google/.test(url)),
    'a preview counts no visits',
  );
});

test('buildSite() says what is wrong with fonts, social links and analytics', async (t) => {
  const repository = createRepository(t);
  const site = createSite(t);
  const fail = async (theme: string) => {
    commitFiles(repository, { '.docbuild.yml': `theme:\n${theme}`, 'docs/index.md': '# Home\n', 'bad.woff2': 'x' });
    const { message, location } = await site.fail(repository.folder);
    return `${location?.line}: ${message}`;
  };
  t.is(
    await fail('  social:\n    gitub: https://github.com\n'),
    '3: Unknown key "theme.social.gitub": did you mean "github"?',
  );
  t.regex(
    await fail('  social:\n    x: javascript:alert(1)\n'),
    /^3: "theme\.social\.x" must be a URL such as "https:/,
  );
  t.regex(await fail('  social:\n    mail: you\n'), /^3: "theme\.social\.mail" must be an address such as/);
  t.is(await fail('  analytics: {umami: {}}\n'), '2: "theme.analytics.umami.id" is missing, and must be a text');
  t.regex(
    await fail('  analytics: {google: "UA 1"}\n'),
    /^2: "theme\.analytics\.google" must be an ID such as "G-ABC123"/,
  );
  t.regex(await fail('  fonts: {body: {file: a.woff2, weight: bold}}\n'), /^2: .*theme\.fonts\.body.*/);
  t.is(await fail('  fonts: {bdy: a.woff2}\n'), '2: Unknown key "theme.fonts.bdy": did you mean "body"?');
  commitFiles(repository, {
    '.docbuild.yml': 'theme:\n  fonts:\n    body:\n      - bad.woff2\n      - gone.woff2\n    code: docs/index.md\n',
  });
  const { warnings } = await site.build(repository.folder);
  t.deepEqual(
    warnings.map(({ line, message }) => `${line}: ${message}`),
    [
      '4: File "bad.woff2" is not a font that can be read',
      '5: File "gone.woff2" does not exist',
      '6: File "docs/index.md" is not a font: its name must end in .woff2, .woff, .ttf, .otf',
    ],
  );
});

test('buildSite() says which file of the theme was probably meant, from the root or the source folder', async (t) => {
  const repository = createRepository(t);
  const drawing = '<svg xmlns="http://www.w3.org/2000/svg"/>';
  commitFiles(repository, {
    '.docbuild.yml':
      'theme:\n  logo: brand/lgoo.svg\n  favicon: icno.svg\n  logoDark: brand/other.svg\n  styles: brand/sit.css\n',
    'docs/index.md': '# Home\n',
    'docs/icon.svg': drawing,
    'brand/logo.svg': drawing,
    'brand/site.css': '.a { background: url(lgo.svg) }',
    'brand/sitt.js': '',
  });
  const site = createSite(t);
  const { warnings } = await site.build(repository.folder);
  t.deepEqual(warnings.map(({ line, message }) => `${line}: ${message}`).sort(), [
    '2: File "brand/lgoo.svg" does not exist: did you mean "brand/logo.svg"?',
    '3: File "icno.svg" does not exist: did you mean "icon.svg"?',
    '4: File "brand/other.svg" does not exist',
    '5: File "brand/sit.css" does not exist: did you mean "brand/site.css"?',
  ]);
});
