import test, { type ExecutionContext } from 'ava';
import { createRepository } from '../../helpers/create-repository.ts';
import { createServer } from '../../helpers/create-server.ts';
import { sendRaw } from '../../helpers/send-raw.ts';
import { sendToHost } from '../../helpers/send-to-host.ts';
import { commitFiles } from '../../helpers/write-pages.ts';

const URLS = {
  base_url: 'https://base.example',
  hub_url: 'https://hub.example',
  auth_url: 'https://auth.example',
  docs_api_url: 'https://docs.example',
} as const;
type Key = keyof typeof URLS;
const KEYS = Object.keys(URLS) as readonly Key[];
const hostOf = (key: Key): string => new URL(URLS[key]).host;

/** Paths by the address that they belong to; undefined = all of them. */
const AREAS: readonly (readonly [RegExp, Key | undefined])[] = [
  [/^\/docbuild\/(?:api|assets\/console\.css)$/, undefined],
  [/^\/(?:healthz|livez|readyz|metrics|openapi\.json)?$/, undefined],
  [/^\/docbuild\//, 'docs_api_url'],
  [/^\/api\/user\//, 'auth_url'],
  [/^\/api\/\w+IncludedQuery$/, 'base_url'],
  [/^\/openservice\/shorturl\//, 'base_url'],
  [/^\/t\//, 'base_url'],
  [/^\/openservice\//, 'hub_url'],
];

interface Operation {
  readonly path: string;
  readonly method: string;
  readonly servers: readonly string[] | undefined;
}

async function createHosts(t: ExecutionContext, keys: readonly Key[], more = '') {
  const addresses = keys.map((key) => `${key}: "${URLS[key]}"`).join(', ');
  const server = await createServer(t, `api: {port: 0, ${addresses}}\nauth: {registration: true}\n${more}`);
  const { paths } = (await (await server.get('/openapi.json')).json()) as {
    paths: Record<string, Record<string, { servers?: { url: string }[] }>>;
  };
  const operations: readonly Operation[] = Object.entries(paths)
    // Pages for logged-in users are at two hosts, and tested with them.
    .filter(([path]) => !path.startsWith('/control'))
    .flatMap(([path, item]) =>
      Object.entries(item).map(([method, { servers }]) => ({
        path: path.replace('{id}', '0123456789abcdefghij').replace(/\{\w+\}/g, 'guide'),
        method: method.toUpperCase(),
        servers: servers?.map(({ url }) => url),
      })),
    );
  const ask = (host: string, method: string, path: string, ...headers: readonly string[]) =>
    sendRaw(server.origin, `${method} ${path} HTTP/1.1`, `Host: ${host}`, 'Content-Length: 0', ...headers);
  /** Tells whether a route answers, be it that there is no such project. */
  const isThere = async (host: string, method: string, path: string): Promise<boolean> => {
    const { status, text } = await ask(host, method, path);
    return status > 0 && !/Nothing found at|one valid Host header/.test(text);
  };
  return { server, operations, ask, isThere };
}

function areaOf(t: ExecutionContext, path: string): Key | undefined {
  const found = AREAS.find(([pattern]) => pattern.test(path));
  if (!found) t.fail(`${path} belongs to no address of this test`);
  return found?.[1];
}

for (const keys of [KEYS, ...KEYS.map((key) => [key]), ['base_url', 'docs_api_url'] as const, []]) {
  test(`four hosts: with ${keys.join(', ') || 'none'} set, every route answers at its own host alone`, async (t) => {
    const { operations, isThere } = await createHosts(t, keys);
    t.true(operations.length > 25);
    const hosts = [...KEYS.map(hostOf), '127.0.0.1'];
    for (const { path, method, servers } of operations) {
      const area = areaOf(t, path);
      const own = area !== undefined && keys.includes(area) ? hostOf(area) : undefined;
      for (const host of hosts) {
        const isOwn = own === undefined || host === own;
        t.is(await isThere(host, method, path), isOwn, `${method} ${host}${path}`);
      }
      t.deepEqual(servers, own === undefined ? undefined : [`https://${own}`], `servers of ${path}`);
    }
  });
}

test('four hosts: at another host there is no preflight, no other method and no HEAD either', async (t) => {
  const { operations, ask } = await createHosts(t, KEYS);
  for (const { path, method } of operations) {
    const area = areaOf(t, path);
    if (area === undefined) continue;
    const other = hostOf(area === 'hub_url' ? 'base_url' : 'hub_url');
    for (const wrong of ['OPTIONS', 'DELETE', 'HEAD', method === 'GET' ? 'POST' : 'GET']) {
      const { status, text } = await ask(other, wrong, path, 'Origin: https://page.example');
      t.is(status, 404, `${wrong} ${path}`);
      t.notRegex(text, /\r\n(?:allow|access-control-allow-methods):/i, `${wrong} ${path}`);
    }
  }
});

test('four hosts: pages of other origins may ask what is meant for them, and nothing else', async (t) => {
  const { operations, ask } = await createHosts(t, KEYS);
  const opened =
    /^\/(?:docbuild\/(?:(?:desc|badge)\/[^/]+|[^/]+\/(?:desc|badge))|api\/\w+IncludedQuery|openservice\/.*)\/?$/;
  for (const { path, method } of operations) {
    const host = hostOf(areaOf(t, path) ?? 'docs_api_url');
    const isShortUrl = path.startsWith('/openservice/shorturl');
    for (const query of isShortUrl ? ['?Action=reduction', '?Action=shorten'] : ['']) {
      const isOpen = opened.test(path) && query !== '?Action=shorten';
      const headers = ['Origin: https://page.example', `Access-Control-Request-Method: ${method}`];
      const preflight = await ask(host, 'OPTIONS', path + query, ...headers);
      const allowed = /\r\naccess-control-allow-methods: [A-Z,]*/i.exec(preflight.text)?.[0] ?? '';
      t.is(allowed.includes(method), isOpen, `OPTIONS ${path}${query}`);
      const { text } = await ask(host, method, path + query, headers[0]!);
      t.is(/\r\naccess-control-allow-origin: \*\r\n/i.test(text), isOpen, `${method} ${path}${query}`);
      t.notRegex(text, /access-control-allow-credentials/i);
    }
  }
});

test('four hosts: names decide, in any case, with and without a final dot and a port', async (t) => {
  const { isThere } = await createHosts(t, KEYS);
  const path = '/openservice/ip/myip';
  for (const host of ['hub.example', 'HUB.Example', 'hub.example.', 'hub.example:443', 'hub.example:8443'])
    t.true(await isThere(host, 'GET', path), host);
  for (const host of ['hub.example.evil', 'xhub.example', 'example', '', 'hub.example:x', 'hub.example,base.example'])
    t.false(await isThere(host, 'GET', path), host);
});

test('four hosts: addresses that differ in their ports alone are told apart by them', async (t) => {
  const server = await createServer(
    t,
    'api: {port: 0, base_url: "https://one.example", hub_url: "https://one.example:8443", auth_url: "http://one.example:80"}\n',
  );
  const statusAt = async (host: string, path: string) =>
    (await sendRaw(server.origin, `GET ${path} HTTP/1.1`, `Host: ${host}`)).status;
  t.is(await statusAt('one.example:8443', '/openservice/ip/myip'), 200);
  t.is(await statusAt('one.example:8443', '/api/AlphaIncludedQuery'), 404);
  for (const host of ['one.example', 'one.example:443']) {
    t.is(await statusAt(host, '/api/AlphaIncludedQuery'), 200, host);
    t.is(await statusAt(host, '/openservice/ip/myip'), 404, host);
  }
  // GET is not for it, which only those tell who have it.
  t.is(await statusAt('one.example:80', '/api/user/login'), 405);
});

test('four hosts: a whole address in the request line counts more than the header', async (t) => {
  const { server } = await createHosts(t, KEYS);
  const statusOf = async (target: string, host: string) =>
    (await sendRaw(server.origin, `GET ${target} HTTP/1.1`, `Host: ${host}`)).status;
  t.is(await statusOf('http://hub.example/openservice/ip/myip', 'base.example'), 200);
  t.is(await statusOf('http://base.example/openservice/ip/myip', 'hub.example'), 404);
});

test('four hosts: forwarded hosts never count', async (t) => {
  const server = await createServer(t, `api: {port: 0, trusted_proxies: 1, hub_url: "${URLS.hub_url}"}\n`);
  const forged = ['X-Forwarded-Host: hub.example', 'Forwarded: host=hub.example'];
  const { status } = await sendRaw(server.origin, 'GET /openservice/ip/myip HTTP/1.1', 'Host: base.example', ...forged);
  t.is(status, 404);
});

test('four hosts: sites are at all of them, their buttons ask the one of the documentation', async (t) => {
  const { server, ask } = await createHosts(t, KEYS, 'docs: {domain: pages.example}\n');
  const repository = createRepository(t);
  commitFiles(repository, { 'docs/index.md': '# Home\n' });
  await server.operations.createProject({ name: 'guide', settings: { url: repository.folder } });
  const { id } = await server.operations.build({ name: 'guide', all: true });
  t.is((await server.operations.waitForBuild({ id })).status, 'passing');
  const pages = [...KEYS.map((key) => [hostOf(key), '/docs/guide/en/latest/']), ['guide.pages.example', '/en/latest/']];
  for (const [host, path] of pages) {
    const { status, text } = await ask(host!, 'GET', path!);
    t.is(status, 200, host);
    t.regex(text, /src="?https:\/\/docs\.example\/docbuild\/assets\/docbuild\.js/, host);
    t.regex(text, /"?https:\/\/docs\.example\/docbuild\/desc\/guide/, host);
  }
  const accepted = await ask('docs.example', 'POST', '/docbuild/build/guide');
  t.regex(accepted.text, /\r\nlocation: https:\/\/docs\.example\/docbuild\/builds\//i);
});

test('four hosts: a login at one is good at the others by its token, and its cookie stays there', async (t) => {
  const { server } = await createHosts(t, KEYS);
  await server.operations.createUser({ account: 'reader', password: 'correct horse battery' });
  const post = async (host: string, path: string, form: Record<string, string>, headers: Record<string, string>) => {
    const { status, headers: got, text } = await sendToHost(server.origin, { host, path, form, headers });
    return { status, cookie: got['set-cookie']?.[0] ?? '', body: JSON.parse(text) };
  };
  const login = { account: 'reader', password: 'correct horse battery', fields: 'token' };
  const { status, cookie, body } = await post('auth.example:443', '/api/user/login', login, {
    Origin: 'https://auth.example',
  });
  t.is(status, 200);
  t.regex(cookie, /^__Host-sessionId=.*; Secure$/);
  t.notRegex(cookie, /domain=/i);
  const shorten = (long_url: string, headers: Record<string, string>) =>
    post('base.example', '/openservice/shorturl/v1/?Action=shorten', { long_url }, headers);
  const byHeader = { Authorization: `Token ${body.token}` };
  const made = await shorten('https://example.org/', byHeader);
  t.regex(made.body.data.short_url, /^https:\/\/base\.example\/t\/\w+$/);
  const again = await shorten('https://example.org/', { Cookie: `sessionId=${body.token}` });
  t.deepEqual(again.body, made.body);
  for (const key of KEYS)
    t.is((await shorten(`${URLS[key]}/`, byHeader)).status, 400, 'it leads to the service itself');
  const foreign = await post('auth.example', '/api/user/login', login, { Origin: 'https://guide.example' });
  t.is(foreign.status, 403);
});
