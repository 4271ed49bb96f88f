import test from 'ava';
import { createServer } from '../../helpers/create-server.ts';

const YAML = `api: {port: 0, trusted_proxies: 1}
utility: {requests_per_minute: {crontab: 3, image: 2, ip: 2, inclusion: 2}}
`;

test('caller-limits: one address that asks too often is told when to come back, others are answered', async (t) => {
  const server = await createServer(t, YAML, undefined, () => new Date('2026-03-15T10:30:00Z'));
  for (const { paths, limit } of [
    { paths: ['/openservice/crontab?expression=@daily'], limit: 3 },
    { paths: ['/openservice/betapic?json', '/openservice/bingpic?json'], limit: 2 },
    { paths: ['/openservice/ip/rest', '/openservice/ip/myip', '/openservice/ip/addr'], limit: 2 },
    { paths: ['/api/AlphaIncludedQuery?url=x', '/api/BetaIncludedQuery?url=x'], limit: 2 },
  ]) {
    const ask = (i: number, address: string) =>
      server.get(paths[i % paths.length]!, { 'X-Forwarded-For': address, Accept: 'application/json' });
    for (let i = 0; i < limit; i++) t.not((await ask(i, '192.0.2.1')).status, 429, paths[0]);
    const refused = await ask(limit, '192.0.2.1');
    t.is(refused.status, 429, paths[0]);
    t.regex(refused.headers.get('Retry-After')!, /^(?:20|30)$/);
    const { success, message = '', msg = '' } = (await refused.json()) as Record<string, unknown>;
    t.is(success, false);
    t.regex(`${message}${msg}`, /Too many requests; try again in \d\d s/);
    t.not((await ask(0, '192.0.2.2')).status, 429, paths[0]);
  }
});

test('caller-limits: operators see who is refused under which limit, and what they set holds at once', async (t) => {
  const server = await createServer(t, YAML, undefined, () => new Date('2026-03-15T10:30:00Z'));
  const paths = {
    inclusion: '/api/AlphaIncludedQuery?url=x',
    image: '/openservice/betapic?json',
    ip: '/openservice/ip/myip',
    crontab: '/openservice/crontab?expression=@daily',
  };
  for (const [name, path] of Object.entries(paths)) {
    const ask = async () => (await server.get(path, { 'X-Forwarded-For': '192.0.2.1' })).status;
    for (let i = 0; i < 5; i++) await ask();
    t.is(await ask(), 429, name);
    const key = `utility.requests_per_minute.${name}`;
    const rows = await server.operations.listLimits({});
    const row = rows.find((one) => one.key === key);
    t.like(row, { name: `requests.${name}`, isLive: true, value: name === 'crontab' ? 3 : 2 });
    t.is(row?.refused?.who[0]?.caller, '192.0.2.1');
    t.false(
      rows.some((one) => one.name.startsWith('GET ')),
      'no limit without a row',
    );
    await server.operations.setLimits({ values: { [key]: 100 } });
    const other = async () => (await server.get(path, { 'X-Forwarded-For': '192.0.2.9' })).status;
    for (let i = 0; i < 20; i++) t.not(await other(), 429, name);
  }
});
