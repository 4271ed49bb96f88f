import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, renameSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import test, { type ExecutionContext } from 'ava';
import { addProjects } from '../../helpers/add-projects.ts';
import {
  createAuditEntry,
  createBuild,
  createDelivery,
  createProject,
  createUser,
} from '../../helpers/create-records.ts';
import { createFolder } from '../../helpers/create-repository.ts';
import { diskTest, mountDisk } from '../../helpers/mount-disk.ts';
import { openStore } from '../../helpers/open-store.ts';
import { throwsData } from '../contract/adapter.ts';
import { type FillReport, fillStore } from './fill-store.ts';

/** Lets writes of a collection fail until the returned function is called. */
function block(folder: string, collection: string): () => void {
  const path = join(folder, `${collection}.json.tmp`);
  mkdirSync(path);
  return () => rmdirSync(path);
}

async function expectReport(t: ExecutionContext, folder: string, report: FillReport, error: RegExp): Promise<void> {
  t.is(report.errors.length, 10);
  for (const message of report.errors) t.regex(message, error);
  const { builds } = await openStore(t, folder);
  for (const id of report.added) t.truthy(await builds.find(id), id);
  for (const id of report.refused) t.is(await builds.find(id), undefined, id);
}

test.serial('lowdb: where files cannot grow, changes are refused whole, and smaller ones work again', async (t) => {
  const folder = join(createFolder(t), 'store');
  const script = fileURLToPath(new URL('./fill-disk.js', import.meta.url));
  // Node must not end by the signal that comes with the limit (512-byte blocks).
  const command = `trap '' XFSZ; ulimit -f 300; exec "$0" "$@"`;
  const { stdout, stderr } = spawnSync('sh', ['-c', command, process.execPath, script, folder], { encoding: 'utf8' });
  t.is(stderr, '');
  await expectReport(
    t,
    folder,
    JSON.parse(stdout) as FillReport,
    /^unwritable: Cannot write "builds\.json": file too large$/,
  );
});

diskTest('lowdb: on a full disk changes are refused whole, and smaller ones work again', async (t) => {
  const folder = join(mountDisk(t, 'size=512k'), 'store');
  const store = await openStore(t, folder);
  const report = await fillStore(store);
  await store.close();
  await expectReport(t, folder, report, /^unwritable: Cannot write "builds\.json": no space left on device$/);
});

test.serial('lowdb: a refused change is taken back, and what waited behind it is made without it', async (t) => {
  const folder = join(createFolder(t), 'store');
  const store = await addProjects(await openStore(t, folder), 'guide');
  const build = createBuild({ requests: 0 });
  await store.builds.add(build);
  const unblock = block(folder, 'builds');
  const change = () => store.builds.change(build.id, (one) => ({ ...one, requests: one.requests + 1 }));
  const first = [change(), change()];
  t.is((await store.builds.find(build.id))?.requests, 2);
  const later: Promise<{ requests: number }>[] = [];
  const failing = Promise.all(
    first.map((one) =>
      throwsData(t, one, 'unwritable', /^Cannot write "builds\.json": illegal operation on a directory$/).then(() => {
        if (later.length === 0) unblock();
        later.push(change());
      }),
    ),
  );
  await failing;
  t.deepEqual(
    (await Promise.all(later)).map(({ requests }) => requests),
    [1, 2],
  );
  await store.close();
  t.is((await (await openStore(t, folder)).builds.find(build.id))?.requests, 2);
});

test.serial('lowdb: changes that come while a write is failing are made again without what it held', async (t) => {
  const folder = join(createFolder(t), 'store');
  const store = await addProjects(await openStore(t, folder), 'guide');
  const build = createBuild({ requests: 0, reason: '' });
  await store.builds.add(build);
  const unblock = block(folder, 'builds');
  const lost = store.builds.change(build.id, (one) => ({ ...one, requests: one.requests + 100 }));
  const lostToo = store.builds.add(createBuild({ commit: 'c' }));
  // By now the batch is closed; these wait for the next one, and are first made on top of what gets lost.
  await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
  const seen: number[] = [];
  const kept = store.builds.change(build.id, (one) => {
    seen.push(one.requests);
    if (seen.length === 2) unblock();
    return { ...one, requests: one.requests + 1 };
  });
  await throwsData(t, lost, 'unwritable');
  await throwsData(t, lostToo, 'unwritable');
  t.is((await kept).requests, 1);
  t.deepEqual(seen, [100, 0]);
  t.is((await store.builds.find(build.id))?.commit, build.commit);
});

