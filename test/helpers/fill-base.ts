import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import { isWholeSite } from '../../builder/index.ts';
import type { Collection } from '../../data/collection.ts';
import { openLowdbSnapshot, openLowdbVault } from '../../data/lowdb/open-lowdb-vault.ts';
import { COLLECTIONS } from '../../data/store.ts';
import type { VaultReader } from '../../data/vault.ts';
import { createLogFiles } from '../../platform/builds/log-storages.ts';
import { siteFolder } from '../../platform/sites/site-storage.ts';
import { createPassed, createProject } from './create-records.ts';
import { compareTrees, hashTree } from './hash-tree.ts';
import { publishFiles } from './publish-files.ts';
import { SAMPLES } from './record-samples.ts';

/** Texts that JSON, UTF-8, lines or PostgreSQL might change. */
const HARD_TEXT = 'a\u0000b\u2028c\ud800d\ue000e😀\r\nf "\\"';

const SITES: readonly string[] = ['guide', 'b'];

/** Fills a `base_dir` with records of all collections, logs of builds and the sites of projects `guide` and `b`; returns how many records. */
export async function fillBase(base: string, { builds = 30 } = {}): Promise<number> {
  const vault = await openLowdbVault(join(base, 'store'), () => {});
  const more: Record<string, readonly unknown[]> = {
    projects: [createProject({ name: 'b', domain: 'b.example', meta: { [HARD_TEXT]: HARD_TEXT } })],
    builds: Array.from({ length: builds }, (_, i) =>
      createPassed({ id: `b${String(i).padStart(19, '0')}`, reason: i % 7 === 0 ? HARD_TEXT : '' }),
    ),
  };
  let count = 0;
  for (const collection of COLLECTIONS) {
    const records = [...SAMPLES[collection.name]!, ...(more[collection.name] ?? [])]
      .map((one) => collection.parse(one))
      // Projects are those that have a site.
      .filter((record) => collection.name !== 'projects' || SITES.includes(collection.keyOf(record)));
    const unique = [...new Map(records.map((record) => [collection.keyOf(record), record])).values()];
    count += unique.length;
    await vault.write(collection, async function* () {
      yield unique;
    });
  }
  await vault.close();
  const logs = createLogFiles(join(base, 'logs'));
  for (let i = 0; i < Math.min(builds, 20); i++) {
    const id = `b${String(i).padStart(19, '0')}`;
    const { writer } = await logs.open('guide', id);
    for (let line = 0; line <= i; line++) writer.write(`Line ${line} of build ${i}, ünï😀`);
    await writer.end();
    if (i % 3 === 0) await logs.writeProblems('guide', id, JSON.stringify([{ message: `Problem ${i}` }]));
  }
  const page = (text: string): string => `<!doctype html><title>${text}</title>${text.repeat(200)}`;
  await publishFiles(siteFolder(join(base, 'sites'), 'guide'), {
    'index.html': page('start'),
    'en/v1/a.html': page('first'),
    'en/v2/a.html': page('first'),
    'en/v2/sub/b ü.html': page('second'),
    'en/v2/image.png': Buffer.from([0, 1, 2, 3, 254, 255]),
    '.well-known/x.txt': '',
  });
  await publishFiles(siteFolder(join(base, 'sites'), 'b'), { 'index.html': page('b') });
  return count;
}

/** Returns the records of a place by collection, as JSON, in the order of these texts. */
async function readRecords(reader: VaultReader): Promise<Readonly<Record<string, readonly string[]>>> {
  const read = async (collection: Collection<unknown>): Promise<readonly [string, readonly string[]]> => {
    const records: string[] = [];
    for await (const page of reader.read(collection)) records.push(...page.map((record) => JSON.stringify(record)));
    return [collection.name, records.sort()];
  };
  const all = [];
  for (const collection of COLLECTIONS) all.push(await read(collection));
  return Object.fromEntries(all);
}

/** Fails where the records of two folders differ in anything but the editions of sites. */
export async function compareBases(t: ExecutionContext, a: string, b: string): Promise<void> {
  const [there, here] = await Promise.all(
    [a, b].map(async (base) => {
      const snapshot = openLowdbSnapshot(join(base, 'store'));
      const records = await readRecords(snapshot);
      await snapshot.close();
      return records;
    }),
  );
  t.true(Object.values(there!).every((records) => records.length > 0));
  t.deepEqual(here, there);
  t.deepEqual(compareTrees(hashTree(join(a, 'logs')), hashTree(join(b, 'logs'))), []);
  for (const project of ['guide', 'b']) {
    const folders = [a, b].map((base) => siteFolder(join(base, 'sites'), project));
    const [one, other] = folders.map(
      (folder) => new Map([...hashTree(folder)].filter(([path]) => path !== '.docbuild.json')),
    );
    t.true(one!.size > 0);
    t.deepEqual(compareTrees(one!, other!), []);
    t.true(isWholeSite(folders[1]!));
  }
}
