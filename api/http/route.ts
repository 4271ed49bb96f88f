import { createHash, createHmac } from 'node:crypto';
import type { Context } from 'koa';
import { z } from 'zod';
import type { SecurityWay } from './open-api.ts';

/** What a handler gets: input that has been checked. */
interface RouteInput<Query> {
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

const failureSchema = z.object({ success: z.literal(false), message: z.string() });

/** The schema of a successful answer around `data`. */
export function envelope(data: z.ZodType): z.ZodType {
  return z.object({ success: z.literal(true), message: z.literal(''), data });
}

/** The description of a failing answer. */
export function failure(description: string): { readonly description: string; readonly schema: z.ZodType } {
  return { description, schema: failureSchema };
}

/** What examples of routes speak of, so that those who try them can prepare the same. None of it is a secret of anybody. */
export const EXAMPLE = {
  account: 'reader',
  password: 'correct horse battery',
  /** A project with a secret. */
  project: 'guide',
  secret: 'a secret of the project',
  /** A project without one. */
  openProject: 'notes',
  /** A build of `guide` that passed. */
  build: '00mmrjvx2o0000guide0',
  key: 'dbk_Zm9yLWV4YW1wbGVzLW9ubHktbm8tcmVhbC1rZXkuLi4',
  token: 'dbs_Zm9yLWV4YW1wbGVzLW9ubHktbm8tcmVhbC10b2tlbi4',
  /** Short URLs: one that leads somewhere, one that is disabled, one to a host that the operator warns of. */
  code: 'k7m2xq',
  disabledCode: 'old-news',
  unsafeCode: 'sale',
  longUrl: 'https://example.org/a/long/page?with=query',
  unsafeUrl: 'https://unsafe.example/offer',
} as const;

/** What `X-Docbuild-Sign` has to be for the project with a secret. */
export const EXAMPLE_SIGN = createHash('md5').update(EXAMPLE.secret).digest('hex');

/** Gives the headers with which GitHub would send an event with this JSON body. */
export function exampleGithubHeaders(event: string, body: object): Readonly<Record<string, string>> {
  const hmac = createHmac('sha256', EXAMPLE.secret).update(JSON.stringify(body)).digest('hex');
  return { 'X-GitHub-Event': event, 'X-Hub-Signature-256': `sha256=${hmac}` };
}
