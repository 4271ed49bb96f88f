import * as z from 'zod';
import { areasOf } from '../http/areas.ts';
import { findSchemes, impliedAnswers, isCredential, type OpenApiInfo, sortTags, titleOf } from '../http/open-api.ts';
import type { Route, RouteExample } from '../http/route.ts';

/** Something that a request may carry. */
interface Field {
  readonly name: string;
  /** `path`, `query`, `header`, `cookie`, `body`. */
  readonly place: string;
  readonly description: string;
  readonly isRequired: boolean;
}

/** Returns what the page of the API shows: operations, grouped by tag in the order of the document. */
export function presentApi(routes: readonly Route[], info: Pick<OpenApiInfo, 'servers' | 'areas'>): object {
  return {
    groups: sortTags(routes.map(({ tag }) => tag)).map(({ name, description = '' }) => ({
      name: titleOf(name),
      id: name.replace(/\W+/g, '-'),
      description,
      operations: routes.filter(({ tag }) => tag === name).map((route) => presentRoute(route, info)),
    })),
  };
}

function presentRoute(route: Route, { servers, areas = {} }: Pick<OpenApiInfo, 'servers' | 'areas'>): object {
  const origins = (areasOf(route) ?? []).map((area) => areas[area] ?? '').filter((url) => url !== '');
  const origin = origins[0] ?? servers[0] ?? '';
  return {
    method: route.method.toUpperCase(),
    paths: route.paths,
    origins,
    summary: route.summary,
    fields: collectFields(route),
    answers: Object.entries(impliedAnswers(route)).map(([status, { description }]) => ({
      status,
      description,
    })),
    examples: (route.examples ?? []).map((example) => ({
      summary: example.summary,
      command: writeCommand(route, example, origin),
      status: example.status,
      answer: example.answer === undefined ? '' : JSON.stringify(example.answer, null, 2),
    })),
  };
}

function collectFields(route: Route): readonly Field[] {
  const isRequired = (route.credentials?.isRequired ?? false) && findSchemes(route).length === 1;
  const schemes = findSchemes(route).map(({ in: place, name, description }) => ({
    place,
    name,
    description,
    isRequired,
  }));
  const query = Object.entries(route.query?.shape ?? {}).map(([name, schema]) => ({
    place: 'query',
    name,
    description: (schema as z.ZodType).description ?? '',
    isRequired: !(schema as z.ZodType).safeParse(undefined).success,
  }));
  const headers = Object.entries(route.headers ?? {}).map(([name, description]) => ({
    place: 'header',
    name,
    description,
    isRequired: false,
  }));
  const shown = [...query, ...headers].filter(({ place, name }) =>
    place === 'query' ? !isCredential(route, 'query', name) : !isCredential(route, 'header', name),
  );
  return [...shown, ...collectBodyFields(route), ...schemes];
}

const bodySchema = z.object({
  schema: z.object({
    properties: z.record(z.string(), z.object({ description: z.string().optional() })),
    required: z.array(z.string()).optional(),
  }),
});

/** Bodies of one route have the same fields, whatever their type. */
function collectBodyFields({ body = {} }: Route): readonly Field[] {
  const found = bodySchema.safeParse(Object.values(body)[0]);
  if (!found.success) return [];
  const { properties, required = [] } = found.data.schema;
  return Object.entries(properties).map(([name, { description = '' }]) => ({
    place: 'body',
    name,
    description,
    isRequired: required.includes(name),
  }));
}

/** Returns the command by which a person sends an example with curl; `origin` is where the service is reached. */
function writeCommand({ method }: Pick<Route, 'method'>, example: RouteExample, origin: string): string {
  const { path, headers = {}, form, json } = example;
  const hasBody = form !== undefined || json !== undefined;
  const parts = [
    ...(method === 'post' && !hasBody ? ['-X POST'] : []),
    ...Object.entries({ ...(json && { 'Content-Type': 'application/json' }), ...headers }).map(
      ([name, value]) => `-H ${quote(`${name}: ${value}`)}`,
    ),
    ...Object.entries(form ?? {}).map(([name, value]) => `--data-urlencode ${quote(`${name}=${value}`)}`),
    ...(json === undefined ? [] : [`-d ${quote(JSON.stringify(json))}`]),
    quote(origin + path),
  ];
  return `curl ${parts.join(' \\\n  ')}`;
}

/** Quotes a word for a shell. */
function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
