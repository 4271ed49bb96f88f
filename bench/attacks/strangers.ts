import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { createRepository } from '../../test/helpers/create-repository.ts';
import { betaRss } from '../../test/helpers/engine-pages.ts';
import { page, serveEngines } from '../../test/helpers/serve-engines.ts';
import { serveImages } from '../../test/helpers/serve-images.ts';
import { type Arena, type Attack, type AttackedServer, type Check, startServer, tally, writeConfig } from './attack.ts';
import type { LoadAnswers, RequestLoad } from './request-load.ts';

const CONNECTIONS = 64;
const PIPELINED = 500;
const MEASURE_MS = 6_000;
/** A reader asks for a page, and again so long after each answer. */
const READ_EVERY_MS = 4;
/** The slowest of a hundred pages. */
const MAX_P99_MS = 60;
const RARE = ['0%200%2029%202%20*', '0%200%2029%202%20*/7', '59%2023%2031%2012%20*/{n}', '30%202%208-14%203%20*/7'];
const ZONES = ['UTC', 'America/New_York', 'Europe/Berlin', 'Africa/Casablanca'];

/** Requests of strangers; each comes from another address, so that no limit for one caller spares the server work. */
const LOADS: readonly { readonly name: string; readonly requests: readonly string[] }[] = [
  {
    name: 'crontab with rare days, 32 times backwards',
    requests: ZONES.flatMap((zone) =>
      RARE.map((one) => one.replace('*/{n}', '*/7')).map((expression) =>
        get(
          `/openservice/crontab?expression=${expression}&query_times=32&query_type=prev&timezone=${zone}&format_time=%25A%20%25c%20{n}`,
        ),
      ),
    ),
  },
  {
    name: 'daily image',
    requests: [
      get('/openservice/betapic?json&d=random'),
      get('/openservice/betapic?p=4k'),
      get('/openservice/betapic'),
    ],
  },
  { name: 'IP lookup', requests: [get('/openservice/ip/rest?ip={ip}'), get('/openservice/ip/addr')] },
  {
    name: 'login',
    requests: Array.from({ length: 500 }, (_, i) =>
      post('/api/user/login', `account=made-up-${i}&password=wrong-wrong`),
    ),
  },
  {
    name: 'inclusion',
    requests: [
      get('/api/BetaIncludedQuery?url=https%3A%2F%2Fsite.example%2F{n}'),
      get('/api/BetaIncludedQuery?url={n}'),
    ],
  },
  { name: 'project page', requests: [get('/docbuild/projects/guide', 'text/html'), get('/docbuild/desc/guide')] },
  {
    name: 'badge with long texts',
    requests: [get(`/docbuild/badge/guide?branch=${'W%E5%AD%97'.repeat(300)}{n}`), get('/docbuild/badge/guide')],
  },
  { name: 'OpenAPI document and page', requests: [get('/openapi.json'), get('/docbuild/api', 'text/html')] },
];

/** Requests of anybody that cost the server time: what readers of pages notice of it. */
export const strangerAttack: Attack = {
  name: 'strangers',
  title: `Readers of a page beside ${CONNECTIONS} connections of strangers, and beside ${PIPELINED} requests in one write`,
  async run(arena) {
    const server = await startWithPage(arena);
    const usual = await readPages(server, MEASURE_MS);
    const checks: Check[] = [];
    for (const { name, requests } of LOADS) {
      arena.say(name);
      const before = await readPages(server, MEASURE_MS / 2);
      const stop = startLoad(server, { connections: CONNECTIONS, requests });
      await sleep(500);
      const during = await readPages(server, MEASURE_MS);
      const answers = await stop();
      checks.push({
        name: `beside ${name}, 99 of 100 pages come within ${MAX_P99_MS} ms`,
        holds: p99(during) <= MAX_P99_MS,
        seen: `${describe(during)}; just before ${describe(before)}; strangers ${showAnswers(answers)}`,
      });
    }
    arena.say('pipelined requests');
    const piped = await readBesidePipelines(server);
    checks.push({
      name: `beside ${PIPELINED} requests in one write, again and again, 99 of 100 pages come within ${MAX_P99_MS} ms`,
      holds: p99(piped.ms) <= MAX_P99_MS,
      seen: `${describe(piped.ms)}; ${piped.rounds} writes; without any load ${describe(usual)}`,
    });
    return [...checks, ...(await checkLimits(server))];
  },
};

