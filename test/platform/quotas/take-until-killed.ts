// A process that uses up credits as fast as it can and says on stdout what was acknowledged; killed by its test.
import { writeSync } from 'node:fs';
import { openLowdbStore } from '../../../data/lowdb/open-lowdb-store.ts';
import { QUOTA_RULES } from '../../../platform/quotas/grant.ts';
import { createQuotas } from '../../../platform/quotas/quotas.ts';

const [, , folder, startMs] = process.argv;
const store = await openLowdbStore({ folder: folder!, onWarning: (message) => say('warning', message) });
// Two looks at the clock a second, over two users: about 60 counts a minute, less than what credits may pay.
let nowMs = Number(startMs);
const quotas = createQuotas({
  store: store.quotas,
  timezone: 'UTC',
  now() {
    nowMs += 500;
    return new Date(nowMs);
  },
  rules: { ...QUOTA_RULES, freePerDay: 0 },
});
say('open');
await Promise.all(
  ['1000000001', '1000000002'].flatMap((uid) =>
    Array.from({ length: 10 }, async (_, worker) => {
      for (;;) {
        const outcome = await quotas.take('inclusion', { source: '203.0.113.7', user: { uid } });
        if (!outcome.isGranted) return say('refused', uid, String(outcome.message));
        say('taken', uid);
        if (worker > 0) continue;
        say('returning', uid);
        await quotas.giveBack(outcome.receipt);
        say('returned', uid);
      }
    }),
  ),
);

function say(...words: readonly string[]): void {
  // Waits for a reader who is behind: what a stream keeps meanwhile would die with this process.
  writeSync(1, `${words.join(' ')}\n`);
}
