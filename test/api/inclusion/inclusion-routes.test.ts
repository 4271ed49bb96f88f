import type { ServerResponse } from 'node:http';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import test from 'ava';
import {
  type Asked,
  createInclusionSetup,
  KEY,
  OTHER_KEY,
  OTHER_UID,
  TARGET,
  UID,
} from '../../helpers/create-inclusion-setup.ts';
import { createMemoryStore } from '../../helpers/create-memory-store.ts';
import { alphaHtml, alphaJson, betaHtml, betaRss } from '../../helpers/engine-pages.ts';
import { type EngineAnswer, page, redirect } from '../../helpers/serve-engines.ts';
import { waitUntil } from '../../helpers/wait-until.ts';

const OTHER = 'https://other.example/';
const ANONYMOUS = '192.0.2.1';
const hit = { Alpha: alphaJson([OTHER, TARGET]), Beta: betaRss([OTHER, TARGET]) };
const miss = { Alpha: alphaJson([OTHER]), Beta: betaRss([OTHER]) };
const GBK_JSON = Buffer.concat([
  Buffer.from(`{"feed":{"all":1,"entry":[{"title":"`),
  Buffer.from([0xcb, 0xd1, 0xcb, 0xf7]),
  Buffer.from(`","url":"${TARGET}","time":1}]}}`),
]);

/** Has the engine answer what it is asked until all of these are answered. */
async function answerHeld(held: (() => void)[], asked: readonly Promise<Asked>[]): Promise<readonly Asked[]> {
  let isDone = false;
  const all = Promise.all(asked).finally(() => {
    isDone = true;
  });
  while (!isDone) {
    for (const answer of held.splice(0)) answer();
    await nextTurn();
  }
  return all;
}

