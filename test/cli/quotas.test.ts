import { writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { Agent, fetch } from 'undici';
import { createFolder } from '../helpers/create-repository.ts';
import { betaRss } from '../helpers/engine-pages.ts';
import { runCommand } from '../helpers/run-command.ts';
import { page, serveEngines } from '../helpers/serve-engines.ts';
import { spawnServer } from '../helpers/spawn-server.ts';

const AT_ONCE = 1000;
/**
 * On a busy machine it takes longer than the usual ten seconds until all are connected, and longer than a server waits from an answer
 * to the next request of a connection.
 */
const patient = new Agent({ connect: { timeout: 120_000 }, pipelining: 0 });
const PASSWORD = 'correct horse battery';

test('quotas: 1,000 requests at once take exactly what a key is granted, and kill -9 gives nothing back', async (t) => {
  const engines = await serveEngines(t);
  engines.answer(page(betaRss(['https://elsewhere.example/'])));
  const folder = createFolder(t);
  const beta = `{base_url: "${engines.url}", timeout_s: 120}`;
  // Noon, so that the day does not turn in the middle.
  const timezone = `Etc/GMT${(new Date().getUTCHours() - 12).toLocaleString('en', { signDisplay: 'always' })}`;
  writeFileSync(
    join(folder, 'docbuild.yml'),
    `base_dir: ./base\ntimezone: ${timezone}\napi: {trusted_proxies: 1}\nutility: {beta: ${beta}}\n`,
  );
  const run = async (...args: string[]) => {
    const { code, stdout, stderr } = await runCommand(['user', ...args, '--json'], { cwd: folder, input: PASSWORD });
    t.is(code, 0, stderr);
    return JSON.parse(stdout);
  };
  const createReader = async (account: string) => {
    const { uid } = await run('create', account, '--password-stdin');
    const { key } = await run('key', uid, '--permission', 'read');
    return { uid: uid as string, key: key as string };
  };
  const free = await createReader('free');
  const paying = await createReader('paying');
  const wrong = await run('grant', paying.uid, '--fen', '7', '--note', 'Receipt 17');
  t.like(wrong.ledger[0], { kind: 'credits', by: `command line (${userInfo().username})`, note: 'Receipt 17' });
  const { credits, ledger: corrected } = await run('reverse', paying.uid, String(wrong.newest), '--note', 'Wrong user');
  t.is(credits.left, 0);
  t.like(corrected[0], { kind: 'reversal', grant: wrong.newest, requests: 7, note: 'Wrong user' });
  await run('grant', paying.uid, '--fen', '30');

  const server = await spawnServer(t, folder);
  /** Asks many questions at once: gives the status of each answer, and whether it was counted. */
  const ask = async (origin: string, { key }: { key: string }, source: string, times: number) => {
    const asked = Array.from({ length: times }, async (_, i) => {
      const query = new URLSearchParams({ url: `https://page.example/${i}` });
      const answer = await fetch(`${origin}/api/BetaIncludedQuery?${query}`, {
        headers: { Authorization: `Token ${key}`, 'X-Forwarded-For': source },
        dispatcher: patient,
      });
      const { deduct } = (await answer.json()) as { deduct?: boolean };
      return `${answer.status} ${deduct === true}`;
    });
    const answers = await Promise.all(asked);
    return [...new Set(answers)].sort().map((kind) => [kind, answers.filter((answer) => answer === kind).length]);
  };
  t.deepEqual(await ask(server.origin, free, '192.0.2.1', AT_ONCE), [
    ['200 true', 20],
    ['429 false', AT_ONCE - 20],
  ]);
  // The day's quota, then the credits.
  t.deepEqual(await ask(server.origin, paying, '192.0.2.2', AT_ONCE), [
    ['200 true', 50],
    ['429 false', AT_ONCE - 50],
  ]);
  t.is(engines.asked.length, 70, 'the engine is asked for what was counted, and for nothing else');

  await server.stop('SIGKILL');
  for (const { uid } of [free, paying]) {
    t.like(await run('plan', uid), { today: { limit: 20, used: 20, remaining: 0 }, credits: { left: 0 } });
  }
  const { ledger } = await run('plan', paying.uid);
  t.like(ledger[0], { kind: 'use', taken: 30, returned: 0, left: 0 });
  await run('ledger');
  const again = await spawnServer(t, folder);
  t.deepEqual(await ask(again.origin, free, '192.0.2.3', 3), [['429 false', 3]]);
  t.deepEqual(await ask(again.origin, paying, '192.0.2.4', 3), [['429 false', 3]]);
});
