import { generateKeyPairSync, type KeyObject, verify } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import type { ExecutionContext } from 'ava';

/** A webhook as the server keeps it. */
export interface FakeHook {
  readonly id: number;
  readonly name: string;
  readonly active: boolean;
  readonly events: readonly string[];
  readonly config: Readonly<Record<string, string>>;
}

/** A repository that the App may reach. */
export interface FakeRepository {
  /** Installation that reaches it; undefined = none. */
  installation: number | undefined;
  readonly hooks: FakeHook[];
  /** Bodies of statuses, with the commit. */
  readonly statuses: Record<string, string>[];
}

/** How to answer instead, for calls that match `METHOD /path`. */
export interface Trouble {
  readonly match: RegExp;
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly message?: string;
  readonly delayMs?: number;
  /** The work is done, too, before it answers so. */
  readonly doesIt?: boolean;
  /** Calls it holds for. */
  times: number;
}

/** A fake of GitHub's API for one App. */
export interface FakeGithub {
  readonly url: string;
  readonly appId: string;
  readonly privateKey: string;
  /** By `owner/name` in lower case. */
  readonly repositories: Map<string, FakeRepository>;
  /** Permissions of installations, by id. */
  readonly permissions: Map<number, Record<string, string>>;
  readonly troubles: Trouble[];
  /** `METHOD /path?query` of every call, oldest first. */
  readonly calls: string[];
  /** The faults of sign-ins. */
  readonly refusedSignIns: string[];
  /** Most entries of a page, whatever is asked for. */
  pageSize: number;
  /** Whether a second webhook with the same address is refused, as GitHub does. */
  refusesTwins: boolean;
  addRepository(name: string, installation: number | undefined): FakeRepository;
  /** Makes all tokens given so far invalid. */
  revokeTokens(): void;
}

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const PEM = privateKey.export({ type: 'pkcs1', format: 'pem' }).toString();
const ALL = { metadata: 'read', repository_hooks: 'write', statuses: 'write' };

