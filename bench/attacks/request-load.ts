import { connect, type Socket } from 'node:net';
import { parentPort, workerData } from 'node:worker_threads';

/** Requests that a thread sends again and again, until it gets a message. */
export interface RequestLoad {
  readonly port: number;
  /** Connections, each of which sends its next request when it has the answer. */
  readonly connections: number;
  /** Heads and bodies as they are sent, in turn; `{n}` stands for a number that grows, `{ip}` for an address that changes with it. */
  readonly requests: readonly string[];
}

/** Number of answers by status. */
export type LoadAnswers = Readonly<Record<number, number>>;

const HEAD_END = '\r\n\r\n';

if (parentPort) run(workerData as RequestLoad);

function run({ port, connections, requests }: RequestLoad): void {
  const answers: Record<number, number> = {};
  let isOver = false;
  let number = 0;
  const nextRequest = (): string => {
    const n = number++;
    const ip = `20.${(n >> 16) & 255}.${(n >> 8) & 255}.${n & 255}`;
    return requests[n % requests.length]!.replaceAll('{n}', String(n)).replaceAll('{ip}', ip);
  };
  const open = (): void => {
    if (isOver) return;
    const socket: Socket = connect(port, '127.0.0.1', () => socket.write(nextRequest(), 'latin1'));
    let text = '';
    socket.setNoDelay().setEncoding('latin1');
    socket.on('data', (part: string) => {
      text += part;
      const status = readAnswer(text);
      if (status === undefined) return;
      text = '';
      answers[status] = (answers[status] ?? 0) + 1;
      if (isOver) socket.destroy();
      else if (!socket.writableEnded) socket.write(nextRequest(), 'latin1');
    });
    socket.on('error', () => {});
    // A server that is slow may close a connection at any time.
    socket.on('close', () => setTimeout(open, 1));
  };
  for (let i = 0; i < connections; i++) open();
  parentPort!.on('message', () => {
    isOver = true;
    parentPort!.postMessage(answers);
    setTimeout(() => process.exit(0), 50);
  });
}

/** Returns the status of an answer that is whole; undefined where some of it is missing. */
function readAnswer(text: string): number | undefined {
  const end = text.indexOf(HEAD_END);
  if (end < 0) return undefined;
  const head = text.slice(0, end);
  const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
  const isWhole =
    length === undefined
      ? !/\r\ntransfer-encoding: *chunked/i.test(head) || text.endsWith(`0${HEAD_END}`)
      : text.length >= end + HEAD_END.length + Number(length);
  return isWhole ? Number(head.slice(9, 12)) : undefined;
}
