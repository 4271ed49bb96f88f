import { type Phrase, phrase } from '../../lib/phrase.ts';
import { isWebUrl } from '../../lib/url-text.ts';
import { ServiceError } from '../failures/service-error.ts';

/** The ways to query a search engine; each engine has some of them. */
export type MethodName = 'json' | 'html' | 'rss';

/** The parsed parameters of a query. */
export interface InclusionQuery {
  readonly target: Target;
  /** The only method to use; undefined = all in turn. */
  readonly method: MethodName | undefined;
  /** Whether the engine is asked even if the answer is known. */
  readonly isForced: boolean;
}

const MAX_QUERY = 16_000;
const NAMES = ['url', 'method', 'force', 'token'];

/** Parses a query string; unknown parameters are ignored. Throws ServiceError 400. */
export function parseInclusionQuery(text: string, methods: readonly MethodName[]): InclusionQuery {
  if (text.length > MAX_QUERY) throw wrong(phrase`The query has more than ${MAX_QUERY} characters`);
  checkWhole(text);
  const values = new URLSearchParams(text);
  const twice = NAMES.find((name) => values.getAll(name).length > 1);
  if (twice !== undefined) throw wrong(phrase`Parameter "${twice}" is given more than once`);
  return {
    target: parseTarget(values.get('url') ?? undefined),
    method: parseMethod(values.get('method'), methods),
    isForced: parseForce(values.get('force')),
  };
}

const MAX_SHOWN = 50;

/**
 * Throws ServiceError 400 where a part of the URL has become other parameters: its "?" or its slashes are not encoded, so that its
 * "&" are not either. Whoever encodes the URL may add parameters that mean nothing here, to pass caches; behind a URL that has no
 * query they have values.
 */
function checkWhole(text: string): void {
  const parts = text.split('&');
  const place = parts.findIndex((part) => part.startsWith('url='));
  const url = parts[place] ?? '';
  if (!/\?|:\/\//.test(url)) return;
  const hasQuery = /\?|%3f/i.test(url);
  const others = parts.slice(place + 1).map((part) => ({ name: part.split('=', 1)[0]!, hasValue: part.includes('=') }));
  const cut = others.find(
    ({ name, hasValue }) => name !== '' && !NAMES.includes(name) && (hasQuery || !hasValue),
  )?.name;
  if (cut === undefined) return;
  const shown = `"&${cut.slice(0, MAX_SHOWN)}"`;
  throw wrongUrl(phrase`is cut off at ${shown}: write "%26" for each "&" of the URL, or encode all of it`);
}

function parseMethod(text: string | null, methods: readonly MethodName[]): MethodName | undefined {
  if (text === null) return undefined;
  const method = methods.find((name) => name === text);
  if (method === undefined)
    throw wrong(phrase`Parameter "method" must be one of ${methods.map((name) => `"${name}"`).join(', ')}`);
  return method;
}

/** Values of `force`: the contract's 1 and true, and those of programs that send a boolean either way. */
export const FORCE = { yes: ['1', 'true'], no: ['0', 'false'] } as const;

function parseForce(text: string | null): boolean {
  if (text === null || FORCE.no.some((word) => word === text)) return false;
  if (FORCE.yes.some((word) => word === text)) return true;
  throw wrong(phrase`Parameter "force" must be 1 or true; leave it out otherwise`);
}

function wrong(message: Phrase): ServiceError {
  return new ServiceError('bad-request', message);
}

/** The URL that a query is about. */
export interface Target {
  /** As it is searched for: ASCII, without fragment. */
  readonly url: string;
  /** Key for comparison and cache, see `comparableUrl`. */
  readonly key: string;
}

/** Longest URL in characters, as given and once encoded. */
const MAX_GIVEN = 2048;
const MAX_ENCODED = 6000;

/** Parses the URL of a query, which is never fetched. Throws ServiceError 400 that says what is wrong. */
export function parseTarget(given: string | undefined): Target {
  const text = given?.slice(0, MAX_GIVEN + 100).trim() ?? '';
  if (text === '') throw wrongUrl(phrase`is missing`);
  if (given!.length > MAX_GIVEN) throw wrongUrl(phrase`has more than ${MAX_GIVEN} characters`);
  if (!isWebUrl(text)) throw wrongUrl(phrase`must begin with http:// or https://`);
  if (/[\p{Cc}\p{Cs}]/u.test(text)) throw wrongUrl(phrase`contains control characters or invalid Unicode`);
  // Decoding has made another URL of these bytes than the one that was meant.
  if (text.includes('\ufffd'))
    throw wrongUrl(phrase`contains bytes that are not UTF-8; write "%25" for each "%" of the URL`);
  if (!URL.canParse(text)) throw wrongUrl(phrase`is not a valid URL`);
  const url = new URL(text);
  if (url.username !== '' || url.password !== '') throw wrongUrl(phrase`must not contain credentials`);
  url.hash = '';
  if (url.href.length > MAX_ENCODED) throw wrongUrl(phrase`has more than ${MAX_ENCODED} characters once encoded`);
  return { url: url.href, key: comparableUrl(url.href)! };
}

function wrongUrl(what: Phrase): ServiceError {
  return new ServiceError('bad-request', phrase`Parameter "url" ${what}`);
}

/** Characters that mean the same with and without percent-encoding; encoders disagree about the last five. */
const PLAIN = /^[\w\-.~!'()*]$/;

/** No URL of a query is longer. */
const MAX_LENGTH = 8192;

/**
 * Returns what all URLs of one page have in common: without scheme, `www.`, default port, fragment, final slashes of the path
 * and empty query; host in lower case and punycode, uniform percent-encoding. Undefined for anything but an http(s) URL.
 */
export function comparableUrl(text: string): string | undefined {
  if (text.length > MAX_LENGTH || !URL.canParse(text)) return undefined;
  const { protocol, hostname, port, pathname, search } = new URL(text);
  if (protocol !== 'http:' && protocol !== 'https:') return undefined;
  let end = pathname.length;
  while (pathname[end - 1] === '/') end--;
  const host = withoutWww(hostname.endsWith('.') ? hostname.slice(0, -1) : hostname);
  return host + (port && `:${port}`) + normalize(pathname.slice(0, end)) + normalize(search);
}

/** `www.com` is a registrable domain. */
function withoutWww(host: string): string {
  const rest = host.startsWith('www.') ? host.slice(4) : '';
  return rest.includes('.') ? rest : host;
}

function normalize(text: string): string {
  return text.replace(/%[0-9a-f]{2}/gi, (code) => {
    const character = String.fromCharCode(Number.parseInt(code.slice(1), 16));
    return PLAIN.test(character) ? character : code.toUpperCase();
  });
}