function get(path: string, accept = '*/*'): string {
  return `GET ${path} HTTP/1.1\r\nHost: x\r\nAccept: ${accept}\r\nX-Forwarded-For: {ip}\r\n\r\n`;
}

function post(path: string, body: string): string {
  const head = [
    `POST ${path} HTTP/1.1`,
    'Host: x',
    'X-Forwarded-For: {ip}',
    'Content-Type: application/x-www-form-urlencoded',
    `Content-Length: ${body.length}`,
  ];
  return `${head.join('\r\n')}\r\n\r\n${body}`;
}

async function startWithPage(arena: Arena): Promise<AttackedServer> {
  const repository = createRepository(arena.context);
  repository.write('docs/index.md', '# Home\n\nText.\n');
  repository.commit('Pages');
  const engines = await serveEngines(arena.context);
  engines.answer(page(betaRss([]), { 'content-type': 'text/xml' }));
  const images = await serveImages(arena.context, new Date().toISOString().slice(0, 10).replaceAll('-', ''));
  const yaml = `utility: {image: {base_url: ${images.url}}, beta: {base_url: ${engines.url}}}\n`;
  const server = await startServer(arena, writeConfig(arena, yaml));
  await server.operations.createProject({ name: 'guide', settings: { url: repository.folder } });
  const { id } = await server.operations.build({ name: 'guide' });
  for (;;) {
    const [build] = await server.operations.listBuilds({ project: 'guide' });
    if (build?.id === id && build.status === 'passing') return server;
    if (build?.status === 'failing') throw new Error(`The build failed: ${build.reason}`);
    await sleep(50);
  }
}
const PAGE = '/docs/guide/en/main/index.html';

/** Asks for a page again and again over one connection; returns the time of each answer. */
async function readPages({ origin }: AttackedServer, forMs: number): Promise<readonly number[]> {
  const times: number[] = [];
  const reader = openReader(origin);
  for (const end = performance.now() + forMs; performance.now() < end; await sleep(READ_EVERY_MS)) {
    const start = performance.now();
    await reader.read();
    times.push(performance.now() - start);
  }
  reader.close();
  return times;
}

function openReader(origin: string): { read(): Promise<void>; close(): void } {
  const socket = connect(Number(new URL(origin).port), '127.0.0.1')
    .setNoDelay()
    .setEncoding('latin1');
  let answered = (_: Error | undefined): void => {};
  let text = '';
  socket.on('data', (part: string) => {
    text += part;
    const end = text.indexOf('\r\n\r\n');
    const length = Number(/\r\ncontent-length: *(\d+)/i.exec(text)?.[1] ?? Number.NaN);
    if (end < 0 || text.length < end + 4 + length) return;
    const isPage = text.startsWith('HTTP/1.1 200');
    answered(isPage ? undefined : new Error(`The page was answered with ${text.slice(0, 200)}`));
    text = '';
  });
  socket.on('error', (error) => answered(error));
  socket.on('close', () => answered(new Error('The connection of a reader was closed')));
  return {
    read: () =>
      new Promise((resolve, reject) => {
        answered = (error) => (error ? reject(error) : resolve());
        socket.write(`GET ${PAGE} HTTP/1.1\r\nHost: x\r\n\r\n`);
      }),
    close: () => socket.destroy(),
  };
}

