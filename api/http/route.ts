import type { Context } from 'koa';
import type { z } from 'zod';
import type { SecurityWay } from '../routes/describe-security.ts';

/** What a handler gets: input that has been checked. */
export interface RouteInput<Query> {
  readonly params: Readonly<Record<string, string>>;
  readonly query: Query;
}

/** A part of the service that may have an address, and so a host, of its own. */
export type Area = 'base' | 'hub' | 'auth' | 'docs';

/** One request to a route and its answer. */
export interface RouteExample {
  readonly summary: string;
  /** Path and query. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Fields of a form body. */
  readonly form?: Readonly<Record<string, string>>;
  /** A JSON body. */
  readonly json?: object;
  readonly status: number;
  /** The JSON answer; what varies is as it may look. */
  readonly answer?: unknown;
  /** What of the answer varies (times, ids): `data.uid`. Everything else is answered like this, word by word. */
  readonly varies?: readonly string[];
}

/** What is answered with one status. */
export interface Answer {
  readonly description: string;
  /** Of the JSON answer, where it is JSON. */
  readonly schema?: z.ZodType;
  /** Default: `application/json` where there is a schema, else nothing is said of the body. */
  readonly media?: string;
  /** Media types that are answered where `Accept` prefers them. */
  readonly otherMedia?: readonly string[];
}

/** One operation of the API: where it is reached, what it takes, what it answers. */
export interface Route<Query extends z.ZodObject = z.ZodObject> {
  readonly method: 'get' | 'post';
  /** Equivalent paths, `:name` for what varies. */
  readonly paths: readonly string[];
  readonly summary: string;
  readonly tag: string;
  /** Tells which values of the varying parts are for another route with the same path. */
  readonly passesBy?: ((params: Readonly<Record<string, string>>) => boolean) | undefined;
  /**
   * The address of the service it belongs to, or several (pages for people); undefined = all of them. Where one is
   * configured, the route does not answer elsewhere for its sake.
   */
  readonly area?: Area | readonly Area[] | undefined;
  /** false = pages of other origins may not read the answer. */
  readonly isCrossOrigin?: boolean | undefined;
  /** Credentials that are taken, and whether nobody is answered without one; undefined = none are looked at. */
  readonly credentials?: { readonly ways: readonly SecurityWay[]; readonly isRequired: boolean } | undefined;
  /** Requests as they can be sent, with what is answered; they are in the document, and a test sends them. */
  readonly examples?: readonly RouteExample[] | undefined;
  readonly query?: Query | undefined;
  /** No query is refused: the first of equal parameters counts, and what is too long is cut. The schema accepts anything. */
  readonly isLenient?: boolean | undefined;
  /** The handler reads the query, since wrong ones have an answer of their own; the schema is for the document alone. */
  readonly readsQuery?: boolean | undefined;
  /** Media types of the body and what is in it, for the document. */
  readonly body?: Readonly<Record<string, object>> | undefined;
  /** Headers that are read: name and what it is. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** By status: what it means, and the schema of the JSON answer where it is JSON. */
  readonly answers: Readonly<Record<number, Answer>>;
  readonly handle: (ctx: Context, input: RouteInput<z.output<Query>>) => Promise<void>;
}

/** Gives a route whose handler knows the type of its query. */
export function defineRoute<Query extends z.ZodObject>(route: Route<Query>): Route {
  return route as unknown as Route;
}
