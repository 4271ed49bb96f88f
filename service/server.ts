import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { createApp } from '../api/create-app.ts';
import { answerBrokenRequests, READ_HEAD_BYTES } from '../api/http/broken-requests.ts';
import { createFailureLog } from '../api/http/failure-log.ts';
import { createMetrics } from '../api/http/metrics.ts';
import { answerPipelined } from '../api/http/pipelined-requests.ts';
import { createMetricsApp } from '../api/service/metrics-route.ts';
import { answerProbe, createProbeServer, createProbes, type Probes } from '../api/service/probes.ts';
import { DataError } from '../data/data-error.ts';
import { hasEnded } from '../data/records/build.ts';
import { SERVER } from '../platform/audit/audit.ts';
import type { LoadedConfig } from '../platform/config/read-config.ts';
import { createSettings } from '../platform/config/settings.ts';
import type { Operations } from '../platform/operations/operations.ts';
import { checkAllProjects } from '../platform/projects/project-hosts.ts';
import { connectControl, serveControl, socketPath } from './control-socket.ts';
import { openPlatform, type PlatformContext } from './open-platform.ts';
import { reloadSettings } from './reload-settings.ts';
import { waitForOwner } from './wait-for-owner.ts';

export type { Role } from './open-builds.ts';

/** A server that answers, or only builds. */
export interface RunningServer {
  /** Where it listens, e.g. `http://127.0.0.1:5000`; a node that only builds answers nobody. */
  readonly origin: string;
  readonly operations: Operations;
  /** Facts about configuration and projects that an operator must know, one sentence each. */
  readonly warnings: readonly string[];
  /** Returns the address at which readers find a project's site. */
  readonly siteUrl: (project: { readonly name: string; readonly domain: string }) => string;
  /**
   * Reads the configuration again; builds under way keep what they began with. What cannot be used is logged, and
   * everything stays as it was.
   */
  reload(read: () => LoadedConfig): void;
  /** Returns for how long `close` goes on to answer, and with builds where it drains them, before it ends anything, ms. */
  drainMs(how: Closing): number;
  /**
   * Finishes requests and, where it drains them, builds; interrupts those that run on (others or the next start run them again), keeps the
   * queue.
   */
  close(how?: Closing): Promise<void>;
}

/** How a server is closed. */
export interface Closing {
  /** Builds that run have time to end. */
  readonly drainsBuilds: boolean;
}

/** Codes that Node reports when the other side has closed the connection. */
const LEFT = new Set(['ECONNRESET', 'EPIPE', 'ECONNABORTED', 'ERR_STREAM_PREMATURE_CLOSE']);
/** Requests that are under way have this long to finish. */
const GRACE_MS = 8_000;
const IDLE_CHECK_MS = 50;
/** How long a connection waits for its next request. Proxies keep theirs for up to two minutes, and lose a request to a closed one. */
const KEEP_MS = { callers: 5_000, proxies: 125_000 };

/**
 * Starts the whole service, or one node of it. Rejects if it cannot listen, with DataError `busy` if another process owns `base_dir` and has not
 * ended after some seconds, and with the reason of `signal`, which ends the wait for that.
 */
