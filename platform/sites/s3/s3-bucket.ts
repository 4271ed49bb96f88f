import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { AwsV4Signer } from 'aws4fetch';
import { decodeXML } from 'entities';
import { type CircuitBreaker, createCircuitBreaker } from '../../../lib/circuit-breaker.ts';
import { createHttpClient, type HttpAnswer, HttpError } from '../../../lib/http-client.ts';
import type { StorageCounts } from '../site-storage.ts';
import type { S3Address } from './s3-address.ts';
import type { FindCredentials } from './s3-credentials.ts';

/** Why S3 did not do what it was asked to; the message names bucket, host and answer, and no credentials. */
export class S3Error extends Error {
  override readonly name = 'S3Error';
  /** Whether the same request may succeed later: S3 is away, slow or too busy. */
  readonly isTemporary: boolean;

  constructor(message: string, options: ErrorOptions & { readonly isTemporary: boolean }) {
    super(message, options);
    this.isTemporary = options.isTemporary;
  }
}

/** How long a request may be tried again, and when it is given up. */
export interface Patience {
  /** How long failed requests are sent again; 0 = one try. */
  readonly retryMs: number;
  readonly signal?: AbortSignal;
}

/** A part of a listing. */
export interface Listing {
  readonly keys: readonly string[];
  /** Prefixes that end with the delimiter. */
  readonly folders: readonly string[];
  /** Where the next part begins; undefined = this was the last. */
  readonly next: string | undefined;
}

/** Objects by key, without the prefix of the address. All throw `S3Error`; every request has a limit of time and size. */
export interface Bucket {
  /** `"docs" at s3.example.org`, for messages. */
  readonly label: string;
  /** Returns an object; undefined where there is none. While S3 does not answer, most such requests fail at once. */
  get(key: string, patience: Patience): Promise<Buffer | undefined>;
  put(key: string, body: Buffer, patience: Patience): Promise<void>;
  /** Returns whether there is an object; fails at once like `get`. */
  has(key: string, patience: Patience): Promise<boolean>;
  /** Lists keys in their order; with `isShallow`, what is in folders is summed up in `folders`. */
  list(
    prefix: string,
    options: Patience & { readonly from?: string | undefined; readonly isShallow?: boolean },
  ): Promise<Listing>;
  remove(key: string, patience: Patience): Promise<void>;
  /** Makes the bucket, unless it exists. */
  prepare(patience: Patience): Promise<void>;
  /** Requests since it was opened. */
  counts(): StorageCounts['requests'];
  close(): Promise<void>;
}

/** The largest object; larger contents are several. */
export const MAX_OBJECT_BYTES = 8_388_608;
/** Besides objects, this bounds a part of a listing. */
const MAX_ANSWER_BYTES = MAX_OBJECT_BYTES + 1_048_576;
const TIMEOUT_MS = 20_000;
const MAX_CONNECTIONS = 32;
/** For how long nothing is read after several failures. */
const LEFT_ALONE = { firstPauseMs: 1_000, longestPauseMs: 10_000 };
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 5_000;
const TEMPORARY: ReadonlySet<number> = new Set([408, 429, 500, 502, 503, 504]);
/** Codes that say that a request did not arrive whole, or that credentials have been replaced just now. */
const PASSING: ReadonlySet<string> = new Set([
  'RequestTimeout',
  'IncompleteBody',
  'BadDigest',
  'XAmzContentSHA256Mismatch',
  'ExpiredToken',
]);
const MAX_SHOWN = 100;

interface Request {
  readonly method: 'GET' | 'PUT' | 'HEAD' | 'DELETE';
  /** '' = the bucket. */
  readonly key: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: Buffer;
}

