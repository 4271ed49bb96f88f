import test from 'ava';
import { createRepository } from '../../helpers/create-repository.ts';
import { createSite } from '../../helpers/create-site.ts';
import { commitFiles } from '../../helpers/write-pages.ts';

const FORMS = ['NFC', 'NFD'] as const;

for (const files of FORMS) {
  for (const links of FORMS) {
    test(`names in ${files} are found by links, files, includes and settings in ${links}`, async (t) => {
      const repository = createRepository(t);
      const file = (path: string) => path.normalize(files);
      const link = (path: string) => path.normalize(links);
      commitFiles(repository, {
        'docs/index.md': link(
          '# Home\n\n[page](añ/café.md#über) [encoded](a%C3%B1/caf%C3%A9) [root](/añ/) ![picture](añ/bild-ü.png) [out](../öffentlich/é.txt)\n\n<!--@include: ./añ/_téil.md-->\n',
        ),
        [file('docs/añ/café.md')]: link('# Café\n\n## Über\n\n[next](größe.md) [up](../index.md)\n'),
        [file('docs/añ/größe.md')]: link('---\nslug: länge\n---\n# Größe\n'),
        [file('docs/añ/index.md')]: '# List\n',
        [file('docs/añ/bild-ü.png')]: 'picture',
        [file('docs/añ/_téil.md')]: 'INCLUDED\n',
        [file('öffentlich/é.txt')]: 'text',
        '.docbuild.yml': link('nav:\n  - añ/café.md\nredirects: {"/ältere": "/añ/café"}\n'),
      });
      const site = createSite(t);
      const { warnings } = await site.build(repository.folder);
      t.deepEqual(warnings, []);
      const pages = site.list().filter((path) => path.startsWith('en/main/'));
      t.true(pages.every((path) => path === path.normalize('NFC')));
      for (const path of ['añ/café.html', 'añ/länge.html', 'añ/bild-ü.png', 'ältere.html', '_files/öffentlich/é.txt'])
        t.true(pages.includes(`en/main/${path}`.normalize('NFC')), path);
      t.regex(site.read('en/main/index.html'), /INCLUDED/);
      t.regex(site.read('en/main/index.html'), /href="\.\/a%C3%B1\/caf%C3%A9\.html#/);
      t.regex(site.read('en/main/añ/café.html'.normalize('NFC')), /href="\.\.\/a%C3%B1\/l%C3%A4nge\.html"/);
    });
  }
}

test('of two names that differ in their Unicode form one is hidden, and reported', async (t) => {
  const repository = createRepository(t);
  commitFiles(repository, {
    'docs/index.md': '# Home\n',
    ['docs/é.md'.normalize('NFC')]: '# Composed\n',
    ['docs/é.md'.normalize('NFD')]: '# Decomposed\n',
  });
  const site = createSite(t);
  const { warnings } = await site.build(repository.folder);
  t.deepEqual(
    warnings.map(({ code, file }) => `${code} ${file.normalize('NFC')}`),
    ['same-name docs/é.md'.normalize('NFC')],
  );
  t.is(site.list().filter((path) => path.startsWith('en/main/') && path.endsWith('.html')).length, 2);
});
