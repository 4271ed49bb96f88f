import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Requests of one connection that may wait while one is answered; what follows is not answered, and the connection is closed. */
const MAX_WAITING = 100;
/** Time for which the rest of a body is received and discarded that nobody has waited for. */
const LINGER_MS = 5_000;

type Call = readonly [request: IncomingMessage, response: ServerResponse<IncomingMessage> & { req: IncomingMessage }];

/** The requests of a connection. */
interface Line {
  isBusy: boolean;
  isFull: boolean;
  readonly waiting: Call[];
}

/**
 * Returns a listener that answers the requests of one connection one after the other, and lets other connections have their turn
 * between them: Node calls its listener at once for all requests that arrive in one piece, although their answers leave in order.
 */
export function answerPipelined(answer: RequestListener): RequestListener {
  const lines = new WeakMap<Socket, Line>();
  const begin = (line: Line, [request, response]: Call): void => {
    line.isBusy = true;
    response.once('close', () => {
      if (!request.complete) limitRest(request);
      if (line.waiting.length === 0) line.isBusy = false;
      else setImmediate(() => proceed(line, request.socket));
    });
    answer(request, response);
  };
  const proceed = (line: Line, socket: Socket): void => {
    if (socket.destroyed) line.waiting.length = 0;
    const next = line.waiting.shift();
    if (next) begin(line, next);
    else line.isBusy = false;
  };
  return (request, response) => {
    const { socket } = request;
    let line = lines.get(socket);
    if (!line) {
      line = { isBusy: false, isFull: false, waiting: [] };
      lines.set(socket, line);
    }
    if (line.isFull) return;
    if (!line.isBusy) return begin(line, [request, response]);
    line.waiting.push([request, response]);
    if (line.waiting.length < MAX_WAITING) return;
    // Its answer says that the connection ends, so that whoever sent more knows what to send again.
    response.shouldKeepAlive = false;
    line.isFull = true;
  };
}

/** Ends the connection of a request that is answered where its body goes on arriving. */
function limitRest(request: IncomingMessage): void {
  const { socket } = request;
  if (socket.destroyed) return;
  const timer = setTimeout(() => socket.destroy(), LINGER_MS).unref();
  const stop = (): void => clearTimeout(timer);
  request.once('end', stop);
  socket.once('close', stop);
}