/** Opens a bucket; nothing is requested yet. */
export function openBucket(
  { url: base, bucket, prefix, region }: S3Address,
  findCredentials: FindCredentials,
  { timeoutMs = TIMEOUT_MS, nowMs = () => performance.now(), now = () => new Date() } = {},
): Bucket {
  const client = createHttpClient({ timeoutMs, maxBytes: MAX_ANSWER_BYTES, maxConnections: MAX_CONNECTIONS });
  const label = `"${bucket}" at ${base.host}`;
  const counted = new Map<string, { method: string; outcome: 'answered' | 'failed'; count: number; ms: number }>();
  const signingKeys = new Map<string, ArrayBuffer>();
  const breaker = createCircuitBreaker(nowMs, LEFT_ALONE);

  const sendOnce = async ({ method, key, query = {}, body }: Request, signal?: AbortSignal): Promise<HttpAnswer> => {
    const url = new URL(key === '' ? base : base.href + key);
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
    const hash = createHash('sha256')
      .update(body ?? '')
      .digest('hex');
    const credentials = findCredentials();
    const signed = await new AwsV4Signer({
      ...credentials,
      datetime: now()
        .toISOString()
        .replace(/[-:]|\.\d+/g, ''),
      sessionToken: credentials.sessionToken ?? '',
      service: 's3',
      region,
      method,
      cache: signingKeys,
      url: url.href,
      headers: { 'x-amz-content-sha256': hash },
    }).sign();
    const headers = { ...Object.fromEntries(signed.headers), 'accept-encoding': 'identity' };
    return client.send(signed.url, { method, headers, ...(body && { body }), ...(signal && { signal }) });
  };

  const count = (method: string, outcome: 'answered' | 'failed', ms: number): void => {
    const key = `${method} ${outcome}`;
    const known = counted.get(key) ?? { method, outcome, count: 0, ms: 0 };
    counted.set(key, { ...known, count: known.count + 1, ms: known.ms + ms });
  };

  /** Sends a request until it is answered; `expected` are answers that are no failure. */
  const send = async (
    request: Request,
    expected: readonly number[],
    {
      retryMs,
      signal,
      guard,
      isWhole,
    }: Patience & {
      readonly guard?: CircuitBreaker;
      /** Tells an answer from a part of one that something on the way has cut. */
      readonly isWhole?: (body: Buffer) => boolean;
    },
  ): Promise<HttpAnswer> => {
    const start = nowMs();
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
      const end = guard ? guard.enter() : () => {};
      if (!end) throw new S3Error(`Bucket ${label} did not answer before and is left alone`, { isTemporary: true });
      const startedMs = nowMs();
      const outcome = await sendOnce(request, signal).catch((error: HttpError) => error);
      const isAnswered = !(outcome instanceof Error) && !TEMPORARY.has(outcome.status);
      count(request.method, isAnswered ? 'answered' : 'failed', nowMs() - startedMs);
      const isAborted = outcome instanceof HttpError && outcome.code === 'aborted';
      const isExpected = !(outcome instanceof Error) && expected.includes(outcome.status);
      if (isExpected && (isWhole?.(outcome.body) ?? true)) {
        end('succeeded');
        return outcome;
      }
      const failure =
        outcome instanceof Error
          ? describeFailure(outcome)
          : isExpected
            ? new S3Error(`Bucket ${label} sent a part of its answer to ${request.method}`, { isTemporary: true })
            : describeAnswer(request, outcome);
      end(isAborted ? 'unclear' : failure.isTemporary ? 'failed' : 'succeeded');
      if (isAborted || !failure.isTemporary || nowMs() - start + pauseMs > retryMs) throw failure;
      // Not all who wait come back at once.
      await sleep(pauseMs * (0.5 + Math.random()), undefined, signal && { signal }).catch(() => {
        throw failure;
      });
    }
  };

  const describeFailure = (error: Error): S3Error => {
    const isTemporary = error instanceof HttpError && error.code !== 'aborted';
    return new S3Error(`Bucket ${label} cannot be used: ${error.message}`, { cause: error, isTemporary });
  };
  const describeAnswer = ({ method, key }: Request, { status, body }: HttpAnswer): S3Error => {
    const code = /<Code>([\w.-]+)<\/Code>/.exec(body.subarray(0, 10_000).toString())?.[1];
    const answer = `${status}${code === undefined ? '' : ` (${code.slice(0, MAX_SHOWN)})`}`;
    const about = key === '' ? method : `${method} of "${key.slice(0, MAX_SHOWN)}"`;
    const message = `Bucket ${label} answered ${answer} to ${about}${ADVICE[code ?? ''] ?? ''}`;
    return new S3Error(message, { isTemporary: TEMPORARY.has(status) || PASSING.has(code ?? '') });
  };

  return {
    label,
    async get(key, patience) {
      const answer = await send({ method: 'GET', key: prefix + key }, [200, 404], { ...patience, guard: breaker });
      if (answer.status === 200) return answer.body;
      if (answer.body.includes('NoSuchBucket')) throw describeAnswer({ method: 'GET', key: '' }, answer);
      return undefined;
    },
    async put(key, body, patience) {
      await send({ method: 'PUT', key: prefix + key, body }, [200], patience);
    },
    async has(key, patience) {
      const request = { method: 'HEAD', key: prefix + key } as const;
      return (await send(request, [200, 404], { ...patience, guard: breaker })).status === 200;
    },
    async list(folder, { from, isShallow = false, ...patience }) {
      const query = {
        'list-type': '2',
        prefix: prefix + folder,
        ...(isShallow && { delimiter: '/' }),
        ...(from !== undefined && { 'continuation-token': from }),
      };
      const request = { method: 'GET', key: '', query } as const;
      const { body } = await send(request, [200], { ...patience, isWhole: isWholeListing });
      return readListing(body.toString(), prefix.length);
    },
    async remove(key, patience) {
      await send({ method: 'DELETE', key: prefix + key }, [200, 204, 404], patience);
    },
    async prepare(patience) {
      // An answer to HEAD has no body that says what is wrong.
      const query = { 'list-type': '2', 'max-keys': '1' };
      const found = await send({ method: 'GET', key: '', query }, [200, 404], patience);
      if (found.status === 200) return;
      const body = Buffer.from(region === 'us-east-1' ? '' : createLocation(region));
      // 409: somebody else has just made it.
      const made = await send({ method: 'PUT', key: '', body }, [200, 403, 409], patience);
      if (made.status === 403) {
        const message = `Bucket ${label} does not exist, and the key may not make it; make the bucket, or correct its name in "sites"`;
        throw new S3Error(message, { isTemporary: false });
      }
      await send({ method: 'GET', key: '', query }, [200], patience);
    },
    counts: () => [...counted.values()],
    close: () => client.close(),
  };
}