export async function startServer(
  loaded: LoadedConfig,
  log: Logger,
  {
    signal,
    isMixed = false,
    ...means
  }: Pick<PlatformContext, 'role' | 'now' | 'passwords'> & {
    readonly signal?: AbortSignal;
    /** Its configuration need not be that of other nodes. */
    readonly isMixed?: boolean;
  } = {},
): Promise<RunningServer> {
  const { api } = loaded.config;
  const isBuildNode = means.role === 'build';
  // Node would answer a request without a host itself, with an empty body: `checkHead` does.
  const server = createServer({ requireHostHeader: false, maxHeaderSize: READ_HEAD_BYTES });
  answerBrokenRequests(server);
  const keepConnections = ({ trusted_proxies }: { readonly trusted_proxies: number }): void => {
    server.keepAliveTimeout = trusted_proxies > 0 ? KEEP_MS.proxies : KEEP_MS.callers;
  };
  keepConnections(api);
  const probes = createProbes();
  const held = holdRequests(server, probes);
  let metricsServer: Server | undefined;
  let probeServer: Server | undefined;
  /** How to end what has begun: a process that could not start must end, and not be a node that seems to live. */
  const begun: (() => Promise<unknown>)[] = [];
  if (!isBuildNode) await listen(server, api.port, api.host);
  const { port } = isBuildNode ? api : (server.address() as AddressInfo);
  const origin = originOf(api.host, port);
  const failures = createFailureLog(log);
  const onError = (error: unknown, requestId = ''): void => {
    const { code } = error as NodeJS.ErrnoException;
    // Readers who leave in the middle of an answer are no failure; `HPE_` is Node's parser, of what callers send.
    const isTheirs = LEFT.has(code ?? '') || String(code).startsWith('HPE_');
    if (!isTheirs) failures.report(error, requestId);
  };
  try {
    const { port: probesPort, host: probesHost } = loaded.config.probes;
    if (probesPort !== undefined) {
      const own = createProbeServer(probes);
      await listen(own, probesPort, probesHost, 'probes');
      probeServer = own;
      log.info({ origin: originOf(probesHost, (own.address() as AddressInfo).port) }, 'probes');
    }
    const counts = () => opened.queue.counts();
    const metrics = createMetrics(counts);
    const settings = createSettings(loaded.config);
    const context: PlatformContext = {
      ...means,
      origin,
      onWarning: (message) => log.warn(message),
      onError,
      onBuild(build) {
        const { id, project, ref, status, reason } = build;
        log.info({ build: id, project, ref, status, ...(reason !== '' && { reason }) }, 'build');
        if (hasEnded(status)) metrics.countBuild(build);
      },
      onFailed: metrics.countFailure,
      onNotified: metrics.countNotification,
      onPurged: metrics.countPurge,
      onEvent: metrics.countEvent,
      onBlocked: metrics.countBlock,
    };
    const opened = await waitForOwner(() => openPlatform(loaded, settings, context), {
      onWait: (message) => log.warn(message),
      isStaying: async () => (await connectControl(socketPath(loaded.baseDir))) !== undefined,
      signal,
    });
    const { operationsFor, people, publishing, store } = opened.platform;
    const { measure } = publishing.siteStorage;
    if (measure) metrics.watchStorage(measure);
    if (opened.nodes) metrics.watchDatabase(opened.nodes);
    const { audit } = people;
    const operations = operationsFor(SERVER);
    begun.push(() => opened.close());
    await opened.nodeReport.join({ isMixed });
    const warnings = await checkAllProjects(store, loaded.config);
    for (const warning of warnings) log.warn(warning);
    const control = await serveControl(socketPath(loaded.baseDir), operationsFor);
    begun.push(() => stop(control));
    const stopping = new AbortController();
    const answerMs = (): number => (isBuildNode ? 0 : settings.current().api.drain_s * 1_000);
    const buildMs = ({ drainsBuilds }: Closing): number =>
      drainsBuilds && means.role !== 'web' ? settings.current().builds.drain_s * 1_000 : 0;
    const app = createApp(opened.platform, {
      metrics,
      probes,
      onError,
      onAnswered(request) {
        metrics.countRequest(request);
        log.debug(request, 'request');
      },
    });
    const { port: metricsPort, host: metricsHost, key } = loaded.config.metrics;
    if (metricsPort !== undefined) {
      metricsServer = createServer(createMetricsApp(metrics, { key, onError }).callback());
      await listen(metricsServer, metricsPort, metricsHost, 'metrics');
    }
    begun.push(() => opened.queue.stop());
    await opened.queue.start();
    await opened.notifier.start();
    opened.platform.utilities.ipRegions.check();
    probes.begin(opened.platform.checkWrites);
    held.release(answerPipelined(app.callback()));
    /** Settles when the configuration has been read as often as somebody asked for it: one after the other, for two would race. */
    let reloading = Promise.resolve();
    opened.duties.start();
    return {
      origin,
      operations,
      warnings,
      siteUrl: publishing.siteUrl,
      drainMs: (how) => Math.max(answerMs(), buildMs(how)),
      reload(read) {
        const reload = async (): Promise<void> => {
          if (stopping.signal.aborted) return;
          await reloadSettings({ settings, store, audit, baseDir: loaded.baseDir, read, log });
          await opened.nodeReport.replace();
          keepConnections(settings.current().api);
          opened.queue.wake();
          opened.outboxes.retryNow();
        };
        reloading = reloading.then(reload).catch(onError);
      },
      async close(how = { drainsBuilds: false }) {
        stopping.abort();
        probes.stop();
        // A database that hangs holds up nothing.
        void opened.nodeReport.drain();
        // Whoever asks goes over to other nodes, while builds end.
        await Promise.all([isBuildNode ? undefined : drain(server, answerMs()), opened.queue.drain(buildMs(how))]);
        // Those who follow a build are under way until it ends or is interrupted.
        const stopped = [server, control, ...(metricsServer ? [metricsServer] : [])].map(stop);
        await Promise.all([...stopped, opened.duties.stop(), opened.queue.stop(), reloading]);
        await opened.close();
        if (probeServer) await stop(probeServer);
        failures.close();
      },
    };
  } catch (error) {
    server.close();
    metricsServer?.close();
    probeServer?.close();
    probeServer?.closeAllConnections();
    // Requests that were held get no answer any more.
    server.closeAllConnections();
    for (const end of begun.toReversed()) await end().catch(onError);
    failures.close();
    throw error;
  }
}

