import type { DataErrorCode } from '../../data/data-error.ts';
import type { WebhookErrorCode } from '../code-hosts/code-host.ts';

interface ErrorKind {
  readonly status: number;
  /** Its row in the documentation (`docs/en/operating.md`). */
  readonly text: string;
  /** How the server's log tells of it: callers bring about what is a warning. */
  readonly log?: 'error' | 'warn';
  /** 429 that is over as soon as earlier requests of the same caller are answered; such refusals lead to no block. */
  readonly isBrief?: true;
}

const CODES = {
  'bad-request': { status: 400, text: 'A parameter, field or body is missing, or not as it must be' },
  invalid: { status: 400, text: 'A value that is not allowed' },
  'two-cookies': { status: 400, text: 'A cookie of the console was sent twice' },
  'unknown-service': { status: 400, text: 'A webhook of no known code host' },
  'not-json': { status: 400, text: 'A webhook whose body is not JSON' },
  'wrong-shape': { status: 400, text: 'A webhook that lacks a field, or has one of a wrong type' },
  'bad-ref': { status: 400, text: 'A webhook that names no branch or tag' },
  login: { status: 401, text: 'A login or an API key is required' },
  'wrong-login': { status: 401, text: 'Wrong account or password' },
  'bad-token': { status: 401, text: 'An invalid, expired or disabled token or key' },
  'missing-signature': { status: 403, text: 'A webhook that is not signed' },
  'wrong-signature': { status: 403, text: 'A webhook with a wrong signature' },
  forbidden: { status: 403, text: 'A missing or wrong `X-Docbuild-Sign`' },
  'foreign-origin': { status: 403, text: 'Sent by a page of another site' },
  'form-token': { status: 403, text: 'A form of the console that has expired' },
  'other-account': { status: 403, text: 'A form of the console that was opened as another account' },
  'not-a-window': { status: 403, text: 'A page of the console in a frame or as a picture' },
  'read-only': { status: 403, text: 'A read-only key where something is to be changed' },
  'account-disabled': { status: 403, text: 'A disabled account' },
  'registration-off': { status: 403, text: 'Registration is off' },
  'metrics-closed': { status: 403, text: 'Metrics from another machine, without a key' },
  blocked: { status: 403, text: 'A [blocked](console.md) address; 429 where the block ends by itself' },
  'not-found': { status: 404, text: 'Nothing is there' },
  'wrong-method': { status: 405, text: 'A method that is not allowed there; 501 for an unknown one' },
  'too-slow': { status: 408, text: 'The body arrived too slowly' },
  taken: { status: 409, text: 'It exists already' },
  refused: { status: 409, text: 'Not as things stand: a limit is reached, or it was done before' },
  'nothing-to-do': { status: 409, text: 'A delivery to repeat that requested nothing' },
  disabled: { status: 410, text: 'A short URL that is disabled or has expired' },
  'too-large': { status: 413, text: 'The body is too large' },
  'too-long': { status: 414, text: 'The query is too long' },
  'unknown-type': { status: 415, text: 'The body is neither a form nor JSON' },
  'unknown-coding': { status: 415, text: 'The body is compressed' },
  limited: { status: 429, text: 'Too many requests, changes or short URLs' },
  'too-many': { status: 429, text: 'Too many attempts to log in or register, or readers of logs' },
  'too-many-signatures': { status: 429, text: 'Too many wrong signatures' },
  'too-many-waiting': { status: 429, text: 'Too many requests of one caller at once', isBrief: true },
  'quota-used-up': { status: 429, text: 'The [quota](quotas.md) is used up' },
  'large-head': { status: 431, text: 'The headers are too large' },
  'too-many-cookies': { status: 431, text: 'Too many cookies' },
  internal: { status: 500, text: 'A bug: the log has the details', log: 'error' },
  damaged: { status: 500, text: 'A file of records is damaged', log: 'error' },
  upstream: { status: 502, text: 'Another service is down' },
  busy: { status: 503, text: 'Another process owns the files, or too much waits', log: 'error' },
  unwritable: { status: 503, text: 'Nothing can be written: the disk is full, the database refuses', log: 'error' },
  overloaded: { status: 503, text: 'Too many requests at once', log: 'warn' },
  'queue-full': { status: 503, text: 'Too many builds wait', log: 'warn' },
  'not-configured': { status: 503, text: 'What is needed for it is not configured', log: 'warn' },
  'not-ready': { status: 503, text: '`/readyz`: this process is to get no requests', log: 'error' },
  stopping: { status: 503, text: 'The server stops', log: 'error' },
} as const satisfies Readonly<Record<string, ErrorKind>> &
  Readonly<Record<DataErrorCode | WebhookErrorCode, ErrorKind>>;

/** The kind of a failure, in a word that programs may rely on. */
export type ErrorCode = keyof typeof CODES;

/** Every code of a request that is refused or fails: what it is answered with, what it means. */
export const ERROR_CODES: Readonly<Record<ErrorCode, ErrorKind>> = CODES;
