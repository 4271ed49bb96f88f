import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { type Phrase, phrase } from '../../lib/phrase.ts';
import { removeCookies } from './cookies.ts';
import { type Language, negotiateLanguage, translate } from './language.ts';
import { tooManyCookies } from './large-cookies.ts';
import { PAGE_HEADERS, renderPage } from './pages.ts';
import { largeHead } from './trusted-request.ts';

/**
 * Limit of the request line and headers that are read, bytes: four times the limit without cookies, so that
 * most of what other sites of a domain leave in a browser can be answered by `refuseLargeCookies`.
 */
export const READ_HEAD_BYTES = 65_536;

const TOO_LARGE = '431 Request Header Fields Too Large';
/** Responses to requests that cannot be read, by Node's code. */
const ANSWERS: ReadonlyMap<unknown, readonly [status: string, message: Phrase]> = new Map([
  ['HPE_CHUNK_EXTENSIONS_OVERFLOW', ['413 Payload Too Large', phrase`The chunk extensions of the body are too large`]],
  ['ERR_HTTP_REQUEST_TIMEOUT', ['408 Request Timeout', phrase`The request did not arrive in time`]],
] as const);
const UNREADABLE = ['400 Bad Request', phrase`The request is not valid HTTP`] as const;

/** Answers requests that cannot be read, which no route ever sees, as others are answered, and closes the connection. */
export function answerBrokenRequests(server: Server): void {
  const overflows = new WeakMap<Socket, Overflow>();
  server.on('clientError', (error: ClientError, socket: Socket & { readonly _httpMessage?: InFlight }) => {
    const known = overflows.get(socket);
    if (known && error.code === OVERFLOW) return known.read(error.rawPacket);
    // An answer that has begun cannot be followed by another.
    if (!socket.writable || error.code === 'ECONNRESET' || socket._httpMessage?._headerSent)
      return void socket.destroy();
    if (error.code === OVERFLOW) {
      const overflow = createOverflow(socket);
      overflows.set(socket, overflow);
      return overflow.read(error.rawPacket);
    }
    const [status, message] = ANSWERS.get(error.code) ?? UNREADABLE;
    send(socket, { status, type: JSON_TYPE, body: presentFailure(message, 'en') });
  });
}

const OVERFLOW = 'HPE_HEADER_OVERFLOW';

/** Node's error, with the piece of the request in which it was found. */
interface ClientError extends NodeJS.ErrnoException {
  readonly rawPacket?: Buffer;
}

/** Properties of a response that Node itself looks at before it answers. */
interface InFlight {
  readonly _headerSent: boolean;
}

/** A request whose head is too large. */
interface Overflow {
  /** Takes the next piece of the request. */
  read(piece: Buffer | undefined): void;
}

/** A browser sends at most 180 cookies of 4 KB, and reads no answer before it has sent them. */
const MAX_SWALLOWED_BYTES = 1_000_000;
const LOOK_MS = 500;
const LINGER_MS = 2_000;
/** A request line that is longer is what is too large. */
const MAX_TARGET = 8_000;
const MAX_NAMES = 50;

/**
 * Creates what answers a request whose head is too large. Node has dropped what came before, so the rest is looked at: where it is
 * cookies, the answer removes them, for their visitor could not even ask how. A long URL must not do that, or any link would end
 * sessions. Whatever the caller goes on to send is read and dropped: a connection that is closed on unread bytes takes the answer
 * along.
 */
