import { mkdirSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { checkLedger } from '../../../platform/quotas/check-ledger.ts';
import { throwsData } from '../../data/contract/adapter.ts';
import { createCredits, createQuestion, NOON } from '../../helpers/create-quota-question.ts';
import { createFolder } from '../../helpers/create-repository.ts';
import { openStore } from '../../helpers/open-store.ts';

const paid = createQuestion({ rules: { ...createQuestion().rules, freePerDay: 0 } });

test('quotas: a paid count that cannot be written is refused and not taken', async (t) => {
  const folder = join(createFolder(t), 'store');
  const store = await openStore(t, folder);
  await store.quotas.addGrant(createCredits(100));
  await store.quotas.take(paid);
  const inTheWay = join(folder, 'ledger.json.tmp');
  mkdirSync(inTheWay);
  await Promise.all([1, 2, 3].map(() => throwsData(t, store.quotas.take(paid), 'unwritable', /"ledger\.json"/)));
  t.is((await store.quotas.look(paid)).credits[0]?.left, 99);
  rmdirSync(inTheWay);
  t.truthy((await store.quotas.take(paid)).receipt);
  await store.close();
  const again = await openStore(t, folder);
  t.is((await again.quotas.look(paid)).credits[0]?.left, 98);
  t.deepEqual(checkLedger(await again.quotas.listEntries({}), { nowMs: NOON, isWhole: true }).problems, []);
});

test('quotas: a free count that cannot be written is refused and not taken', async (t) => {
  const folder = join(createFolder(t), 'store');
  const store = await openStore(t, folder);
  await store.quotas.take(createQuestion());
  const inTheWay = join(folder, 'usage.json.tmp');
  mkdirSync(inTheWay);
  await throwsData(t, store.quotas.take(createQuestion()), 'unwritable', /"usage\.json"/);
  t.is((await store.quotas.look(createQuestion())).usedToday, 1);
  rmdirSync(inTheWay);
  t.truthy((await store.quotas.take(createQuestion())).receipt);
  await store.close();
  t.is((await (await openStore(t, folder)).quotas.look(createQuestion())).usedToday, 2);
});
