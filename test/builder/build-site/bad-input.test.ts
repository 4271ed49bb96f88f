import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { createFolder, createRepository, type TestRepository } from '../../helpers/create-repository.ts';
import { createSite, type TestSite } from '../../helpers/create-site.ts';
import { expectRefused } from '../../helpers/expect-refused.ts';
import { commitFiles } from '../../helpers/write-pages.ts';

/** A repository with one page, and a site of it that is published. */
async function createPublished(t: ExecutionContext): Promise<{ repository: TestRepository; site: TestSite }> {
  const repository = createRepository(t);
  commitFiles(repository, { 'docs/index.md': '# Home\n', 'docs/guide/a.md': '# A\n' });
  const site = createSite(t);
  await site.build(repository.folder);
  return { repository, site };
}

test.serial('buildSite() refuses a path that does not exist', async (t) => {
  const { site } = await createPublished(t);
  const repository = join(site.folder, 'nowhere');
  await expectRefused(
    t,
    site,
    { repository },
    { code: 'not-a-repository', message: /nowhere": the folder does not exist/ },
  );
});

test.serial('buildSite() refuses a file as repository', async (t) => {
  const { site } = await createPublished(t);
  const repository = join(site.folder, 'file');
  writeFileSync(repository, '');
  await expectRefused(t, site, { repository }, { code: 'not-a-repository', message: /file": it is a file/ });
});

test.serial('buildSite() refuses addresses it cannot read', async (t) => {
  const { site } = await createPublished(t);
  for (const repository of [
    'ssh://git@host.test/x',
    'git@host.test:o/r.git',
    'file://host.test/x',
    'FILE:///%zz',
    '',
  ]) {
    await expectRefused(t, site, { repository }, { code: 'not-a-repository', message: /Cannot open/ });
  }
});

test.serial('buildSite() refuses a repository without commits', async (t) => {
  const { site } = await createPublished(t);
  const { folder } = createRepository(t);
  await expectRefused(t, site, { repository: folder }, { code: 'no-refs', message: /has no commits yet/ });
});

test.serial('buildSite() refuses a ref that does not exist and names some that do', async (t) => {
  const { repository, site } = await createPublished(t);
  const build = { repository: repository.folder, options: { refs: 'v9' } };
  await expectRefused(t, site, build, {
    code: 'no-such-ref',
    message: /"v9" does not exist; the repository has "main"/,
  });
});

test.serial('buildSite() refuses a latest that does not exist', async (t) => {
  const { repository, site } = await createPublished(t);
  const build = { repository: repository.folder, options: { latest: 'v9' } };
  await expectRefused(t, site, build, { code: 'no-such-ref', message: /"v9", requested as latest/ });
});

test.serial('buildSite() refuses when nothing is left to build', async (t) => {
  const { repository, site } = await createPublished(t);
  const build = { repository: repository.folder, options: { exclude: '*' } };
  await expectRefused(t, site, build, { code: 'no-refs', message: /No ref is left to build/ });
});

test.serial('buildSite() refuses a repository without the folder, and says what to do', async (t) => {
  const { repository, site } = await createPublished(t);
  const build = { repository: repository.folder, options: { sourceDir: 'website/content' } };
  const message = /Folder "website\/content" does not exist in ref "main".*--source/;
  await expectRefused(t, site, build, { code: 'no-source', message });
});

test.serial('buildSite() refuses a source folder outside the repository', async (t) => {
  const { repository, site } = await createPublished(t);
  for (const sourceDir of ['../docs', '/etc', 'docs/../..']) {
    const build = { repository: repository.folder, options: { sourceDir } };
    await expectRefused(t, site, build, { code: 'bad-option', message: /must be a path inside the repository/ });
  }
});

test.serial('buildSite() refuses a folder without pages', async (t) => {
  const { site } = await createPublished(t);
  const repository = createRepository(t);
  commitFiles(repository, { 'docs/a.txt': 'no page' });
  const build = { repository: repository.folder };
  await expectRefused(t, site, build, {
    code: 'no-pages',
    message: /ref "main".*Folder "docs\/?" contains no Markdown page/,
  });
});

test.serial('buildSite() names ref, file and line of a broken project file', async (t) => {
  const { repository, site } = await createPublished(t);
  const cases = [
    ['title: A\nnav: [\n', /^ref "main", \.docbuild\.yml:\d: Not valid YAML/],
    ['title: A\nsecret: x\n', /^ref "main", \.docbuild\.yml:2: Unknown key "secret"/],
    [
      'title: A\ntheme:\n  accent: "url(x)"\n',
      /^ref "main", \.docbuild\.yml:3: "theme\.accent" must be an opaque CSS colour/,
    ],
    ['- a\n', /^ref "main", \.docbuild\.yml:1: /],
  ] as const;
  for (const [text, message] of cases) {
    commitFiles(repository, { '.docbuild.yml': text });
    await expectRefused(t, site, { repository: repository.folder }, { code: 'project-file', message });
  }
});

test.serial(
  'buildSite() with strict refuses dead links, images and anchors, and lists them with their lines',
  async (t) => {
    const { repository, site } = await createPublished(t);
    const text = '---\ntitle: B\n---\n\n[x](gone.md)\n\n![x](gone.png) [y](a.md#gone)\n';
    commitFiles(repository, { 'docs/guide/b.md': text });
    const build = { repository: repository.folder, options: { strict: true } };
    await expectRefused(t, site, build, {
      code: 'strict',
      message: /3 problems[\s\S]*docs\/guide\/b\.md:5[\s\S]*docs\/guide\/b\.md:7/,
    });
    await site.build(repository.folder);
    // Now everything is known and nothing is to do: strict fails all the same.
    await expectRefused(t, site, build, { code: 'strict', message: /3 problems/ });
  },
);

test.serial('buildSite() refuses an output folder with foreign files unless forced', async (t) => {
  const { repository, site } = await createPublished(t);
  const out = join(site.folder, 'foreign');
  mkdirSync(out);
  writeFileSync(join(out, 'precious.txt'), 'mine');
  const build = { repository: repository.folder, options: { out } };
  await expectRefused(t, site, build, {
    code: 'foreign-output',
    message: /foreign" is not empty and was not created by docbuild/,
  });
  await site.build(repository.folder, { out, force: true });
  t.false(site.has('../foreign/precious.txt'));
  t.true(site.has('../foreign/index.html'));
});

test.serial('buildSite() publishes to an empty folder that was there', async (t) => {
  const { repository, site } = await createPublished(t);
  const out = join(site.folder, 'empty');
  mkdirSync(out);
  await site.build(repository.folder, { out });
  t.true(site.has('../empty/index.html'));
});

test.serial('buildSite() refuses a file in the place of the output folder, forced or not', async (t) => {
  const { repository, site } = await createPublished(t);
  const out = join(site.folder, 'file');
  writeFileSync(out, 'mine');
  for (const force of [false, true]) {
    const build = { repository: repository.folder, options: { out, force } };
    await expectRefused(t, site, build, { code: 'foreign-output', message: /file" is a file, not a folder/ });
  }
});

test.serial('buildSite() refuses an output folder below a file', async (t) => {
  const { repository, site } = await createPublished(t);
  writeFileSync(join(site.folder, 'file'), 'mine');
  const build = { repository: repository.folder, options: { out: join(site.folder, 'file', 'out') } };
  await expectRefused(t, site, build, { code: 'unwritable', message: /Cannot write to/ });
});

test.serial('buildSite() refuses to replace a folder that holds the sources, forced or not', async (t) => {
  const repository = createRepository(t);
  commitFiles(repository, { 'docs/index.md': '# Home\n' });
  const site = createSite(t);
  const link = join(createFolder(t), 'link');
  symlinkSync(repository.folder, link);
  const outs = [repository.folder, link, join(repository.folder, '..'), `${repository.folder}/.`, process.cwd(), '/'];
  for (const out of outs) {
    for (const force of [false, true]) {
      const build = { repository: repository.folder, options: { out, force } };
      await expectRefused(t, site, build, {
        code: 'foreign-output',
        message: /contains ".*", which would be replaced/,
      });
    }
  }
  t.is(repository.git('status', '--short'), '');
});

test.serial('buildSite() refuses to replace the folder of its cache', async (t) => {
  const { repository, site } = await createPublished(t);
  const build = { repository: repository.folder, options: { out: site.folder, force: true } };
  await expectRefused(t, site, build, { code: 'foreign-output', message: /which would be replaced/ });
});

test.serial('buildSite() leaves nothing behind when it fails before it ever published', async (t) => {
  const repository = createRepository(t);
  commitFiles(repository, { 'docs/a.md': '# A\n', '.docbuild.yml': '- x\n' });
  const site = createSite(t);
  const build = { repository: repository.folder, options: { out: join(site.folder, 'a/b/c') } };
  await expectRefused(t, site, build, { code: 'project-file', message: /\.docbuild\.yml/ });
});

test.serial('buildSite() says that a source folder is a link out of the repository', async (t) => {
  const { site } = await createPublished(t);
  const repository = createRepository(t);
  commitFiles(repository, { 'real/index.md': '# Home\n' });
  symlinkSync('../real', join(repository.folder, 'docs'));
  repository.commit('Link');
  const build = { repository: repository.folder };
  await expectRefused(t, site, build, { code: 'no-source', message: /"docs".*symbolic link/ });
});

test.serial('buildSite() refuses a site whose latest version is beyond the limit', async (t) => {
  const { repository, site } = await createPublished(t);
  commitFiles(repository, { 'docs/b.md': '# B\n' });
  const build = { repository: repository.folder, options: { limits: { maxOutputBytes: 1000 } } };
  await expectRefused(t, site, build, {
    code: 'output-limit',
    message: /would take about \d+ kB, more than 0\.001 MB, the limit for a site/,
  });
});

test.serial('buildSite() refuses more files than the limit', async (t) => {
  const { repository, site } = await createPublished(t);
  commitFiles(repository, { 'docs/b.md': '# B\n' });
  const build = { repository: repository.folder, options: { limits: { maxFiles: 2 } } };
  await expectRefused(t, site, build, { code: 'too-many-files', message: /ref "main".*more than 2 files/ });
});

test.serial(
  'buildSite() ends when its time is up and leaves the site as it was; the next build is whole',
  async (t) => {
    const { repository, site } = await createPublished(t);
    commitFiles(repository, { 'docs/b.md': '# B\n' });
    const build = { repository: repository.folder, options: { limits: { timeoutMs: 1 } } };
    await expectRefused(t, site, build, {
      code: 'time-limit',
      message: /longer than 0\.001 s, the limit for one build; raise/,
    });
    await site.build(repository.folder);
    t.true(site.has('en/main/b.html'));
  },
);

test.serial('buildSite() publishes what a raised limit lets through, though nothing else changed', async (t) => {
  const repository = createRepository(t);
  commitFiles(repository, { 'docs/a.md': '![](big.png)\n', 'docs/big.png': 'x'.repeat(2_000) });
  const site = createSite(t);
  const { warnings } = await site.build(repository.folder, { limits: { maxFileBytes: 1_000 } });
  t.deepEqual(
    warnings.map(({ code, file }) => [code, file]),
    [['too-large', 'docs/big.png']],
  );
  t.false(site.has('en/main/big.png'));
  t.deepEqual((await site.build(repository.folder)).warnings, []);
  t.true(site.has('en/main/big.png'));
});

test.serial('buildSite() refuses languages that are none', async (t) => {
  const { repository, site } = await createPublished(t);
  for (const code of ['', '../x', 'en-xx-yy-zz', 'english language']) {
    const build = { repository: repository.folder, options: { lang: ['en', code] } };
    await expectRefused(t, site, build, { code: 'bad-option', message: /is not a language code/ });
  }
});

test.serial('buildSite() says what to do when only the latest version has no documentation', async (t) => {
  const { repository, site } = await createPublished(t);
  repository.git('tag', 'v1.0');
  repository.git('rm', '-r', '--quiet', 'docs');
  commitFiles(repository, { 'readme.txt': 'x' });
  const build = { repository: repository.folder };
  const message = /No documentation found in ref "main": docs, doc, .* --source .*--latest$/;
  await expectRefused(t, site, build, { code: 'no-source', message });
});
