import { readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { openLowdbStore } from '../../../data/lowdb/open-lowdb-store.ts';
import { createProject } from '../../helpers/create-records.ts';
import { createFolder } from '../../helpers/create-repository.ts';
import { openStore } from '../../helpers/open-store.ts';
import { throwsData } from '../contract/adapter.ts';

test('lowdb: a folder has one store at a time', async (t) => {
  const folder = join(createFolder(t), 'store');
  const store = await openStore(t, folder);
  const second = openLowdbStore({ folder, onWarning: t.fail });
  await throwsData(t, second, 'busy', new RegExp(`process ${process.pid} is using it$`));
  await store.projects.add(createProject());
  await store.close();
  t.is((await (await openStore(t, folder)).projects.list({ limit: 9 })).length, 1);
});

test('lowdb: a store whose folder was taken over writes nothing more', async (t) => {
  const folder = join(createFolder(t), 'store');
  const store = await openStore(t, folder);
  await store.projects.add(createProject({ name: 'a' }));
  const before = readFileSync(join(folder, 'projects.json'), 'utf8');
  renameSync(join(folder, 'lock'), join(folder, 'old-lock'));
  const next = await openStore(t, folder);
  await throwsData(t, store.projects.add(createProject({ name: 'b' })), 'busy', /taken over/);
  t.is(readFileSync(join(folder, 'projects.json'), 'utf8'), before);
  await store.close();
  await next.projects.add(createProject({ name: 'c' }));
  t.deepEqual(
    (await next.projects.list({ limit: 9 })).map(({ name }) => name),
    ['a', 'c'],
  );
  await throwsData(t, openLowdbStore({ folder, onWarning: t.fail }), 'busy');
});
