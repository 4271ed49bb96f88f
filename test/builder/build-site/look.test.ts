import test from 'ava';
import { createRepository } from '../../helpers/create-repository.ts';
import { createSite } from '../../helpers/create-site.ts';
import { runDocbuild } from '../../helpers/run-docbuild.ts';
import { commitFiles } from '../../helpers/write-pages.ts';

const BAR = /<aside class="announcement"><p>(.*?)<\/p><\/aside>/s;

test.serial(
  'an announcement stands above all pages of all versions, and its link counts from the root of the site',
  async (t) => {
    const repository = createRepository(t);
    commitFiles(repository, { 'docs/index.md': '# Home\n', 'docs/guide/a.md': '# A\n' });
    repository.git('tag', 'v1');
    commitFiles(repository, {
      '.docbuild.yml': 'announcement:\n  text: "2.0 & <more>"\n  url: en/latest/guide/a.html\n',
    });
    const site = createSite(t);
    const { warnings } = await site.build(repository.folder, { alsoBelow: '/docs/x/' });
    t.deepEqual(warnings, []);
    const bar = (path: string) => BAR.exec(site.read(path))?.[1];
    const link = (prefix: string) => `<a href="${prefix}en/latest/guide/a.html">2.0 &amp; &lt;more&gt;</a>`;
    t.is(bar('en/main/index.html'), link('../../'));
    t.is(bar('en/v1/guide/a.html'), link('../../../'));
    t.is(bar('404.html'), link('/'));
    t.is(bar('_docbuild/below/404.html'), link('/docs/x/'));
  },
);

test.serial('an announcement of the command replaces that of the project file, and goes with it', async (t) => {
  const repository = createRepository(t);
  commitFiles(repository, { 'docs/index.md': '# Home\n', '.docbuild.yml': 'announcement: From the file\n' });
  const site = createSite(t);
  const args = ['site', repository.folder, '--out', site.out, '--cache', site.cacheFolder];
  const build = async (...more: string[]) => {
    const { code, stderr } = await runDocbuild([...args, ...more]);
    return code === 0 ? BAR.exec(site.read('en/main/index.html'))?.[1] : stderr;
  };
  t.is(await build(), 'From the file');
  t.is(await build('--announcement', ' From the command '), 'From the command');
  commitFiles(repository, { '.docbuild.yml': 'title: T\n' });
  t.is(await build(), undefined);
  t.regex((await build('--announcement', ' '))!, /--announcement.*It must have 1 to 500 characters/);
});

test.serial('an announcement that is neither text nor link is reported with its line', async (t) => {
  const repository = createRepository(t);
  commitFiles(repository, { 'docs/index.md': '# Home\n', '.docbuild.yml': 'title: T\nannouncement: [a]\n' });
  const { message } = await createSite(t).fail(repository.folder);
  t.is(message, '"announcement" must be a line of text, or a text with the URL it links to, not ["a"]');
});

test.serial('logo and favicon are published beside the theme; without a favicon the logo is the icon', async (t) => {
  const repository = createRepository(t);
  commitFiles(repository, {
    'docs/index.md': '# Home\n',
    'docs/fav.png': 'favicon',
    'logo.svg': '<svg/>',
    '.docbuild.yml': 'theme:\n  logo: logo.svg\n  favicon: fav.png\n',
  });
  const site = createSite(t);
  t.deepEqual((await site.build(repository.folder)).warnings, []);
  const find = (pattern: RegExp) => pattern.exec(site.read('en/main/index.html'))![1]!;
  const icon = find(/<link rel="icon" href="\.\.\/\.\.\/([^"]+)"/);
  t.regex(icon, /^_docbuild\/favicon\.[0-9a-f]{8}\.png$/);
  t.is(site.read(icon), 'favicon');
  t.is(site.read(find(/<img src="\.\.\/\.\.\/([^"]+)" alt="" height="28"/)), '<svg/>');

  commitFiles(repository, { 'docs/fav.png': 'another' });
  await site.build(repository.folder);
  t.is(site.read(find(/<link rel="icon" href="\.\.\/\.\.\/([^"]+)"/)), 'another');

  commitFiles(repository, { '.docbuild.yml': 'theme:\n  logo: logo.svg\n' });
  await site.build(repository.folder);
  t.regex(find(/<link rel="icon" href="\.\.\/\.\.\/([^"]+)"/), /^_docbuild\/logo\./);
});

test.serial('an image that is not there, or is no image, is a warning and the usual icon', async (t) => {
  const repository = createRepository(t);
  const theme = 'theme:\n  logo: gone.svg\n  favicon: docs/index.md\n';
  commitFiles(repository, { 'docs/index.md': '# Home\n', '.docbuild.yml': theme });
  const site = createSite(t);
  const { warnings } = await site.build(repository.folder);
  t.deepEqual(
    warnings.map(({ file, message }) => `${file}: ${message}`),
    [
      '.docbuild.yml: File "gone.svg" does not exist',
      '.docbuild.yml: File "docs/index.md" is not an image: its name must end in .svg, .png, .jpg, .jpeg, .webp, .gif, .avif, .ico',
    ],
  );
  t.regex(site.read('en/main/index.html'), /<link rel="icon" href="\.\.\/\.\.\/_docbuild\/icon\.[0-9a-f]+\.svg">/);
});

test.serial('buildSite() shows logos, an image for previews, and styles of the project', async (t) => {
  const repository = createRepository(t);
  const theme = ['logo: logo.svg', 'logoDark: dark.svg', 'image: card.png', 'styles: own.css'];
  commitFiles(repository, {
    '.docbuild.yml': `theme:\n  ${theme.join('\n  ')}\n`,
    'docs/logo.svg': '<svg/>',
    'docs/dark.svg': '<svg id="dark"/>',
    'docs/card.png': 'PNG',
    'docs/own.css': '@import "https://fonts.example/a.css";\n.prose { background: url(gone.png) }\n',
    'docs/index.md': '# Home\n',
    'docs/a.md': '---\nimage: card.png\n---\n\n# A\n',
    'docs/b.md': '---\nimage: nginx:latest\n---\n\n# B\n',
  });
  const site = createSite(t);
  const { warnings } = await site.build(repository.folder, { baseUrl: 'https://docs.example/x' });
  t.deepEqual(
    warnings.map(({ file, line, code }) => [file, line, code]),
    [
      ['docs/own.css', 2, 'missing-file'],
      ['docs/own.css', 1, 'foreign-host'],
    ],
  );
  const imageOf = (page: string): string | undefined =>
    /property="og:image" content="([^"]*)"/.exec(site.read(`en/main/${page}.html`))?.[1];
  t.regex(imageOf('index')!, /^https:\/\/docs\.example\/x\/_docbuild\/image\.[0-9a-f]{8}\.png$/);
  t.true(site.has(new URL(imageOf('index')!).pathname.slice('/x/'.length)));
  t.is(imageOf('a'), 'https://docs.example/x/en/main/card.png');
  t.is(imageOf('b'), imageOf('index'), 'an image of another kind');
  const html = site.read('en/main/index.html');
  t.regex(
    html,
    /<img src="[^"]*\/logo\.\w+\.svg" alt="" height="28" class="on-light"><img src="[^"]*\/logoDark\.\w+\.svg"/,
  );
  const styles = [...html.matchAll(/<link rel="stylesheet" href="\.\.\/\.\.\/([^"]*)"/g)].map(([, path]) => path!);
  t.regex(styles[1]!, /^_docbuild\/styles\.[0-9a-f]{8}\.css$/);
  t.regex(site.read(styles[1]!), /^@import "data:,";\n\.prose/);
  await site.build(repository.folder);
  t.is(imageOf('index'), undefined, 'previews show nothing without an absolute URL');
});

