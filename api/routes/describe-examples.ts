import type { Route, RouteExample } from '../http/route.ts';

/** Examples have paths alone. */
const BASE = 'http://localhost';

/** Examples of one thing, by name, as OpenAPI has them. */
export type Examples = Readonly<Record<string, { readonly summary: string; readonly value: unknown }>>;

/** Gives what examples of a route have for each of its parts; a part without examples has undefined. */
export function describeExamples({ examples = [], paths }: Route): {
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

/** Gives which of a route's paths a request's path is of. */
export function findTemplate(path: string, paths: readonly string[]): string | undefined {
  const parts = new URL(path, BASE).pathname.split('/');
  const isLike = (own: readonly string[]): boolean =>
    own.length === parts.length && own.every((part, i) => part.startsWith(':') || part === parts[i]);
  return paths.find((one) => isLike(one.split('/')));
}
