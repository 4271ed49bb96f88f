import { randomUUID } from 'node:crypto';
import type { Middleware } from 'koa';
import { Counter, collectDefaultMetrics, Gauge, Histogram, type Metric, Registry } from 'prom-client';
import type { Nodes } from '../../data/nodes.ts';
import type { Build } from '../../data/records/build.ts';
import type { BuildQueue } from '../../platform/builds/queue/build-queue.ts';
import { areaOfPath } from '../../platform/config/service-paths.ts';
import type { EngineState } from '../../platform/inclusion/engine-health.ts';
import { ATTEMPT_OUTCOMES, type AttemptOutcome } from '../../platform/notifications/notifier.ts';
import { FAILING_PARTS, type FailingPart } from '../../platform/platform.ts';
import type { StorageCounts } from '../../platform/sites/site-storage.ts';
import { FAILURE } from './errors.ts';

/** The metrics of the service. */
export interface Metrics {
  countFailure(part: FailingPart): void;
  /** Counts an address that is blocked since it kept calling beyond its limit. */
  countBlock(): void;
  /** Counts an attempt to notify somebody of a version. */
  countNotification(outcome: AttemptOutcome): void;
  /** Counts an attempt to tell the CDN what to forget. */
  countPurge(outcome: AttemptOutcome): void;
  /** Counts an attempt to tell of an event. */
  countEvent(outcome: AttemptOutcome): void;
  countRequest(request: TracedRequest): void;
  countBuild(build: Build): void;
  /** Prints what a storage of sites elsewhere was asked from now on. */
  watchStorage(measure: () => StorageCounts): void;
  /** Prints how a database is used from now on. */
  watchDatabase(database: Pick<Nodes, 'measure' | 'observe'>): void;
  /** Prints the states of search engines from now on. */
  watchEngines(list: () => readonly EngineState[]): void;
  /** Returns all metrics in Prometheus' text format. */
  print(): Promise<string>;
  readonly contentType: string;
}

