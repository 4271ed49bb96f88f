import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import { checkLedger } from '../../../platform/quotas/check-ledger.ts';
import { createCredits, NOON } from '../../helpers/create-quota-question.ts';
import { createRandom } from '../../helpers/create-random.ts';
import { createFolder } from '../../helpers/create-repository.ts';
import { EFFORT } from '../../helpers/effort.ts';
import { openStore } from '../../helpers/open-store.ts';

const SCRIPT = fileURLToPath(new URL('./take-until-killed.js', import.meta.url));
const ROUNDS = 4 * EFFORT;
const UIDS = ['1000000001', '1000000002'];
const WORKERS = 10;
const BOUGHT = 1_000_000;

/** Lets a process take for a while behind its first count, kills it, and returns the whole lines it printed. */
async function takeAndKill(folder: string, startMs: number, ms: number): Promise<readonly string[]> {
  const child = spawn(process.execPath, [SCRIPT, folder, String(startMs)], { stdio: ['ignore', 'pipe', 'inherit'] });
  let said = '';
  const ended = new Promise((resolve) => child.once('close', resolve));
  const began = new Promise<void>((resolve) => {
    child.stdout.on('data', (bytes: Buffer) => {
      said += bytes.toString();
      if (said.includes('taken')) resolve();
    });
  });
  await Promise.race([began, ended]);
  await sleep(ms);
  child.kill('SIGKILL');
  await ended;
  return said.slice(0, said.lastIndexOf('\n')).split('\n');
}

test('quotas: after kill -9 in the middle of paid counts none is lost, none given back, and the ledger adds up', async (t) => {
  const folder = join(createFolder(t), 'store');
  const random = createRandom(Date.now());
  const first = await openStore(t, folder);
  for (const uid of UIDS) await first.quotas.addGrant(createCredits(BOUGHT, { uid }));
  await first.close();
  let total = 0;
  let before = new Map(UIDS.map((uid) => [uid, { taken: 0, returned: 0 }]));
  for (let round = 0; round < ROUNDS; round++) {
    const lines = await takeAndKill(folder, NOON + round * 3_600_000, random.below(150));
    const count = (line: string): number => lines.filter((one) => one === line).length;
    t.deepEqual(
      lines.filter((line) => /^(?:warning|refused)/.test(line)),
      [],
    );
    const store = await openStore(t, folder);
    const entries = await store.quotas.listEntries({});
    await store.close();
    const { accounts, problems } = checkLedger(entries, { nowMs: NOON, isWhole: true });
    t.deepEqual(problems, []);
    const now = new Map(accounts.map((account) => [account.uid, account]));
    for (const uid of UIDS) {
      const taken = now.get(uid)!.taken - before.get(uid)!.taken;
      const returned = now.get(uid)!.returned - before.get(uid)!.returned;
      const said = count(`taken ${uid}`);
      t.true(taken >= said && taken <= said + WORKERS, `${uid}: ${taken} taken, ${said} acknowledged`);
      t.true(returned >= count(`returned ${uid}`) && returned <= count(`returning ${uid}`), `${uid}: ${returned}`);
      t.is(now.get(uid)!.left, BOUGHT - now.get(uid)!.taken + now.get(uid)!.returned);
      total += said;
    }
    before = now;
  }
  t.true(total >= ROUNDS, `${total} counts`);
});
