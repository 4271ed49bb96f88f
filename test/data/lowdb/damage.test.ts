import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { openLowdbStore } from '../../../data/lowdb/open-lowdb-store.ts';
import { addProjects } from '../../helpers/add-projects.ts';
import { createBuild, createPassed, createProject } from '../../helpers/create-records.ts';
import { createFolder } from '../../helpers/create-repository.ts';
import { openStore } from '../../helpers/open-store.ts';
import { throwsData } from '../contract/adapter.ts';

/** Returns a folder with projects `a` and `b`; the copy knows only `a`. */
async function createStoreFolder(t: ExecutionContext): Promise<string> {
  const folder = join(createFolder(t), 'store');
  const store = await openStore(t, folder);
  for (const name of ['a', 'b']) await store.projects.add(createProject({ name, secret: 'Pa55word' }));
  await store.close();
  return folder;
}

const list = (folder: string): readonly string[] => readdirSync(folder).sort();
const damages: Readonly<Record<string, { readonly damage: (text: string) => string | Buffer; readonly says: RegExp }>> =
  {
    empty: { damage: () => '', says: /it is empty/ },
    'cut in the middle': { damage: (text) => text.slice(0, text.length / 2), says: /it is not JSON/ },
    'cut at the end': { damage: (text) => text.slice(0, -3), says: /it is not JSON/ },
    'full of zeros': { damage: (text) => Buffer.alloc(text.length), says: /it is not JSON/ },
    'no UTF-8': { damage: (text) => Buffer.from(text.replace('docs', 'd\xe9cs'), 'latin1'), says: /not UTF-8/ },
    'another JSON': { damage: () => '[]', says: /expected object/ },
    null: { damage: () => 'null', says: /expected object/ },
    'of another collection': { damage: (text) => text.replace('"projects"', '"builds"'), says: /collection "builds"/ },
    'without records': { damage: (text) => text.replace('"records"', '"rows"'), says: /"records"/ },
    'of a wrong field': {
      damage: (text) => text.replace('"single":false', '"single":0'),
      says: /record 1: .*"single"/,
    },
    'without a field': { damage: (text) => text.replace('"single":false,', ''), says: /record 1: .*"single"/ },
    'twice the same': {
      damage: (text) => text.replace('"name":"b"', '"name":"a"'),
      says: /record 2 appears twice/,
    },
  };
for (const [title, { damage, says }] of Object.entries(damages)) {
  test(`lowdb: a file that is ${title} is kept aside and reported, and the copy used`, async (t) => {
    const folder = await createStoreFolder(t);
    const path = join(folder, 'projects.json');
    const bytes = damage(readFileSync(path, 'utf8'));
    writeFileSync(path, bytes);
    const warnings: string[] = [];
    const store = await openStore(t, folder, warnings);
    t.is(warnings.length, 1);
    t.regex(warnings[0]!, /^"projects\.json" is damaged .* kept as "projects\.json\.damaged-.*"; the copy/);
    t.regex(warnings[0]!, says);
    t.notRegex(warnings[0]!, /Pa55/);
    const aside = list(folder).find((name) => name.includes('.damaged-'))!;
    t.deepEqual(readFileSync(join(folder, aside)), Buffer.from(bytes as string));
    t.deepEqual(
      (await store.projects.list({ limit: 9 })).map(({ name }) => name),
      ['a'],
    );
    await store.projects.add(createProject({ name: 'c' }));
    await store.close();
    const again = await openStore(t, folder);
    t.deepEqual(
      (await again.projects.list({ limit: 9 })).map(({ name }) => name),
      ['a', 'c'],
    );
  });
}

