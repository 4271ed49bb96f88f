// A node that takes free counts of a user until they are used up, and says on stdout what was acknowledged; its test may kill it.
import { writeSync } from 'node:fs';
import { openPostgresStore } from '../../../data/postgres/open-postgres-store.ts';
import { QUOTA_RULES } from '../../../platform/quotas/grant.ts';
import { createQuotas } from '../../../platform/quotas/quotas.ts';

const [, , url, freePerDay] = process.argv;
const store = await openPostgresStore({ url: url!, onWarning: () => {} });
const quotas = createQuotas({
  store: store.quotas,
  timezone: 'UTC',
  now: () => new Date('2026-05-04T12:00:00Z'),
  rules: { ...QUOTA_RULES, freePerDay: Number(freePerDay) },
});
const take = async (): Promise<void> => {
  for (;;) {
    const { isGranted } = await quotas.take('inclusion', { source: '203.0.113.7', user: { uid: '1000000001' } });
    if (!isGranted) return;
    // Waits for a reader who is behind: what a stream keeps meanwhile would die with this process.
    writeSync(1, 'taken\n');
  }
};
await Promise.all(Array.from({ length: 20 }, take));
await store.close();
