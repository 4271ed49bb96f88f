import { readFileSync, writeFileSync } from 'node:fs';
import test from 'ava';
import { COLLECTIONS } from '../../data/store.ts';
import { SAMPLES } from '../helpers/record-samples.ts';

/** Groups and orders of `SAMPLES` by index and revision; `UPDATE_INDEX_RULES=1` writes it anew: read the difference. */
const FILE = new URL('../../../test/fixtures/index-rules.json', import.meta.url);
const UPDATE = process.env.UPDATE_INDEX_RULES === '1';

function describeRules(): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    COLLECTIONS.flatMap(({ name, indexes, parse }) =>
      Object.values(indexes).map(({ name: index, revision, groupOf, orderOf }) => [
        `${name}.${index} ${revision}`,
        (SAMPLES[name] ?? []).map((sample) => {
          const record = parse(sample);
          return [groupOf(record) ?? null, orderOf(record)];
        }),
      ]),
    ),
  );
}

test('index rules: each collection has samples', (t) => {
  t.deepEqual(
    COLLECTIONS.filter(({ name }) => (SAMPLES[name] ?? []).length === 0).map(({ name }) => name),
    [],
  );
});

test('index rules: one that changes has another revision, so that databases compute its columns again', (t) => {
  const rules = describeRules();
  if (UPDATE) writeFileSync(FILE, `${JSON.stringify(rules, null, 1)}\n`);
  const message =
    'raise the revision of the index that differs (a new one has 1), then run this test with UPDATE_INDEX_RULES=1';
  t.deepEqual(rules, JSON.parse(readFileSync(FILE, 'utf8')), message);
});
