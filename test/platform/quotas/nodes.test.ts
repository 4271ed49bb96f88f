import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { ExecutionContext } from 'ava';
import { openPostgresStore } from '../../../data/postgres/open-postgres-store.ts';
import { QUOTA_RULES } from '../../../platform/quotas/grant.ts';
import { createQuotas } from '../../../platform/quotas/quotas.ts';
import { postgresTest, shareCluster } from '../../helpers/share-postgres.ts';

const SCRIPT = fileURLToPath(new URL('./take-at-node.js', import.meta.url));
const USER = { source: '203.0.113.7', user: { uid: '1000000001' } };
const cluster = shareCluster();

async function createUrl(): Promise<string> {
  const own = await cluster();
  return own.url(await own.createMigrated());
}

async function openQuotas(t: ExecutionContext, url: string, freePerDay: number) {
  const store = await openPostgresStore({ url, onWarning: () => {} });
  t.teardown(() => store.close());
  const now = () => new Date('2026-05-04T12:00:00Z');
  return createQuotas({ store: store.quotas, timezone: 'UTC', now, rules: { ...QUOTA_RULES, freePerDay } });
}

postgresTest('quotas: of 2,000 requests at three nodes at once exactly as many are granted as there are', async (t) => {
  const url = await createUrl();
  const nodes = [await openQuotas(t, url, 700), await openQuotas(t, url, 700), await openQuotas(t, url, 700)];
  const outcomes = await Promise.all(Array.from({ length: 2_000 }, (_, i) => nodes[i % 3]!.take('inclusion', USER)));
  t.is(outcomes.filter(({ isGranted }) => isGranted).length, 700);
  for (const node of nodes) {
    t.like(await node.look('inclusion', USER), { window: 'day', limit: 700, remaining: 0 });
  }
});

postgresTest(
  'quotas: a node that is killed in the middle of counts loses none, and others take exactly the rest',
  async (t) => {
    const url = await createUrl();
    const total = 2_000;
    const quotas = await openQuotas(t, url, total);
    const said: string[] = ['', '', ''];
    const children = said.map((_, i) => {
      const child: ChildProcess = spawn(process.execPath, [SCRIPT, url, `${total}`], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      t.teardown(() => child.kill('SIGKILL'));
      child.stdout!.setEncoding('utf8').on('data', (text: string) => {
        said[i] += text;
        // In the middle of its work, whoever begins first.
        if (i === 0 && said[0]!.length > 600) child.kill('SIGKILL');
      });
      return child;
    });
    await Promise.all(children.map((child) => once(child, 'close')));
    const [killed, ...others] = said.map((text) => text.split('\n').length - 1) as [number, number, number];
    t.is(children[0]!.signalCode, 'SIGKILL');
    t.true(killed >= 100);
    t.like(await quotas.look('inclusion', USER), { window: 'day', limit: total, remaining: 0 });
    // What was on its way to the killed one may have been taken without its knowledge: one for each of its workers.
    const known = killed + others[0]! + others[1]!;
    t.true(known <= total && known >= total - 20, `${known} of ${total} were acknowledged`);
  },
);
