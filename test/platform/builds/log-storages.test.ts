import test, { type ExecutionContext } from 'ava';
import { openPostgresVault } from '../../../data/postgres/open-postgres-vault.ts';
import type { LogStorage } from '../../../platform/builds/build-logs.ts';
import { createLogFiles, createSharedLogs } from '../../../platform/builds/log-storages.ts';
import { createFolder } from '../../helpers/create-repository.ts';
import { postgresTest, shareCluster } from '../../helpers/share-postgres.ts';

const cluster = shareCluster();
const IDS = ['none', 'lines', 'problems', 'both', 'empty-line'];
const PROBLEMS = '[{"message":"Ünï"}]';

async function testAll(t: ExecutionContext, logs: LogStorage): Promise<void> {
  const builds = IDS.map((id) => ({ project: id === 'both' ? 'other' : 'guide', id }));
  const nothing = { lines: [], problems: undefined };
  t.deepEqual(await logs.measure(builds), [0, 0, 0, 0, 0]);
  t.deepEqual(
    await logs.readAll(builds),
    builds.map(() => nothing),
  );
  const contents = [
    nothing,
    { lines: ['one', '', 'ünï😀'], problems: undefined },
    { lines: [], problems: PROBLEMS },
    { lines: ['two'], problems: PROBLEMS },
    { lines: [''], problems: undefined },
  ];
  await logs.writeAll(builds.map((build, i) => ({ ...build, ...contents[i]! })));
  t.deepEqual(await logs.readAll(builds), contents);
  const sizes = await logs.measure(builds.toReversed());
  t.deepEqual(
    sizes.map((size) => size > 0),
    [true, true, true, true, false],
  );
  t.deepEqual(await logs.read('guide', 'lines', 1), ['', 'ünï😀']);
  t.is(await logs.readProblems('other', 'both'), PROBLEMS);
  // What a build adds later follows.
  const { writer } = await logs.open('guide', 'lines');
  writer.write('four');
  await writer.end();
  t.deepEqual((await logs.readAll([builds[1]!]))[0]!.lines, ['one', '', 'ünï😀', 'four']);
  await logs.writeAll([]);
  t.deepEqual(await logs.readAll([]), []);
  t.deepEqual(await logs.measure([]), []);
}

test.serial('log storages: files of many builds at once', async (t) => {
  await testAll(t, createLogFiles(createFolder(t)));
});

postgresTest('log storages: rows of many builds at once', async (t) => {
  const { createMigrated, url } = await cluster();
  const vault = await openPostgresVault(url(await createMigrated()), t.fail);
  await testAll(
    t,
    createSharedLogs(vault.logs, async () => false),
  );
  await vault.close();
});
