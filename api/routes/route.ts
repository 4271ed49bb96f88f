import type { Context } from 'koa';
import type { z } from 'zod';

/** What a handler gets: input that has been checked. */
export interface RouteInput<Query> {
  readonly params: Readonly<Record<string, string>>;
  readonly query: Query;
}

/** One operation of the API: where it is reached, what it takes, what it answers. */
export interface Route<Query extends z.ZodObject = z.ZodObject> {
  readonly method: 'get' | 'post';
  /** Equivalent paths, `:name` for what varies. */
  readonly paths: readonly string[];
  readonly summary: string;
  readonly tag: string;
  readonly query?: Query | undefined;
  /** Media types of the body and what is in it, for the document. */
  readonly body?: Readonly<Record<string, object>> | undefined;
  /** Headers that are read: name and what it is. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** By status: what it means, and the schema of the JSON answer where it is JSON. */
  readonly answers: Readonly<
    Record<number, { readonly description: string; readonly schema?: z.ZodType; readonly media?: string }>
  >;
  readonly handle: (ctx: Context, input: RouteInput<z.output<Query>>) => Promise<void>;
}

/** Gives a route whose handler knows the type of its query. */
export function defineRoute<Query extends z.ZodObject>(route: Route<Query>): Route {
  return route as unknown as Route;
}
