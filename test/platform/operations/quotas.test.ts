import test from 'ava';
import { createBlocks } from '../../../platform/blocks/blocks.ts';
import type { OperationScope } from '../../../platform/operations/operation.ts';
import { quotaOperations } from '../../../platform/operations/quotas.ts';
import { createQuotas } from '../../../platform/quotas/quotas.ts';
import { throwsData } from '../../data/contract/adapter.ts';
import { createMemoryStore } from '../../helpers/create-memory-store.ts';
import { createUser } from '../../helpers/create-records.ts';

const UID = '1000000001';

function createOperations() {
  const now = () => new Date('2026-05-04T12:00:00Z');
  const store = createMemoryStore();
  const scope = {
    quotas: createQuotas({ store: store.quotas, timezone: 'UTC', now }),
    blocks: createBlocks({ store: store.blocks, now }),
    store: {
      ...store,
      users: { ...store.users, find: async (uid: string) => (uid === UID ? createUser({ uid }) : undefined) },
    },
    by: 'boss',
  } as unknown as OperationScope;
  const { grantPlan, getPlan, checkLedger } = quotaOperations;
  return {
    grantPlan: (input: Parameters<typeof grantPlan.run>[0]) => grantPlan.run(input, scope),
    getPlan: (input: { readonly uid: string }) => getPlan.run(input, scope),
    checkLedger: (input: object) => checkLedger.run(input, scope),
  };
}

test('operations: grantPlan() books a payment of a known user and gives the plan', async (t) => {
  const operations = createOperations();
  const plan = await operations.grantPlan({ uid: UID, payment: { monthly: 15, months: 3 } });
  t.like(plan, { uid: UID, tier: { tier: 1, perDay: 100, endsAt: '2026-08-02T12:00:00.000Z' } });
  t.deepEqual((await operations.grantPlan({ uid: UID, payment: { fen: 300 } })).credits, {
    left: 300,
    payments: [{ seq: 2, count: 300, left: 300, expiresAt: '2027-05-04T12:00:00.000Z' }],
  });
  t.deepEqual(
    await operations.getPlan({ uid: UID }),
    JSON.parse(JSON.stringify(await operations.getPlan({ uid: UID }))),
  );
  t.deepEqual((await operations.checkLedger({})).problems, []);
});

test('operations: grantPlan() and getPlan() refuse an unknown user, and nothing is booked', async (t) => {
  const operations = createOperations();
  const says = /^User "2" does not exist$/;
  await throwsData(t, operations.grantPlan({ uid: '2', payment: { fen: 300 } }), 'not-found', says);
  await throwsData(t, operations.getPlan({ uid: '2' }), 'not-found', says);
  t.is((await operations.checkLedger({})).entries, 0);
});
