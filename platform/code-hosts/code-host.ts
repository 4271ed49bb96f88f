import type { IncomingHttpHeaders } from 'node:http';
import type * as z from 'zod';
import type { Phrase } from '../../lib/phrase.ts';

/** Values of a project's field `gsp`; the contract knows no others. */
export const GSP = ['GitHub', 'Gitee', 'GitLab', 'Git'] as const;

/** A service that hosts git repositories. Everything that differs between them stands in the one file of each. */
export interface CodeHost {
  /** Its name in the configuration and in records: `[a-z]+`. */
  readonly id: string;
  /** Its name as people write it. */
  readonly name: string;
  readonly gsp: (typeof GSP)[number];
  /** Recognises names of hosts that run it. */
  readonly hosts: RegExp;
  /** A drawing of our own: the path of an SVG of 24 by 24 units, filled by the even-odd rule. */
  readonly icon: string;
  readonly urls: RepositoryUrls;
  /** undefined = its webhooks are not understood. */
  readonly webhooks?: WebhookProtocol;
}

/** URL patterns below the home page of a repository; what stands for `{ref}`, `{path}` and `{commit}` is encoded. */
export interface RepositoryUrls {
  /** A file of a branch. */
  readonly file: string;
  /** A folder of a branch. */
  readonly folder: string;
  /** A file of a branch in the editor. */
  readonly edit: string;
  readonly commit: string;
}

export type Zod = typeof z;

/** Describes what a payload has to look like. */
export type Shape<T extends z.ZodType> = (z: Zod) => T;

/**
 * The JSON object of a webhook call. It brings the library that shapes are described with: whoever builds a site knows all
 * code hosts, and loading that library takes longer than a build of what is built already.
 */
export interface Payload {
  readonly json: Readonly<Record<string, unknown>>;
  /** Returns the payload in a shape. Throws WebhookError `wrong-shape` that names the field, never its value. */
  take<T extends z.ZodType>(shape: Shape<T>, event: string): z.output<T>;
}

/** How a code host's webhooks are recognised, verified and read. */
export interface WebhookProtocol {
  /** Headers that name the event. Whoever sends one of them is taken for this code host. */
  readonly eventHeaders: readonly string[];
  /** Headers with an id that is the same when a call is sent again; the first one that is sent counts. */
  readonly deliveryHeaders: readonly string[];
  /** Throws WebhookError `missing-signature` or `wrong-signature` unless the call proves that its sender knows the secret. */
  readonly verify: (call: WebhookCall, secret: string, nowMs: number) => void;
  /** Fields of payloads that `read` looks at; of large payloads nothing else is parsed. */
  readonly fields: ReadonlySet<string>;
  /** Returns what an event requests. Throws WebhookError `wrong-shape` or `bad-ref`. */
  readonly read: (event: string, payload: Payload, headers: IncomingHttpHeaders) => WebhookMeaning;
  /** Headers that prove who sends, for the description of the API. */
  readonly proofs: readonly WebhookProof[];
  /** Tells people where to set up a webhook; code stands in backquotes. */
  readonly setup: Phrase;
  /** Returns the headers with which the code host would send an event with this body. */
  readonly sign: (event: string, body: string, secret: string) => Readonly<Record<string, string>>;
  /** Calls as they may arrive, for the description of the API; a push is to the branch `main`. */
  readonly examples: readonly WebhookExample[];
}

/** A call of a code host, as an example. */
export interface WebhookExample {
  /** Continues a sentence that begins with the name of the code host. */
  readonly summary: string;
  readonly event: string;
  readonly json: object;
  readonly meaning: 'build' | 'ping';
}

/** A webhook call as it arrives. */
export interface WebhookCall {
  /** Names in lower case, as Node returns them. */
  readonly headers: IncomingHttpHeaders;
  readonly rawBody: Uint8Array;
}

/** A header that proves who sends. */
export interface WebhookProof {
  /** Name of the security scheme in the OpenAPI document. */
  readonly id: string;
  readonly header: string;
  readonly description: string;
}

/** A branch or a tag by its full name, nothing cut at a slash: `feature/x`. */
export interface PushedRef {
  readonly ref: string;
  readonly refKind: 'branch' | 'tag';
}

/** The request that an event makes. */
export type WebhookMeaning =
  | ({ readonly kind: 'build' /** '' = not known. */; readonly commit: string } & PushedRef)
  | ({ readonly kind: 'remove' } & PushedRef)
  | { readonly kind: 'ping' }
  | { readonly kind: 'ignored'; readonly why: string };

/** Why a webhook call is refused; `platform/failures/error-codes.ts` says what each means. */
export type WebhookErrorCode =
  | 'unknown-service'
  | 'missing-signature'
  | 'wrong-signature'
  | 'not-json'
  | 'wrong-shape'
  | 'bad-ref';

/** A webhook call that is refused; its message may be shown to the sender. */
export class WebhookError extends Error {
  override readonly name = 'WebhookError';
  readonly code: WebhookErrorCode;

  constructor(code: WebhookErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
