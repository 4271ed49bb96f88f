import test from 'ava';
import { createRedirectStore, redirects } from '../../../data/records/redirects.ts';
import { createTables } from '../../../data/tables/tables.ts';
import type { Query, Step } from '../../../data/transaction.ts';

/** Passes on a step's queries and their answers, and notes the queries that are answered by something. */
function* note<T>(step: Step<T>, asked: Query['kind'][]): Step<T> {
  let next = step.next();
  while (!next.done) {
    if (next.value.kind !== 'put') asked.push(next.value.kind);
    next = step.next(yield next.value);
  }
  return next.value;
}

test('a thousand numbers of redirects are one question to the database, read or added to', async (t) => {
  const tables = createTables([redirects]);
  const asked: Query['kind'][] = [];
  const store = createRedirectStore({
    read: async (step) => tables.read(note(step, asked)),
    transact: async (step) => tables.transact(note(step(), asked)).value,
  });
  const codes = Array.from({ length: 1000 }, (_, i) => `code${i}`);
  await store.add(new Map(codes.map((code, i) => [code, i + 1])));
  t.is(asked.length, 1);
  const counts = await store.count(codes);
  t.is(asked.length, 2);
  t.deepEqual(
    counts,
    codes.map((_, i) => i + 1),
  );
});
