import { createHash } from 'node:crypto';
import { createRepository } from '../../test/helpers/create-repository.ts';
import { type Answer, ask } from './ask.ts';
import { type Attack, from, startServer, tally, writeConfig } from './attack.ts';

const SECRET = 'a secret of the project';
const SHORT = 'hush';
const GUESSES = 2_000;
const ADDRESSES = 20;

/** Pages of other sites read what a visitor's browser can reach, strangers read metrics, and somebody guesses signatures. */
export const readerAttack: Attack = {
  name: 'readers',
  title: `Readers: pages of other sites, strangers at /metrics, and ${GUESSES} guesses of a signature`,
  async run(arena) {
    const server = await startServer(arena, writeConfig(arena));
    const repository = createRepository(arena.context);
    repository.write('docs/README.md', '# Secret plans\n');
    repository.write('docs/plan.txt', 'Secret plans\n');
    repository.commit('First');
    await server.operations.createProject({
      name: 'guide',
      settings: { url: repository.folder, secret: SECRET, before: 'true' },
    });
    const { id } = await server.operations.build({ name: 'guide', all: true });
    await server.operations.waitForBuild({ id });

    arena.say('requests of a page at https://evil.example');
    const read = (path: string, headers: Readonly<Record<string, string>> = {}): Promise<Answer> =>
      ask(server.origin, path, {
        headers: {
          Origin: 'https://evil.example',
          Referer: 'https://evil.example/',
          'Sec-Fetch-Site': 'cross-site',
          ...headers,
        },
      });
    const closed = [
      '/',
      '/docs/guide/',
      '/docs/guide/en/latest/',
      '/docs/guide/versions.json',
      '/docs/guide/sitemap.xml',
      '/docbuild/projects/guide',
      `/docbuild/builds/${id}`,
      `/docbuild/builds/${id}/log`,
      `/docbuild/builds/${id}/problems`,
      '/metrics',
      '/healthz',
      '/control/login',
      '/openapi.json',
      '/docbuild/api',
      '/docbuild/nothing',
    ];
    const open = [
      '/docbuild/desc/guide',
      '/docbuild/badge/guide',
      '/openservice/ip/myip',
      '/openservice/crontab?expression=@daily',
    ];
    const readable: string[] = [];
    for (const path of closed)
      for (const headers of [{}, { Origin: 'null' }])
        if ((await read(path, headers)).headers['access-control-allow-origin'] !== undefined) readable.push(path);
    const unreadable: string[] = [];
    for (const path of open)
      if ((await read(path)).headers['access-control-allow-origin'] !== '*') unreadable.push(path);

    arena.say('metrics');
    const { host } = new URL(server.origin);
    const strangers: Answer[] = [];
    for (const headers of [
      from(1),
      { Host: 'docs.example.org' },
      { Host: host, 'X-Forwarded-For': '127.0.0.1' },
      { Host: host, Forwarded: 'for=127.0.0.1' },
      { Host: host, 'X-Real-IP': '127.0.0.1' },
      { Host: host, Via: '1.1 proxy' },
      { Host: host, 'X-Forwarded-Proto': 'https' },
    ] as Readonly<Record<string, string>>[])
      strangers.push(await ask(server.origin, '/metrics', { headers }));
    const here = await ask(server.origin, '/metrics');

    arena.say(`${GUESSES} wrong signatures from one address, then from ${ADDRESSES}`);
    const build = (sign: string, number: number, name = 'guide'): Promise<Answer> =>
      ask(server.origin, `/docbuild/build/${name}?branch=master`, {
        method: 'POST',
        headers: { ...from(number), 'X-Docbuild-Sign': sign },
      });
    const right = md5(SECRET);
    const before = await build(right, 7);
    const guesses: number[] = [];
    const honest: number[] = [];
    for (let i = 0; i < GUESSES; i++) {
      guesses.push((await build(md5(`guess ${i}`), 1_000 + (i < GUESSES / 2 ? 0 : i % ADDRESSES))).status);
      if (i % 100 === 0) honest.push((await build(right, 7)).status, (await build(right, 50_000 + i)).status);
    }
    arena.say(`${GUESSES} wrong secrets in webhooks, likewise`);
    await server.operations.createProject({ name: 'hooked', settings: { url: repository.folder, secret: SECRET } });
    const call = (secret: string, number: number): Promise<Answer> =>
      ask(server.origin, '/docbuild/webhook/hooked', {
        method: 'POST',
        headers: {
          ...from(number),
          'Content-Type': 'application/json',
          'X-Gitee-Event': 'Push Hook',
          'X-Gitee-Token': secret,
        },
        body: JSON.stringify({ ref: 'refs/heads/master', after: 'a'.repeat(40) }),
      });
    const tokens: number[] = [];
    const calls: number[] = [];
    for (let i = 0; i < GUESSES; i++) {
      tokens.push((await call(`guess ${i}`, 2_000 + (i < GUESSES / 2 ? 0 : i % ADDRESSES))).status);
      if (i % 100 === 0) calls.push((await call(SECRET, 8)).status, (await call(SECRET, 60_000 + i)).status);
    }
    const answered = tokens.filter((status) => status === 403).length;
    const compared = guesses.filter((status) => status === 403).length;

    arena.say('short secrets');
    const refusals: string[] = [];
    for (const secret of [SHORT, 'x'.repeat(15)])
      await server.operations.createProject({ name: 'other', settings: { url: repository.folder, secret } }).then(
        () => server.operations.removeProject({ name: 'other' }),
        (error: unknown) => refusals.push(String((error as Error).message)),
      );
    return [
      {
        name: 'pages of other sites read nothing but what the contract opens to them',
        holds: readable.length === 0,
        seen: readable.length === 0 ? `${closed.length} paths closed` : `open: ${[...new Set(readable)].join(', ')}`,
      },
      {
        name: 'and that they read',
        holds: unreadable.length === 0,
        seen: `${open.length - unreadable.length} of ${open.length}`,
      },
      {
        name: 'metrics are for this machine alone, also behind a proxy',
        holds: here.status === 200 && strangers.every(({ status }) => status === 403),
        seen: `here ${here.status}; strangers ${tally(strangers.map(({ status }) => status))}`,
      },
      {
        name: `of ${GUESSES} guesses at most 250 are answered as such`,
        holds: compared <= 250 && guesses.every((status) => status === 403 || status === 429),
        seen: tally(guesses),
      },
      {
        name: 'meanwhile each right signature passes, from its usual address and from new ones',
        holds: before.status === 201 && honest.every((status) => status === 201 || status === 200),
        seen: tally(honest),
      },
      {
        name: `of ${GUESSES} secrets in webhooks at most 250 are answered as wrong`,
        holds: answered <= 250 && tokens.every((status) => status === 403 || status === 429),
        seen: tally(tokens),
      },
      {
        name: 'meanwhile each webhook with the right one passes',
        holds: calls.every((status) => status === 201 || status === 200),
        seen: tally(calls),
      },
      {
        name: 'new projects get no secret of less than 16 characters',
        holds: refusals.length === 2,
        seen: refusals[0] ?? 'accepted',
      },
    ];
  },
};

function md5(text: string): string {
  return createHash('md5').update(text).digest('hex');
}
