import test from 'ava';
import * as z from 'zod';
import { buildOpenApi, type OpenApiInfo } from '../../../api/http/open-api.ts';
import { defineRoute, type Route, type SecurityWay } from '../../../api/http/route.ts';
import { createServer } from '../../helpers/create-server.ts';
import { findOpenApiProblems } from '../../helpers/find-open-api-problems.ts';

const handle = async (): Promise<void> => {};
const info: OpenApiInfo = { version: '1.2.3', servers: ['https://docs.example.org'] };
const base: Route = {
  method: 'get',
  paths: ['/things/:name', '/:name/thing'],
  summary: 'Returns a thing',
  tag: 'utility',
  answers: { 200: { description: 'The thing' } },
  handle,
};

interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly servers?: readonly { readonly url: string }[];
  readonly security?: readonly object[];
  readonly parameters: readonly { readonly name: string; readonly examples?: object }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly examples?: object }>> };
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, { examples?: object }>> }>>;
}
interface Document {
  readonly tags: readonly { readonly name: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components?: {
    readonly securitySchemes: Readonly<Record<string, { readonly in: string; readonly name: string }>>;
  };
}

const describe = (routes: readonly Route[], more: Partial<OpenApiInfo> = {}): Document =>
  buildOpenApi(routes, { ...info, ...more }) as Document;

test('server: the document of the whole API is OpenAPI 3.1', async (t) => {
  const server = await createServer(t);
  const document = (await (await server.get('/openapi.json')).json()) as Record<string, unknown>;
  t.deepEqual(findOpenApiProblems(document), []);
});

test('server: operations are at the addresses of their areas', async (t) => {
  const server = await createServer(t, 'api: {port: 0, hub_url: "https://hub.example.org"}\n');
  const { paths } = (await (await server.get('/openapi.json')).json()) as Document;
  t.deepEqual(paths['/openservice/crontab']!.get!.servers, [{ url: 'https://hub.example.org' }]);
  t.is(paths['/healthz']!.get!.servers, undefined);
});

test('server: failures that browsers get as pages are described as JSON and HTML', async (t) => {
  const server = await createServer(t);
  const { paths } = (await (await server.get('/openapi.json')).json()) as Document;
  for (const [path, operations] of Object.entries(paths)) {
    const isRead = /^\/docbuild\/(?:projects|builds)\//.test(path);
    for (const [status, { content }] of Object.entries(operations['get']?.responses ?? {})) {
      if (Number(status) < 400 || !content?.['application/json']) continue;
      t.is('text/html' in content, isRead, `${path} ${status}`);
    }
  }
  t.true('text/html' in paths['/docbuild/builds/{id}/log']!.get!.responses[503]!.content!);
});

test('find-open-api-problems() finds what is wrong', (t) => {
  const wrong = {
    openapi: '3.0.0',
    info: { title: 'x' },
    servers: [{ url: 'nowhere' }],
    tags: [],
    components: { securitySchemes: { key: { type: 'apiKey', in: 'body', name: 'token' } } },
    paths: {
      '/a/{b}': {
        get: { operationId: 'x', tags: ['t'], parameters: [{ name: 'c', in: 'path' }], responses: { 600: {} } },
        fetch: { operationId: 'x', responses: {}, security: [{ none: [] }], requestBody: { content: {} } },
      },
      '/a/{c}': {
        get: { operationId: 'y', parameters: [{ name: 'c', in: 'path', required: true, schema: { $ref: '#/no' } }] },
      },
    },
  };
  t.is(findOpenApiProblems(wrong).length, 19, findOpenApiProblems(wrong).join('\n'));
});

test('build-open-api() gives every path its operation, parameters and a name of its own', (t) => {
  const document = describe([base]);
  t.deepEqual(findOpenApiProblems(document as never), []);
  t.deepEqual(Object.keys(document.paths), ['/things/{name}', '/{name}/thing']);
  t.is(document.paths['/{name}/thing']!.get!.operationId, 'getNameThing');
  t.deepEqual(
    document.tags.map(({ name }) => name),
    ['utility'],
  );
});

test('build-open-api() puts examples where they belong', (t) => {
  const route = defineRoute({
    ...base,
    method: 'post',
    query: z.object({ size: z.string().optional() }),
    headers: { 'X-Mode': 'How' },
    body: { 'application/x-www-form-urlencoded': {}, 'application/json': {} },
    answers: { 200: { description: 'Done', schema: z.object({ ok: z.boolean() }) }, 400: { description: 'Wrong' } },
    examples: [
      {
        summary: 'Small',
        path: '/things/a%20b?size=s',
        headers: { 'x-mode': 'fast' },
        form: { n: '1' },
        status: 200,
        answer: { ok: true },
      },
      { summary: 'Wrong', path: '/c/thing', status: 400, answer: { ok: false } },
    ],
  });
  const document = describe([route]);
  t.deepEqual(findOpenApiProblems(document as never), []);
  const { parameters, requestBody, responses } = document.paths['/things/{name}']!.post!;
  const small = (value: unknown) => ({ 'example-1': { summary: 'Small', value } });
  const wrong = (value: unknown) => ({ 'example-2': { summary: 'Wrong', value } });
  const ofName = (name: string) => parameters.find((parameter) => parameter.name === name)?.examples;
  t.deepEqual(ofName('name'), { ...small('a b'), ...wrong('c') });
  t.deepEqual(ofName('size'), small('s'));
  t.deepEqual(ofName('X-Mode'), small('fast'));
  t.deepEqual(requestBody?.content['application/x-www-form-urlencoded']?.examples, small({ n: '1' }));
  t.is(requestBody?.content['application/json']?.examples, undefined);
  t.deepEqual(responses['200']?.content?.['application/json']?.examples, small({ ok: true }));
  t.deepEqual(responses['400']?.content?.['application/json']?.examples, wrong({ ok: false }));
  const whole = document.paths['/{name}/thing']!.post! as unknown as Record<'x-examples', readonly object[]>;
  t.deepEqual(whole['x-examples'], [route.examples![1]]);
});

test('build-open-api() sorts tags as people read of them', (t) => {
  const tags = ['zebra', 'service', 'ip', 'docbuild', 'service', 'apple'];
  const document = describe(tags.map((tag, i) => ({ ...base, tag, paths: [`/${i}`] })));
  t.deepEqual(
    document.tags.map(({ name }) => name),
    ['docbuild', 'ip', 'service', 'apple', 'zebra'],
  );
});

test('build-open-api() describes credentials once: not as parameters, too', (t) => {
  const query = z.object({ token: z.string().optional(), size: z.string().optional() });
  const headers = { Authorization: 'x', Accept: 'x', 'X-Docbuild-Sign': 'x', 'X-Mode': 'x' };
  const sign = { id: 'sign', header: 'X-Docbuild-Sign', description: 'x' };
  const credentials = { ways: ['url-query', sign], isRequired: false } as const;
  const document = describe([defineRoute({ ...base, paths: ['/a'], query, headers, credentials }) as Route]);
  t.deepEqual(
    document.paths['/a']!.get!.parameters.map(({ name }) => name),
    ['size', 'X-Mode'],
  );
});

test('build-open-api() says what comes of queries and bodies that cannot be read', (t) => {
  const ask = (more: Partial<Route>) =>
    Object.keys(describe([{ ...base, paths: ['/a'], method: 'post', ...more }]).paths['/a']!.post!.responses);
  t.deepEqual(ask({}), ['200', '503']);
  t.deepEqual(ask({ query: z.object({}) }), ['200', '400', '414', '503']);
  t.deepEqual(ask({ query: z.object({}), isLenient: true }), ['200', '503']);
  t.deepEqual(ask({ body: { 'application/json': {} } }), ['200', '400', '413', '415', '503']);
});

test('build-open-api() says which credentials are taken', (t) => {
  const ask = (ways: readonly SecurityWay[], isRequired: boolean): Document =>
    describe([
      { ...base, paths: ['/a'], credentials: { ways, isRequired } },
      { ...base, paths: ['/b'] },
    ]);
  const security = (document: Document) => document.paths['/a']!.get!.security;
  const keys = ask(['url-query', 'header'], false);
  t.deepEqual(findOpenApiProblems(keys as never), []);
  t.deepEqual(security(keys), [{ 'url-query': [] }, { header: [] }, {}]);
  t.is(keys.paths['/b']!.get!.security, undefined);
  const proof = { id: 'signature', header: 'X-Signature', description: 'Proves it' };
  const signed = ask(['header', proof], true);
  t.deepEqual(security(signed), [{ header: [] }, { signature: [] }]);
  t.like(signed.components!.securitySchemes['signature'], { in: 'header', name: 'X-Signature' });
  const { securitySchemes } = keys.components!;
  t.deepEqual(Object.keys(securitySchemes), ['url-query', 'header']);
  t.deepEqual([securitySchemes['url-query']!.in, securitySchemes['url-query']!.name], ['query', 'token']);
  t.deepEqual(security(ask(['session-header', 'session-cookie'], true)), [
    { 'session-header': [] },
    { 'session-cookie': [] },
  ]);
  // A key in a form is no scheme of OpenAPI: without one of the schemes there may still be a key.
  t.deepEqual(security(ask(['header', 'post-form'], true)), [{ header: [] }, {}]);
  t.is(describe([base]).components, undefined);
});

test('build-open-api() names the address of an area that has one', (t) => {
  const routes = (['base', 'hub', undefined] as const).map((area) => ({ ...base, area, paths: [`/${area}`] }));
  const { paths } = describe(routes, { areas: { hub: 'https://hub.example.org', base: '' } });
  t.deepEqual(paths['/hub']!.get!.servers, [{ url: 'https://hub.example.org' }]);
  t.is(paths['/base']!.get!.servers, undefined);
  t.is(paths['/undefined']!.get!.servers, undefined);
});
