import { once } from 'node:events';
import { closeSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import test, { type ExecutionContext } from 'ava';
import type { DataError } from '../../../data/data-error.ts';
import { openFiles, openLowdbSnapshot, openLowdbVault } from '../../../data/lowdb/open-lowdb-vault.ts';
import { builds } from '../../../data/records/build.ts';
import { projects } from '../../../data/records/project.ts';
import type { VaultReader } from '../../../data/vault.ts';
import { createBuild, createProject } from '../../helpers/create-records.ts';
import { createFolder } from '../../helpers/create-repository.ts';
import { openStore } from '../../helpers/open-store.ts';
import { throwsData } from '../contract/adapter.ts';

async function readIds(reader: VaultReader): Promise<readonly string[]> {
  const ids: string[] = [];
  for await (const page of reader.read(builds)) ids.push(...page.map((record) => builds.keyOf(record as never)));
  return ids.sort();
}

function open(t: ExecutionContext, folder: string): VaultReader {
  const snapshot = openLowdbSnapshot(folder);
  t.teardown(() => snapshot.close());
  return snapshot;
}

/** Returns a folder with two projects that have a build each, and is in use. */
async function createUsed(t: ExecutionContext) {
  const folder = createFolder(t);
  const store = await openStore(t, folder);
  for (const name of ['a', 'b']) {
    await store.projects.add(createProject({ name }));
    await store.builds.add(createBuild({ id: `build-${name}`, project: name }));
  }
  return { folder, store };
}

test('vault: a snapshot stays as it was while the store changes', async (t) => {
  const { folder, store } = await createUsed(t);
  const snapshot = open(t, folder);
  await store.builds.add(createBuild({ id: 'later', project: 'a' }));
  await store.projects.remove('b');
  t.deepEqual(await readIds(snapshot), ['build-a', 'build-b']);
  t.deepEqual(await readIds(open(t, folder)), ['build-a', 'later']);
});

/** Replaces the files of projects and builds, in this order, as fast as it can; both get the number of the round. */
const REPLACER = `
const { renameSync, writeFileSync } = require('node:fs');
const { parentPort, workerData: folder } = require('node:worker_threads');
for (let round = 1; ; round++) {
  for (const name of ['projects', 'builds']) {
    writeFileSync(folder + '/new', String(round));
    renameSync(folder + '/new', folder + '/' + name + '.json');
  }
  if (round === 1) parentPort.postMessage('begun');
}`;

test('vault: a snapshot has no file that is newer than one it has as it was before', async (t) => {
  const folder = createFolder(t);
  const worker = new Worker(REPLACER, { eval: true, workerData: folder });
  t.teardown(() => worker.terminate());
  await once(worker, 'message');
  let taken = 0;
  for (let tries = 0; tries < 100_000 && taken < 3_000; tries++) {
    let files: ReturnType<typeof openFiles>;
    try {
      files = openFiles(folder);
    } catch (error) {
      t.is((error as DataError).code, 'busy');
      continue;
    }
    const [project, build] = [projects, builds].map((one) => Number(readFileSync(files.get(one)!, 'utf8')));
    for (const fd of files.values()) closeSync(fd);
    taken++;
    if (!(build === project || build === project! - 1)) return t.fail(`${project} ${build}`);
  }
  t.true(taken > 0);
});

test('vault: what a removed project had is gone even where its file was not written any more', async (t) => {
  const { folder, store } = await createUsed(t);
  const path = join(folder, 'builds.json');
  const before = readFileSync(path);
  await store.projects.remove('b');
  // As a crash between the two files leaves them.
  writeFileSync(path, before);
  t.deepEqual(await readIds(open(t, folder)), ['build-a']);
});

test('vault: a file that somebody has laid out otherwise is read all the same', async (t) => {
  const { folder, store } = await createUsed(t);
  await store.close();
  const path = join(folder, 'builds.json');
  const value = JSON.parse(readFileSync(path, 'utf8')) as object;
  for (const indent of [undefined, 2]) {
    writeFileSync(path, JSON.stringify(value, null, indent));
    t.deepEqual(await readIds(open(t, folder)), ['build-a', 'build-b']);
  }
});

test('vault: damaged files are named, and their content is not shown', async (t) => {
  const { folder, store } = await createUsed(t);
  await store.close();
  const path = join(folder, 'builds.json');
  const text = readFileSync(path, 'utf8');
  for (const damaged of [
    text.slice(0, -5),
    text.slice(0, text.indexOf('build-b')),
    text.replace('"queued"', '"s3cret"'),
    '',
  ]) {
    writeFileSync(path, damaged);
    const message = await throwsData(t, readIds(open(t, folder)), 'damaged', /Cannot read ".*builds\.json"/);
    t.notRegex(message, /s3cret|build-b/);
  }
  writeFileSync(path, text.replace('"format":3', '"format":99'));
  await throwsData(t, readIds(open(t, folder)), 'invalid', /a newer docbuild has written it \(format 99\)/);
});

test('vault: a folder that is being filled opens as a store only when it is whole', async (t) => {
  const folder = createFolder(t);
  const vault = await openLowdbVault(folder, t.fail);
  t.is(await vault.findState(), 'empty');
  await vault.begin();
  await vault.write(projects, async function* () {
    yield [projects.parse(createProject({ name: 'a' }))];
    yield [];
    yield [projects.parse(createProject({ name: 'b' }))];
  });
  t.is(await vault.findState(), 'unfinished');
  await vault.close();
  await throwsData(t, openStore(t, folder), 'invalid', /bringing records there was interrupted/);
  t.throws(() => openLowdbSnapshot(folder), { message: /interrupted/ });
  const again = await openLowdbVault(folder, t.fail);
  await again.finish();
  t.is(await again.findState(), 'used');
  await again.close();
  const store = await openStore(t, folder);
  t.deepEqual(
    (await store.projects.list({ limit: 9 })).map(({ name }) => name),
    ['a', 'b'],
  );
});
