import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';

/** Bodies that a thread sends and does not end. */
export interface HeldBodies {
  readonly port: number;
  readonly connections: number;
  readonly path: string;
  readonly bytes: number;
  /** Headers of each; `{n}` stands for the number of the connection. */
  readonly headers: readonly string[];
}

const REST = 1;
/** Between two attempts of a connection that was closed. */
const AGAIN_MS = 300;

if (parentPort) hold(workerData as HeldBodies);

/** Sends all of each body but one byte, and begins again where the server gives it up. */
function hold({ port, connections, path, bytes, headers }: HeldBodies): void {
  const body = Buffer.alloc(bytes - REST, 'x');
  const answers: Record<number, number> = {};
  const open = (n: number): void => {
    const head = [`POST ${path} HTTP/1.1`, 'Host: x', `Content-Length: ${bytes}`, ...headers];
    const socket = connect(port, '127.0.0.1', () => {
      socket.write(`${head.join('\r\n').replaceAll('{n}', String(n))}\r\n\r\n`);
      socket.write(body);
    });
    socket.on('data', (part: Buffer) => {
      const status = /^HTTP\/1\.1 (\d{3})/.exec(part.toString('latin1'))?.[1];
      if (status) answers[Number(status)] = (answers[Number(status)] ?? 0) + 1;
    });
    socket.on('error', () => {});
    socket.on('close', () => void sleep(AGAIN_MS).then(() => open(n)));
  };
  for (let n = 0; n < connections; n++) open(n);
  parentPort!.on('message', () => {
    parentPort!.postMessage(answers);
    setTimeout(() => process.exit(0), 50);
  });
}
