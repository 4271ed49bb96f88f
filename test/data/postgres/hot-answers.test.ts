import pg from 'pg';
import { createHotAnswers } from '../../../data/postgres/hot-answers.ts';
import { openPostgresStore } from '../../../data/postgres/open-postgres-store.ts';
import { createStatements } from '../../../data/postgres/statements.ts';
import { projects } from '../../../data/records/project.ts';
import { COLLECTIONS } from '../../../data/store.ts';
import type { Query } from '../../../data/transaction.ts';
import { createProject } from '../../helpers/create-records.ts';
import { postgresTest, shareCluster } from '../../helpers/share-postgres.ts';

const cluster = shareCluster();

postgresTest('postgres: made-up names push no project out of memory, and long ones are not kept there', async (t) => {
  const own = await cluster();
  const url = own.url(await own.createMigrated());
  const store = await openPostgresStore({ url, onWarning: t.fail });
  t.teardown(() => store.close());
  const client = new pg.Client(url);
  await client.connect();
  t.teardown(() => client.end());
  const hot = createHotAnswers();
  await hot.load(client, createStatements(COLLECTIONS));
  const get = (key: string): Query => ({ kind: 'get', collection: projects, key });
  const inDomain = (group: string): Query => ({
    kind: 'list',
    index: projects.indexes.byDomain,
    group,
    range: { limit: 1 },
  });
  const project = projects.parse(createProject());
  await hot.ask(get('guide'), async () => project);
  await hot.ask(inDomain('docs.example'), async () => [project]);
  for (let i = 0; i < 10_000; i++) {
    await hot.ask(get(`made-up-${i}`), async () => undefined);
    await hot.ask(inDomain(`made-up-${i}.example`), async () => []);
  }
  t.is(hot.find(get('guide'))?.answer, project);
  t.deepEqual(hot.find(inDomain('docs.example'))?.answer, [project]);
  // The last of the others are known not to exist.
  t.like(hot.find(get('made-up-9999')), { answer: undefined });
  t.like(hot.find(inDomain('made-up-9999.example')), { answer: [] });
  t.is(hot.find(get('made-up-0')), undefined);
  const [long, longest] = ['x'.repeat(15_000), 'x'.repeat(253)];
  for (const name of [long, longest]) await hot.ask(inDomain(name), async () => []);
  t.deepEqual([hot.find(inDomain(long)), hot.find(inDomain(longest))?.answer], [undefined, []]);
  // A project that comes to exist is not taken for missing.
  hot.apply([{ kind: 'put', collection: projects, record: { ...project, name: 'made-up-9999' } }]);
  t.is(hot.find(get('made-up-9999')), undefined);
});

postgresTest('postgres: of answers that overtake each other no older one is given after a newer one', async (t) => {
  const own = await cluster();
  const url = own.url(await own.createMigrated());
  const store = await openPostgresStore({ url, onWarning: t.fail });
  t.teardown(() => store.close());
  const client = new pg.Client(url);
  await client.connect();
  t.teardown(() => client.end());
  const hot = createHotAnswers();
  await hot.load(client, createStatements(COLLECTIONS));
  const query: Query = { kind: 'get', collection: projects, key: 'guide' };
  const edition = (latest: string) => projects.parse(createProject({ latest }));
  /** Asks, and returns how to answer. */
  const ask = () => {
    let give: (answer: unknown) => void = () => {};
    const given = new Promise((resolve) => {
      give = resolve;
    });
    const answer = hot.ask(query, () => given);
    return (latest: string) => {
      give(edition(latest));
      return answer;
    };
  };
  const known = () => (hot.find(query)?.answer as { latest: string } | undefined)?.latest;

  // The answer to the first question is late: from before a change of which nobody has told this node yet.
  let [late, prompt] = [ask(), ask()];
  await prompt('90');
  t.is(known(), '90');
  await late('89');
  t.not(known(), '89');
  // Or it is the one that was late which saw the change.
  [late, prompt] = [ask(), ask()];
  await prompt('90');
  await late('91');
  t.not(known(), '90');
  // One that was asked before both were answered cannot bring either back.
  let latest = ask();
  [late, prompt] = [ask(), ask()];
  await prompt('90');
  await late('91');
  await latest('90');
  t.is(known(), undefined);
  // Who asks afterwards is remembered, as are all who are given the same.
  await ask()('91');
  t.is(known(), '91');
  hot.apply([{ kind: 'put', collection: projects, record: edition('92') }]);
  [late, prompt, latest] = [ask(), ask(), ask()];
  for (const answer of [prompt, latest, late]) {
    await answer('92');
    t.is(known(), '92');
  }
});
