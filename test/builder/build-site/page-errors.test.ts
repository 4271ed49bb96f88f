import test, { type ExecutionContext } from 'ava';
import { checkLinks } from '../../helpers/check-links.ts';
import { createRepository, type TestRepository } from '../../helpers/create-repository.ts';
import { createSite, type TestSite } from '../../helpers/create-site.ts';
import { encodeText } from '../../helpers/encode-text.ts';
import { expectRefused } from '../../helpers/expect-refused.ts';
import { commitFiles } from '../../helpers/write-pages.ts';

const BROKEN = {
  'docs/list.md': '---\ntitle: Kept\norder: [1\n---\n# List\n',
  'docs/open.md': '---\ntitle: Open\n\n# Text\n',
  'docs/twice.md': '---\ntitle: One\ntitle: Two\n---\nText of the page\n',
};

test('buildSite() publishes pages whose front matter is broken, and lists each with its line', async (t) => {
  const repository = createRepository(t);
  commitFiles(repository, { 'docs/index.md': '# Home\n', ...BROKEN });
  repository.git('tag', 'v1');
  const site = createSite(t);
  const { errors, pages } = await site.build(repository.folder);
  t.is(pages, 8);
  t.deepEqual(
    errors.map(({ ref, file, line, code }) => [ref, file, line, code]),
    ['main', 'v1'].flatMap((ref) => [
      [ref, 'docs/list.md', 3, 'front-matter'],
      [ref, 'docs/open.md', 1, 'front-matter'],
      [ref, 'docs/twice.md', 3, 'front-matter'],
    ]),
  );
  t.regex(site.read('en/v1/list.html'), /<title>Kept /);
  t.regex(site.read('en/v1/twice.html'), /Text of the page/);
  t.notRegex(site.read('en/v1/open.html'), /title: Open/);
  const again = await site.build(repository.folder);
  t.is(again.rendered, 0);
  t.deepEqual(again.errors, errors);
});

test('buildSite() takes text between two thematic breaks as it is written', async (t) => {
  const repository = createRepository(t);
  commitFiles(repository, { 'docs/index.md': '---\njust text\n---\n' });
  const site = createSite(t);
  const { errors, warnings } = await site.build(repository.folder);
  t.deepEqual([errors, warnings], [[], []]);
  t.regex(site.read('en/main/index.html'), /<hr>\s*<h2[^>]*>just text/);
});

test('buildSite() with strict refuses errors and lists all of them', async (t) => {
  const repository = createRepository(t);
  commitFiles(repository, { 'docs/index.md': '# Home\n' });
  const site = createSite(t);
  await site.build(repository.folder);
  commitFiles(repository, BROKEN);
  const build = { repository: repository.folder, options: { strict: true } };
  const message = /^3 problems[\s\S]*main docs\/list\.md:3: [\s\S]*docs\/open\.md:1: [\s\S]*docs\/twice\.md:3: /;
  await expectRefused(t, site, build, { code: 'strict', message });
  await site.build(repository.folder);
  await expectRefused(t, site, build, { code: 'strict', message });
});

const LFS_POINTER = 'version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 9\n';
const UNREADABLE = {
  'docs/big.md': Buffer.alloc(5_000_001, 'text '),
  'docs/guide/greek.md': encodeText('# Εγκατάσταση\n\nΤο αρχείο\n', 'windows-1253'),
  'docs/pointer.md': LFS_POINTER,
  'docs/too-long.md': `[x]: /${'u'.repeat(100_000)}\n\n${'![a][x]\n\n'.repeat(10_000)}`,
};

/** A repository whose tag `v0.1` holds pages that cannot be read, and links to them. */
async function createUnreadable(t: ExecutionContext): Promise<{ repository: TestRepository; site: TestSite }> {
  const repository = createRepository(t);
  const links = '[big](big.md) [greek](guide/greek.md#part) [pointer](pointer.md) [long](too-long.md#x)';
  commitFiles(repository, { 'docs/index.md': `# Home\n\n${links}\n`, ...UNREADABLE });
  repository.git('tag', 'v0.1');
  for (const path of Object.keys(UNREADABLE)) repository.write(path, '# Good\n\n## Part\n\n## X\n');
  repository.commit('Repair');
  return { repository, site: createSite(t) };
}

test('buildSite() with strict lists all errors in one run: versions, pages that cannot be read, and others', async (t) => {
  const { repository, site } = await createUnreadable(t);
  repository.git('branch', 'latest');
  commitFiles(repository, BROKEN);
  const message =
    /^8 problems[\s\S]* docs\/list\.md:3: [\s\S]*latest: Ref "latest"[\s\S]*v0\.1 docs\/big\.md: [\s\S]*v0\.1 docs\/too-long\.md:401: /;
  await t.throwsAsync(site.build(repository.folder, { strict: true }), { code: 'strict', message });
  t.false(site.has('en'));
});

