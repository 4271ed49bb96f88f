import { createServer as createHttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import test from 'ava';
import { createServer } from '../../helpers/create-server.ts';

test('/healthz and /metrics show an engine that is down, and the service still runs', async (t) => {
  let asked = 0;
  const engine = createHttpServer((_, response) => {
    asked++;
    response.writeHead(503).end();
  });
  await new Promise<void>((resolve) => engine.listen(0, '127.0.0.1', resolve));
  t.teardown(() => engine.close());
  const url = `http://127.0.0.1:${(engine.address() as AddressInfo).port}`;
  const server = await createServer(
    t,
    `utility: {alpha: {base_url: "${url}"}, beta: {base_url: "${url}"}, image: {base_url: ""}}\n`,
  );
  const health = async () => (await (await server.get('/healthz')).json()) as { engines: object };
  t.deepEqual((await health()).engines, { alpha: 'ok', beta: 'ok' });
  for (let i = 0; i < 10; i++) {
    const path = `/api/AlphaIncludedQuery?url=https%3A%2F%2Fpage.example%2F${i}`;
    const answer = await server.get(path);
    t.is(answer.status, 200, 'the free quota of five is not touched');
    t.like(await answer.json(), { success: false, deduct: false });
    t.is(answer.headers.get('RateLimit-Remaining'), '5');
  }
  t.is(asked, 10, 'five queries by two methods');
  const { status } = await server.get('/healthz');
  t.is(status, 200);
  t.deepEqual((await health()).engines, { alpha: 'failing', beta: 'ok' });
  const metrics = await (await server.get('/metrics')).text();
  for (const line of [
    'docbuild_engine_queries_total{engine="alpha",method="json",outcome="failed"} 5',
    'docbuild_engine_queries_total{engine="alpha",method="json",outcome="answered"} 0',
    'docbuild_engine_paused{engine="alpha",method="html"} 1',
    'docbuild_engine_paused{engine="beta",method="rss"} 0',
  ]) {
    t.true(metrics.includes(`\n${line}\n`), line);
  }
});
