import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { addProjects } from '../../helpers/add-projects.ts';
import { createAuditEntry, createBuild, createPassed, createProject } from '../../helpers/create-records.ts';
import { createFolder } from '../../helpers/create-repository.ts';
import { openStore } from '../../helpers/open-store.ts';

/** Returns the removals that `projects.json` remembers. */
function readRemoved(folder: string): readonly unknown[] {
  return (JSON.parse(readFileSync(join(folder, 'projects.json'), 'utf8')) as { removed: unknown[] }).removed;
}

test('lowdb: a change that takes an audit entry along is not remembered as a removal', async (t) => {
  const folder = join(createFolder(t), 'store');
  const store = await openStore(t, folder);
  const record = (id: string) => store.recording(createAuditEntry({ id })).projects;
  await record('1').add(createProject({ name: 'a' }));
  await record('2').change('a', (project) => ({ ...project, latest: 'v1' }));
  t.deepEqual(readRemoved(folder), []);
  await record('3').remove('a');
  t.deepEqual(readRemoved(folder), [], 'it owned nothing');
  t.is((await store.audit.list({ limit: 9 })).length, 3);
});

test('lowdb: a removal is forgotten once the files that held something of it have been written past it', async (t) => {
  const folder = join(createFolder(t), 'store');
  const store = await addProjects(await openStore(t, folder), 'a', 'b');
  await store.builds.add(createBuild({ project: 'a' }));
  await store.recording(createAuditEntry()).projects.remove('a');
  t.deepEqual(readRemoved(folder), [{ project: 'a', builds: 1, deliveries: -1, notifications: -1, polls: -1 }]);
  const touch = (latest: string) => store.projects.change('b', (project) => ({ ...project, latest }));
  await touch('v1');
  t.is(readRemoved(folder).length, 1, 'the copy from before the last change still has the build');
  await store.builds.add(createBuild({ project: 'b' }));
  await touch('v2');
  t.deepEqual(readRemoved(folder), []);
});

test('lowdb: removals of nothing that an earlier release remembered go with the next change', async (t) => {
  const folder = join(createFolder(t), 'store');
  const path = join(folder, 'projects.json');
  await (await addProjects(await openStore(t, folder), 'a')).close();
  const nothing = '{"project":"a","builds":-1,"deliveries":-1,"notifications":-1}';
  const text = readFileSync(path, 'utf8').replace('"removed":[]', `"removed":[${nothing},${nothing}]`);
  writeFileSync(path, text);
  t.is(readRemoved(folder).length, 2);
  const store = await openStore(t, folder);
  await store.builds.add(createBuild({ project: 'a' }));
  await store.projects.change('a', (project) => ({ ...project, latest: 'v1' }));
  t.deepEqual(readRemoved(folder), []);
  t.is((await store.builds.listOpen()).length, 1);
});

test('lowdb: a removal with an audit entry is finished at the next start when only projects.json was written', async (t) => {
  const folder = join(createFolder(t), 'store');
  const store = await addProjects(await openStore(t, folder), 'a', 'b');
  const kept = createPassed({ project: 'b' });
  for (const build of [createBuild({ project: 'a' }), kept]) await store.builds.add(build);
  copyFileSync(join(folder, 'builds.json'), join(folder, 'before'));
  await store.recording(createAuditEntry()).projects.remove('a');
  await store.close();
  copyFileSync(join(folder, 'before'), join(folder, 'builds.json'));
  const again = await openStore(t, folder);
  t.deepEqual(await again.builds.listOpen(), []);
  t.deepEqual(await again.builds.list({ project: 'b', limit: 9 }), [kept]);
});
