import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { type ClientRequest, get, type IncomingMessage, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { createRepository } from '../../test/helpers/create-repository.ts';
import { signGithub } from '../../test/helpers/sign-webhook.ts';
import {
  type Attack,
  type AttackedServer,
  type Check,
  describeTimes,
  startServer,
  tally,
  writeConfig,
} from './attack.ts';
import type { HeldBodies } from './held-bodies.ts';
import type { LoadAnswers } from './request-load.ts';

const CONNECTIONS = 200;
const HELD_BYTES = 23_000_000;
const HONEST_BYTES = 24_900_000;
const ATTACK_MS = 15_000;
const EVERY_MS = 250;
const MAX_RSS_MB = 300;
const HONEST_MS = 1_000;
const LARGE_HONEST_MS = 5_000;
const READERS = 400;
const LISTENERS = 400;
const FILE_BYTES = 12_000_000;
/** Files of the process besides those of readers. */
const OTHER_FILES = 80;
const SECRET = 'a secret of the project';

/** Strangers who hold what they have been given: bodies that do not end, answers that are not taken. */
export const holderAttack: Attack = {
  name: 'holders',
  title: `${CONNECTIONS} connections that hold bodies of ${HELD_BYTES / 1e6} MB at a webhook, ${READERS} readers and ${LISTENERS} listeners who take nothing`,
  async run(arena) {
    const repository = createRepository(arena.context);
    repository.write('docs/index.md', '# Home\n\n[A file](large.zip)\n');
    repository.write('docs/large.zip', randomBytes(FILE_BYTES));
    repository.commit('Pages');
    const server = await startServer(arena, writeConfig(arena));
    await server.operations.createProject({ name: 'guide', settings: { url: repository.folder, secret: SECRET } });
    await server.operations.build({ name: 'guide' });
    const isBuilt = async (): Promise<boolean> =>
      (await server.operations.listBuilds({ project: 'guide' }))[0]?.status === 'passing';
    for (let i = 0; i < 600 && !(await isBuilt()); i++) await sleep(100);
    const claim = 'X-Hub-Signature-256: sha256='.padEnd(92, '0');
    const checks: Check[] = [];
    for (const [who, address] of [
      ['one address', '40.0.0.1'],
      [`${CONNECTIONS} addresses`, '40.0.0.{n}'],
    ] as const) {
      arena.say(`bodies from ${who}`);
      const headers = ['X-GitHub-Event: push', claim, `X-Forwarded-For: ${address}`];
      checks.push(...(await holdBodies(server, { who, headers })));
    }
    arena.say('bodies of forms');
    const headers = ['Content-Type: multipart/form-data; boundary=x', 'X-Forwarded-For: 40.0.0.{n}'];
    checks.push(...(await holdBodies(server, { who: 'logins', headers, path: '/api/user/login', bytes: 60_000 })));
    arena.say('readers');
    checks.push(await holdAnswers(server));
    arena.say('listeners');
    return [...checks, await holdListeners(server, repository.folder)];
  },
};

async function holdBodies(
  server: AttackedServer,
  options: {
    readonly who: string;
    readonly headers: readonly string[];
    readonly path?: string;
    readonly bytes?: number;
  },
): Promise<readonly Check[]> {
  const { who, headers, path = '/docbuild/webhook/guide', bytes = HELD_BYTES } = options;
  const port = Number(new URL(server.origin).port);
  const before = rssMb(server);
  const workerData: HeldBodies = { port, connections: CONNECTIONS, path, bytes, headers };
  const worker = new Worker(new URL('./held-bodies.js', import.meta.url), { workerData });
  const small: number[] = [];
  const statuses: number[] = [];
  const largeStatus: number[] = [];
  let rss = before;
  // Signed before, since that holds up the senders by themselves.
  const largeCall = signPing(HONEST_BYTES);
  const send = async ({ headers, rawBody }: ReturnType<typeof signPing>, into: number[]): Promise<number> => {
    const start = performance.now();
    const call = request(`${server.origin}/docbuild/webhook/guide`, {
      method: 'POST',
      headers: { ...headers, 'Content-Length': rawBody.length, 'X-Forwarded-For': '50.0.0.1' },
    });
    const answered = once(call, 'response').catch(() => []);
    // A server that refuses a body answers before it has it all; what breaks off then is the sending.
    call.on('error', () => {});
    call.end(rawBody);
    const [answer] = (await answered) as [IncomingMessage?];
    answer?.on('error', () => {});
    answer?.resume();
    into.push(answer?.statusCode ?? 0);
    return performance.now() - start;
  };
  await sleep(500);
  let large = Number.POSITIVE_INFINITY;
  const end = performance.now() + ATTACK_MS;
  const watch = setInterval(() => {
    rss = Math.max(rss, rssMb(server));
  }, 100);
  const sendLarge = sleep(ATTACK_MS / 3).then(async () => {
    large = await send(largeCall, largeStatus);
  });
  while (performance.now() < end) {
    small.push(await send(signPing(1_000), statuses));
    await sleep(EVERY_MS);
  }
  await sendLarge;
  clearInterval(watch);
  const answers = await new Promise<LoadAnswers>((resolve, reject) => {
    worker.once('message', resolve).once('error', reject);
    worker.postMessage('stop');
  });
  const seen = `${rss} MB, ${before} MB before; they got ${JSON.stringify(answers)}`;
  return [
    { name: `bodies from ${who}: the server has at most ${MAX_RSS_MB} MB`, holds: rss <= MAX_RSS_MB, seen },
    {
      name: `bodies from ${who}: honest webhooks are answered within ${HONEST_MS / 1000} s`,
      holds: small.every((ms) => ms <= HONEST_MS) && statuses.every((status) => status === 200),
      seen: `${tally(statuses)}; ${describeTimes(small)}`,
    },
    {
      name: `bodies from ${who}: an honest webhook of ${HONEST_BYTES / 1e6} MB is answered within ${LARGE_HONEST_MS / 1000} s, be it that it has to be sent again`,
      holds: large <= LARGE_HONEST_MS && [200, 503].includes(largeStatus[0]!),
      seen: `${Math.round(large)} ms, ${largeStatus}`,
    },
  ];
}

function signPing(size: number) {
  return signGithub('ping', { zen: 'x'.repeat(size) }, { secret: SECRET });
}

/** Asks for something from many addresses and takes the head of each answer; returns the open requests and what they got. */
async function readNothing(url: string, count: number, headers: Readonly<Record<string, string>> = {}) {
  const open: ClientRequest[] = [];
  const statuses: (number | string)[] = [];
  await Promise.all(
    Array.from({ length: count }, async (_, n) => {
      const reading = get(url, {
        agent: false,
        headers: { ...headers, 'X-Forwarded-For': `60.0.${n >> 8}.${n & 255}` },
      });
      reading.on('error', () => {});
      open.push(reading);
      // Those who hold their places for longest make room for others.
      const [answer] = (await once(reading, 'response').catch(() => [])) as [IncomingMessage?];
      answer?.on('error', () => {}).pause();
      statuses.push(answer?.statusCode ?? 'left');
    }),
  );
  return { open, statuses };
}

/** Readers of a large file who take the head of the answer, and nothing of the body. */
async function holdAnswers(server: AttackedServer): Promise<Check> {
  const { open, statuses } = await readNothing(`${server.origin}/docs/guide/en/main/large.zip`, READERS);
  await sleep(1_000);
  const files = readdirSync(`/proc/${server.child.pid}/fd`).length;
  const rss = rssMb(server);
  for (const reading of open) reading.destroy();
  return {
    name: `${READERS} readers of a file of ${FILE_BYTES / 1e6} MB who take nothing cost a descriptor each for their connection, and few besides`,
    holds:
      statuses.every((status) => status === 200 || status === 'left') &&
      files <= READERS + OTHER_FILES &&
      rss <= MAX_RSS_MB,
    seen: `${files} descriptors, ${rss} MB; ${tally(statuses)}`,
  };
}

/** Listeners to the log of a build that goes on writing, who take the head of the answer and nothing of what follows. */
async function holdListeners(server: AttackedServer, url: string): Promise<Check> {
  const before = `while :; do echo ${'x'.repeat(100)}; sleep 0.01; done`;
  await server.operations.createProject({ name: 'talking', settings: { url, before } });
  const { id } = await server.operations.build({ name: 'talking' });
  while ((await server.operations.listBuilds({ project: 'talking' }))[0]?.status !== 'running') await sleep(50);
  const rssBefore = rssMb(server);
  const { open, statuses } = await readNothing(`${server.origin}/docbuild/builds/${id}/log`, LISTENERS, {
    Accept: 'text/event-stream',
  });
  let rss = rssBefore;
  for (const end = performance.now() + ATTACK_MS; performance.now() < end; await sleep(100))
    rss = Math.max(rss, rssMb(server));
  for (const listening of open) listening.destroy();
  await server.operations.cancelBuild({ id });
  return {
    name: `${LISTENERS} listeners to a log who take nothing: the server has at most ${MAX_RSS_MB} MB, and those beyond its limit are told to come back`,
    holds: rss <= MAX_RSS_MB && statuses.includes(200) && statuses.every((status) => status === 200 || status === 503),
    seen: `${rss} MB, ${rssBefore} MB before; ${tally(statuses)}`,
  };
}

function rssMb({ child }: AttackedServer): number {
  const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
  return Math.round(Number(/VmRSS:\s*(\d+)/.exec(status)?.[1]) / 1024);
}
