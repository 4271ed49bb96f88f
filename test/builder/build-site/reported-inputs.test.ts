import type { Ref } from '../../../builder/model.ts';
import { createSite, type TestSite } from '../../helpers/create-site.ts';
import { buildInput as build, changeInput, inputTest, makeInput } from '../../helpers/reported-inputs.ts';

interface Index {
  readonly latest: string;
  readonly versions: { readonly en: readonly string[] };
  readonly refs: Readonly<Record<string, { family?: string; rank?: number; isAhead?: boolean; kind: string }>>;
}

function readIndex(site: TestSite): Index {
  return JSON.parse(site.read('versions.json')) as Index;
}

/** Returns the versions after `latest` and `main`. */
function listVersions(site: TestSite): readonly string[] {
  return readIndex(site).versions.en.filter((name) => name !== 'latest' && name !== 'main');
}

inputTest('pre-releases without a dash are versions, and none but a release is the newest', async (t) => {
  const site = await build(t, '01-pre-release-without-dash');
  const expected = ['v3.0.0-beta.1', 'v2.0.0rc1', 'v2.0.0b2', 'v1.10.0', 'v1.9.1', 'v1.0.0', 'V0.9'];
  t.deepEqual(listVersions(site), expected);
  const { refs } = readIndex(site);
  t.deepEqual(
    Object.keys(refs).filter((name) => refs[name]!.isAhead),
    expected.slice(0, 3),
  );
  t.is(readIndex(await build(t, '01-pre-release-without-dash', { refs: 'v*' })).latest, 'v1.10.0');
});

inputTest('inside a family numbers decide, and families are not mixed', async (t) => {
  const { refs } = readIndex(await build(t, '02-prefixed-and-four-part-tags'));
  for (const family of [
    ['release-1.10', 'release-1.9.1', 'release-1.9'],
    ['1.2.3.10', '1.2.3.9', '1.2.3.4'],
    ['pkg-a@1.10.0', 'pkg-a@1.9.5'],
  ]) {
    const ranks = family.map((name) => refs[name]!.rank!);
    t.deepEqual(
      ranks,
      ranks.toSorted((a, b) => b - a),
      family.join(' '),
    );
    t.is(new Set(family.map((name) => refs[name]!.family)).size, 1);
  }
  t.is(new Set(['1.2.3.4', 'pkg-a@1.9.5', 'pkg-b@0.4.0', 'release-1.9'].map((name) => refs[name]!.family)).size, 4);
});

inputTest('branches called 13.x are lines of versions', async (t) => {
  const site = await build(t, 'f01-version-branch-x');
  const names = readIndex(site).versions.en;
  t.deepEqual(names, ['latest', '13.x', '12.x', '11.x', '10.x', '9.x', '7.x', '5.10', '5.8']);
});

inputTest('versions with something before the number stand with their like, the newest first', async (t) => {
  const names = listVersions(await build(t, 'f02-version-name-prefix'));
  for (const expected of [
    ['release-10.0', 'release-8.10', 'release-8.5', 'release-8.1', 'release-7.5'],
    ['release/3.0', 'release/2.0'],
    ['lamp@1.10.0', 'lamp@1.9.0', 'lamp@1.2.0'],
  ]) {
    const start = names.indexOf(expected[0]!);
    t.deepEqual(names.slice(start, start + expected.length), expected);
  }
});

inputTest('one version in two spellings is not older than itself', async (t) => {
  const { refs } = readIndex(await build(t, 'b02-same-version-two-spellings'));
  t.is(refs['2.0.0']!.rank, refs['v2.0.0']!.rank);
  t.true(refs['1.0.0']!.rank! < refs['2.0.0']!.rank!);
});

inputTest('over the limit the oldest versions go, without a gap, and the room is used', async (t) => {
  const repository = makeInput(t, 'f27-room-for-versions');
  // What pages tell search engines, and the script with the search, leave room for one less than before.
  for (const [megabytes, least] of [
    [6, 7],
    [5, 5],
  ] as const) {
    const site = createSite(t);
    const { bytes } = await site.build(repository, { limits: { maxOutputBytes: megabytes * 1e6 } });
    const names = listVersions(site);
    const newest = [
      '1.12.0',
      '1.11.0',
      '1.10.0',
      '1.9.0',
      '1.8.0',
      '1.7.0',
      '1.6.0',
      '1.5.0',
      '1.4.0',
      '1.3.0',
      '1.2.0',
    ];
    t.deepEqual(names, newest.slice(0, names.length), `${megabytes} MB`);
    t.true(names.length >= least, names.join(' '));
    t.true(bytes > megabytes * 1e6 * 0.8 && bytes <= megabytes * 1e6, `${bytes} bytes`);
  }
});

