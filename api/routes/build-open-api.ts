import { z } from 'zod';
import type { Route } from './route.ts';

/** Gives the OpenAPI 3.1 document of routes; their own schemas, which check the input, are in it. */
export function buildOpenApi(
  routes: readonly Route[],
  info: { readonly version: string; readonly servers: readonly string[] },
): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const route of routes) {
    for (const [index, path] of route.paths.entries()) {
      const key = path.replace(/:(\w+)/g, '{$1}');
      paths[key] = { ...paths[key], [route.method]: describeOperation(route, index) };
    }
  }
  return {
    openapi: '3.1.0',
    info: { title: 'docbuild', version: info.version, description: 'Documentation builds and small public utilities' },
    servers: info.servers.map((url) => ({ url })),
    paths,
  };
}

function describeOperation(route: Route, index: number): object {
  const inPath = [...route.paths[index]!.matchAll(/:(\w+)/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));
  const answers = Object.entries(route.answers).map(([status, { description, schema, media = 'application/json' }]) => [
    status,
    {
      description,
      ...(schema && { content: { [media]: { schema: toSchema(schema) } } }),
      ...(!schema && media !== 'application/json' && { content: { [media]: {} } }),
    },
  ]);
  return {
    summary: route.summary,
    tags: [route.tag],
    parameters: [...inPath, ...describeQuery(route), ...describeHeaders(route)],
    ...(route.body && { requestBody: { content: route.body } }),
    responses: Object.fromEntries(answers),
  };
}

function describeQuery({ query }: Route): readonly object[] {
  if (!query) return [];
  const { properties = {}, required = [] } = toSchema(query) as {
    properties?: Record<string, object>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, schema]) => {
    const { description, ...rest } = schema as { description?: string };
    return { name, in: 'query', required: required.includes(name), ...(description && { description }), schema: rest };
  });
}

function describeHeaders({ headers = {} }: Route): readonly object[] {
  return Object.entries(headers).map(([name, description]) => ({
    name,
    in: 'header',
    required: false,
    description,
    schema: { type: 'string' },
  }));
}

function toSchema(schema: z.ZodType): object {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  return rest;
}
