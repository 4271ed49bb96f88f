import test from 'ava';
import { createInclusionSetup, TARGET } from '../../helpers/create-inclusion-setup.ts';
import { createServer } from '../../helpers/create-server.ts';
import { alphaJson } from '../../helpers/engine-pages.ts';
import { page } from '../../helpers/serve-engines.ts';

const QUERY = `IncludedQuery?url=${encodeURIComponent('https://page.example/')}`;

test.serial('a server whose operator has not set search engines asks none, and says what to do', async (t) => {
  const server = await createServer(t);
  for (const [engine, key] of [
    ['Alpha', 'alpha'],
    ['Beta', 'beta'],
  ] as const) {
    const asked = Array.from({ length: 8 }, () => server.get(`/api/${engine}${QUERY}`));
    for (const answer of await Promise.all(asked)) {
      t.is(answer.status, 200);
      t.is(answer.headers.get('ratelimit-remaining'), '5', 'nothing is counted');
      t.is(answer.headers.get('retry-after'), null);
      t.deepEqual(await answer.json(), {
        Included: false,
        success: false,
        deduct: false,
        url: 'https://page.example/',
        msg: `${engine} gave no usable answer: it is not configured; the operator sets "utility.${key}.base_url"`,
      });
    }
  }
  const chinese = await server.get(`/api/Alpha${QUERY}`, { 'accept-language': 'zh' });
  t.regex(((await chinese.json()) as { msg: string }).msg, /尚未配置；由运营者设置 "utility\.alpha\.base_url"/);
  t.like(await (await server.get('/healthz')).json(), { success: true, engines: {} });
  t.like(await (await server.get('/api/AlphaIncludedQuery')).json(), { msg: 'Parameter "url" is missing' });
});

test.serial('an engine that is configured is asked while the other one is not', async (t) => {
  const { engines, ask, quotas } = await createInclusionSetup(t, { utility: { beta: { base_url: '' } } });
  engines.answer(page(alphaJson([TARGET])));
  t.regex(String((await ask('Beta')).body.msg), /not configured/);
  t.is(quotas.used('192.0.2.1'), 0);
  t.is(engines.asked.length, 0);
  t.like((await ask('Alpha')).body, { Included: true, success: true, deduct: true });
  t.is(engines.asked.length, 1);
});
