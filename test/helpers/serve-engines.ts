import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, LookupFunction } from 'node:net';
import type { ExecutionContext } from 'ava';

/** Answers a request in the place of a search engine. */
export type EngineAnswer = (request: IncomingMessage, response: ServerResponse) => void;

/** A server that plays search engines. */
export interface FakeEngines {
  /** Its address; all `.example` hosts lead to it by `lookup`. */
  readonly url: string;
  readonly port: number;
  readonly lookup: LookupFunction;
  /** The requests: host, path and query. */
  readonly asked: { readonly host: string; readonly url: URL; readonly headers: IncomingMessage['headers'] }[];
  /** Connections that were opened. */
  connections(): number;
  /** Sets what is answered from now on: to one method (`json`, `rss`, `html`), or to all. */
  answer(answer: EngineAnswer, method?: string): void;
}

/** Serves search engines until the end of the test. Without an answer set, they answer 501. */
export async function serveEngines(t: ExecutionContext): Promise<FakeEngines> {
  const answers = new Map<string, EngineAnswer>();
  const asked: FakeEngines['asked'] = [];
  let connections = 0;
  const server = createServer((request, response) => {
    const host = request.headers.host ?? '';
    const url = new URL(request.url ?? '', `http://${host}`);
    asked.push({ host, url, headers: request.headers });
    const method = url.searchParams.get('tn') ?? url.searchParams.get('format') ?? 'html';
    const answer = answers.get(method) ?? answers.get('');
    if (answer) return answer(request, response);
    response.writeHead(501).end();
  });
  server.on('connection', () => connections++);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    lookup: (_host, options, callback) => {
      if (options.all) (callback as (...values: unknown[]) => void)(null, [{ address: '127.0.0.1', family: 4 }]);
      else callback(null, '127.0.0.1', 4);
    },
    asked,
    connections: () => connections,
    answer: (answer, method = '') => void answers.set(method, answer),
  };
}

/** Answers with a page. */
export function page(body: string | Buffer, headers: Record<string, string> = {}, status = 200): EngineAnswer {
  return (_, response) => void response.writeHead(status, headers).end(body);
}

/** Sends elsewhere. */
export function redirect(location: string, status = 302): EngineAnswer {
  return page('', { location }, status);
}
