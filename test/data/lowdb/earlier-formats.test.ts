import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import { openLowdbStore } from '../../../data/lowdb/open-lowdb-store.ts';
import { ledger } from '../../../data/records/ledger-entry.ts';
import { createFolder } from '../../helpers/create-repository.ts';
import { fillBase } from '../../helpers/fill-base.ts';
import { hashTree } from '../../helpers/hash-tree.ts';
import { openStore } from '../../helpers/open-store.ts';
import test from '../../helpers/serial-test.ts';
import { throwsData } from '../contract/adapter.ts';

/** Writes a store whose payments an earlier release has written; returns its folder. */
async function createEarlier(t: ExecutionContext): Promise<string> {
  const base = createFolder(t);
  await fillBase(base);
  const path = join(base, 'store', 'ledger.json');
  const text = readFileSync(path, 'utf8');
  t.true(text.startsWith(`{"format":${ledger.format},`));
  writeFileSync(path, text.replace(`"format":${ledger.format}`, '"format":1'));
  return join(base, 'store');
}

const listKept = (folder: string): readonly string[] =>
  readdirSync(folder).filter((name) => name.startsWith('before-update-'));

test('lowdb: files of an earlier release are brought up to date at once, and all files are kept as they were', async (t) => {
  const folder = await createEarlier(t);
  const before = hashTree(folder);
  const warnings: string[] = [];
  await (await openStore(t, folder, warnings)).close();
  const [kept, ...others] = listKept(folder);
  t.deepEqual(others, []);
  t.deepEqual(warnings, [
    `Brought "ledger.json" up to date; the files of the earlier release are kept in "${join(folder, kept!)}"`,
  ]);
  t.deepEqual(hashTree(join(folder, kept!)), before);
  t.is(statSync(join(folder, kept!)).mode & 0o777, 0o700);
  t.regex(readFileSync(join(folder, 'ledger.json'), 'utf8'), /^\{"format":2,/);
  // The next start has nothing to do.
  await (await openStore(t, folder)).close();
  t.deepEqual(listKept(folder), [kept!]);
});

test('lowdb: a removal that a crash cut short is finished when files are brought up to date', async (t) => {
  const folder = await createEarlier(t);
  const path = join(folder, 'builds.json');
  const before = readFileSync(path);
  const earlier = readFileSync(join(folder, 'ledger.json'));
  const store = await openStore(t, folder, []);
  t.not((await store.builds.list({ project: 'guide', limit: 1 })).length, 0);
  await store.projects.remove('guide');
  await store.close();
  // As a crash between the two files leaves them.
  writeFileSync(path, before);
  writeFileSync(join(folder, 'ledger.json'), earlier);
  const again = await openStore(t, folder, []);
  t.deepEqual(await again.builds.list({ project: 'guide', limit: 1 }), []);
});

test('lowdb: where a file cannot be read none is brought up to date, and where one is newer nothing is changed', async (t) => {
  const folder = await createEarlier(t);
  const path = join(folder, 'projects.json');
  const good = readFileSync(path);
  const ledgerBefore = readFileSync(join(folder, 'ledger.json'));
  for (const [content, code] of [
    [good.toString().replace('"format":1', '"format":99'), 'invalid'],
    ['not JSON', 'damaged'],
  ] as const) {
    writeFileSync(path, content);
    await throwsData(t, openLowdbStore({ folder, onWarning: () => {} }), code);
    t.deepEqual(readFileSync(join(folder, 'ledger.json')), ledgerBefore);
    t.is(readFileSync(path, 'utf8'), content);
    t.deepEqual(listKept(folder), []);
  }
  writeFileSync(path, good);
  await (await openStore(t, folder, [])).close();
  t.regex(readFileSync(join(folder, 'ledger.json'), 'utf8'), /^\{"format":2,/);
});
