import { readlinkSync } from 'node:fs';
import { setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';
import { createMcpHandler } from '@modelcontextprotocol/server';
import { DataError, type DataErrorCode } from '../../data/data-error.ts';
import { createMcpServer } from './create-mcp-server.ts';
import { createDocumentedSites } from './documented-sites.ts';

/** Messages to the thread: a request to a site, or a file that it asked for. */
export type ToThread =
  | {
      readonly kind: 'request';
      readonly id: number;
      readonly site: { readonly key: string; readonly url: string; readonly title: string };
      readonly headers: Readonly<Record<string, string>>;
      readonly body: string;
    }
  | { readonly kind: 'file'; readonly id: number; readonly bytes: Uint8Array | undefined }
  | { readonly kind: 'no-file'; readonly id: number; readonly code: DataErrorCode; readonly message: string };

/** Messages of the thread: the answer to a request, a file that it needs for one, or a failure within. */
export type FromThread =
  | {
      readonly kind: 'answer';
      readonly id: number;
      readonly status: number;
      readonly type: string;
      readonly body: string;
    }
  | { readonly kind: 'read'; readonly id: number; readonly request: number; readonly path: string }
  | { readonly kind: 'problem'; readonly message: string };

/** Bytes of files whose opened volumes are kept; these take some six times as much. */
const MAX_OPEN_BYTES = 24_000_000;

/** How much later its turn on a processor comes than that of the thread that answers readers (`nice`); Linux alone has priorities of threads. */
const NICENESS = 5;
try {
  setPriority(Number(readlinkSync('/proc/thread-self').split('/').pop()), NICENESS);
} catch {
  // It is as urgent as the others.
}

const port = parentPort!;
const open = createDocumentedSites(MAX_OPEN_BYTES);
const files = new Map<number, { resolve(bytes: Uint8Array | undefined): void; reject(error: Error): void }>();
let lastFile = 0;

const send = (message: FromThread): void => port.postMessage(message);
const report = (error: unknown): void =>
  send({ kind: 'problem', message: error instanceof Error ? (error.stack ?? error.message) : String(error) });

port.on('message', (message: ToThread) => {
  if (message.kind === 'request') {
    void answer(message);
    return;
  }
  const file = files.get(message.id);
  files.delete(message.id);
  if (message.kind === 'file') file?.resolve(message.bytes);
  else file?.reject(new DataError(message.code, message.message));
});

async function answer({ id, site, headers, body }: ToThread & { readonly kind: 'request' }): Promise<void> {
  const { key, url, title } = site;
  const read = (path: string): Promise<Uint8Array | undefined> =>
    new Promise((resolve, reject) => {
      files.set(++lastFile, { resolve, reject });
      send({ kind: 'read', id: lastFile, request: id, path });
    });
  // Nobody is told of changes later: a site's tools do not change, and a stream would be held for nothing.
  const handler = createMcpHandler(
    () => createMcpServer({ title, open: () => open({ key, url, read }), onError: report }),
    { maxSubscriptions: 0, keepAliveMs: 0 },
  );
  try {
    // The protocol had them once: each would count as one request.
    if (body.trimStart().startsWith('[')) {
      fail(id, 400, -32_600, 'Send one message at a time');
      return;
    }
    const request = new Request(url, { method: 'POST', headers, body });
    const response = await handler.fetch(request);
    const type = response.headers.get('content-type') ?? '';
    send({ kind: 'answer', id, status: response.status, type, body: await response.text() });
  } catch (error) {
    report(error);
    fail(id, 500, -32_603, 'Internal error');
  } finally {
    await handler.close();
  }
}

function fail(id: number, status: number, code: number, message: string): void {
  const body = JSON.stringify({ jsonrpc: '2.0', id: null, error: { code, message } });
  send({ kind: 'answer', id, status, type: 'application/json', body });
}
