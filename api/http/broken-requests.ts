import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/** What a connection gets whose request cannot be read, by Node's code. */
const ANSWERS: ReadonlyMap<unknown, readonly [status: string, message: string]> = new Map([
  [
    'HPE_HEADER_OVERFLOW',
    ['431 Request Header Fields Too Large', 'The request line and the headers together may have 16 KB'],
  ],
  ['HPE_CHUNK_EXTENSIONS_OVERFLOW', ['413 Payload Too Large', 'The chunk extensions of the body are too large']],
  ['ERR_HTTP_REQUEST_TIMEOUT', ['408 Request Timeout', 'The request did not arrive in time']],
] as const);
const UNREADABLE = ['400 Bad Request', 'The request is not valid HTTP'] as const;

/** Answers requests that cannot be read, which no route ever sees, as others are answered, and closes the connection. */
export function answerBrokenRequests(server: Server): void {
  server.on('clientError', ({ code }: NodeJS.ErrnoException, socket: Socket & { readonly _httpMessage?: InFlight }) => {
    // An answer that has begun cannot be followed by another.
    if (!socket.writable || code === 'ECONNRESET' || socket._httpMessage?._headerSent) return void socket.destroy();
    const [status, message] = ANSWERS.get(code) ?? UNREADABLE;
    const body = JSON.stringify({ success: false, message });
    const head = [
      `HTTP/1.1 ${status}`,
      'Content-Type: application/json; charset=utf-8',
      `Content-Length: ${Buffer.byteLength(body)}`,
      'Cache-Control: no-store',
      'Connection: close',
    ];
    socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
  });
}

/** What Node itself looks at before it answers. */
interface InFlight {
  readonly _headerSent: boolean;
}
