import * as z from 'zod';
import { areasOf } from './areas.ts';
import { pageFailures } from './pages.ts';
import {
  type Answer,
  type Area,
  type CredentialWay,
  failure,
  type Route,
  type RouteExample,
  type SecurityWay,
} from './route.ts';

/** Head of the document: everything but its routes. */
export interface OpenApiInfo {
  readonly version: string;
  /** Base URLs of routes whose area has none. */
  readonly servers: readonly string[];
  /** Base URLs of areas; '' or missing = none. */
  readonly areas?: Readonly<Partial<Record<Area, string>>>;
}

const DESCRIPTION = `Documentation builds and small public utilities.

Every path answers HEAD as GET, OPTIONS, and 405 to methods that it does not have. Answers carry \`X-Request-Id\`.
\`x-examples\` of an operation are requests as they can be sent, with what is answered; \`varies\` names what differs
from time to time.`;
const FORM = 'application/x-www-form-urlencoded';
const JSON_BODY = 'application/json';
const HTML = 'text/html';
/** Headers that OpenAPI describes in other places. */
const NO_PARAMETERS = /^(?:accept|authorization|content-type)$/i;

/** Returns the OpenAPI 3.1 document of routes, with the schemas that also validate their input. */
export function buildOpenApi(routes: readonly Route[], info: OpenApiInfo): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const route of routes) {
    for (const path of route.paths) {
      const key = path.replace(/:(\w+)/g, '{$1}');
      paths[key] = { ...paths[key], [route.method]: describeOperation(route, path, info) };
    }
  }
  const schemes = collectSchemes(routes);
  return {
    openapi: '3.1.0',
    info: { title: 'docbuild', version: info.version, description: DESCRIPTION },
    servers: info.servers.map((url) => ({ url })),
    tags: sortTags(routes.map(({ tag }) => tag)),
    paths,
    ...(Object.keys(schemes).length > 0 && { components: { securitySchemes: schemes } }),
  };
}

function describeOperation(route: Route, path: string, { areas = {} }: OpenApiInfo): object {
  const servers = [...new Set(areasOf(route)?.map((area) => areas[area] ?? ''))].filter((url) => url !== '');
  const security = describeSecurity(route);
  const examples = (route.examples ?? []).filter((example) => findTemplate(example.path, route.paths) === path);
  const name = path.replace(/[^A-Za-z0-9]+(.)?/g, (_, letter: string | undefined) => letter?.toUpperCase() ?? '');
  return {
    operationId: `${route.method}${name}${path.endsWith('/') ? 'Slash' : ''}`,
    summary: route.summary,
    tags: [route.tag],
    ...(servers.length > 0 && { servers: servers.map((url) => ({ url })) }),
    ...(security && { security }),
    parameters: [...describePath(route, path), ...describeQuery(route), ...describeHeaders(route)],
    ...(route.body && { requestBody: { content: describeBody(route, route.body) } }),
    responses: describeAnswers(route),
    ...(examples.length > 0 && { 'x-examples': examples }),
  };
}

function describeAnswers(route: Route): object {
  const { ofAnswer } = describeExamples(route);
  const failsAsPage = route.paths.every(pageFailures.covers);
  const answers = Object.entries(impliedAnswers(route)).map(([status, answer]) => {
    const { description, schema, media = JSON_BODY } = answer;
    const otherMedia = failsAsPage && Number(status) >= 400 ? [HTML] : (answer.otherMedia ?? []);
    const examples = ofAnswer(Number(status));
    const content = { ...(schema && { schema: toSchema(schema) }), ...(examples && { examples }) };
    const hasContent = schema || examples || answer.media !== undefined;
    const types = { [media]: content, ...Object.fromEntries(otherMedia.map((other) => [other, {}])) };
    return [status, { description, ...(hasContent && { content: types }) }];
  });
  return Object.fromEntries(answers);
}

function describeBody(route: Route, body: NonNullable<Route['body']>): object {
  const { ofBody } = describeExamples(route);
  const types = Object.entries(body).map(([media, content]) => {
    const examples = media === FORM ? ofBody('form') : media === JSON_BODY ? ofBody('json') : undefined;
    return [media, { ...content, ...(examples && { examples }) }];
  });
  return Object.fromEntries(types);
}

