import { setTimeout as sleep } from 'node:timers/promises';
import { betaRss } from '../../test/helpers/engine-pages.ts';
import { type FakeEngines, page, serveEngines } from '../../test/helpers/serve-engines.ts';
import {
  type Arena,
  type Attack,
  type AttackedServer,
  describeTimes,
  from,
  keepDoing,
  startServer,
  tally,
  writeConfig,
} from './attack.ts';

const ENGINE_MS = 200;
const FLOOD = 200;
const POLITE_QUERIES = 20;
const POLITE_MS = 3_000;
const DOWN_MS = 1000 * Number(process.env['ATTACK_OUTAGE_S'] ?? 90);
const QUERY_EVERY_MS = 100;
/** The breaker asks five times, then after 5, 10, 20 and 40 s and each minute from then on, each of two methods by itself. */
const DOWN_REQUESTS = 2 * (5 + 4 + Math.max(0, Math.ceil((DOWN_MS - 75_000) / 60_000)));
const OUTAGE_MS = 500;
/** The longest pause. */
const RECOVERY_MS = 70_000;

/** One customer floods inclusion queries beside another. */
export const floodAttack: Attack = {
  name: 'flood',
  title: `Inclusion queries: ${FLOOD} at once of one customer beside one a second of another`,
  async run(arena) {
    const { server, customers } = await startInclusion(arena);
    const [flooder, polite] = [await customers(), await customers()];
    const floods: number[] = [];
    const stop = keepDoing(FLOOD, async (i) => void floods.push((await flooder.ask(`flood${i}`)).status));
    while (floods.length < FLOOD) await sleep(20);
    arena.say('the other customer asks');
    const answers: Answer[] = [];
    for (let i = 0; i < POLITE_QUERIES; i++) {
      answers.push(await polite.ask(`polite${i}`));
      await sleep(1_000);
    }
    await stop();
    const blocks = await server.operations.listBlocks({});
    return [
      {
        name: `the other one is always answered, within ${POLITE_MS / 1000} s`,
        holds: answers.every(({ isAnswered, ms }) => isAnswered && ms <= POLITE_MS),
        seen: `${answers.filter(({ isAnswered }) => isAnswered).length} of ${POLITE_QUERIES}, ${describeTimes(answers.map(({ ms }) => ms))}`,
      },
      { name: 'the first one is told to wait (429)', holds: floods.includes(429), seen: tally(floods) },
      {
        name: 'the address of the other one is not blocked',
        holds: blocks.every(({ target }) => target !== polite.address),
        seen: `blocked: ${blocks.map(({ target }) => target).join(', ') || 'nobody'}`,
      },
    ];
  },
};