/** Starts the fake under a path, as an own server of GitHub has it; it stops with the test. */
export async function serveGithub(t: ExecutionContext, path = ''): Promise<FakeGithub> {
  const tokens = new Map<string, number>();
  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => {
      t.fail(String(error));
      response.destroy();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    server.close();
    server.closeAllConnections();
  });
  let hookId = 100;
  const fake: FakeGithub = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`,
    appId: '4711',
    privateKey: PEM,
    repositories: new Map(),
    permissions: new Map(),
    troubles: [],
    calls: [],
    refusedSignIns: [],
    pageSize: 2,
    refusesTwins: false,
    addRepository(name, installation) {
      const repository: FakeRepository = { installation, hooks: [], statuses: [] };
      fake.repositories.set(name.toLowerCase(), repository);
      if (installation !== undefined && !fake.permissions.has(installation)) fake.permissions.set(installation, ALL);
      return repository;
    },
    revokeTokens: () => tokens.clear(),
  };
  return fake;

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const call = `${request.method} ${request.url}`;
    fake.calls.push(call);
    const body = await readJson(request);
    const trouble = fake.troubles.find(({ match, times }) => times > 0 && match.test(call));
    if (trouble) trouble.times--;
    if (trouble?.delayMs !== undefined) await wait(trouble.delayMs);
    if (trouble?.status !== undefined) {
      if (trouble.doesIt) route(request, body);
      return send(
        response,
        { status: trouble.status, data: { message: trouble.message ?? 'trouble' } },
        trouble.headers,
      );
    }
    const result = route(request, body);
    send(response, result, result.headers);
  }

  interface Result {
    readonly status: number;
    readonly data?: unknown;
    readonly headers?: Record<string, string>;
  }

  function route(request: IncomingMessage, body: Record<string, unknown>): Result {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://host');
    if (!pathname.startsWith(path)) return notFound;
    const place = `${request.method} ${pathname.slice(path.length)}`;
    const authorization = request.headers.authorization ?? '';
    const token = /^POST \/app\/installations\/(\d+)\/access_tokens$/.exec(place);
    if (token) return asApp(authorization) ?? giveToken(Number(token[1]));
    const installed = /^GET \/repos\/([^/]+\/[^/]+)\/installation$/.exec(place);
    if (installed) return asApp(authorization) ?? findInstallation(installed[1]!);
    const installation = tokens.get(/^token (.+)$/.exec(authorization)?.[1] ?? '');
    if (installation === undefined) return { status: 401, data: { message: 'Bad credentials' } };
    if (place === 'GET /installation/repositories') {
      const names = [...fake.repositories]
        .filter(([, { installation: id }]) => id === installation)
        .map(([name]) => name);
      return page(
        request,
        searchParams,
        names.map((full_name) => ({ full_name })),
        (repositories) => ({ repositories }),
      );
    }
    const [, method, name = '', kind, rest] =
      /^(\w+) \/repos\/([^/]+\/[^/]+)\/(hooks|statuses)(?:\/(.+))?$/.exec(place) ?? [];
    const repository = fake.repositories.get(name.toLowerCase());
    if (repository?.installation !== installation) return notFound;
    const needed = kind === 'hooks' ? 'repository_hooks' : 'statuses';
    if (fake.permissions.get(installation)?.[needed] !== 'write') {
      return { status: 403, data: { message: 'Resource not accessible by integration' } };
    }
    if (kind === 'statuses') {
      repository.statuses.push({ sha: rest!, ...(body as Record<string, string>) });
      return { status: 201, data: {} };
    }
    const at = repository.hooks.findIndex(({ id }) => id === Number.parseInt(rest ?? '', 10));
    if (method === 'GET') return page(request, searchParams, repository.hooks.map(hideSecret), (hooks) => hooks);
    if (method === 'POST') return addHook(repository, body as unknown as FakeHook);
    if (at < 0) return notFound;
    const hook = repository.hooks[at]!;
    if (method === 'PATCH')
      repository.hooks[at] = { ...hook, config: { ...hook.config, ...(body as Record<string, string>) } };
    else repository.hooks.splice(at, 1);
    return method === 'PATCH' ? { status: 200, data: {} } : { status: 204 };
  }

  function asApp(authorization: string): Result | undefined {
    const wrong = checkJwt(/^bearer (.+)$/i.exec(authorization)?.[1] ?? '', fake.appId, publicKey);
    if (wrong === undefined) return undefined;
    fake.refusedSignIns.push(wrong);
    return { status: 401, data: { message: 'A JSON web token could not be decoded' } };
  }

  function giveToken(installation: number): Result {
    const permissions = fake.permissions.get(installation);
    if (!permissions) return notFound;
    const token = `ghs_${installation}_${tokens.size}_${Math.random()}`;
    tokens.set(token, installation);
    return { status: 201, data: { token, expires_at: new Date(Date.now() + 3_600_000).toISOString(), permissions } };
  }

  function findInstallation(name: string): Result {
    const id = fake.repositories.get(name.toLowerCase())?.installation;
    return id === undefined ? notFound : { status: 200, data: { id, permissions: fake.permissions.get(id) } };
  }

  function addHook(repository: FakeRepository, { name, active, events, config }: FakeHook): Result {
    if (fake.refusesTwins && repository.hooks.some((hook) => hook.config.url === config.url)) {
      const errors = [{ resource: 'Hook', code: 'custom', message: 'Hook already exists on this repository' }];
      return { status: 422, data: { message: 'Validation Failed', errors } };
    }
    repository.hooks.push({ id: hookId++, name, active, events, config });
    return { status: 201, data: { id: hookId - 1 } };
  }

  function page<T>(
    request: IncomingMessage,
    query: URLSearchParams,
    all: readonly T[],
    wrap: (part: readonly T[]) => unknown,
  ): Result {
    const size = Math.min(Number(query.get('per_page') ?? 30), fake.pageSize);
    const number = Number(query.get('page') ?? 1);
    const url = new URL(request.url ?? '/', 'http://elsewhere.invalid');
    url.searchParams.set('page', String(number + 1));
    const headers: Record<string, string> = number * size < all.length ? { link: `<${url.href}>; rel="next"` } : {};
    return { status: 200, data: wrap(all.slice((number - 1) * size, number * size)), headers };
  }
}

const notFound = { status: 404, data: { message: 'Not Found' } };

/** GitHub never gives a secret back. */
function hideSecret(hook: FakeHook): FakeHook {
  return { ...hook, config: { ...hook.config, ...(hook.config.secret === undefined ? {} : { secret: '********' }) } };
}

/** Returns what is wrong with a JSON web token of the App, or undefined. Times as GitHub allows them. */
function checkJwt(jwt: string, appId: string, key: KeyObject): string | undefined {
  const [head = '', claims = '', signature = ''] = jwt.split('.');
  try {
    const { alg } = JSON.parse(Buffer.from(head, 'base64url').toString()) as { alg: string };
    const { iat, exp, iss } = JSON.parse(Buffer.from(claims, 'base64url').toString()) as Record<string, unknown>;
    if (alg !== 'RS256') return `alg ${alg}`;
    const data = Buffer.from(`${head}.${claims}`);
    if (!verify('RSA-SHA256', data, key, Buffer.from(signature, 'base64url'))) return 'signature';
    const now = Date.now() / 1000;
    if (typeof iat !== 'number' || !Number.isInteger(iat) || iat > now) return `iat ${iat}`;
    if (typeof exp !== 'number' || exp <= now || exp > now + 600) return `exp ${exp}`;
    return String(iss) === appId ? undefined : `iss ${iss}`;
  } catch {
    return 'not a token';
  }
}

async function readJson(request: IncomingMessage): Promise<Record<string, unknown>> {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  return text === '' ? {} : (JSON.parse(text) as Record<string, unknown>);
}

function send(response: ServerResponse, { status, data }: { status: number; data?: unknown }, headers = {}): void {
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8', ...headers });
  response.end(data === undefined ? undefined : JSON.stringify(data));
}