/** Creates the metrics; `queue` is called when they are printed. */
export function createMetrics(queue: BuildQueue['counts']): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  const createCounter = <Label extends string>(name: string, help: string, ...labelNames: readonly Label[]) =>
    new Counter({ name, help, labelNames, registers });
  const requests = createRequestCounts(registry);
  const builds = createCounter('docbuild_builds_total', 'Ended builds', 'status');
  const buildSeconds = new Histogram({
    name: 'docbuild_build_seconds',
    help: 'Time of builds from start to end',
    buckets: [0.1, 0.3, 1, 3, 10, 30, 100, 300],
    registers,
  });
  const failures = createCounter(
    'docbuild_failures_total',
    'Writes of the store, and answers of the image source, that failed',
    'part',
  );
  for (const part of FAILING_PARTS) failures.inc({ part }, 0);
  const refusals = createCounter(
    'docbuild_refusals_total',
    'Requests that were refused or failed, by the code of the reason',
    'area',
    'code',
  );
  const blocks = createCounter(
    'docbuild_automatic_blocks_total',
    'Addresses blocked since they kept calling beyond their limit',
  );
  const notifications = createCounter(
    'docbuild_notifications_total',
    'Attempts to notify of failing and mended versions',
    'outcome',
  );
  for (const outcome of ATTEMPT_OUTCOMES) notifications.inc({ outcome }, 0);
  const purges = createCounter('docbuild_cdn_purges_total', 'Requests that tell a CDN what to forget', 'outcome');
  for (const outcome of ATTEMPT_OUTCOMES) purges.inc({ outcome }, 0);
  const events = createCounter('docbuild_events_total', 'Attempts to tell of published and removed sites', 'outcome');
  for (const outcome of ATTEMPT_OUTCOMES) events.inc({ outcome }, 0);
  for (const state of ['waiting', 'running'] as const) {
    new Gauge({
      name: `docbuild_builds_${state}`,
      help: `Builds that are ${state}`,
      registers,
      async collect() {
        this.set((await queue())[state]);
      },
    });
  }
  new Gauge({
    name: 'docbuild_builds_oldest_waiting_seconds',
    help: 'For how long the build has waited that was requested first; 0 = none waits',
    registers,
    async collect() {
      this.set((await queue()).oldestMs / 1_000);
    },
  });
  return {
    countRequest({ method, status, path, ms, failure }) {
      const area = areaOfPath(path);
      requests.count({ method, status, area, ms });
      if (failure !== undefined) refusals.inc({ area, code: failure });
    },
    countFailure: (part) => failures.inc({ part }),
    countBlock: () => blocks.inc(),
    countNotification: (outcome) => notifications.inc({ outcome }),
    countEvent: (outcome) => events.inc({ outcome }),
    countPurge: (outcome) => purges.inc({ outcome }),
    countBuild(build) {
      builds.inc({ status: build.status });
      if (build.startedAt !== '' && build.finishedAt !== '') {
        buildSeconds.observe((Date.parse(build.finishedAt) - Date.parse(build.startedAt)) / 1000);
      }
    },
    watchStorage(measure) {
      const listRequests = (value: (one: StorageCounts['requests'][number]) => number) => () =>
        measure().requests.map((one) => ({ labels: { method: one.method, outcome: one.outcome }, value: value(one) }));
      register(
        registry,
        'docbuild_s3_requests_total',
        'Requests to S3; failed: no answer, or one that says that another try may succeed',
        'counter',
        listRequests(({ count }) => count),
      );
      register(
        registry,
        'docbuild_s3_request_seconds_total',
        'Time of requests to S3',
        'counter',
        listRequests(({ ms }) => ms / 1_000),
      );
      register(
        registry,
        'docbuild_site_cache_reads_total',
        'Objects of sites that were on this machine (hit), or had to be asked for (miss)',
        'counter',
        () => {
          const { hits, misses } = measure().cache;
          return [
            { labels: { outcome: 'hit' }, value: hits },
            { labels: { outcome: 'miss' }, value: misses },
          ];
        },
      );
      register(registry, 'docbuild_site_cache_bytes', 'Bytes of objects of sites on this machine', 'gauge', () => [
        { labels: {}, value: measure().cache.bytes },
      ]);
    },
    watchDatabase({ measure, observe }) {
      register(
        registry,
        'docbuild_database_connections',
        'Connections for questions to the database; waiting: questions that wait for one',
        'gauge',
        () => {
          const { inUse, idle, waiting } = measure().connections;
          return [
            { labels: { state: 'in_use' }, value: inUse },
            { labels: { state: 'idle' }, value: idle },
            { labels: { state: 'waiting' }, value: waiting },
          ];
        },
      );
      register(
        registry,
        'docbuild_database_changes_open',
        'Changes that wait for their turn in the database, or are being made',
        'gauge',
        () => [{ labels: {}, value: measure().changes }],
      );
      const seconds = new Histogram({
        name: 'docbuild_database_seconds',
        help: 'Time of transactions, from the moment in which they had a connection',
        labelNames: ['kind', 'outcome'],
        buckets: SECONDS,
        registers,
      });
      observe(({ kind, outcome, ms }) => seconds.observe({ kind, outcome }, ms / 1_000));
    },
    watchEngines(list) {
      register(registry, 'docbuild_engine_queries_total', 'Queries to search engines', 'counter', () =>
        list().flatMap(({ engine, method, answered, failed }) => [
          { labels: { engine, method, outcome: 'answered' }, value: answered },
          { labels: { engine, method, outcome: 'failed' }, value: failed },
        ]),
      );
      register(registry, 'docbuild_engine_paused', 'Whether a search engine is not asked for now', 'gauge', () =>
        list().map(({ engine, method, isPaused }) => ({ labels: { engine, method }, value: isPaused ? 1 : 0 })),
      );
    },
    print: () => registry.metrics(),
    contentType: registry.contentType,
  };
}