test('lowdb: with file and copy damaged or missing, nothing is opened and nothing changed', async (t) => {
  const broken = '{"secret":"Pa55word"';
  const folder = await createStoreFolder(t);
  const path = join(folder, 'projects.json');
  for (const [text, copy] of [
    [broken, broken],
    [broken, undefined],
    [undefined, broken],
  ]) {
    for (const [file, content] of [
      [path, text],
      [`${path}.bak`, copy],
    ] as const) {
      if (content === undefined) rmSync(file, { force: true });
      else writeFileSync(file, content);
    }
    const before = list(folder);
    const message = await throwsData(
      t,
      openLowdbStore({ folder, onWarning: t.fail }),
      'damaged',
      /Nothing was changed/,
    );
    t.regex(message, /"[^"]*projects\.json" \(.*"projects\.json\.bak" \(.*move both away to start with no projects/);
    t.notRegex(message, /Pa55/);
    t.deepEqual(list(folder), before);
  }
  rmSync(`${path}.bak`);
  t.deepEqual(await (await openStore(t, folder)).projects.list({ limit: 9 }), []);
});

test('lowdb: with file and copy damaged, both are kept and a collection that can be spared starts empty', async (t) => {
  const folder = await createStoreFolder(t);
  for (const name of ['sessions.json', 'sessions.json.bak']) writeFileSync(join(folder, name), '{"secret":"Pa55word"');
  const warnings: string[] = [];
  await openStore(t, folder, warnings);
  t.is(warnings.length, 1);
  t.regex(warnings[0]!, /"sessions\.json" is damaged.*"sessions\.json\.bak" is damaged.*starts empty$/);
  t.is(list(folder).filter((name) => name.includes('.damaged-')).length, 2);
});

test('lowdb: damage that happens again within a second overwrites nothing', async (t) => {
  const folder = await createStoreFolder(t);
  for (let i = 0; i < 3; i++) {
    writeFileSync(join(folder, 'projects.json'), `{${i}`);
    await (await openStore(t, folder, [])).close();
  }
  const texts = list(folder)
    .filter((name) => name.includes('.damaged-'))
    .map((name) => readFileSync(join(folder, name), 'utf8'));
  t.deepEqual([...texts].sort(), ['{0', '{1', '{2']);
});

test('lowdb: a file that is missing beside its copy is reported, and the copy used', async (t) => {
  const folder = await createStoreFolder(t);
  rmSync(join(folder, 'projects.json'));
  const warnings: string[] = [];
  const store = await openStore(t, folder, warnings);
  t.deepEqual(warnings, ['"projects.json" is missing; the copy from before its last change is used']);
  t.is((await store.projects.list({ limit: 9 })).length, 1);
});

test('lowdb: a file of a newer docbuild is left alone', async (t) => {
  const folder = await createStoreFolder(t);
  const path = join(folder, 'projects.json');
  const text = readFileSync(path, 'utf8').replace('"format":3', '"format":99');
  writeFileSync(path, text);
  const before = list(folder);
  await throwsData(
    t,
    openLowdbStore({ folder, onWarning: t.fail }),
    'invalid',
    /newer docbuild has written it \(format 99\)/,
  );
  t.is(readFileSync(path, 'utf8'), text);
  t.deepEqual(list(folder), before);
});

test('lowdb: a file that cannot be read is not taken for a damaged one', async (t) => {
  const folder = await createStoreFolder(t);
  rmSync(join(folder, 'builds.json'), { force: true });
  mkdirSync(join(folder, 'builds.json'));
  await throwsData(t, openLowdbStore({ folder, onWarning: t.fail }), 'unwritable', /"builds\.json": .*directory/);
  t.deepEqual(list(folder), ['builds.json', 'projects.json', 'projects.json.bak']);
});

test('lowdb: a file that somebody has edited by hand is read, and its unknown keys stay', async (t) => {
  const folder = await createStoreFolder(t);
  const path = join(folder, 'projects.json');
  const data = JSON.parse(readFileSync(path, 'utf8')) as { records: { later?: unknown }[] };
  data.records[0]!.later = { a: 1 };
  writeFileSync(path, `\uFEFF${JSON.stringify(data, undefined, 4)}\n\n`);
  const store = await openStore(t, folder);
  await store.projects.change('a', (project) => ({ ...project, latest: 'v9' }));
  await store.close();
  const [a, b] = (JSON.parse(readFileSync(path, 'utf8')) as typeof data).records;
  t.like(a, { name: 'a', latest: 'v9', later: { a: 1 } });
  t.like(b, { name: 'b' });
});