/** Holds requests that arrive while the store is being opened until they can be answered, but for those that ask whether it is open. */
function holdRequests(server: Server, probes: Probes): { release(answer: RequestListener): void } {
  const held: Parameters<RequestListener>[] = [];
  const hold: RequestListener = (request, response) => {
    if (!answerProbe(probes, request, response)) held.push([request, response]);
  };
  server.on('request', hold);
  return {
    release(answer) {
      server.off('request', hold);
      server.on('request', answer);
      for (const [request, response] of held) answer(request, response);
    },
  };
}

/** Returns the address of a server, as URLs begin with it. */
function originOf(host: string, port: number): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** Messages for operators when the address cannot be listened on, by code. */
const LISTEN_ERRORS = new Map<string | undefined, (section: string) => string>([
  [
    'EADDRINUSE',
    (section) =>
      `another process listens there; choose another "${section}.port"${section === 'api' ? ', or --port' : ''}`,
  ],
  ['EADDRNOTAVAIL', (section) => `this machine does not have that address; change "${section}.host"`],
  ['EACCES', () => 'this user may not use that port; ports below 1024 need root'],
  ['ENOTFOUND', (section) => `this host name cannot be resolved; change "${section}.host"`],
  ['EAI_AGAIN', (section) => `looking up this host name failed; change "${section}.host"`],
]);

/** Listens at an address of the configuration's section. */
function listen(
  server: Server,
  port: number,
  host: string,
  section: 'api' | 'metrics' | 'probes' = 'api',
): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (cause: NodeJS.ErrnoException): void => {
      const why = LISTEN_ERRORS.get(cause.code)?.(section);
      const message = `Cannot listen at ${host}, port ${port}: ${why}`;
      reject(why === undefined ? cause : new DataError('busy', message, { cause }));
    };
    server.once('error', fail);
    server.listen(port, host, () => {
      server.off('error', fail);
      resolve();
    });
  });
}

/** Answers for some time as before, but keeps no connection, so that proxies go over to other nodes. */
async function drain(server: Server, ms: number): Promise<void> {
  server.prependListener('request', (_, response) => response.setHeader('Connection', 'close'));
  if (ms > 0) await sleep(ms);
}

/** Accepts no more requests and waits for those in progress, up to a limit. */
async function stop(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  // A connection kept alive would be idle for seconds after its last answer.
  const idle = setInterval(() => server.closeIdleConnections(), IDLE_CHECK_MS);
  const timer = setTimeout(() => server.closeAllConnections(), GRACE_MS);
  await closed;
  clearInterval(idle);
  clearTimeout(timer);
}
