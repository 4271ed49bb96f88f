import { type IncomingHttpHeaders, request } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** Sends a request with exactly these headers, `Host` and `Cookie` among them, which `fetch` would not send. */
export function ask(
  origin: string,
  path: string,
  {
    method = 'GET',
    headers = {},
    body = '',
  }: { readonly method?: string; readonly headers?: Readonly<Record<string, string>>; readonly body?: string } = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request(new URL(path, origin), { method, headers, agent: false }, async (answer) =>
      resolve({ status: answer.statusCode!, headers: answer.headers, text: await text(answer) }),
    );
    sent.once('error', reject);
    sent.end(body);
  });
}

/**
 * Writes bytes to a connection, in pieces if asked, and returns all that comes back until the other side closes it, or for
 * `limitMs`.
 */
export function askRaw(
  origin: string,
  bytes: string,
  { pieceBytes = bytes.length, limitMs = 5_000 }: { readonly pieceBytes?: number; readonly limitMs?: number } = {},
): Promise<string> {
  const { hostname, port } = new URL(origin);
  return new Promise((resolve) => {
    let received = '';
    const socket = connect(Number(port), hostname);
    const end = (): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve(received);
    };
    const timer = setTimeout(end, limitMs);
    socket.setNoDelay(true).setEncoding('latin1');
    socket.on('data', (piece: string) => {
      received += piece;
    });
    socket.on('error', end).on('close', end);
    socket.on('connect', async () => {
      for (let at = 0; at < bytes.length && !socket.destroyed; at += pieceBytes) {
        socket.write(bytes.slice(at, at + pieceBytes), 'latin1');
        // The other side shall read each piece by itself.
        await new Promise((resume) => setTimeout(resume, 2));
      }
    });
  });
}
