import { existsSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { createRepository } from '../../helpers/create-repository.ts';
import { createSite } from '../../helpers/create-site.ts';

for (const out of ['.git', 'docs', '.', 'website/content', 'documentation']) {
  test(`buildSite() never replaces "${out}" of the repository it builds, even with force`, async (t) => {
    const repository = createRepository(t);
    repository.write('docs/index.md', '# Hello\n');
    repository.write('website/content/index.md', '# Hello\n');
    repository.write('documentation/guide/index.md', '# Hello\n');
    repository.commit('Add docs');
    const sourceDir = out === 'website/content' ? out : undefined;
    const error = await createSite(t).fail(repository.folder, {
      out: join(repository.folder, out),
      force: true,
      sourceDir,
    });
    t.is(error.code, 'foreign-output');
    t.true(existsSync(join(repository.folder, 'docs/index.md')));
    t.is(repository.git('status', '--porcelain'), '');
  });
}

test('buildSite() publishes to a folder "docs" when the sources are elsewhere', async (t) => {
  const repository = createRepository(t);
  repository.write('content/index.md', '# Hello\n');
  repository.write('.docbuild.yml', 'sourceDir: content\n');
  repository.commit('Add docs');
  const out = join(repository.folder, 'docs');
  const site = createSite(t);
  for (let round = 0; round < 2; round++) await site.build(repository.folder, { out });
  t.true(existsSync(join(out, 'index.html')));
});
