import { cpSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import { openLowdbSnapshot } from '../../../data/lowdb/open-lowdb-vault.ts';
import { COLLECTIONS } from '../../../data/store.ts';
import { createFolder } from '../../helpers/create-repository.ts';
import { openStore } from '../../helpers/open-store.ts';

/** Records of all collections as a server has stored them: what is in people's folders. They are never written anew. */
const STORED = fileURLToPath(new URL('../../../../test/fixtures/store', import.meta.url));

test('lowdb: records of every collection that were stored before are opened and changed', async (t) => {
  const folder = createFolder(t);
  cpSync(STORED, folder, { recursive: true });
  const snapshot = openLowdbSnapshot(folder);
  for (const collection of COLLECTIONS) {
    let count = 0;
    for await (const page of snapshot.read(collection)) count += page.length;
    t.true(count > 0, collection.name);
  }
  await snapshot.close();

  const store = await openStore(t, folder);
  t.is((await store.projects.findByDomain('docs.example.org'))?.name, 'other');
  t.is((await store.builds.findLastFinished('guide', undefined))?.result?.pages, 4);
  t.is((await store.shortUrls.find('spring'))?.longUrl, 'https://example.org/a/b?c=1');
  t.deepEqual(
    (await store.quotas.listEntries({})).map(({ kind }) => kind),
    ['monthly', 'credits', 'reversal'],
  );
  await store.projects.change('guide', (project) => ({ ...project, timeout: 7 }));
  await store.close();
  const again = await openStore(t, folder);
  t.is((await again.projects.find('guide'))?.timeout, 7);
});
