import { createRepository } from '../../helpers/create-repository.ts';
import { createSite } from '../../helpers/create-site.ts';
import test from '../../helpers/serial-test.ts';
import { commitFiles } from '../../helpers/write-pages.ts';

const names = Array.from({ length: 205 }, (_, index) => `part-${index + 1}.md`);

test('buildSite() includes 200 files in a page and says of others why they are left out', async (t) => {
  const repository = createRepository(t);
  const parts = names.map((name) => [`docs/${name}`, `Text of ${name}.\n`] as const);
  const text = names.map((name) => `<!--@include: ./${name}-->\n`).join('\n');
  commitFiles(repository, { ...Object.fromEntries(parts), 'docs/index.md': `# Home\n\n${text}` });
  const site = createSite(t);
  const { warnings } = await site.build(repository.folder);
  const home = site.read('en/main/index.html');
  t.true(home.includes('Text of part-200.md.'));
  t.false(home.includes('Text of part-201.md.'));
  t.deepEqual(
    warnings.map(({ file, line, message }) => [file, line, message]),
    names
      .slice(200)
      .map((name, index) => [
        'docs/index.md',
        403 + index * 2,
        `Cannot include "./${name}": the page includes more than 200 files`,
      ]),
  );
});

test('buildSite() follows includes ten files deep and says where it stops', async (t) => {
  const repository = createRepository(t);
  const depths = Array.from({ length: 13 }, (_, index) => index + 1);
  const parts = depths.map((depth) => [`docs/${depth}.md`, `Depth ${depth}.\n\n<!--@include: ./${depth + 1}.md-->\n`]);
  commitFiles(repository, { ...Object.fromEntries(parts), 'docs/index.md': '# Home\n\n<!--@include: ./1.md-->\n' });
  const site = createSite(t);
  const { warnings } = await site.build(repository.folder);
  const home = site.read('en/main/index.html');
  t.true(home.includes('Depth 10.'));
  t.false(home.includes('Depth 11.'));
  t.deepEqual(
    warnings.filter(({ file }) => file === 'docs/index.md').map(({ message }) => message),
    ['Cannot include "./11.md": includes are nested too deeply'],
  );
});