/** An engine that is down for a while. */
export const outageAttack: Attack = {
  name: 'outage',
  title: `An engine that is down for ${DOWN_MS / 1000} s, and a customer who asks ${1000 / QUERY_EVERY_MS} times a second`,
  async run(arena) {
    const { server, engines, customers } = await startInclusion(arena);
    const customer = await customers();
    const first = await customer.ask('before');
    const before = await server.operations.getPlan({ uid: customer.uid });
    engines.answer(page('down', {}, 503));
    const requestsBefore = engines.asked.length;
    arena.say('the engine is down');
    const answers: Answer[] = [];
    for (const end = performance.now() + DOWN_MS; performance.now() < end; await sleep(QUERY_EVERY_MS)) {
      answers.push(await customer.ask(`down${answers.length}`));
    }
    const health = await fetch(`${server.origin}/healthz`);
    const { engines: states } = (await health.json()) as { engines: Record<string, string> };
    const metrics = await (await fetch(`${server.origin}/metrics`)).text();
    const requests = engines.asked.length - requestsBefore;
    const after = await server.operations.getPlan({ uid: customer.uid });
    const blocks = await server.operations.listBlocks({});
    engines.answer(answerNothing);
    arena.say('the engine is back');
    const backAt = performance.now();
    let last = await customer.ask('back');
    while (!last.isAnswered && performance.now() - backAt < RECOVERY_MS) {
      await sleep(500);
      last = await customer.ask('back');
    }
    const paused = metrics.split('\n').filter((line) => /^docbuild_engine_paused\{.*beta.*\} 1$/.test(line));
    return [
      { name: 'it answers before', holds: first.isAnswered, seen: `${first.status}` },
      {
        name: 'nothing is charged',
        holds: before.today.used === after.today.used && before.credits.left === after.credits.left,
        seen: `used ${before.today.used} before, ${after.today.used} after ${answers.length} queries`,
      },
      {
        name: 'nobody is blocked or refused',
        holds: blocks.length === 0 && answers.every(({ status }) => status === 200),
        seen: `${blocks.length} blocks; ${tally(answers.map(({ status }) => status))}`,
      },
      {
        name: `answers come at once (${OUTAGE_MS} ms)`,
        holds: answers.every(({ ms }) => ms <= OUTAGE_MS),
        seen: describeTimes(answers.map(({ ms }) => ms)),
      },
      {
        name: `the engine gets at most ${DOWN_REQUESTS} requests`,
        holds: requests <= DOWN_REQUESTS,
        seen: `${requests} for ${answers.length} queries`,
      },
      {
        name: 'the health check shows it and stays green, metrics show it',
        holds: health.status === 200 && states['beta'] === 'failing' && paused.length > 0,
        seen: `${health.status}, beta ${states['beta']}; ${paused.join(', ') || 'no paused method'}`,
      },
      {
        name: `queries are answered again within ${RECOVERY_MS / 1000} s after it is back`,
        holds: last.isAnswered,
        seen: `${((performance.now() - backAt) / 1000).toFixed(1)} s`,
      },
    ];
  },
};

interface Answer {
  readonly status: number;
  readonly ms: number;
  /** Whether the engine has the URL is known. */
  readonly isAnswered: boolean;
}

interface Customer {
  readonly uid: string;
  readonly address: string;
  /** Asks about a page. */
  ask(name: string): Promise<Answer>;
}

const answerNothing = page(betaRss([]), { 'content-type': 'text/xml; charset=utf-8' });

/** Starts a server beside a fake engine, with customers who have paid for more than they can use. */
async function startInclusion(arena: Arena): Promise<{
  readonly server: AttackedServer;
  readonly engines: FakeEngines;
  readonly customers: () => Promise<Customer>;
}> {
  const engines = await serveEngines(arena.context);
  engines.answer((request, response) => void setTimeout(() => answerNothing(request, response), ENGINE_MS));
  const config = `utility: {beta: {base_url: '${engines.url}', timeout_s: 8}}\nbilling: {tiers: [{price: 10, per_day: 1000000}]}\n`;
  const server = await startServer(arena, writeConfig(arena, config));
  let created = 0;
  const customers = async (): Promise<Customer> => {
    const { uid } = await server.operations.createUser({
      account: `customer${created++}`,
      password: 'correct horse battery',
    });
    await server.operations.grantPlan({ uid, payment: { monthly: 10, months: 1 } });
    const { key } = await server.operations.createKey({ uid, permission: 'read' });
    const { 'X-Forwarded-For': address } = from(created);
    return {
      uid,
      address,
      async ask(name) {
        const start = performance.now();
        const url = `https://page.example/${name}`;
        const answer = await fetch(
          `${server.origin}/api/BetaIncludedQuery?${new URLSearchParams({ url, force: '1' })}`,
          {
            headers: { Authorization: `Token ${key}`, 'X-Forwarded-For': address },
          },
        );
        const { success } = (await answer.json()) as { success: boolean };
        return { status: answer.status, ms: performance.now() - start, isAnswered: success };
      },
    };
  };
  return { server, engines, customers };
}