/** Lists all keys that begin with a prefix. */
export async function* listKeys(
  bucket: Pick<Bucket, 'list'>,
  prefix: string,
  patience: Patience,
): AsyncGenerator<string> {
  for (let from: string | undefined; ; ) {
    const { keys, next } = await bucket.list(prefix, { ...patience, from });
    yield* keys;
    if (next === undefined) return;
    from = next;
  }
}

/** Advice about some answers. */
const ADVICE: Readonly<Record<string, string>> = {
  NoSuchBucket: '; make the bucket, or allow the key to make it',
  AccessDenied: '; check what the key may do',
  InvalidAccessKeyId: '; check AWS_ACCESS_KEY_ID: this service does not know the key',
  SignatureDoesNotMatch: '; check AWS_SECRET_ACCESS_KEY',
  ExpiredToken: '; renew AWS_SESSION_TOKEN, or let AWS_SHARED_CREDENTIALS_FILE name a file that is renewed',
  RequestTimeTooSkewed: '; set the clock of this machine',
  PermanentRedirect: '; check endpoint and region',
  AuthorizationHeaderMalformed: '; check the region',
};

function createLocation(region: string): string {
  const namespace = 'http://s3.amazonaws.com/doc/2006-03-01/';
  return `<CreateBucketConfiguration xmlns="${namespace}"><LocationConstraint>${region}</LocationConstraint></CreateBucketConfiguration>`;
}

/** An entry that is missing in a part of a listing would count as not being in the bucket. */
function isWholeListing(body: Buffer): boolean {
  return body.subarray(-100).toString().trimEnd().endsWith('</ListBucketResult>');
}

/** Reads an answer to `ListObjectsV2`. */
function readListing(xml: string, skip: number): Listing {
  const list = (element: string, name: RegExp): readonly string[] =>
    xml
      .split(`<${element}>`)
      .slice(1)
      .flatMap((part) => name.exec(part)?.[1] ?? [])
      .map((name) => decodeXML(name).slice(skip));
  const next = /<NextContinuationToken>([^<]*)</.exec(xml)?.[1];
  return {
    keys: list('Contents', /<Key>([^<]*)<\/Key>/),
    folders: list('CommonPrefixes', /<Prefix>([^<]*)<\/Prefix>/),
    next: /<IsTruncated>true</.test(xml) && next !== undefined ? decodeXML(next) : undefined,
  };
}
