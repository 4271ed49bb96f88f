import { connect } from 'node:net';

/** An answer as it came over the wire. */
export interface RawAnswer {
  readonly status: number;
  /** Head and body. */
  readonly text: string;
}

/** Sends lines of a request head as they are, and returns all that comes back until the connection is closed. */
export function sendRaw(origin: string, ...lines: readonly string[]): Promise<RawAnswer> {
  const { hostname, port } = new URL(origin);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () =>
      socket.write(`${[...lines, 'Connection: close'].join('\r\n')}\r\n\r\n`, 'latin1'),
    );
    let text = '';
    socket.setEncoding('latin1').on('data', (part: string) => {
      text += part;
    });
    socket.once('error', reject);
    socket.once('close', () => resolve({ status: Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1] ?? 0), text }));
  });
}