inputTest('anchors that are equal but for case are found', async (t) => {
  const site = createSite(t);
  const { warnings } = await site.build(makeInput(t, 'f18-anchor-case'));
  t.deepEqual(
    warnings.filter(({ code }) => code === 'dead-anchor'),
    [],
  );
});

inputTest('bold text beside Chinese and Japanese letters has no stars', async (t) => {
  const site = await build(t, 'f23-cjk-bold');
  const page = site.list().find((path) => path.endsWith('latest/index.html'))!;
  const html = site.read(page).replace(/<head>.*<\/head>/s, '');
  t.notRegex(html, /\*\*/);
  t.is(html.split('<strong>').length - 1, 4);
});

inputTest('fragments of files are as they were written', async (t) => {
  const site = await build(t, 'b31-fragments-of-files');
  const html = site
    .list()
    .filter((path) => /latest\/.*\.html$/.test(path))
    .map((path) => site.read(path))
    .join('');
  for (const fragment of ['#page=2', '#t=10,20', '#svgView(viewBox(0,0,1,1))'])
    t.true(html.includes(fragment), fragment);
});

inputTest('a site that declares no language has that of its script, and the build says so', async (t) => {
  const site = createSite(t);
  const { warnings } = await site.build(makeInput(t, 'f24-language-by-script'));
  t.true(site.read('zh/latest/index.html').includes('<html lang="zh"'));
  t.false(site.list().some((path) => path.startsWith('en/')));
  t.deepEqual(
    warnings.map(({ code }) => code),
    ['language'],
  );
});

inputTest('departments called hr and it are folders, also where English is declared', async (t) => {
  for (const lang of [undefined, ['en']]) {
    const site = await build(t, '12-folders-like-languages', { lang });
    for (const page of ['hr/leave', 'it/vpn', 'legal/index', 'pr/index'])
      t.true(site.list().includes(`en/latest/${page}.html`), page);
  }
});

inputTest('titles are shown as they were written, and one that is not valid costs no page', async (t) => {
  const site = createSite(t);
  const { errors } = await site.build(makeInput(t, '21-front-matter-scalars'));
  const titles = site
    .list()
    .filter((path) => /^en\/latest\/.*\.html$/.test(path))
    .map((path) => /<title>(.*?) \|/.exec(site.read(path))![1]!);
  for (const title of ['21E08', '2018-11-21', '1.10', 'no', '0x10', '017', '1_000', '12:30:45', 'quoted: yes', 'P8'])
    t.true(titles.includes(title), `${title}: ${titles.join(', ')}`);
  t.is(titles.length, 16);
  t.deepEqual(
    errors.map(({ file, line }) => `${file}:${line}`),
    ['docs/p10.md:2', 'docs/p13.md:2', 'docs/p14.md:2', 'docs/p9.md:2'],
  );
});

inputTest('a link from a translation to its original leads to that language', async (t) => {
  const site = await build(t, 'b29-language-bar-of-readme');
  const bars = ['en', 'zh-CN', 'ja'].map((code) =>
    [...site.read(`${code}/main/index.html`).matchAll(/<a href="([^"]*)">(?:English|简体中文|日本語)<\/a>/g)].map(
      ([, url]) => url,
    ),
  );
  t.deepEqual(bars, [
    ['./', '../../zh-CN/main/', '../../ja/main/'],
    ['../../en/main/', './', '../../ja/main/'],
    ['../../en/main/', '../../zh-CN/main/', './'],
  ]);
});

inputTest('redirects lead to their ends, and circles and scripts are left out and reported', async (t) => {
  const site = createSite(t);
  const { warnings } = await site.build(makeInput(t, 'b22-redirects'));
  const targetOf = (path: string): string | undefined =>
    /http-equiv="refresh" content="0; url=([^"]*)"/.exec(site.read(`en/latest/${path}`))?.[1];
  const targets = {
    'old.html': './new.html',
    'anchor.html': './new.html#part',
    'folder/index.html': '../new.html',
    'noext.html': './new.html',
    'rooted.html': './new.html',
    'sp ace.html': './new.html',
    'chain1.html': './new.html',
    'chain2.html': './new.html',
    'ext.html': 'https://example.com/x?y=1#z',
  };
  for (const [path, target] of Object.entries(targets)) t.is(targetOf(path), target, path);
  for (const path of ['a.html', 'b.html', 'c.html', 'js.html'])
    t.false(site.list().includes(`en/latest/${path}`), path);
  const reported = warnings.filter(({ file }) => file === '.docbuild.yml').map(({ line }) => line);
  t.deepEqual(
    reported.toSorted((a, b) => a - b),
    [3, 4, 5, 8, 9, 11, 14, 17],
  );
});

