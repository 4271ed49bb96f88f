import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Logger } from 'pino';
import type { LoadedConfig } from '../data/config/read-config.ts';
import { hasEnded } from '../data/records/build.ts';
import { connectControl } from './control/connect-control.ts';
import { serveControl } from './control/serve-control.ts';
import { socketPath } from './control/socket-path.ts';
import { createApp } from './create-app.ts';
import { createMetrics } from './metrics.ts';
import { openPlatform } from './open-platform.ts';
import { createOperations, type Operations } from './operations.ts';

export type { NewProject, Operations } from './operations.ts';

/** A server that answers. */
export interface RunningServer {
  /** Where it listens, e.g. `http://127.0.0.1:5000`. */
  readonly origin: string;
  readonly operations: Operations;
  /** Gives the address at which readers find a project's site. */
  readonly siteUrl: (project: { readonly name: string; readonly domain: string }) => string;
  /** Finishes requests, interrupts builds (the next start runs them again), keeps the queue. */
  close(): Promise<void>;
}

/** What Node reports when the other side has closed the connection. */
const LEFT = new Set(['ECONNRESET', 'EPIPE', 'ECONNABORTED', 'ERR_STREAM_PREMATURE_CLOSE']);
/** Requests that are under way have this long to finish. */
const GRACE_MS = 10_000;

/** Starts the whole service. Throws DataError `busy` when another process owns `base_dir`, and what listening throws. */
export async function startServer(loaded: LoadedConfig, log: Logger): Promise<RunningServer> {
  const { api } = loaded.config;
  const server = createServer();
  await listen(server, api.port, api.host);
  const { port } = server.address() as AddressInfo;
  const origin = `http://${api.host.includes(':') ? `[${api.host}]` : api.host}:${port}`;
  const onError = (error: unknown, requestId = ''): void => {
    // Readers who leave in the middle of an answer are no failure.
    if (!LEFT.has((error as NodeJS.ErrnoException).code ?? '')) log.error({ err: error, requestId }, 'failed');
  };
  try {
    const counts = () => opened.queue.counts();
    const metrics = createMetrics(counts);
    const opened = await openPlatform(loaded, {
      origin,
      onWarning: (message) => log.warn(message),
      onError,
      onBuild(build) {
        const { id, project, ref, status, reason } = build;
        log.info({ build: id, project, ref, status, ...(reason !== '' && { reason }) }, 'build');
        if (hasEnded(status)) metrics.countBuild(build);
      },
    });
    const operations = createOperations(opened.platform);
    const control = await serveControl(socketPath(loaded.baseDir), operations);
    const app = createApp(opened.platform, {
      metrics,
      onError,
      onAnswered(request) {
        metrics.countRequest(request);
        log.debug(request, 'request');
      },
    });
    server.on('request', app.callback());
    await opened.queue.start();
    return {
      origin,
      operations,
      siteUrl: opened.platform.siteUrl,
      async close() {
        await Promise.all([stop(server), stop(control)]);
        await opened.close();
      },
    };
  } catch (error) {
    server.close();
    throw error;
  }
}

/**
 * Gives the operations: of the server that runs on this `base_dir`, else of this process, which then owns it until `close`.
 */
export async function openOperations(
  loaded: LoadedConfig,
  onWarning: (message: string) => void,
): Promise<{ readonly operations: Operations; close(): Promise<void> }> {
  const remote = await connectControl(socketPath(loaded.baseDir));
  if (remote) return { operations: remote, close: async () => {} };
  const { api } = loaded.config;
  const origin = `http://${api.host}:${api.port}`;
  const opened = await openPlatform(loaded, { origin, onWarning, onError: (error) => onWarning(String(error)) });
  const operations = createOperations(opened.platform);
  // Builds begin only for a command that waits for one: others leave the queue to the server.
  const waitForBuild: Operations['waitForBuild'] = async (input) => {
    await opened.queue.start();
    return operations.waitForBuild(input);
  };
  return { operations: { ...operations, waitForBuild }, close: () => opened.close() };
}

function listen(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

/** Takes no more requests and waits for those under way, but not for ever. */
async function stop(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  const timer = setTimeout(() => server.closeAllConnections(), GRACE_MS);
  await closed;
  clearTimeout(timer);
}