test.serial('files of the theme that a change has replaced stay until it changes again', async (t) => {
  const repository = createRepository(t);
  const site = createSite(t);
  const styles = () => site.list().filter((path) => /^_docbuild\/site\..*\.css$/.test(path));
  const style = () => /href="\.\.\/\.\.\/(_docbuild\/site\.\w+\.css)"/.exec(site.read('en/main/index.html'))![1]!;
  const build = async (accent: string, text: string) => {
    commitFiles(repository, { '.docbuild.yml': `theme:\n  accent: ${accent}\n`, 'docs/index.md': `# ${text}\n` });
    await site.build(repository.folder);
    return style();
  };
  const red = await build('crimson', 'One');
  const searched = site.list().filter((path) => /\.[0-9a-f]{16}\.json$/.test(path));
  const plain = styles().find((path) => path !== red)!;
  t.deepEqual(styles(), [red, plain].sort());
  const blue = await build('navy', 'Two');
  t.deepEqual(styles(), [red, blue, plain].sort(), 'a page that a reader has open may still ask for its style sheet');
  t.true(searched.length > 0);
  t.false(searched.some(site.has), 'the index is another one with each change');
  await site.build(repository.folder, { title: 'Another' });
  t.true(site.has(red), 'a change of other settings, and of all pages, leaves them');
  t.is(await build('navy', 'Three'), blue);
  t.deepEqual(styles(), [red, blue, plain].sort());
  const staying = site.inode('.');
  await site.build(repository.folder);
  t.is(site.inode('.'), staying, 'nothing is published anew on their account');
  const green = await build('green', 'Three');
  t.deepEqual(styles(), [blue, green, plain].sort(), 'the one before that is gone');
  const back = await build('navy', 'Three');
  t.is(back, blue);
  t.deepEqual(styles(), [blue, green, plain].sort(), 'what comes back is no file of before any more');
});

test('a landing page shows logos and a closing call, in its Markdown, too, and its links are checked', async (t) => {
  const repository = createRepository(t);
  commitFiles(repository, {
    'docs/index.md': `---
layout: home
hero: {name: Anvil, text: Builds}
logos:
  title: Used by
  items:
    - {src: a.svg, alt: Loom, link: guide.md}
    - {src: gone.svg, alt: Gone}
closing:
  title: Begin <b>today</b>
  text: Now
  actions:
    - {text: Start, link: guide.md}
    - {text: Nowhere, link: nowhere.md, theme: alt}
---

Text of the page.
`,
    'docs/guide.md': '# Guide\n',
    'docs/a.svg': '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>',
  });
  const site = createSite(t);
  const { warnings } = await site.build(repository.folder);
  t.deepEqual(
    warnings.map(({ line, code }) => [line, code]),
    [
      [8, 'missing-file'],
      [14, 'dead-link'],
    ],
  );
  const html = site.read('en/main/index.html');
  t.regex(html, /<section class="logos" aria-labelledby="_logos">\n<h2 id="_logos">Used by<\/h2>/);
  t.regex(html, /<li><a href="\.\/guide\.html"><img src="\.\/a\.svg" alt="Loom"[^>]*><\/a><\/li>/);
  t.regex(
    html,
    /<h2 id="_closing">Begin today<\/h2>\n<p>Now<\/p>\n<p class="actions">\n<a class="button primary" href="\.\/guide\.html">Start/,
  );
  t.notRegex(html, /<time/, 'a landing page has no date');
  t.regex(
    site.read('en/main/index.md'),
    /Text of the page\.\n\n## Begin today\n\nNow\n\n- \[Start\]\(\.\/guide\.html\)/,
  );
});
