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
