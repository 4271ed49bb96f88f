import test from 'ava';
import { createRepository } from '../../helpers/create-repository.ts';
import { createSite } from '../../helpers/create-site.ts';
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