test.serial('lowdb: what was refused or left unchanged because of a change that fails is decided again', async (t) => {
  const folder = join(createFolder(t), 'store');
  const store = await addProjects(await openStore(t, folder), 'guide');
  const unblock = block(folder, 'builds');
  const build = createBuild();
  const first = store.builds.add(build);
  const second = store.builds.add({ ...build, ref: 'next' });
  await throwsData(t, first, 'unwritable');
  unblock();
  await second;
  t.is((await store.builds.find(build.id))?.ref, 'next');
});

test.serial('lowdb: a collection that cannot be written does not hold up the others', async (t) => {
  const folder = join(createFolder(t), 'store');
  const store = await addProjects(await openStore(t, folder), 'guide');
  const unblock = block(folder, 'builds');
  const build = createBuild();
  const failing = store.builds.add(build);
  await store.projects.add(createProject({ name: 'other' }));
  await store.deliveries.add(createDelivery());
  await throwsData(t, failing, 'unwritable');
  unblock();
  await store.builds.add(build);
});

test.serial(
  'lowdb: what the audit log cannot record is not written, and what other files refuse is not in it',
  async (t) => {
    const folder = join(createFolder(t), 'store');
    const store = await openStore(t, folder);
    const user = createUser();
    await store.users.add(user);
    const verify = (id: string) =>
      store.recording(createAuditEntry({ id })).users.change(user.uid, (one) => ({ ...one, isVerified: true }));
    for (const name of ['audit', 'users']) {
      const unblock = block(folder, name);
      await throwsData(t, verify(name), 'unwritable', new RegExp(`"${name}.json"`));
      unblock();
    }
    // The next write of each file.
    await store.users.add(createUser({ uid: '2', account: 'other' }));
    await store.audit.add(createAuditEntry({ id: '3' }));
    await store.close();
    const again = await openStore(t, folder);
    t.false((await again.users.find(user.uid))?.isVerified);
    t.deepEqual(
      (await again.audit.list({ limit: 9 })).map(({ id }) => id),
      ['3'],
    );
  },
);

test.serial('lowdb: a removal stands once projects.json is written, also when builds.json cannot be', async (t) => {
  const folder = join(createFolder(t), 'store');
  const store = await openStore(t, folder);
  const build = createBuild();
  await store.projects.add(createProject());
  await store.builds.add(build);
  const unblock = block(folder, 'builds');
  t.is((await store.projects.remove('guide'))?.name, 'guide');
  t.is(await store.builds.find(build.id), undefined);
  t.regex(readFileSync(join(folder, 'builds.json'), 'utf8'), new RegExp(build.id));
  await store.close();
  unblock();
  t.is(await (await openStore(t, folder)).builds.find(build.id), undefined);
});

test.serial('lowdb: a removal that projects.json refuses takes nothing away', async (t) => {
  const folder = join(createFolder(t), 'store');
  const store = await openStore(t, folder);
  const build = createBuild();
  await store.projects.add(createProject());
  await store.builds.add(build);
  const unblock = block(folder, 'projects');
  const change = store.builds.change(build.id, (one) => ({ ...one, status: 'running' }));
  await throwsData(t, store.projects.remove('guide'), 'unwritable');
  await throwsData(t, change, 'unwritable');
  t.deepEqual(await store.builds.listOpen(), [build]);
  unblock();
  await store.builds.change(build.id, (one) => ({ ...one, status: 'running' }));
  await store.close();
  const again = await openStore(t, folder);
  t.deepEqual(await again.projects.find('guide'), createProject());
  t.is((await again.builds.find(build.id))?.status, 'running');
});

test.serial('lowdb: a folder that is gone refuses changes, and takes them when it is back', async (t) => {
  const place = createFolder(t);
  const [folder, away] = [join(place, 'store'), join(place, 'away')];
  const store = await openStore(t, folder);
  renameSync(folder, away);
  await throwsData(
    t,
    store.projects.add(createProject()),
    'unwritable',
    /^Cannot write "projects\.json": no such file/,
  );
  renameSync(away, folder);
  await store.projects.add(createProject());
});
