import test from 'ava';
import { openOutput } from '../../../builder/publish/open-output.ts';
import { createRepository } from '../../helpers/create-repository.ts';
import { createSite } from '../../helpers/create-site.ts';
import { commitFiles } from '../../helpers/write-pages.ts';

test('buildSite() waits for another build to end its publishing, where it is told to', async (t) => {
  const repository = createRepository(t);
  commitFiles(repository, { 'docs/index.md': '# One\n' });
  const site = createSite(t);
  const other = openOutput(site.out, { force: false, protect: [] });
  t.is((await site.fail(repository.folder)).code, 'output-busy');
  t.is((await site.fail(repository.folder, { outputWaitMs: 1 })).code, 'output-busy');
  // The first try is made at once.
  const built = site.build(repository.folder, { outputWaitMs: 60_000 });
  other.close();
  t.is((await built).pages, 1);
  t.true(site.has('en/main/index.html'));
});