inputTest('a chapter that begins with its title shows it once', async (t) => {
  const site = await build(t, 'f04-title-twice');
  for (const [page, title] of [
    ['light', 'Light'],
    ['dark', 'Dark'],
  ]) {
    const headings = [...site.read(`en/latest/${page}.html`).matchAll(/<(h[1-6])[^>]*>([^<]*)/g)];
    t.deepEqual(
      headings.filter(([, , text]) => text!.trim() === title).map(([, tag]) => tag),
      ['h1'],
    );
  }
  t.notRegex(site.read('en/latest/dark.html'), /<a href="#dark">Dark<\/a>/);
});

inputTest('branches of bots are no versions; the summary says so, and a list of refs takes them in', async (t) => {
  const repository = makeInput(t, 'f11-bot-branches');
  const site = createSite(t);
  const { leftOut } = await site.build(repository);
  t.deepEqual(readIndex(site).versions.en, ['latest', 'main', 'v1.0.0']);
  t.is(leftOut.count, 12);
  t.is((await site.build(repository, { refs: '**' })).versions, 14);
});

inputTest('the default branch has another name after a push', async (t) => {
  const repository = makeInput(t, '06-default-branch-renamed');
  const site = createSite(t);
  let published: readonly Ref[] = [];
  const onPublished = (refs: readonly Ref[]) => (published = refs);
  await site.build(repository, { onPublished });
  t.is(readIndex(site).latest, 'master');
  changeInput(repository, '06-default-branch-renamed', 'after');
  await site.build(repository, { onPublished, refUpdate: { published, update: ['main'] } });
  t.deepEqual([readIndex(site).latest, readIndex(site).versions.en], ['main', ['latest', 'main', 'next', 'v1.0.0']]);
  t.regex(site.read('en/latest/index.html'), /new default/);
  const error = await site.fail(repository, { latest: 'master' });
  t.regex(error.message, /"master".*--latest/);
});

inputTest('a tag that was moved shows its new commit, also when only another ref was pushed', async (t) => {
  const repository = makeInput(t, '07-tag-moved');
  const site = createSite(t);
  let published: readonly Ref[] = [];
  const onPublished = (refs: readonly Ref[]) => (published = refs);
  await site.build(repository, { onPublished });
  changeInput(repository, '07-tag-moved', 'after');
  await site.build(repository, { onPublished, refUpdate: { published, update: ['main'] } });
  t.regex(site.read('en/v1.3.0/index.html'), /right text/);
  t.notRegex(site.read('en/v1.3.0/index.html'), /wrong text/);
});

inputTest('a tag that was deleted is in no list, also when only its successor was pushed', async (t) => {
  const repository = makeInput(t, '08-mistyped-tag-deleted');
  const site = createSite(t);
  let published: readonly Ref[] = [];
  const onPublished = (refs: readonly Ref[]) => (published = refs);
  await site.build(repository, { onPublished, baseUrl: 'https://docs.example/' });
  changeInput(repository, '08-mistyped-tag-deleted', 'after');
  const refUpdate = { published, update: ['v2.0.0'] };
  await site.build(repository, { onPublished, baseUrl: 'https://docs.example/', refUpdate });
  t.false(site.has('en/v20.0/index.html'));
  const texts = ['versions.json', 'sitemap.xml', '_docbuild/versions/en.html', '404.html'].map((path) =>
    site.read(path),
  );
  for (const text of texts) t.notRegex(text, /v20\.0/);
  t.true(listVersions(site).includes('v2.0.0'));
});

inputTest('tags that no webhook announced come with the next push', async (t) => {
  const repository = makeInput(t, '30-many-tags-in-one-push');
  const site = createSite(t);
  let published: readonly Ref[] = [];
  const onPublished = (refs: readonly Ref[]) => (published = refs);
  await site.build(repository, { onPublished });
  const before = listVersions(site).length;
  changeInput(repository, '30-many-tags-in-one-push', 'after');
  await site.build(repository, { onPublished, refUpdate: { published, update: ['main'] } });
  t.is(listVersions(site).length, before + 5);
});

inputTest('refs with odd names have pages, addresses and places of their own', async (t) => {
  const site = await build(t, 'b24-odd-ref-names', { refs: '**' });
  const { refs, versions } = JSON.parse(site.read('versions.json')) as {
    refs: Record<string, { slug: string }>;
    versions: { en: readonly string[] };
  };
  t.true(versions.en.length > 10);
  for (const { slug } of Object.values(refs)) t.true(site.has(`en/${slug}/index.html`), slug);
  t.deepEqual(new Set(Object.values(refs).map(({ slug }) => slug)).size, Object.keys(refs).length);
});
