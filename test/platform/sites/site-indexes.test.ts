import test from 'ava';
import { createSiteIndexes } from '../../../platform/sites/site-indexes.ts';
import type { FileStamp, PublishedSite } from '../../../platform/sites/site-storage.ts';

const stampOf = (push: number): FileStamp => ({ dev: 1n, ino: BigInt(push), size: 1n, mtimeNs: BigInt(push) });

/** Returns a site as of a push, whose index is given when it is let go. */
function createPublished(push: number) {
  let letGo = (): void => {};
  const gone = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  const stored = {
    format: 1,
    latest: `v${push}`,
    single: false,
    languages: ['en'],
    refs: {},
    versions: {},
    paths: [],
    lists: [],
    pages: {},
  };
  const body = Buffer.from(JSON.stringify(stored));
  const site: PublishedSite = {
    id: String(push),
    find: () => ({ kind: 'file', path: '/versions.json', stamp: stampOf(push) }),
    async open() {
      await gone;
      return { stamp: stampOf(push), content: { size: body.length, hash: '', body }, descriptor: -1 };
    },
    readCompressed: async () => undefined,
  };
  return { site, letGo };
}

test('indexes of sites: one that is read late takes no newer one’s place', async (t) => {
  const [old, newer, newest] = [createPublished(89), createPublished(90), createPublished(91)];
  let published = old.site;
  const sites = createSiteIndexes({ find: () => published });
  const late = sites.read('guide');
  await Promise.resolve();
  published = newer.site;
  newer.letGo();
  t.is((await sites.read('guide'))?.latest, 'v90');
  old.letGo();
  t.is((await late)?.latest, 'v89');
  t.is(sites.peek('guide')?.latest, 'v90');
  // Nor is one kept that was found before others have published.
  for (const project of ['guide', undefined]) {
    const before = createPublished(89);
    published = before.site;
    const reading = sites.read('guide');
    await Promise.resolve();
    sites.forget(project);
    before.letGo();
    await reading;
    t.is(sites.peek('guide'), undefined);
  }
  published = newest.site;
  newest.letGo();
  await sites.read('guide');
  t.is(sites.peek('guide')?.latest, 'v91');
});