/** Sends requests from a thread of its own until the returned function is called, which returns what came back. */
function startLoad({ origin }: AttackedServer, load: Omit<RequestLoad, 'port'>): () => Promise<LoadAnswers> {
  const workerData: RequestLoad = { ...load, port: Number(new URL(origin).port) };
  const worker = new Worker(new URL('./request-load.js', import.meta.url), { workerData });
  return () =>
    new Promise((resolve, reject) => {
      worker.once('message', resolve);
      worker.once('error', reject);
      worker.postMessage('stop');
    });
}

/** Sends many requests in one write, and again when the connection is closed or all have been answered. */
async function readBesidePipelines(
  server: AttackedServer,
): Promise<{ readonly ms: readonly number[]; readonly rounds: number }> {
  const request = get('/openservice/crontab?expression=0%200%2029%202%20*/7&query_times=32&query_type=prev');
  let isOver = false;
  let rounds = 0;
  const attack = async (): Promise<void> => {
    while (!isOver) {
      await sendPipelined(
        server,
        Array.from({ length: PIPELINED }, (_, i) => request.replace('{ip}', ip(rounds * 500 + i))),
      );
      rounds++;
    }
  };
  const attacking = Promise.all([attack(), attack()]);
  const ms = await readPages(server, MEASURE_MS);
  isOver = true;
  await attacking;
  return { ms, rounds };
}

function ip(n: number): string {
  return `20.${(n >> 16) & 255}.${(n >> 8) & 255}.${n & 255}`;
}

/** Resolves with the number of answers. */
function sendPipelined({ origin }: AttackedServer, requests: readonly string[]): Promise<number> {
  return new Promise((resolve) => {
    const socket = connect(Number(new URL(origin).port), '127.0.0.1', () => socket.write(requests.join(''), 'latin1'));
    let answers = 0;
    socket.setEncoding('latin1').on('data', (part: string) => {
      answers += part.split('HTTP/1.1 ').length - 1;
      if (answers >= requests.length) socket.destroy();
    });
    socket.on('error', () => {});
    socket.once('close', () => resolve(answers));
  });
}

/** One address that goes on and on: it is told to come back, and others are answered. */
async function checkLimits({ origin }: AttackedServer): Promise<readonly Check[]> {
  const paths = [
    '/openservice/crontab?expression=@daily',
    '/openservice/betapic?json',
    '/openservice/ip/rest',
    '/api/BetaIncludedQuery?url=x',
  ];
  const checks: Check[] = [];
  for (const [i, path] of paths.entries()) {
    const statuses: (number | string)[] = [];
    let wait = '';
    const ask = async (address: string): Promise<number> => {
      const answer = await fetch(`${origin}${path}`, { redirect: 'manual', headers: { 'X-Forwarded-For': address } });
      await answer.arrayBuffer();
      if (answer.status === 429) wait = answer.headers.get('Retry-After') ?? '';
      return answer.status;
    };
    for (let n = 0; n < 700; n++) statuses.push(await ask(`30.0.0.${i}`));
    const other = await ask(`30.0.1.${i}`);
    checks.push({
      name: `one address that asks for ${path} on and on is told when to come back (429), another one is answered`,
      holds: statuses.includes(429) && Number(wait) >= 1 && other !== 429,
      seen: `${tally(statuses)}, Retry-After ${wait}; the other one ${other}`,
    });
  }
  return checks;
}

function p99(ms: readonly number[]): number {
  const sorted = [...ms].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length * 0.99)] ?? Number.POSITIVE_INFINITY;
}

function describe(ms: readonly number[]): string {
  const sorted = [...ms].sort((a, b) => a - b);
  return `p99 ${p99(ms).toFixed(1)} ms (median ${(sorted[sorted.length >> 1] ?? 0).toFixed(1)}, longest ${(sorted.at(-1) ?? 0).toFixed(0)}, ${ms.length} pages)`;
}

function showAnswers(answers: LoadAnswers): string {
  return Object.entries(answers)
    .map(([status, count]) => `${status} × ${count}`)
    .join(', ');
}
