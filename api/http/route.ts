import { createHash } from 'node:crypto';
import type { Context } from 'koa';
import * as z from 'zod';
import type { Config } from '../../platform/config/config-schema.ts';

/** Validated input of a handler. */
interface RouteInput<Query> {
  readonly params: Readonly<Record<string, string>>;
  readonly query: Query;
}

/** A part of the service that can have its own base URL, and so its own host. */
export type Area = 'base' | 'hub' | 'auth' | 'docs';

/** The ways to send a credential of an account. */
export type CredentialWay = 'url-query' | 'post-form' | 'header' | 'session-header' | 'session-cookie';

/** A header that proves who sends, such as a signature of the body. */
export interface HeaderProof {
  /** Name of the security scheme in the OpenAPI document. */
  readonly id: string;
  readonly header: string;
  readonly description: string;
}

/** The ways to prove who one is: credentials of accounts, and proofs that belong to a project. */
export type SecurityWay = CredentialWay | HeaderProof;

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
  /** The JSON answer; what varies is shown as it may look. */
  readonly answer?: unknown;
  /** Fields of the answer that vary (times, ids): `data.uid`. Everything else is answered exactly like this. */
  readonly varies?: readonly string[];
}

/** An answer with one status. */
export interface Answer {
  readonly description: string;
  /** Schema of a JSON answer. */
  readonly schema?: z.ZodType;
  /** Media type; default: `application/json` where there is a schema, otherwise the body is not described. */
  readonly media?: string;
  /** Media types that are sent where `Accept` prefers them. */
  readonly otherMedia?: readonly string[];
}

/** A utility whose callers are limited each by itself. */
export type LimitedUtility = keyof Config['utility']['requests_per_minute'];

/** One operation of the API: where it is reached, what it takes, what it answers. */
export interface Route<Query extends z.ZodObject = z.ZodObject> {
  readonly method: 'get' | 'post';
  /** Equivalent paths; `:name` stands for what varies. */
  readonly paths: readonly string[];
  readonly summary: string;
  readonly tag: string;
  /** Checks whether these values of the varying parts belong to another route with the same path. */
  readonly passesBy?: ((params: Readonly<Record<string, string>>) => boolean) | undefined;
  /** The parts of the service it belongs to; undefined = all. Where a part has a base URL, its routes answer there only. */
  readonly area?: Area | readonly Area[] | undefined;
  /** The hosts of sites have it, too: a project's own host for this project only. */
  readonly isAtSites?: boolean | undefined;
  /** true = pages of any origin may read the answer: only what the contract opens to them, and never what is one instance's own. */
  readonly isCrossOrigin?: boolean | undefined;
  /** Accepted credentials, and whether one is required; undefined = none is read. */
  readonly credentials?: { readonly ways: readonly SecurityWay[]; readonly isRequired: boolean } | undefined;
  /** Requests as they can be sent, with their answers; the OpenAPI document shows them and a test sends them. */
  readonly examples?: readonly RouteExample[] | undefined;
  readonly query?: Query | undefined;
  /** No query is rejected: the first of equal parameters counts and a long query is cut. The schema accepts anything. */
  readonly isLenient?: boolean | undefined;
  /** The handler parses the query because invalid ones have their own answer; the schema is for the document only. */
  readonly readsQuery?: boolean | undefined;
  /** Media types of the body with their OpenAPI description. */
  readonly body?: Readonly<Record<string, object>> | undefined;
  /** Headers that are read, with their descriptions. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Answers by status. */
  readonly answers: Readonly<Record<number, Answer>>;
  /** The key of `utility.requests_per_minute` that says how often one source may ask; undefined = as often as it likes, or the handler limits it. */
  readonly limit?: LimitedUtility | undefined;
  readonly handle: (ctx: Context, input: RouteInput<z.output<Query>>) => Promise<void>;
}

/** Returns a route whose handler knows the type of its query. */
export function defineRoute<Query extends z.ZodObject>(route: Route<Query>): Route {
  return route as unknown as Route;
}

const failureSchema = z.object({ success: z.literal(false), message: z.string() });

/** Returns the schema of a successful answer around `data`. */
export function envelope(data: z.ZodType): z.ZodType {
  return z.object({ success: z.literal(true), message: z.literal(''), data });
}

/** Returns the description of a failure. */
export function failure(description: string): { readonly description: string; readonly schema: z.ZodType } {
  return { description, schema: failureSchema };
}

/** The data that examples of routes refer to, so that tests can prepare the same. None of it is a real secret. */
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

/** Value of `X-Docbuild-Sign` for the project with a secret. */
export const EXAMPLE_SIGN = createHash('md5').update(EXAMPLE.secret).digest('hex');