for (const engine of ['Alpha', 'Beta'] as const) {
  test.serial(`${engine}IncludedQuery says that an address is indexed`, async (t) => {
    const { engines, ask, quotas } = await createInclusionSetup(t);
    engines.answer(page(hit[engine]));
    const { status, headers, body } = await ask(engine);
    t.is(status, 200);
    t.deepEqual(body, { Included: true, success: true, deduct: true, url: TARGET, msg: null });
    t.is(headers.get('access-control-allow-origin'), '*');
    t.is(headers.get('cache-control'), 'no-store');
    t.is(headers.get('ratelimit-remaining'), '99');
    t.is(quotas.used(ANONYMOUS), 1);
  });

  test.serial(`${engine}IncludedQuery says that an address is not indexed, counts it, and asks again`, async (t) => {
    const { engines, ask, quotas } = await createInclusionSetup(t);
    engines.answer(page(miss[engine]));
    const body = { Included: false, success: true, deduct: true, url: TARGET, msg: `Not indexed by ${engine}` };
    t.deepEqual((await ask(engine)).body, body);
    t.deepEqual((await ask(engine)).body, body);
    t.is(engines.asked.length, 2);
    t.is(quotas.used(ANONYMOUS), 2);
  });

  test.serial(`${engine}IncludedQuery remembers what is indexed, and does not count it`, async (t) => {
    const { engines, ask, quotas, clock } = await createInclusionSetup(t);
    engines.answer(page(hit[engine]));
    await ask(engine);
    const again = await ask(engine, { url: 'http://www.page.example/guide/a.html#x' });
    t.like(again.body, { Included: true, success: true, deduct: false, msg: null });
    t.is(engines.asked.length, 1);
    t.is(quotas.used(ANONYMOUS), 1);
    clock.ms += 29 * 86_400_000;
    t.false((await ask(engine)).body.deduct);
    clock.ms += 2 * 86_400_000;
    t.true((await ask(engine)).body.deduct);
  });

  test.serial(`${engine}IncludedQuery answers what is remembered when the quota is used up`, async (t) => {
    const { engines, ask } = await createInclusionSetup(t, { quota: 1 });
    engines.answer(page(hit[engine]));
    await ask(engine);
    t.is((await ask(engine, { url: OTHER })).status, 429);
    t.like(await ask(engine), { status: 200, body: { Included: true, deduct: false } });
    t.is((await ask(engine, { url: TARGET, force: '1' })).status, 429);
  });

  test.serial(`${engine}IncludedQuery with force asks anew, is counted, and forgets what is gone`, async (t) => {
    const { engines, ask, quotas } = await createInclusionSetup(t);
    engines.answer(page(hit[engine]));
    await ask(engine);
    t.like((await ask(engine, { url: TARGET, force: 'true' })).body, { Included: true, deduct: true });
    t.is(engines.asked.length, 2);
    engines.answer(page('', {}, 500));
    t.like((await ask(engine, { url: TARGET, force: '1' })).body, { success: false, deduct: false });
    t.like((await ask(engine)).body, { Included: true, deduct: false }, 'a failure says nothing');
    engines.answer(page(miss[engine]));
    t.like((await ask(engine, { url: TARGET, force: '1' })).body, { Included: false, deduct: true });
    t.like((await ask(engine)).body, { Included: false, deduct: true }, 'it is forgotten');
    t.is(quotas.used(ANONYMOUS), 4);
  });

  test.serial(`${engine}IncludedQuery takes exactly what is left, whoever asks at once`, async (t) => {
    const { engines, ask, quotas } = await createInclusionSetup(t, { quota: 20 });
    engines.answer(page(miss[engine]));
    const answers = await Promise.all(Array.from({ length: 100 }, (_, i) => ask(engine, { url: `${TARGET}?${i}` })));
    t.is(answers.filter(({ status, body }) => status === 200 && body.deduct === true).length, 20);
    t.is(answers.filter(({ status, body }) => status === 429 && body.deduct === false).length, 80);
    t.is(quotas.used(ANONYMOUS), 20);
    t.is(engines.asked.length, 20);
  });

  test.serial(`${engine}IncludedQuery asks the engine once for equal queries, and counts each`, async (t) => {
    const { engines, ask, quotas, received } = await createInclusionSetup(t);
    engines.answer(async (_, response) => {
      await waitUntil(() => received() === 10);
      response.end(hit[engine]);
    });
    const answers = await Promise.all(Array.from({ length: 10 }, () => ask(engine)));
    t.true(answers.every(({ body }) => body.Included === true));
    t.is(engines.asked.length, 1);
    t.is(quotas.used(ANONYMOUS), answers.filter(({ body }) => body.deduct === true).length);
  });

  test.serial(`${engine}IncludedQuery keeps connections and asks few questions at once`, async (t) => {
    const { engines, ask } = await createInclusionSetup(t);
    let running = 0;
    let most = 0;
    engines.answer((_, response) => {
      most = Math.max(most, ++running);
      setTimeout(() => {
        running--;
        response.end(miss[engine]);
      }, 30);
    });
    await Promise.all(Array.from({ length: 20 }, (_, i) => ask(engine, { url: `${TARGET}?${i}` })));
    t.true(most > 1 && most <= 4, String(most));
    t.true(engines.connections() <= 4, String(engines.connections()));
  });

  test.serial(`${engine}IncludedQuery refuses what is too much to wait, and counts nothing`, async (t) => {
    const setting = { timeout_s: 60, concurrency: 1 };
    const { engines, ask, quotas } = await createInclusionSetup(t, {
      quota: 200,
      utility: { alpha: setting, beta: setting },
    });
    const held: (() => void)[] = [];
    engines.answer((_, response) => void held.push(() => response.end(miss[engine])));
    const refused: Asked[] = [];
    const asked = Array.from({ length: 110 }, async (_, i) => {
      const answer = await ask(engine, { url: `${TARGET}?${i}` });
      if (answer.status === 429) refused.push(answer);
      return answer;
    });
    await waitUntil(() => refused.length === 110 - 1 - 50);
    t.true(refused.every(({ body }) => body.success === false && body.deduct === false));
    t.true(refused.every(({ headers }) => headers.get('retry-after') === '1'));
    t.true(refused.every(({ body }) => /^At most 50 of your queries may wait/.test(String(body.msg))));
    const answers = await answerHeld(held, asked);
    t.is(answers.filter(({ status, body }) => status === 200 && body.success === true).length, 1 + 50);
    t.is(quotas.used(ANONYMOUS), 1 + 50);
  });

  test.serial(
    `${engine}IncludedQuery tells what has waited too long that others are waiting, and counts nothing`,
    async (t) => {
      const setting = { timeout_s: 5, concurrency: 1 };
      const { engines, ask, quotas } = await createInclusionSetup(t, { utility: { alpha: setting, beta: setting } });
      const held: (() => void)[] = [];
      engines.answer((_, response) => void held.push(() => response.end(miss[engine])));
      const first = ask(engine, { url: TARGET, token: KEY });
      while (held.length === 0) await nextTurn();
      const second = ask(engine, { url: `${TARGET}?second`, token: KEY });
      while (quotas.used(UID) < 2) await nextTurn();
      const third = ask(engine, { url: `${TARGET}?third`, token: KEY });
      while (quotas.used(UID) < 3) await nextTurn();
      await sleep(300);
      const other = ask(engine, { url: `${TARGET}?other`, token: OTHER_KEY });
      while (quotas.used(OTHER_UID) < 1) await nextTurn();
      // What is counted is about to wait.
      for (let i = 0; i < 10; i++) await nextTurn();
      held[0]!();
      while (held.length === 1) await nextTurn();
      held[1]!();
      // Then it is the turn of the other user, whose query has no answer, and ends after the third.
      const { status, body } = await third;
      t.is(status, 200);
      t.like(body, { success: false, deduct: false });
      t.regex(String(body.msg), /too many queries are waiting/);
      t.deepEqual(
        (await Promise.all([first, second, other])).map((answer) => answer.body.success),
        [true, true, false],
      );
      t.deepEqual([quotas.used(UID), quotas.used(OTHER_UID)], [2, 0]);
    },
  );

  test.serial(
    `${engine}IncludedQuery answers one user after as many others at most, whoever else asks how much`,
    async (t) => {
      const setting = { timeout_s: 60, concurrency: 2 };
      const { engines, ask, quotas, received } = await createInclusionSetup(t, {
        quota: 500,
        utility: { alpha: setting, beta: setting },
      });
      let answered = 0;
      const held: (() => void)[] = [];
      const answer = (response: ServerResponse) => {
        answered++;
        response.end(miss[engine]);
      };
      engines.answer((_, response) => void held.push(() => answer(response)));
      // A crowd of sources, and one that asks as much as it may.
      const crowd = Array.from({ length: 150 }, (_, i) =>
        ask(engine, { url: `${TARGET}?${i}` }, { 'X-Source': i < 40 ? '192.0.2.1' : `198.51.100.${i}` }),
      );
      await waitUntil(() => received() === 150);
      const paying = Array.from({ length: 12 }, (_, i) =>
        // Somebody else waits for the answers to some of these, too.
        ask(engine, { url: i < 4 ? `${TARGET}?${i + 5}` : `${TARGET}?paid${i}`, token: KEY }),
      );
      while (quotas.used(UID) < 12) await nextTurn();
      for (let i = 0; i < 10; i++) await nextTurn();
      const paid = await answerHeld(held, paying);
      t.true(paid.every(({ body }) => body.success === true));
      // Two are being asked already, and two may be asked before the last answer is read.
      t.true(answered <= 2 + 2 * 12 + 2, String(answered));
      await answerHeld(held, crowd);
    },
  );

  test.serial(
    `${engine}IncludedQuery asks for one user and another in turn, however many queries of one wait`,
    async (t) => {
      const setting = { timeout_s: 30, concurrency: 1 };
      const { engines, ask, quotas } = await createInclusionSetup(t, { utility: { alpha: setting, beta: setting } });
      const held: (() => void)[] = [];
      engines.answer((_, response) => void held.push(() => response.end(miss[engine])));
      const flood = Array.from({ length: 40 }, (_, i) => ask(engine, { url: `${TARGET}?flood${i}`, token: OTHER_KEY }));
      while (held.length === 0) await nextTurn();
      const others = Array.from({ length: 3 }, (_, i) => ask(engine, { url: `${TARGET}?other${i}`, token: KEY }));
      while (quotas.used(OTHER_UID) + quotas.used(UID) < 43) await nextTurn();
      // What is counted is about to wait.
      for (let i = 0; i < 10; i++) await nextTurn();
      await answerHeld(held, others);
      const flooded = engines.asked.filter(({ url }) => url.href.includes('flood')).length;
      t.true(flooded < 20, `${flooded} of the flood before the others were answered`);
      engines.answer(page(miss[engine]));
      for (const answer of held.splice(0)) answer();
      t.true((await Promise.all([...flood, ...others])).every(({ body }) => body.success === true));
    },
  );

  test.serial(
    `${engine}IncludedQuery takes nothing while the engine is down, not even from those who have nothing left`,
    async (t) => {
      const { engines, ask, quotas } = await createInclusionSetup(t, { quota: 1 });
      engines.answer(page('', {}, 503));
      for (let i = 0; i < 5; i++) t.is((await ask(engine, { url: `${TARGET}?${i}`, token: KEY })).status, 200);
      const other = engine === 'Alpha' ? 'Beta' : 'Alpha';
      engines.answer(page(hit[other]));
      t.true((await ask(other)).body.deduct);
      t.is(quotas.used(ANONYMOUS), 1);
      const answer = await ask(engine, { url: OTHER });
      t.is(answer.status, 200);
      t.regex(String(answer.body.msg), /It is asked again in \d+ s/);
    },
  );

  test.serial(`${engine}IncludedQuery neither asks nor counts for HEAD`, async (t) => {
    const { engines, get, quotas } = await createInclusionSetup(t);
    engines.answer(page(hit[engine]));
    const answer = await get(`/api/${engine}IncludedQuery?url=${encodeURIComponent(TARGET)}&force=1`, {
      method: 'HEAD',
    });
    t.is(answer.status, 200);
    t.is(await answer.text(), '');
    t.is(answer.headers.get('ratelimit-remaining'), '100');
    t.deepEqual([engines.asked.length, quotas.used(ANONYMOUS)], [0, 0]);
  });

  test.serial(`${engine}IncludedQuery notices "&" that is not encoded, and counts nothing`, async (t) => {
    const { engines, get, quotas } = await createInclusionSetup(t);
    engines.answer(page(hit[engine]));
    const ask = async (query: string) =>
      (await (await get(`/api/${engine}IncludedQuery?${query}`)).json()) as { success: boolean; msg: string };
    for (const query of [
      'url=https://page.example/?a=1&b=2',
      'url=https%3A%2F%2Fpage.example/a?x&b',
      'force=1&url=https://page.example/?a=1&b=2',
      'url=https://page.example/%3Fa=1&b=2',
      'url=https://page.example/a&b',
    ]) {
      const { success, msg } = await ask(query);
      t.false(success, query);
      t.is(msg, 'Parameter "url" is cut off at "&b": write "%26" for each "&" of the URL, or encode all of it');
    }
    t.deepEqual([engines.asked.length, quotas.used(ANONYMOUS)], [0, 0]);
    // Other parameters of whoever encodes the URL, or has no "?" in it, are ignored.
    for (const query of [
      `url=${encodeURIComponent('https://page.example/?a=1&b=2')}&_=17`,
      `url=${encodeURIComponent('https://page.example/a')}&17`,
      'url=https://page.example/&callback=f',
      '_=17&url=https://page.example/?a=1&force=1',
      'url=https://page.example/?a=1&',
    ]) {
      t.true((await ask(query)).success, query);
    }
  });

  test.serial(`${engine}IncludedQuery never asks the address itself`, async (t) => {
    const { engines, ask } = await createInclusionSetup(t);
    engines.answer(page(miss[engine]));
    await ask(engine, { url: `${engines.url}/target` });
    t.is(engines.asked.length, 1);
    t.false(engines.asked.some(({ url }) => url.pathname === '/target'));
  });

  test.serial(`${engine}IncludedQuery answers at its path with a slash, too`, async (t) => {
    const { engines, get } = await createInclusionSetup(t);
    engines.answer(page(hit[engine]));
    const answer = await get(`/api/${engine}IncludedQuery/?url=${encodeURIComponent(TARGET)}`);
    t.is(answer.status, 200);
    t.like(await answer.json(), { Included: true });
  });

  test.serial(`${engine}IncludedQuery takes a key from the query and the header, and knows a wrong one`, async (t) => {
    const { engines, ask, quotas } = await createInclusionSetup(t);
    engines.answer(page(miss[engine]));
    await ask(engine, { url: TARGET, token: KEY });
    await ask(engine, { url: TARGET }, { Authorization: `Token ${KEY}` });
    t.deepEqual([quotas.used(UID), quotas.used(ANONYMOUS)], [2, 0]);
    const wrong = await ask(engine, { url: TARGET, token: 'nothing' });
    t.is(wrong.status, 401);
    t.deepEqual(wrong.body, {
      Included: false,
      success: false,
      deduct: false,
      url: '',
      msg: 'The credential is not valid',
    });
    t.is(engines.asked.length, 2);
  });

  test.serial(`${engine}IncludedQuery says when a used up quota begins anew`, async (t) => {
    const { engines, ask } = await createInclusionSetup(t, { quota: 1 });
    engines.answer(page(miss[engine]));
    await ask(engine);
    const { status, headers, body } = await ask(engine);
    t.is(status, 429);
    t.deepEqual(body, { Included: false, success: false, deduct: false, url: TARGET, msg: 'All 1 are used up' });
    t.deepEqual(
      ['retry-after', 'ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset'].map((name) => headers.get(name)),
      ['3600', '1', '0', '3600'],
    );
    t.is(headers.get('access-control-allow-origin'), '*');
    t.is(headers.get('cache-control'), 'no-store');
  });

  for (const query of [
    '',
    'url=',
    'url=a.example',
    'url=ftp://a.example/',
    'url=https://u:hush@a.example/',
    `url=https://a.example/${'a'.repeat(3000)}`,
    `url=${encodeURIComponent(TARGET)}&url=${encodeURIComponent(TARGET)}`,
    `url=${encodeURIComponent(TARGET)}&method=xml`,
    `url=${encodeURIComponent(TARGET)}&method=${engine === 'Alpha' ? 'rss' : 'json'}`,
    `url=${encodeURIComponent(TARGET)}&method=${engine === 'Alpha' ? 'JSON' : 'RSS'}`,
    `url=${encodeURIComponent(TARGET)}&method=%20html`,
    `url=${encodeURIComponent(TARGET)}&method=`,
    `url=${encodeURIComponent(TARGET)}&force=perhaps`,
    `url=${encodeURIComponent(TARGET)}&force=TRUE`,
    `url=${encodeURIComponent(TARGET)}&force=`,
    'url=%',
    'url[]=https://a.example/',
  ]) {
    test.serial(`${engine}IncludedQuery refuses ?${query.slice(0, 60)} without asking or counting`, async (t) => {
      const { engines, get, quotas } = await createInclusionSetup(t);
      const answer = await get(`/api/${engine}IncludedQuery?${query}`);
      const body = (await answer.json()) as Record<string, unknown>;
      t.is(answer.status, 200);
      t.like(body, { Included: false, success: false, deduct: false, url: '' });
      t.regex(String(body['msg']), /^Parameter "/);
      t.false(String(body['msg']).includes('hush'));
      t.deepEqual([engines.asked.length, quotas.used(ANONYMOUS)], [0, 0]);
    });
  }
}

test.serial('AlphaIncludedQuery asks as the configuration says', async (t) => {
  const { engines, ask } = await createInclusionSetup(t, { utility: { user_agent: 'Checker/1' } });
  engines.answer(page(miss.Alpha));
  await ask('Alpha', { url: 'https://a.example/?a=1&b=中' });
  const [{ url, headers }] = engines.asked as [(typeof engines.asked)[number]];
  t.is(url.pathname + url.search, '/s?wd=https%3A%2F%2Fa.example%2F%3Fa%3D1%26b%3D%25E4%25B8%25AD&rn=10&pn=0&tn=json');
  t.is(headers['user-agent'], 'Checker/1');
  await ask('Alpha', { url: `https://a.example/${'p'.repeat(80)}`, method: 'json' });
  t.is(engines.asked[1]?.url.searchParams.get('wd'), `site:a.example inurl:/${'p'.repeat(80)}`);
});

test.serial('BetaIncludedQuery asks as the configuration says', async (t) => {
  const { engines, ask } = await createInclusionSetup(t, {
    utility: { beta: { rss_query: '{base}/find/{query}?f=1&format=rss&again={query}' } },
  });
  engines.answer(page(miss.Beta));
  await ask('Beta', { url: TARGET, method: 'rss' });
  const code = encodeURIComponent(TARGET);
  t.is(
    engines.asked.at(-1)!.url.pathname + engines.asked.at(-1)!.url.search,
    `/find/${code}?f=1&format=rss&again=${code}`,
  );
});

interface Case {
  readonly name: string;
  readonly engine: 'Alpha' | 'Beta';
  readonly answer: EngineAnswer;
  readonly msg?: RegExp;
}

/** Pages that are no answer, by either method: never "not indexed". */
const failures: readonly Case[] = [
  ...(['Alpha', 'Beta'] as const).flatMap((engine): Case[] => [
    { name: '429', engine, answer: page('slow down', {}, 429), msg: /429/ },
    { name: '403', engine, answer: page('', {}, 403), msg: /403/ },
    { name: '403 with a miss', engine, answer: page(miss[engine], {}, 403), msg: /403/ },
    { name: '503', engine, answer: page(miss[engine], {}, 503), msg: /503/ },
    { name: '404', engine, answer: page(hit[engine], {}, 404), msg: /404/ },
    { name: '204', engine, answer: page('', {}, 204), msg: /204/ },
    { name: 'a blank page', engine, answer: page(''), msg: /answer is empty/ },
    { name: 'a page of spaces', engine, answer: page(' \n '), msg: /answer is empty/ },
    { name: 'garbage', engine, answer: page(Buffer.from([0, 255, 254, 1, 60, 33])), msg: /not recognised/ },
    { name: 'a redirect to the home page', engine, answer: redirect('/'), msg: /redirect/ },
    {
      name: 'a redirect to a captcha',
      engine,
      answer: redirect('http://wappass.alpha.example/static/captcha/?x=1'),
      msg: /redirect/,
    },
    { name: 'a redirect to nowhere', engine, answer: page('', {}, 302), msg: /redirect/ },
    { name: 'a redirect to a scheme', engine, answer: redirect('javascript:alert(1)'), msg: /redirect/ },
    { name: 'a redirect to this machine', engine, answer: redirect('http://127.0.0.1/s'), msg: /redirect/ },
    {
      name: 'a connection that breaks',
      engine,
      answer: (_, response) => void response.socket?.destroy(),
      msg: /cannot be reached/,
    },
    {
      name: 'a body that breaks',
      engine,
      msg: /cannot be reached/,
      answer(_, response) {
        response.writeHead(200, { 'content-length': '9000' });
        response.write(hit[engine]);
        setTimeout(() => response.socket?.destroy(), 20);
      },
    },
    { name: 'a huge body', engine, msg: /too large/, answer: page(hit[engine] + ' '.repeat(2_000_000)) },
    {
      name: 'a huge body, compressed',
      engine,
      msg: /too large/,
      answer: page(gzipSync(hit[engine] + ' '.repeat(2_000_000)), { 'content-encoding': 'gzip' }),
    },
    {
      name: 'a body that is not compressed as it says',
      engine,
      msg: /cannot be decoded/,
      answer: page(hit[engine], { 'content-encoding': 'gzip' }),
    },
    {
      name: 'an endless header',
      engine,
      msg: /cannot be reached/,
      answer: page(hit[engine], { 'x-long': 'a'.repeat(80_000) }),
    },
    { name: 'a slow body', engine, msg: /in time/, answer: drip },
    { name: 'no answer', engine, msg: /in time/, answer: () => {} },
  ]),
  {
    name: 'its captcha',
    engine: 'Alpha',
    answer: page('<html><head><title>百度安全验证</title></head><body></body></html>'),
    msg: /captcha/,
  },
  {
    name: 'a link to a captcha',
    engine: 'Alpha',
    answer: page('<a href="https://wappass.alpha.example/static/captcha/x.html">Found</a>'),
    msg: /captcha/,
  },
  {
    name: 'overload',
    engine: 'Alpha',
    answer: page('<html><body>网络不给力，请稍后重试</body></html>'),
    msg: /overloaded/,
  },
  {
    name: 'its captcha',
    engine: 'Beta',
    answer: page('<html><body><form action="/turing/captcha/challenge"></form></body></html>'),
    msg: /captcha/,
  },
  {
    name: 'redirects without end',
    engine: 'Beta',
    msg: /redirect/,
    answer(request, response) {
      const to = request.headers.host?.startsWith('www') ? 'cn' : 'www';
      response
        .writeHead(302, { location: `http://${to}.${request.headers.host?.replace(/^\w+\./, '')}${request.url}` })
        .end();
    },
  },
];

/** A byte now and then. */
function drip(_: unknown, response: Parameters<EngineAnswer>[1]): void {
  response.writeHead(200);
  const timer = setInterval(() => response.write(' '), 50);
  response.on('close', () => clearInterval(timer));
}

for (const { name, engine, answer, msg } of failures) {
  const isSlow = msg?.source === 'in time';
  test.serial(`${engine}IncludedQuery fails for ${name}, and counts nothing`, async (t) => {
    const setting = { timeout_s: isSlow ? 1 : 30 };
    const { engines, ask, quotas, problems } = await createInclusionSetup(t, {
      utility: { alpha: setting, beta: setting },
    });
    engines.answer(answer);
    const { status, body } = await ask(engine);
    t.is(status, 200);
    t.like(body, { Included: false, success: false, deduct: false, url: TARGET });
    t.regex(String(body.msg), msg ?? /./);
    t.false(/127\.0\.0\.1|:\d{4,}/.test(String(body.msg)), String(body.msg));
    t.is(quotas.used(ANONYMOUS), 0);
    t.deepEqual(problems, []);
  });

  const [first, rescue] = engine === 'Alpha' ? ['json', alphaHtml([TARGET])] : ['rss', betaHtml([TARGET])];
  test.serial(`${engine}IncludedQuery tries html after ${name}, unless a method is given`, async (t) => {
    const setting = { timeout_s: isSlow ? 3 : 30 };
    const { engines, ask } = await createInclusionSetup(t, { utility: { alpha: setting, beta: setting } });
    engines.answer(answer, first);
    engines.answer(page(rescue), 'html');
    t.like((await ask(engine)).body, { Included: true, success: true, deduct: true });
    engines.asked.length = 0;
    const chinese = { 'Accept-Language': 'zh-CN' };
    const { body } = await ask(engine, { url: OTHER, method: first }, chinese);
    t.like(body, { success: false, deduct: false });
    t.regex(String(body.msg), /^(?:Alpha|Beta) 没有给出可用的结果：/);
    t.notRegex(String(body.msg), /\b[a-z]{2,}\b(?<!json|rss)/, 'it has no English words');
    t.true(engines.asked.length > 0 && engines.asked.every(({ url }) => url.search.includes(first)));
  });
}

for (const [engine, text] of [
  ['Alpha', alphaHtml([OTHER, TARGET])],
  ['Beta', betaHtml([OTHER, TARGET])],
] as const) {
  test.serial(`${engine}IncludedQuery takes a closed connection in the middle of a page for a failure`, async (t) => {
    const { engines, ask, quotas } = await createInclusionSetup(t);
    const half = text.slice(0, text.indexOf(TARGET) - 20);
    // Without a length, a connection that is closed looks like the end of the page.
    engines.answer(({ socket }) => void socket.end(`HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n${half}`), 'html');
    const { body } = await ask(engine, { url: TARGET, method: 'html' });
    t.like(body, { Included: false, success: false, deduct: false });
    t.regex(String(body.msg), /ends in the middle/);
    t.is(quotas.used(ANONYMOUS), 0);
  });
}

for (const engine of ['Alpha', 'Beta'] as const) {
  test.serial(
    `${engine}IncludedQuery asks an engine less and less while it is down, counts nothing, and says so`,
    async (t) => {
      const { engines, ask, quotas, clock, engineHealth } = await createInclusionSetup(t, { quota: 1000 });
      engines.answer(page('', {}, 503));
      for (let i = 0; i < 5; i++) {
        t.regex(String((await ask(engine, { url: `${TARGET}?${i}` })).body.msg), /^\w+ gave no usable answer: .*503/);
      }
      t.is(engines.asked.length, 10);
      const { status, headers, body } = await ask(engine);
      t.is(status, 200);
      t.like(body, { Included: false, success: false, deduct: false, url: TARGET });
      t.is(
        body.msg,
        `${engine} gave no usable answer: the answer has status 503. It is asked again in 5 s, since it failed again and again`,
      );
      t.is(headers.get('retry-after'), '5');
      t.is(headers.get('ratelimit-remaining'), '1000');
      t.is(engines.asked.length, 10);
      // An hour, with a query every second.
      for (let second = 0; second < 3600; second++) {
        clock.ms += 1000;
        if (second % 5 === 0) await ask(engine, { url: `${TARGET}?${second}` });
      }
      t.true(engines.asked.length > 100 && engines.asked.length < 150, String(engines.asked.length));
      t.is(quotas.used(ANONYMOUS), 0);
      const states = engineHealth.list().filter((state) => state.engine === engine.toLowerCase());
      t.deepEqual(
        states.map(({ isPaused, answered, failed }) => [isPaused, answered, failed]),
        states.map(() => [true, 0, engines.asked.length / 2]),
      );
      engines.answer(page(hit[engine]));
      clock.ms += 60_000;
      t.like((await ask(engine)).body, { Included: true, deduct: true });
      t.like((await ask(engine, { url: OTHER })).body, { success: true, deduct: true });
    },
  );

  test.serial(`${engine}IncludedQuery does not give an engine up for what may be due to one URL`, async (t) => {
    const { engines, ask } = await createInclusionSetup(t);
    for (const answer of [page('', {}, 403), page('', {}, 414), page('<p>?</p>'), page(' '.repeat(1_600_000))]) {
      engines.answer(answer);
      for (let i = 0; i < 6; i++) t.false((await ask(engine, { url: `${TARGET}?${i}` })).body.success);
    }
    engines.answer(page(hit[engine]));
    t.like((await ask(engine)).body, { Included: true });
  });

  test.serial(`${engine}IncludedQuery asks an engine less that refuses several URLs of several users`, async (t) => {
    const { engines, ask, clock } = await createInclusionSetup(t);
    engines.answer(page('', {}, 403));
    const failing = (i: number) => ask(engine, { url: `${TARGET}?${i}`, token: i % 2 === 0 ? KEY : OTHER_KEY });
    for (let i = 0; i < 10; i++) await failing(i);
    const { length } = engines.asked;
    t.regex(String((await failing(10)).body.msg), /It is asked again in 5 s/);
    t.is(engines.asked.length, length);
    engines.answer(page(hit[engine]));
    clock.ms += 5_000;
    t.like((await ask(engine)).body, { Included: true });
    // What was suspected before is forgotten.
    engines.answer(page('', {}, 403));
    for (let i = 0; i < 6; i++) t.notRegex(String((await failing(i)).body.msg), /asked again/);
  });

  test.serial(`${engine}IncludedQuery does not say that a quota is used up while it may be given back`, async (t) => {
    const { engines, ask, quotas } = await createInclusionSetup(t, { quota: 2 });
    const held: (() => void)[] = [];
    engines.answer((_, response) => void held.push(() => response.end(miss[engine])));
    const open = [1, 2].map((i) => ask(engine, { url: `${TARGET}?${i}` }));
    while (held.length < 2) await nextTurn();
    const { status, headers, body } = await ask(engine, { url: `${TARGET}?3` });
    t.is(status, 429);
    t.is(
      body.msg,
      'Your remaining requests are reserved by queries that have no answer yet (2); try again when they have',
    );
    t.is(headers.get('retry-after'), '1');
    for (const answer of held) answer();
    for (const { body } of await Promise.all(open)) t.true(body.success);
    t.is(quotas.used(ANONYMOUS), 2);
    t.notRegex(String((await ask(engine, { url: `${TARGET}?3` })).body.msg), /not answered yet/);
  });

  test.serial(`${engine}IncludedQuery goes on with html while only the first method is down`, async (t) => {
    const { engines, ask } = await createInclusionSetup(t);
    const [first, html] = engine === 'Alpha' ? ['json', alphaHtml([TARGET])] : ['rss', betaHtml([TARGET])];
    engines.answer(page('', {}, 429), first);
    engines.answer(page(html), 'html');
    for (let i = 0; i < 20; i++) {
      t.like((await ask(engine, { url: TARGET, force: '1' })).body, { Included: true, deduct: true });
    }
    t.is(engines.asked.length, 20 + 5);
    t.regex(
      String((await ask(engine, { url: TARGET, force: '1', method: first })).body.msg),
      /too often \(429\)\. It is/,
    );
  });
}

test.serial('AlphaIncludedQuery with a method asks by it alone', async (t) => {
  const { engines, ask } = await createInclusionSetup(t);
  engines.answer(page(alphaHtml([TARGET])), 'html');
  t.like((await ask('Alpha', { url: TARGET, method: 'html' })).body, { Included: true });
  t.deepEqual(
    engines.asked.map(({ url }) => url.searchParams.has('tn')),
    [false],
  );
});

test.serial('AlphaIncludedQuery does not ask by html once json has an answer', async (t) => {
  const { engines, ask } = await createInclusionSetup(t);
  engines.answer(page(alphaJson([TARGET], { time: '' })), 'json');
  t.like((await ask('Alpha')).body, { Included: false, success: true, deduct: true });
  t.is(engines.asked.length, 1);
});

for (const [name, headers] of [
  ['in the header', { 'content-type': 'text/javascript; charset=gbk' }],
  ['that nobody names', { 'content-type': 'application/json' }],
] as const) {
  test.serial(`AlphaIncludedQuery reads GBK ${name}`, async (t) => {
    const { engines, ask } = await createInclusionSetup(t);
    engines.answer(page(GBK_JSON, headers));
    t.like((await ask('Alpha')).body, { Included: true, success: true });
    t.is(engines.asked.length, 1);
  });
}

test.serial('AlphaIncludedQuery reads a miss in GBK, compressed', async (t) => {
  const { engines, ask } = await createInclusionSetup(t);
  const words = Buffer.from([0xc3, 0xbb, 0xd3, 0xd0, 0xd5, 0xd2, 0xb5, 0xbd, 0xb8, 0xc3]); // 没有找到该
  const body = Buffer.concat([
    Buffer.from('<html><head><meta charset="gb2312"></head><body><p>'),
    words,
    Buffer.from('URL</p></body></html>'),
  ]);
  engines.answer(page(gzipSync(body), { 'content-type': 'text/html', 'content-encoding': 'gzip' }), 'html');
  t.like((await ask('Alpha', { url: TARGET, method: 'html' })).body, { Included: false, success: true, deduct: true });
});

test.serial('BetaIncludedQuery follows redirects between www and the host of a country', async (t) => {
  const { engines, ask } = await createInclusionSetup(t);
  engines.answer((request, response) => {
    const isHome = request.headers.host?.startsWith('www.');
    if (isHome) redirect(`http://cn.beta.example:${engines.port}${request.url}&cc=cn`)(request, response);
    else response.end(hit.Beta);
  });
  t.like((await ask('Beta')).body, { Included: true, success: true });
  t.deepEqual(
    engines.asked.map(({ host }) => host.split('.')[0]),
    ['www', 'cn'],
  );
});

for (const [what, location] of [
  ['another path', 'http://cn.beta.example:PORT/sorry?q=QUERY&format=rss'],
  ['another query', 'http://cn.beta.example:PORT/search?q=other&format=rss'],
  ['a longer name', 'http://cn.www.beta.example:PORT/search?q=QUERY&format=rss'],
  ['another service', 'http://www.gamma.example:PORT/search?q=QUERY&format=rss'],
  ['another port', 'http://cn.beta.example/search?q=QUERY&format=rss'],
  ['credentials', 'http://u:p@cn.beta.example:PORT/search?q=QUERY&format=rss'],
] as const) {
  test.serial(`BetaIncludedQuery does not follow a redirect to ${what}`, async (t) => {
    const { engines, ask } = await createInclusionSetup(t);
    engines.answer((request, response) => {
      const to = location.replace('PORT', String(engines.port)).replace('QUERY', encodeURIComponent(TARGET));
      if (engines.asked.length === 1) redirect(to)(request, response);
      else response.end(hit.Beta);
    });
    t.like((await ask('Beta', { url: TARGET, method: 'rss' })).body, { success: false, deduct: false });
    t.is(engines.asked.length, 1);
  });
}

test.serial('AlphaIncludedQuery does not follow a redirect to another of its hosts', async (t) => {
  const { engines, ask } = await createInclusionSetup(t);
  engines.answer((request, response) => {
    if (request.headers.host?.startsWith('www.'))
      redirect(`http://cn.alpha.example:${engines.port}${request.url}`)(request, response);
    else response.end(hit.Alpha);
  });
  t.like((await ask('Alpha', { url: TARGET, method: 'json' })).body, { success: false });
});

test.serial('AlphaIncludedQuery and BetaIncludedQuery remember each for itself', async (t) => {
  const { engines, ask } = await createInclusionSetup(t);
  engines.answer(page(hit.Alpha), 'json');
  engines.answer(page(miss.Beta), 'rss');
  t.like((await ask('Alpha')).body, { Included: true });
  t.like((await ask('Beta')).body, { Included: false, deduct: true });
});

test.serial('AlphaIncludedQuery says in the language of the caller why each method failed', async (t) => {
  const { engines, ask } = await createInclusionSetup(t);
  engines.answer(page('', {}, 429), 'json');
  engines.answer(page('', {}, 500), 'html');
  const say = async (language: string) =>
    (await ask('Alpha', { url: TARGET }, { 'Accept-Language': language })).body.msg;
  t.is(
    await say('en'),
    'Alpha gave no usable answer: it is asked too often (429) (json); the answer has status 500 (html)',
  );
  t.is(await say('zh'), 'Alpha 没有给出可用的结果：查询过于频繁（429）（json）；响应状态为 500（html）');
});

test.serial('AlphaIncludedQuery says that an engine without address is not set up', async (t) => {
  const { ask } = await createInclusionSetup(t, { utility: { alpha: { base_url: '' } } });
  t.regex(String((await ask('Alpha')).body.msg), /not configured/);
});

test.serial('AlphaIncludedQuery answers although it cannot be remembered', async (t) => {
  const store = createMemoryStore();
  const broken = { ...store, inclusions: { ...store.inclusions, put: () => Promise.reject(new Error('disk full')) } };
  const { engines, ask, problems } = await createInclusionSetup(t, { store: broken });
  engines.answer(page(hit.Alpha));
  t.like((await ask('Alpha')).body, { Included: true, success: true, deduct: true });
  t.regex(String(problems[0]), /disk full/);
});

test.serial(
  'AlphaIncludedQuery answers an error of its own in its own shape, gives the count back, and tells nothing',
  async (t) => {
    const store = createMemoryStore();
    const broken = { ...store, inclusions: { ...store.inclusions, find: () => Promise.reject(new Error('secret')) } };
    const { ask, problems, quotas } = await createInclusionSetup(t, { store: broken });
    const { status, body } = await ask('Alpha');
    t.is(status, 500);
    t.like(body, { Included: false, success: false, deduct: false, url: '' });
    t.false(JSON.stringify(body).includes('secret'));
    t.is(problems.length, 1);
    t.is(quotas.used(ANONYMOUS), 0);
  },
);
