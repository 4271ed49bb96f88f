import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import { answerPipelined } from '../../../api/http/pipelined-requests.ts';

/** Sends requests in one write, to a server that answers in turn; returns the paths that were answered, and whether it closed. */
async function sendAtOnce(t: ExecutionContext, count: number, answer: RequestListener): Promise<string> {
  const server = createServer(answerPipelined(answer));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    server.close();
    server.closeAllConnections();
  });
  const requests = Array.from({ length: count }, (_, i) => `GET /${i} HTTP/1.1\r\nHost: x\r\n\r\n`);
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1', () => socket.write(requests.join('')));
  let text = '';
  socket.setEncoding('latin1').on('data', (part: string) => {
    text += part;
    if (text.includes(`[${count - 1}]`)) socket.end();
  });
  await new Promise((resolve) => socket.once('close', resolve));
  return text;
}

const listAnswers = (text: string): readonly number[] => [...text.matchAll(/\[(\d+)\]/g)].map(([, n]) => Number(n));

test.serial(
  'pipelined-requests() has one request of a connection under way at a time, and answers in order',
  async (t) => {
    let running = 0;
    let most = 0;
    const text = await sendAtOnce(t, 30, async ({ url }, response) => {
      most = Math.max(most, ++running);
      await sleep(Number(url!.slice(1)) % 3);
      running--;
      response.end(`[${url!.slice(1)}]`);
    });
    t.is(most, 1);
    t.deepEqual(listAnswers(text), [...Array(30).keys()]);
    t.false(text.includes('Connection: close'));
  },
);

test.serial('pipelined-requests() lets other work have its turn between the requests of one connection', async (t) => {
  let turns = 0;
  let isOver = false;
  const count = (): void => {
    turns++;
    if (!isOver) setImmediate(count);
  };
  let before = 0;
  await sendAtOnce(t, 50, ({ url }, response) => {
    if (url === '/0') count();
    before = turns;
    response.end(`[${url!.slice(1)}]`);
  });
  isOver = true;
  t.true(before >= 40, `${before} turns`);
});

test.serial('pipelined-requests() answers a hundred that wait, and says that the connection ends then', async (t) => {
  const called: string[] = [];
  const text = await sendAtOnce(t, 500, ({ url }, response) => {
    called.push(url!);
    response.end(`[${url!.slice(1)}]`);
  });
  t.deepEqual(listAnswers(text), [...Array(101).keys()]);
  t.is(called.length, 101);
  t.true(/Connection: close/i.test(text.slice(text.indexOf('[99]'))));
});