test('buildSite() shows what is wrong in the place of pages that cannot be read, and publishes all else', async (t) => {
  const { repository, site } = await createUnreadable(t);
  const { errors, warnings, pages } = await site.build(repository.folder, { baseUrl: 'https://docs.example.test/' });
  t.is(pages, 10);
  t.deepEqual(
    errors.map(({ ref, file, line, code }) => [ref, file, line, code]),
    [
      ['v0.1', 'docs/big.md', 0, 'page-too-large'],
      ['v0.1', 'docs/guide/greek.md', 1, 'not-utf8'],
      ['v0.1', 'docs/pointer.md', 0, 'lfs-pointer'],
      ['v0.1', 'docs/too-long.md', 401, 'page-limit'],
    ],
  );
  t.deepEqual(warnings, []);
  const page = site.read('en/v0.1/guide/greek.html');
  t.regex(page, /<title>Greek \|/);
  t.regex(page, /<h1>Greek<\/h1>/);
  t.regex(page, /This page cannot be shown/);
  t.regex(page, /docs\/guide\/greek\.md:1<\/code>: The file is not UTF-8/);
  t.regex(page, /<meta name="robots" content="noindex">/);
  t.notRegex(page, /rel="canonical"/);
  t.regex(site.read('en/v0.1/index.html'), /<a href="\.\/guide\/greek\.html#part">|<a href="guide\/greek\.html#part">/);
  const anchors = ['./guide/greek.html#part', './too-long.html#x'];
  t.deepEqual(
    checkLinks(site.out).broken.map(({ url }) => url),
    anchors,
    'the pages are there, what they held is not',
  );
});

test('buildSite() keeps pages that cannot be read out of the sitemap, also when nothing of the version changed', async (t) => {
  const { repository, site } = await createUnreadable(t);
  const options = { baseUrl: 'https://docs.example.test/', latest: 'v0.1' };
  await site.build(repository.folder, options);
  t.deepEqual(site.read('sitemap.xml').match(/<loc>[^<]*<\/loc>/g), [
    '<loc>https://docs.example.test/en/latest/</loc>',
  ]);
  repository.git('tag', 'v2');
  await site.build(repository.folder, options);
  t.deepEqual(site.read('sitemap.xml').match(/<loc>[^<]*<\/loc>/g), [
    '<loc>https://docs.example.test/en/latest/</loc>',
  ]);
});

test('buildSite() needs no second look at pages that cannot be read', async (t) => {
  const { repository, site } = await createUnreadable(t);
  const first = await site.build(repository.folder);
  const again = await site.build(repository.folder);
  t.deepEqual([again.errors, again.rendered], [first.errors, 0]);
  repository.git('tag', 'v0.2', 'v0.1');
  const { errors, rendered } = await site.build(repository.folder);
  t.is(errors.length, 8);
  t.is(rendered, 0);
});

test('buildSite() reads old pages, what they include, and their front matter in other encodings', async (t) => {
  const repository = createRepository(t);
  const chinese = '---\ntitle: 安装说明\n---\n\n请先下载软件包，然后运行下面的命令。\n';
  commitFiles(repository, {
    'docs/index.md': '# Home\n\n<!--@include: ./part.md-->\n\n<<< @/code.txt\n\n<<< @/picture.bin\n',
    'docs/part.md': Buffer.from('D\xe9j\xe0 vu\n', 'latin1'),
    'docs/code.txt': Buffer.from('na\xefve = "\xfc"\n', 'latin1'),
    'docs/picture.bin': Buffer.from([0x89, 0x50, 0, 1, 2, 0xff]),
    'docs/chinese.md': encodeText(chinese, 'gb18030'),
    'docs/wide.md': Buffer.from('\ufeff# Wide\n', 'utf16le'),
  });
  const site = createSite(t);
  const { errors, warnings } = await site.build(repository.folder);
  t.deepEqual(errors, []);
  t.deepEqual(
    warnings.map(({ file, code, message }) => [file, code, message.split(/[;:] /).slice(0, 2).join(', ')]),
    [
      ['docs/chinese.md', 'encoding', 'Read as GB18030, the file is not UTF-8'],
      ['docs/index.md', 'encoding', 'Included file "docs/code.txt", Read as WINDOWS-1252'],
      ['docs/index.md', 'encoding', 'Included file "docs/part.md", Read as WINDOWS-1252'],
      [
        'docs/index.md',
        'missing-snippet',
        'Cannot include "@/picture.bin", The file is not UTF-8, and its encoding cannot be detected',
      ],
      ['docs/part.md', 'encoding', 'Read as WINDOWS-1252, the file is not UTF-8'],
      ['docs/wide.md', 'encoding', 'Read as UTF-16LE, the file is not UTF-8'],
    ],
  );
  t.regex(site.read('en/main/chinese.html'), /<title>安装说明 \|/);
  t.regex(site.read('en/main/index.html'), /Déjà vu[\s\S]*naïve = (?:&quot;|")ü/);
  t.regex(site.read('en/main/wide.html'), /<h1[^>]*>Wide/);
});
