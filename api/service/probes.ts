import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import * as z from 'zod';
import { type Phrase, phrase } from '../../lib/phrase.ts';
import { ServiceError } from '../../platform/failures/service-error.ts';
import type { WriteCheck } from '../../platform/write-check.ts';
import { defineRoute, failure, type Route } from '../http/route.ts';

/** Answers supervisors and balancers. A node that answers at all is alive; whether it is ready is another question. */
export interface Probes {
  /** Returns why the node is to get no requests now; '' = it is ready. Answers within about a second, whatever hangs. */
  findObstacle(): Promise<string | Phrase>;
  /** The node works from now on, as far as `checkWrites` says. */
  begin(checkWrites: WriteCheck): void;
  /** The node is not ready any more, and ends soon. */
  stop(): void;
  /** Whether it ends soon. */
  readonly isStopping: boolean;
}

/** Supervisors wait for an answer for a second or some, ms. */
const READY_MS = 900;
/**
 * A check that takes longer than an answer may says nothing for so long, ms, after one that said the node is ready: all nodes share
 * a database, and must not go out of service together when it is slow for a moment.
 */
const SLOW_MS = 10_000;
/** A listener for probes alone: they are few, short, and ended at once. */
const MAX_CONNECTIONS = 50;
const REQUEST_MS = 5_000;
const TARGET = /^\/(livez|readyz)(?:\?|$)/;

/** Creates the state of a node that starts. */
export function createProbes(): Probes {
  let checkWrites: WriteCheck | undefined;
  let isStopping = false;
  let readyUntilMs = 0;
  const look = async (check: WriteCheck): Promise<string> => {
    const obstacle = await check();
    readyUntilMs = obstacle === '' ? performance.now() + SLOW_MS : 0;
    return obstacle;
  };
  return {
    async findObstacle() {
      if (isStopping) return phrase`This server is stopping`;
      if (!checkWrites) return phrase`This server is starting`;
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<string | Phrase>((resolve) => {
        const answer = () =>
          resolve(performance.now() < readyUntilMs ? '' : phrase`The database or the disk does not answer`);
        timer = setTimeout(answer, READY_MS);
      });
      const obstacle = await Promise.race([look(checkWrites), late]);
      clearTimeout(timer);
      // Its end may have begun meanwhile.
      return isStopping ? phrase`This server is stopping` : obstacle;
    },
    begin(check) {
      checkWrites = check;
    },
    stop() {
      isStopping = true;
    },
    get isStopping() {
      return isStopping;
    },
  };
}

/** GET livez, readyz. */
export function probeRoutes(probes: Probes): readonly Route[] {
  const about = { method: 'get', tag: 'service' } as const;
  const schema = z.object({ success: z.literal(true), message: z.literal('') });
  return [
    defineRoute({
      ...about,
      paths: ['/livez'],
      summary: 'Says that this process lives: it need not be started again, whatever else it lacks',
      answers: { 200: { description: 'It lives', schema } },
      examples: [{ summary: 'It lives', path: '/livez', status: 200, answer: { success: true, message: '' } }],
      async handle(ctx) {
        ctx.set('Cache-Control', 'no-store');
        ctx.body = { success: true, message: '' };
      },
    }),
    defineRoute({
      ...about,
      paths: ['/readyz'],
      summary: 'Says whether this process is to get requests',
      answers: {
        200: { description: 'It is ready', schema },
        503: failure('It starts, stops, cannot write to its disk, or has lost its database'),
      },
      examples: [{ summary: 'It is ready', path: '/readyz', status: 200, answer: { success: true, message: '' } }],
      async handle(ctx) {
        ctx.set('Cache-Control', 'no-store');
        const obstacle = await probes.findObstacle();
        if (obstacle !== '') throw new ServiceError('not-ready', obstacle);
        ctx.body = { success: true, message: '' };
      },
    }),
  ];
}

/** Answers a request where it is a probe, without anything that the service is made of; returns whether it is one. */
export function answerProbe(probes: Probes, request: IncomingMessage, response: ServerResponse): boolean {
  const probe = TARGET.exec(request.url ?? '')?.[1];
  if (probe === undefined || !(request.method === 'GET' || request.method === 'HEAD')) return false;
  const answer = (obstacle: string | Phrase): void => {
    const isFine = obstacle === '';
    const body = JSON.stringify({ success: isFine, message: String(obstacle) });
    response.writeHead(isFine ? 200 : 503, {
      'Content-Type': 'application/json; charset=utf-8',
      'Content-Length': Buffer.byteLength(body),
      'Cache-Control': 'no-store',
      Connection: 'close',
    });
    response.end(request.method === 'HEAD' ? undefined : body);
  };
  if (probe === 'livez') answer('');
  else void probes.findObstacle().then(answer);
  return true;
}

/** Creates a server that answers probes and nothing else. */
export function createProbeServer(probes: Probes): Server {
  const listener: RequestListener = (request, response) => {
    request.resume();
    if (!answerProbe(probes, request, response)) response.writeHead(404, { Connection: 'close' }).end();
  };
  const server = createServer({ requestTimeout: REQUEST_MS, headersTimeout: REQUEST_MS }, listener);
  server.maxConnections = MAX_CONNECTIONS;
  return server;
}
