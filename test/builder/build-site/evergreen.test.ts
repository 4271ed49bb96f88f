import test from 'ava';
import { createRepository } from '../../helpers/create-repository.ts';
import { createSite } from '../../helpers/create-site.ts';
import { commitFiles } from '../../helpers/write-pages.ts';

/** Returns the text of a page. */
const textOf = (html: string): string => /<article[^>]*>([\s\S]*?)<\/article>/.exec(html)?.[1]?.trim() ?? '';

test('`evergreen` pages are the same in all versions as in the newest; links lead into the version that is read, or else to latest', async (t) => {
  const repository = createRepository(t);
  commitFiles(repository, {
    'docs/index.md': '# Home\n',
    'docs/use.md': '# Use 1\n',
    'docs/releases/index.md': '# Old notes\n',
    'docs/releases/gone.md': '# Gone\n',
  });
  repository.git('tag', 'v1');
  repository.git('rm', '--quiet', 'docs/releases/gone.md');
  commitFiles(repository, {
    'docs/use.md': '# Use 2\n',
    'docs/new.md': '# New\n\n## X\n',
    'docs/security.md': '# Security\n\n<!--@include: ./parts/contact.md-->\n',
    'docs/parts/contact.md': 'Contact us\n',
    'docs/releases/index.md': '# Notes\n\n[Use](../use.md) [New](../new.md#x) [No](../none.md)\n\n![](pic.png)\n',
    'docs/releases/pic.png': 'png',
    'docs/.vitepress/config.mts': 'export default {}\n',
    '.docbuild.yml': 'evergreen: [releases/**, security.md]\n',
  });
  const site = createSite(t);
  const { warnings } = await site.build(repository.folder);
  t.deepEqual(
    warnings.map(({ ref, file, line, code }) => `${ref} ${file}:${line} ${code}`),
    ['main docs/releases/index.md:3 dead-link', 'v1 docs/releases/index.md:3 dead-link'],
  );
  const notes = textOf(site.read('en/v1/releases/index.html'));
  t.regex(notes, />Notes /);
  t.regex(notes, /<a href="\.\.\/use\.html">Use<\/a>/);
  t.regex(notes, /<a href="(?:\.\.\/){3}en\/latest\/new\.html#x">New<\/a>/);
  t.is(site.read('en/v1/releases/pic.png'), 'png');
  t.regex(textOf(site.read('en/v1/use.html')), />Use 1 /);
  t.regex(textOf(site.read('en/v1/security.html')), /Contact us/);
  t.regex(site.read('en/v1/security.html'), /<link rel="canonical" href="[^"]*en\/latest\/security\.html">/);
  t.false(site.has('en/v1/releases/gone.html'));
  t.false(site.has('en/v1/new.html'));
  t.regex(site.read('en/v1/use.html'), /Security<\/a>/, 'folders are the navigation');

  commitFiles(repository, { 'docs/security.md': '# Security\n\nWrite\n' });
  const { rendered } = await site.build(repository.folder);
  t.is(rendered, 1);
  t.regex(textOf(site.read('en/v1/security.html')), /Write/);
});

test('bad patterns of `evergreen` are errors with their line', async (t) => {
  const repository = createRepository(t);
  commitFiles(repository, {
    'docs/index.md': '# Home\n',
    '.docbuild.yml': 'title: T\nevergreen:\n  - a/**\n  - ../b\n',
  });
  const error = await createSite(t).fail(repository.folder);
  t.is(error.code, 'project-file');
  t.is(error.location.line, 4);
  t.regex(error.message, /must be a path below the source folder/);
});