function describePath(route: Route, path: string): readonly object[] {
  const { ofParameter } = describeExamples(route);
  return [...path.matchAll(/:(\w+)/g)].map(([, name]) => {
    const examples = ofParameter('path', name!);
    return { name, in: 'path', required: true, schema: { type: 'string' }, ...(examples && { examples }) };
  });
}

function describeQuery(route: Route): readonly object[] {
  if (!route.query) return [];
  const { ofParameter } = describeExamples(route);
  const { properties = {}, required = [] } = toSchema(route.query) as {
    properties?: Record<string, object>;
    required?: string[];
  };
  const shown = Object.entries(properties).filter(([name]) => !isCredential(route, 'query', name));
  return shown.map(([name, property]) => {
    const { description, ...schema } = property as { description?: string };
    const examples = ofParameter('query', name);
    return {
      name,
      in: 'query',
      required: required.includes(name),
      ...(description && { description }),
      schema,
      ...(examples && { examples }),
    };
  });
}

function describeHeaders(route: Route): readonly object[] {
  const { ofParameter } = describeExamples(route);
  const shown = Object.entries(route.headers ?? {}).filter(
    ([name]) => !NO_PARAMETERS.test(name) && !isCredential(route, 'header', name),
  );
  return shown.map(([name, description]) => {
    const examples = ofParameter('header', name);
    const schema = { type: 'string' };
    return { name, in: 'header', required: false, description, schema, ...(examples && { examples }) };
  });
}

function toSchema(schema: z.ZodType): object {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  return rest;
}

/** Paths of examples have no origin. */
const BASE = 'http://localhost';

/** Examples by name, in the form of OpenAPI. */
type Examples = Readonly<Record<string, { readonly summary: string; readonly value: unknown }>>;

/** Returns the examples of each part of a route; undefined for a part without examples. */
function describeExamples({ examples = [], paths }: Route): {
  readonly ofParameter: (place: 'path' | 'query' | 'header', name: string) => Examples | undefined;
  readonly ofBody: (kind: 'form' | 'json') => Examples | undefined;
  readonly ofAnswer: (status: number) => Examples | undefined;
} {
  const collect = (find: (example: RouteExample) => unknown): Examples | undefined => {
    const entries = examples.flatMap((example, index) => {
      const value = find(example);
      return value === undefined ? [] : [[`example-${index + 1}`, { summary: example.summary, value }] as const];
    });
    return entries.length === 0 ? undefined : Object.fromEntries(entries);
  };
  return {
    ofParameter: (place, name) => collect((example) => findParameter(example, { place, name, paths })),
    ofBody: (kind) => collect((example) => example[kind]),
    ofAnswer: (status) => collect((example) => (example.status === status ? example.answer : undefined)),
  };
}

function findParameter(
  example: RouteExample,
  { place, name, paths }: { place: 'path' | 'query' | 'header'; name: string; paths: readonly string[] },
): string | undefined {
  const { pathname, searchParams } = new URL(example.path, BASE);
  if (place === 'query') return searchParams.get(name) ?? undefined;
  if (place === 'header') {
    return Object.entries(example.headers ?? {}).find(([key]) => key.toLowerCase() === name.toLowerCase())?.[1];
  }
  const index = findTemplate(example.path, paths)?.split('/').indexOf(`:${name}`) ?? -1;
  return index === -1 ? undefined : decodeURIComponent(pathname.split('/')[index]!);
}

/** Finds the path of a route that a request's path matches. */
function findTemplate(path: string, paths: readonly string[]): string | undefined {
  const parts = new URL(path, BASE).pathname.split('/');
  const isLike = (own: readonly string[]): boolean =>
    own.length === parts.length && own.every((part, i) => part.startsWith(':') || part === parts[i]);
  return paths.find((one) => isLike(one.split('/')));
}

interface Scheme {
  readonly type: 'apiKey';
  readonly in: 'query' | 'header' | 'cookie';
  readonly name: string;
  readonly description: string;
}

const createScheme = (place: Scheme['in'], name: string, description: string): Scheme => {
  return { type: 'apiKey', in: place, name, description };
};

/** The ways that OpenAPI can express; a form field is described with the form. */
const SCHEMES: ReadonlyMap<CredentialWay, Scheme> = new Map([
  ['url-query', createScheme('query', 'token', 'URL-safe base64 of an API key')],
  ['header', createScheme('header', 'Authorization', '`Token <API key>`')],
  ['session-header', createScheme('header', 'Authorization', '`Token <access token>`; the login returns one')],
  ['session-cookie', createScheme('cookie', 'sessionId', 'An access token; the login sets it')],
]);

