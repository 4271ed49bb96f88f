import test, { type ExecutionContext } from 'ava';
import { createServer, type TestServer } from '../../helpers/create-server.ts';
import { connectMcp, createMcpRepository } from '../../helpers/mcp-site.ts';
import { sendToHost } from '../../helpers/send-to-host.ts';
import { serveS3 } from '../../helpers/serve-s3.ts';

/** Starts a server with the project `teapot`, which is published. */
async function createMcpServer(t: ExecutionContext, yaml = ''): Promise<TestServer> {
  const server = await createServer(t, yaml);
  const { folder } = createMcpRepository(t);
  await server.operations.createProject({ name: 'teapot', settings: { url: folder, latest: 'v2.0' } });
  const { id } = await server.operations.build({ name: 'teapot', all: true });
  const { status, reason } = await server.operations.waitForBuild({ id });
  t.is(status, 'passing', reason);
  return server;
}

const LIST = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
const HEADERS = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' };

for (const mode of ['auto', 'legacy'] as const) {
  test(`MCP over HTTP, protocol ${mode}: tools search, read and compare versions`, async (t) => {
    const server = await createMcpServer(t);
    const { client, call } = await connectMcp(t, `${server.origin}/docbuild/mcp/teapot`, mode);
    t.regex(client.getInstructions() ?? '', /never instructions to you/);
    const { tools } = await client.listTools();
    t.true(tools.every(({ annotations }) => annotations?.readOnlyHint === true));

    const { data: list } = await call('list_versions');
    const { latest, languages } = list as {
      latest: string;
      languages: { language: string; versions: { version: string }[] }[];
    };
    t.is(latest, 'v2.0');
    t.deepEqual(
      languages.map(({ language, versions }) => [language, versions.map(({ version }) => version)]),
      [
        ['en', ['main', 'v2.0', 'v1.0']],
        ['zh_CN', ['main', 'v2.0', 'v1.0']],
      ],
    );

    const { data: found, text } = await call('search', { query: 'minutes', version: 'v1.0' });
    const { pages } = found as {
      pages: { page: string; url: string; passages: { section: string; excerpt: string }[] }[];
    };
    t.is(pages[0]?.page, 'guide/brew');
    t.is(pages[0]?.url, `${server.origin}/docs/teapot/en/v1.0/guide/brew.html`);
    t.is(pages[0]?.passages[0]?.section, 'time');
    t.regex(text, /version v1\.0, language en/);
    t.is((await server.get(new URL(pages[0]!.url).pathname)).status, 200);

    const read = await call('read', { page: 'guide/brew', section: 'time', version: 'v1.0' });
    t.regex(read.text, /Three minutes/);
    const compared = await call('compare', { page: 'guide/brew', from: 'v1.0', to: 'v2.0', section: 'Time' });
    t.regex(compared.text, /-Three minutes\.\n\+Four minutes\./);
    t.regex(
      (await call('changes', { from: 'v1.0', to: 'v2.0' })).text,
      /moved \(1\):\n- guide\/install \(was guide\/setup\)/,
    );
  });
}

test('MCP over HTTP: each question is answered from the site as it is then', async (t) => {
  const server = await createServer(t);
  await server.operations.createProject({ name: 'teapot', settings: { url: createMcpRepository(t).folder } });
  const { call, refuse } = await connectMcp(t, `${server.origin}/docbuild/mcp/teapot`);
  t.regex(await refuse('search', { query: 'tea' }), /Nothing .* is published yet/);
  const { id } = await server.operations.build({ name: 'teapot', all: true });
  await server.operations.waitForBuild({ id });
  t.regex((await call('search', { query: 'teapots' })).text, /1 page, version main/);
});

test('MCP over HTTP: callers have a rate of requests, and are told how long to wait', async (t) => {
  const server = await createServer(t, 'limits: {mcp_per_minute: 2}\n');
  await server.operations.createProject({ name: 'teapot', settings: { url: createMcpRepository(t).folder } });
  const ask = () => server.post('/docbuild/mcp/teapot', JSON.stringify(LIST), HEADERS);
  t.deepEqual([(await ask()).status, (await ask()).status], [200, 200]);
  const refused = await ask();
  t.is(refused.status, 429);
  t.true(Number(refused.headers.get('Retry-After')) > 0);
});

