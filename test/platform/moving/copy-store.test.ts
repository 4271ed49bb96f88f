import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { openLowdbVault } from '../../../data/lowdb/open-lowdb-vault.ts';
import { builds } from '../../../data/records/build.ts';
import { projects } from '../../../data/records/project.ts';
import type { VaultReader } from '../../../data/vault.ts';
import type { LogStorage } from '../../../platform/builds/build-logs.ts';
import { createLogFiles } from '../../../platform/builds/log-storages.ts';
import { type CopyProgress, copyStore } from '../../../platform/moving/copy-store.ts';
import { openVault } from '../../../platform/moving/place.ts';
import { createPassed, createProject } from '../../helpers/create-records.ts';
import { createFolder } from '../../helpers/create-repository.ts';
import { fillBase } from '../../helpers/fill-base.ts';

const BUILDS = 3_000;
/** A record of this many is more than a file of a folder holds. */
const HUGE = 4_000_000;

/** Returns records whose builds are `count` of some megabytes each. */
function createHugeReader(count: number): VaultReader & { readonly logs: LogStorage } {
  const page = [createPassed({ reason: 'x'.repeat(HUGE) })];
  return {
    name: 'a large place',
    async *read(collection) {
      if (collection.name === projects.name) yield [createProject()];
      if (collection.name === builds.name) for (let i = 0; i < count; i++) yield page;
    },
    logs: createLogFiles('/nowhere'),
    close: async () => {},
  };
}

test('copy: storages of logs are asked for many builds at once, and each stage tells how far it is', async (t) => {
  const base = createFolder(t);
  await fillBase(base, { builds: BUILDS });
  const place = { onWarning: t.fail };
  const source = await openVault(base, { ...place, mustExist: true });
  const target = await openVault(createFolder(t), { ...place, mustExist: false });
  let calls = 0;
  const count = (logs: LogStorage): LogStorage =>
    new Proxy(logs, {
      get(object, key) {
        calls++;
        return Reflect.get(object, key);
      },
    });
  const told: CopyProgress[] = [];
  const report = await copyStore({
    source: { ...source, logs: count(source.logs) },
    target: { ...target, logs: count(target.logs) },
    sites: undefined,
    onProgress: (progress) => told.push(progress),
  });
  await source.close();
  await target.close();
  t.is(report.logs, 27);
  t.true(calls <= (BUILDS / 200) * 5, `${calls} calls`);
  for (const what of ['sizes', 'records', 'logs', 'checks'] as const) {
    const own = told.filter((progress) => progress.what === what);
    t.true(own.length >= BUILDS / 200, `${what}: ${own.length}`);
    t.true(own.at(-1)!.done >= BUILDS, what);
  }
});

test('copy: a folder that cannot hold all builds is refused before anything is changed', async (t) => {
  const folder = createFolder(t);
  const target = await openVault(folder, { mustExist: false, onWarning: t.fail });
  const unused = new Proxy({} as never, { get: () => t.fail('sites were used') });
  const error = await t.throwsAsync(
    copyStore({
      source: createHugeReader(101),
      target,
      onProgress() {},
      sites: { source: unused, target: unused },
      siteTarget: undefined,
    }),
  );
  t.like(error, { code: 'unwritable' });
  t.regex(
    error!.message,
    /Cannot write ".*builds\.json": a file of a folder has at most 400 MB, which some 99 of these builds take; keep them in PostgreSQL/,
  );
  await target.close();
  t.deepEqual(
    readdirSync(join(folder, 'store')).filter((name) => !name.includes('lock')),
    [],
  );
});

test('copy: a file that becomes too large leaves no half of itself', async (t) => {
  const folder = createFolder(t);
  const vault = await openLowdbVault(folder, t.fail);
  await vault.write(builds, () => createHugeReader(1).read(builds));
  await t.throwsAsync(
    vault.write(builds, () => createHugeReader(101).read(builds)),
    { message: /at most 400 MB/ },
  );
  t.true(existsSync(join(folder, 'builds.json')));
  t.deepEqual(
    readdirSync(folder).filter((name) => name.endsWith('.tmp')),
    [],
  );
  await vault.close();
});