function createOverflow(socket: Socket): Overflow {
  const names = new Set<string>();
  let verdict: 'cookies' | 'other' | undefined;
  let isAnswered = false;
  let bytes = 0;
  let tail = '';
  let head: Head = { host: '', path: '/', language: 'en', wantsPage: true };
  const answer = (): void => {
    clearTimeout(timer);
    if (isAnswered) return;
    isAnswered = true;
    setTimeout(() => socket.destroy(), LINGER_MS).unref();
    if (!socket.writable) {
      socket.destroy();
      return;
    }
    const { language } = head;
    if (verdict !== 'cookies') {
      send(socket, { status: TOO_LARGE, type: JSON_TYPE, body: presentFailure(largeHead(), language) });
      return;
    }
    const body = head.wantsPage
      ? renderPage(
          'error.njk',
          { status: 431, message: translate(tooManyCookies(), language) },
          { language, timeZone: 'UTC', path: '' },
        )
      : presentFailure(tooManyCookies(), language);
    const headers = head.wantsPage ? Object.entries(PAGE_HEADERS).map(([name, value]) => `${name}: ${value}`) : [];
    const removed = removeCookies([...names], head).map((field) => `Set-Cookie: ${field}`);
    send(socket, {
      status: TOO_LARGE,
      type: head.wantsPage ? 'text/html; charset=utf-8' : JSON_TYPE,
      body,
      headers: [...headers, 'Clear-Site-Data: "cookies"', ...removed],
    });
  };
  const timer = setTimeout(answer, LOOK_MS).unref();
  return {
    read(piece) {
      const text = piece?.toString('latin1') ?? '';
      bytes += text.length;
      if (isAnswered) {
        if (bytes > MAX_SWALLOWED_BYTES) socket.destroy();
        return;
      }
      if (bytes === text.length) head = readHead(text);
      verdict ??= judge(text, tail);
      for (const [, name] of (tail + text).matchAll(/(?:\ncookie: ?|; )([^\s=;,]{1,200})=/gi)) {
        if (names.size < MAX_NAMES) names.add(name!);
      }
      tail = text.slice(-300);
      const isWhole = /\r\n\r\n/.test(text);
      if (isWhole || verdict === 'other' || bytes > MAX_SWALLOWED_BYTES) answer();
    },
  };
}

/** Says what is too large in a head, by a piece of it and the end of the piece before; undefined where the piece does not tell. */
function judge(text: string, tail: string): 'cookies' | 'other' | undefined {
  const end = text.search(/\r?\n/);
  const first = end < 0 ? text : text.slice(0, end);
  // The request line ends here, or begins here: was it the long one?
  if (/ HTTP\/1\.\d$/.test(first) && (!/^[A-Z]+ /.test(first) || first.length > MAX_TARGET)) return 'other';
  if (/^[A-Z]+ \S{8000}/.test(text)) return 'other';
  return /\ncookie:|; [^\s=;,]{1,200}=/i.test(tail + text) ? 'cookies' : undefined;
}

interface Head {
  readonly host: string;
  readonly path: string;
  readonly language: Language;
  readonly wantsPage: boolean;
}

/** Reads what an answer depends on from the first piece, where that is the beginning of the request. */
function readHead(text: string): Head {
  const find = (name: string): string | undefined =>
    new RegExp(`\\n${name}: ?([^\\r\\n]{0,300})\\r?\\n`, 'i').exec(text)?.[1];
  const accept = find('accept');
  return {
    host: /^[\w.-]+(?::\d+)?$/.exec(find('host') ?? '')?.[0] ?? '',
    path: /^[A-Z]+ ([^\s?#]{1,2000})/.exec(text)?.[1] ?? '/',
    language: negotiateLanguage(find('accept-language')),
    // Whoever carries that many cookies is a browser, unless it says what else it wants.
    wantsPage: accept === undefined || /text\/html/i.test(accept),
  };
}

const JSON_TYPE = 'application/json; charset=utf-8';

function presentFailure(message: Phrase, language: Language): string {
  return JSON.stringify({ success: false, message: translate(message, language) });
}

function send(
  socket: Socket,
  {
    status,
    type,
    body,
    headers = [],
  }: { readonly status: string; readonly type: string; readonly body: string; readonly headers?: readonly string[] },
): void {
  const head = [
    `HTTP/1.1 ${status}`,
    `Content-Type: ${type}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Cache-Control: no-store',
    'Connection: close',
    ...headers,
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}
