import { join } from 'node:path';
import { openPostgresStore } from '../../../data/postgres/open-postgres-store.ts';
import type { Store } from '../../../data/store.ts';
import type { VaultReader } from '../../../data/vault.ts';
import { unpackBackup, writeBackup } from '../../../platform/moving/backup.ts';
import { copyStore } from '../../../platform/moving/copy-store.ts';
import { openSnapshot, openVault } from '../../../platform/moving/place.ts';
import { createAuditEntry, createPassed, createProject, createUser } from '../../helpers/create-records.ts';
import { createFolder } from '../../helpers/create-repository.ts';
import { openStore } from '../../helpers/open-store.ts';
import { postgresTest, shareCluster } from '../../helpers/share-postgres.ts';
import { waitUntil } from '../../helpers/wait-until.ts';

const cluster = shareCluster();
const LIMIT = 100_000;
/** Each writer makes at least so many changes between the reading of two collections. */
const CHANGES = 1;

/** Ids sort as numbers do. */
const idOf = (number: number): string => `b${String(number).padStart(19, '0')}`;

/** Makes three kinds of changes that belong together over collections; `check` tells what a store has of them. */
const WRITERS = {
  /** A project and an entry of the audit log change in one transaction, which two nodes make in turn. */
  async counted([one, other]: readonly [Store, Store], number: number): Promise<void> {
    const entry = createAuditEntry({ id: `counted ${number}`, action: 'counted' });
    const { projects } = (number % 2 === 0 ? one : other).recording(entry);
    await projects.change('counted', (project) => ({ ...project, timeout: number }));
  },
  /** So do a project and a build. */
  async built([, other]: readonly [Store, Store], number: number): Promise<void> {
    await other.builds.changeOpen('built', ({ project }) => ({
      project: { ...project, timeout: number },
      builds: [createPassed({ id: idOf(number), project: 'built' })],
    }));
  },
  /** A node adds a user when another one has added a project. */
  async followed([one, other]: readonly [Store, Store], number: number): Promise<void> {
    await one.projects.add(createProject({ name: `p${number}` }));
    await other.users.add(createUser({ uid: `${number}`, account: `u${number}` }));
  },
};

async function count({ projects, builds, audit, users }: Store) {
  const entries = await audit.list({ limit: LIMIT, action: 'counted' });
  const names = (await projects.list({ limit: LIMIT })).filter(({ name }) => /^p\d+$/.test(name));
  return {
    counted: [(await projects.find('counted'))!.timeout, entries.length],
    built: [(await projects.find('built'))!.timeout, (await builds.list({ project: 'built', limit: LIMIT })).length],
    followed: [names.length, (await users.list({ limit: LIMIT })).length],
  };
}

postgresTest('backup: of a database that two nodes write to is of one moment, and restored whole', async (t) => {
  const { createDatabase, url } = await cluster();
  const database = url(await createDatabase());
  const open = async (place: string): Promise<Store> => {
    const store = await openPostgresStore({ url: place, onWarning: t.fail });
    t.teardown(() => store.close());
    return store;
  };
  const nodes = [await open(database), await open(database)] as const;
  for (const name of ['counted', 'built']) await nodes[0].projects.add(createProject({ name, timeout: 0 }));
  const done = { counted: 0, built: 0, followed: 0 };
  let isWriting = true;
  const writing = Promise.all(
    (['counted', 'built', 'followed'] as const).map(async (name) => {
      while (isWriting) {
        await WRITERS[name](nodes, done[name] + 1);
        done[name]++;
      }
    }),
  );
  const least = () => Math.min(...Object.values(done));
  await waitUntil(() => least() > CHANGES);
  const path = join(createFolder(t), 'backup');
  // Others change records while the snapshot is being opened.
  const before = { ...done };
  const source = await openSnapshot(database, t.fail);
  const slowly: VaultReader['read'] = async function* (collection) {
    yield* source.read(collection);
    const now = least();
    await waitUntil(() => least() >= now + CHANGES);
  };
  await writeBackup(path, { source: { ...source, read: slowly }, sites: undefined, onProgress() {} });
  await source.close();
  isWriting = false;
  await writing;

  for (const place of [url(await createDatabase()), createFolder(t)]) {
    const target = await openVault(place, { mustExist: false, onWarning: t.fail });
    const { records } = await unpackBackup(path, join(createFolder(t), 'unpacked'));
    await copyStore({ source: records, target, sites: undefined, onProgress() {} });
    await records.close();
    await target.close();
    const restored = place.startsWith('postgres') ? await open(place) : await openStore(t, join(place, 'store'));
    const { counted, built, followed } = await count(restored);
    t.is(counted[0], counted[1]);
    t.is(built[0], built[1]);
    t.true([0, 1].includes(followed[0]! - followed[1]!), `${followed}`);
    // What was acknowledged before is there, and nothing of what came while it was read.
    for (const [name, [number = 0]] of Object.entries({ counted, built, followed })) {
      const known = before[name as keyof typeof before];
      t.true(number >= known && number < done[name as keyof typeof done] - CHANGES, `${name}: ${number} of ${known}`);
    }
    await restored.projects.change('counted', (project) => ({ ...project, timeout: 0 }));
  }
});
