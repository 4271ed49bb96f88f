import { z } from 'zod';
import { describeExamples, findTemplate } from '../routes/describe-examples.ts';
import { collectSchemes, describeSecurity, isCredential } from '../routes/describe-security.ts';
import { impliedAnswers } from '../routes/implied-answers.ts';
import { sortTags } from '../routes/tags.ts';
import { areasOf } from './areas.ts';
import type { Area, Route } from './route.ts';

/** What the document says besides what routes say of themselves. */
export interface OpenApiInfo {
  readonly version: string;
  /** Where routes are reached whose area has no address of its own. */
  readonly servers: readonly string[];
  /** Addresses of areas; '' or missing = none of its own. */
  readonly areas?: Readonly<Partial<Record<Area, string>>>;
}

const DESCRIPTION = `Documentation builds and small public utilities.

Every path answers HEAD as GET, OPTIONS, and 405 to methods that it does not have. Answers carry \`X-Request-Id\`.
\`x-examples\` of an operation are requests as they can be sent, with what is answered; \`varies\` names what differs
from time to time.`;
const FORM = 'application/x-www-form-urlencoded';
const JSON_BODY = 'application/json';
/** Headers that OpenAPI has other words for. */
const NO_PARAMETERS = /^(?:accept|authorization|content-type)$/i;

/** Gives the OpenAPI 3.1 document of routes; their own schemas, which check the input, are in it. */
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
  const answers = Object.entries(impliedAnswers(route)).map(([status, answer]) => {
    const { description, schema, media = JSON_BODY, otherMedia = [] } = answer;
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
      ...{ name, in: 'query', required: required.includes(name) },
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