test('MCP over HTTP: what is no message of the protocol is refused', async (t) => {
  const server = await createServer(t);
  await server.operations.createProject({ name: 'teapot', settings: { url: createMcpRepository(t).folder } });
  const send = async (body: string, headers = HEADERS, path = 'teapot'): Promise<number> =>
    (await server.post(`/docbuild/mcp/${path}`, body, headers)).status;
  t.is(await send('{'), 400);
  t.is(await send('{}'), 400);
  t.is(await send(JSON.stringify([LIST, LIST])), 400);
  t.is(await send(JSON.stringify(LIST), { ...HEADERS, 'Content-Type': 'text/plain' }), 415);
  t.is(await send(JSON.stringify(LIST), { ...HEADERS, Accept: 'text/html' }), 406);
  t.is(await send(`"${'x'.repeat(65_000)}"`), 413);
  t.is(await send(JSON.stringify(LIST), HEADERS, 'nothing'), 404);
  t.is((await server.get('/docbuild/mcp/teapot')).status, 405);
  const listen = { jsonrpc: '2.0', id: 1, method: 'subscriptions/listen', params: { notifications: {} } };
  t.regex(await (await server.post('/docbuild/mcp/teapot', JSON.stringify(listen), HEADERS)).text(), /"error"/);
});

test('MCP over HTTP: pages of other origins are refused, and names that were pointed to this server', async (t) => {
  const server = await createServer(t, 'docs: {domain: docs.example.org}\n');
  await server.operations.createProject({ name: 'teapot', settings: { url: createMcpRepository(t).folder } });
  const { port } = new URL(server.origin);
  const send = async (host: string, origin?: string): Promise<number> => {
    const headers = { ...HEADERS, ...(origin !== undefined && { Origin: origin }) };
    const asked = { host, path: '/docbuild/mcp/teapot', method: 'POST', headers, body: JSON.stringify(LIST) };
    return (await sendToHost(server.origin, asked)).status;
  };
  t.is(await send(`127.0.0.1:${port}`), 200);
  t.is(await send('rebound.example'), 200, 'Programs may use any name');
  t.is(await send(`127.0.0.1:${port}`, server.origin), 200);
  t.is(await send(`localhost:${port}`, `http://localhost:${port}`), 200);
  t.is(await send('teapot.docs.example.org', 'http://teapot.docs.example.org'), 200);
  t.is(await send(`127.0.0.1:${port}`, 'https://evil.example'), 403);
  t.is(await send('rebound.example', 'http://rebound.example'), 403);
  t.is(await send(`127.0.0.1:${port}`, 'null'), 403);
});

test('MCP over HTTP: a project called "mcp" is still asked for what others are asked for', async (t) => {
  const server = await createServer(t);
  await server.operations.createProject({ name: 'mcp', settings: { url: createMcpRepository(t).folder } });
  t.is((await server.get('/docbuild/mcp/desc')).status, 200);
  t.is((await server.post('/docbuild/mcp/build')).status, 201);
  t.is((await server.post('/docbuild/mcp/mcp', JSON.stringify(LIST), HEADERS)).status, 200);
});

test.serial('MCP over HTTP: a site in S3 is asked like any other', async (t) => {
  process.env.AWS_ACCESS_KEY_ID = 'key';
  process.env.AWS_SECRET_ACCESS_KEY = 'secret';
  t.teardown(() => {
    delete process.env.AWS_ACCESS_KEY_ID;
    delete process.env.AWS_SECRET_ACCESS_KEY;
  });
  const { url } = await serveS3(t);
  const server = await createMcpServer(t, `sites: s3://docs/live?endpoint=${url}\n`);
  const { call } = await connectMcp(t, `${server.origin}/docbuild/mcp/teapot`);
  t.regex((await call('search', { query: 'minutes' })).text, /guide\/brew/);
  t.regex((await call('read', { page: 'guide/setup' })).text, /"guide\/install" \("guide\/setup" in other versions\)/);
  t.regex((await call('changes', { from: 'v1.0', to: 'v2.0' })).text, /removed \(1\):\n- old/);
});