function findScheme(way: SecurityWay): Scheme | undefined {
  return typeof way === 'string' ? SCHEMES.get(way) : createScheme('header', way.header, way.description);
}

function schemeName(way: SecurityWay): string {
  return typeof way === 'string' ? way : way.id;
}

/** Returns alternative credentials of a route; `{}` is among them where none is required. */
function describeSecurity({ credentials }: Route): readonly object[] | undefined {
  if (!credentials) return undefined;
  const { ways, isRequired } = credentials;
  const schemes = ways.filter(findScheme).map((way) => ({ [schemeName(way)]: [] }));
  return isRequired && schemes.length === ways.length ? schemes : [...schemes, {}];
}

/** Returns the security schemes of routes by name: those of accounts, then those of projects. */
function collectSchemes(routes: readonly Route[]): Readonly<Record<string, object>> {
  const ways = routes.flatMap(({ credentials }) => credentials?.ways ?? []);
  const known = [...SCHEMES].filter(([way]) => ways.includes(way));
  const proofs = ways.filter((way) => typeof way !== 'string').map((way) => [way.id, findScheme(way)!] as const);
  return Object.fromEntries([...known, ...proofs]);
}

/** Checks whether a parameter is a credential of the route, which is described as such. */
export function isCredential({ credentials }: Route, place: Scheme['in'], name: string): boolean {
  return findSchemes({ credentials }).some(
    (scheme) => scheme.in === place && scheme.name.toLowerCase() === name.toLowerCase(),
  );
}

/** Returns the security schemes that a route accepts. */
export function findSchemes({ credentials }: Pick<Route, 'credentials'>): readonly Scheme[] {
  return (credentials?.ways ?? []).flatMap((way) => findScheme(way) ?? []);
}

/**
 * Returns the answers of a route together with those that every such route has: invalid queries and bodies, and writes that
 * fail. Answers of the route itself take precedence.
 */
export function impliedAnswers(route: Route): Readonly<Record<number, Answer>> {
  const { query, body, isLenient = false, readsQuery = false, method, answers } = route;
  const checksQuery = query !== undefined && !isLenient && !readsQuery;
  return {
    ...(checksQuery && {
      400: failure('A parameter is invalid or given twice'),
      414: failure('The query has more than 8,000 characters'),
    }),
    ...(body && {
      400: failure('The body or a parameter is invalid'),
      413: failure('The body is too large'),
      415: failure('The body has another media type, or a content coding'),
    }),
    ...(method === 'post' && {
      503: failure('It cannot be done now: the disk refuses writes, or there are too many requests'),
    }),
    ...answers,
  };
}

/** The tags in the order of the documentation. */
const TAGS: ReadonlyMap<string, { readonly title: string; readonly description: string }> = new Map([
  ['docbuild', { title: 'Documentation', description: 'Documentation projects, their builds and badges' }],
  ['inclusion', { title: 'Inclusion queries', description: 'Checks whether a search engine has a page' }],
  ['image', { title: 'Daily image', description: 'The picture of the day' }],
  ['ip', { title: 'IP lookup', description: 'Location of an IP address' }],
  ['cron', { title: 'Cron preview', description: 'Times at which a crontab line runs' }],
  ['short URLs', { title: 'Short URLs', description: 'Short URLs that redirect to long ones' }],
  ['accounts', { title: 'Accounts', description: 'Login, logout, registration' }],
  ['console', { title: 'Console', description: 'Pages for logged-in users' }],
  ['service', { title: 'Service', description: 'The service itself' }],
]);

/** Returns the title of a tag on pages for people. */
export function titleOf(tag: string): string {
  return TAGS.get(tag)?.title ?? tag;
}

/** Returns distinct tags in their order with their descriptions; unknown ones come last. */
export function sortTags(tags: Iterable<string>): readonly { readonly name: string; readonly description?: string }[] {
  const used = new Set(tags);
  const known = [...TAGS.keys()].filter((name) => used.has(name));
  const others = [...used].filter((name) => !TAGS.has(name)).sort();
  return [...known, ...others].map((name) => {
    const description = TAGS.get(name)?.description;
    return { name, ...(description !== undefined && { description }) };
  });
}