test('lowdb: left-over temporary files are removed, files of others are not', async (t) => {
  const folder = await createStoreFolder(t);
  const left = ['projects.json.tmp', 'builds.json.tmp', 'builds.json.bak.tmp', 'lock.0123456789ab.tmp'];
  for (const name of [...left, 'notes.tmp', 'lock.txt']) writeFileSync(join(folder, name), '{');
  await openStore(t, folder);
  t.deepEqual(list(folder), ['lock', 'lock.txt', 'notes.tmp', 'projects.json', 'projects.json.bak']);
});

test('lowdb: files are one JSON document with a record a line, for nobody else to read', async (t) => {
  const folder = await createStoreFolder(t);
  const text = readFileSync(join(folder, 'projects.json'), 'utf8');
  t.is(text.split('\n').filter((line) => line.startsWith('{"name":"')).length, 2);
  t.is((JSON.parse(text) as { records: unknown[] }).records.length, 2);
  t.is(statSync(folder).mode & 0o777, 0o700);
  for (const name of list(folder)) t.is(statSync(join(folder, name)).mode & 0o777, 0o600, name);
});

test('lowdb: a copy of the folder made while the store is open is a store', async (t) => {
  const folder = await createStoreFolder(t);
  const store = await openStore(t, folder);
  const copy = join(createFolder(t), 'copy');
  mkdirSync(copy);
  for (const name of list(folder)) copyFileSync(join(folder, name), join(copy, name));
  t.true(existsSync(join(copy, 'lock')));
  const restored = await openStore(t, copy);
  t.is((await restored.projects.list({ limit: 9 })).length, 2);
  await store.projects.add(createProject({ name: 'c' }));
  t.is((await restored.projects.list({ limit: 9 })).length, 2);
});

test('lowdb: a removal is finished at the next start when only projects.json was written', async (t) => {
  const folder = await createStoreFolder(t);
  const store = await addProjects(await openStore(t, folder), 'a', 'b');
  const kept = createPassed({ project: 'b' });
  for (const build of [createBuild({ project: 'a' }), kept]) await store.builds.add(build);
  copyFileSync(join(folder, 'builds.json'), join(folder, 'before'));
  await store.projects.remove('a');
  await store.close();
  copyFileSync(join(folder, 'before'), join(folder, 'builds.json'));
  const again = await openStore(t, folder);
  t.deepEqual(await again.builds.listOpen(), []);
  t.deepEqual(await again.builds.list({ project: 'b', limit: 9 }), [kept]);
  // What comes later under the same name stays.
  const fresh = createBuild({ project: 'a' });
  await again.projects.add(createProject({ name: 'a' }));
  await again.builds.add(fresh);
  await again.close();
  t.deepEqual(await (await openStore(t, folder)).builds.list({ project: 'a', limit: 9 }), [fresh]);
});

test('lowdb: builds that come after builds.json was lost are not taken for those of a removed project', async (t) => {
  const folder = await createStoreFolder(t);
  const store = await addProjects(await openStore(t, folder), 'a', 'b');
  await store.builds.add(createBuild({ project: 'a' }));
  await store.builds.add(createBuild({ project: 'a' }));
  await store.projects.remove('a');
  await store.close();
  for (const name of ['builds.json', 'builds.json.bak']) rmSync(join(folder, name));
  const again = await addProjects(await openStore(t, folder), 'a');
  const fresh = createBuild({ project: 'a' });
  await again.builds.add(fresh);
  await again.close();
  t.deepEqual(await (await openStore(t, folder)).builds.list({ project: 'a', limit: 9 }), [fresh]);
});