/** Counts answered requests in plain numbers: looking up two metrics by their labels would take 5 % of an answer's time. */
interface RequestCounts {
  count(request: {
    readonly method: string;
    readonly status: number;
    readonly area: string;
    readonly ms: number;
  }): void;
}

interface Counted {
  readonly labels: { readonly method: string; readonly status: number; readonly area: string };
  value: number;
}

interface CountedArea {
  /** By methods and statuses, of which there are few. */
  readonly counted: Counted[];
  /** Requests by the first bucket that they fit into; the last one is unbounded. */
  readonly buckets: number[];
  sum: number;
  count: number;
}

const SECONDS = [0.001, 0.005, 0.02, 0.1, 0.5, 2, 10];
const METHODS = new Set(['GET', 'HEAD', 'POST', 'OPTIONS']);

/** Creates counts that a registry prints. The number of methods is limited here. */
function createRequestCounts(registry: Registry): RequestCounts {
  const areas = new Map<string, CountedArea>();
  register(registry, 'docbuild_http_requests_total', 'Answered requests', 'counter', () =>
    [...areas.values()].flatMap(({ counted }) => counted),
  );
  register(registry, 'docbuild_http_request_seconds', 'Time to answer', 'histogram', () =>
    [...areas].flatMap(([area, timed]) => describeTimes('docbuild_http_request_seconds', area, timed)),
  );
  return {
    count({ method: asked, status, area, ms }) {
      const method = METHODS.has(asked) ? asked : 'other';
      let timed = areas.get(area);
      if (!timed) {
        timed = { counted: [], buckets: new Array<number>(SECONDS.length + 1).fill(0), sum: 0, count: 0 };
        areas.set(area, timed);
      }
      let counted = timed.counted.find(({ labels }) => labels.status === status && labels.method === method);
      if (!counted) {
        counted = { labels: { method, status, area }, value: 0 };
        timed.counted.push(counted);
      }
      counted.value++;
      let bucket = 0;
      while (bucket < SECONDS.length && ms > SECONDS[bucket]! * 1000) bucket++;
      timed.buckets[bucket]!++;
      timed.sum += ms / 1000;
      timed.count++;
    },
  };
}

function describeTimes(name: string, area: string, { buckets, sum, count }: CountedArea) {
  let below = 0;
  return [
    ...buckets.map((value, i) => {
      below += value;
      return { metricName: `${name}_bucket`, labels: { le: SECONDS[i] ?? '+Inf', area }, value: below };
    }),
    { metricName: `${name}_sum`, labels: { area }, value: sum },
    { metricName: `${name}_count`, labels: { area }, value: count },
  ];
}

/** Registers a metric whose values are collected when they are printed. */
function register(registry: Registry, name: string, help: string, type: string, list: () => readonly object[]): void {
  const metric = {
    name,
    help,
    type,
    aggregator: 'sum',
    get: async () => ({ name, help, type, values: list() }),
    reset() {},
  };
  registry.registerMetric(metric as unknown as Metric);
}

/** An answered request. */
export interface TracedRequest {
  readonly id: string;
  readonly method: string;
  /** Path without query: queries may hold tokens. */
  readonly path: string;
  readonly status: number;
  readonly ms: number;
  readonly bytes: number | undefined;
  /** Code of the failure that it was answered with. */
  readonly failure: string | undefined;
}

/** Assigns an id to every request (`X-Request-Id`, the caller's where it is usable) and reports each one once it is answered. */
export function traceRequests(onAnswered: (request: TracedRequest) => void): Middleware {
  return async (ctx, next) => {
    const given = ctx.req.headers['x-request-id'];
    const id = typeof given === 'string' && /^[\w-]{8,64}$/.test(given) ? given : randomUUID();
    ctx.state['requestId'] = id;
    ctx.res.setHeader('X-Request-Id', id);
    const startMs = performance.now();
    try {
      await next();
    } finally {
      const { method, path, status, length: bytes } = ctx;
      const failure = ctx.state[FAILURE] as string | undefined;
      onAnswered({ id, method, path, status, ms: performance.now() - startMs, bytes, failure });
    }
  };
}
