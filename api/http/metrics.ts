import { randomUUID } from 'node:crypto';
import type { Middleware } from 'koa';
import { Counter, collectDefaultMetrics, Gauge, Histogram, type Metric, Registry } from 'prom-client';
import type { Build } from '../../data/records/build.ts';
import { endOfSegment } from '../../lib/url-text.ts';
import type { BuildQueue } from '../../platform/builds/build-queue.ts';
import { ATTEMPT_OUTCOMES, type AttemptOutcome } from '../../platform/notifications/notifier.ts';
import { FAILURE } from './errors.ts';

/** How one way to query a search engine does. */
export interface EngineState {
  readonly engine: string;
  readonly method: string;
  /** Queries that it answered, and those that it failed. */
  readonly answered: number;
  readonly failed: number;
  /** It is not asked now, since it failed again and again. */
  readonly isPaused: boolean;
}

const FAILING_PARTS = ['store', 'image'] as const;

/** A part of the service that may fail without a request that says so. */
export type FailingPart = (typeof FAILING_PARTS)[number];

/** The metrics of the service. */
export interface Metrics {
  countFailure(part: FailingPart): void;
  /** Counts an address that is blocked since it kept calling beyond its limit. */
  countBlock(): void;
  /** Counts an attempt to notify somebody of a version. */
  countNotification(outcome: AttemptOutcome): void;
  /** Counts an attempt to tell the CDN what to forget. */
  countPurge(outcome: AttemptOutcome): void;
  countRequest(request: TracedRequest): void;
  countBuild(build: Build): void;
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
  const requests = createRequestCounts(registry);
  const builds = new Counter({
    name: 'docbuild_builds_total',
    help: 'Ended builds',
    labelNames: ['status'],
    registers,
  });
  const buildSeconds = new Histogram({
    name: 'docbuild_build_seconds',
    help: 'Time of builds from start to end',
    buckets: [0.1, 0.3, 1, 3, 10, 30, 100, 300],
    registers,
  });
  const failures = new Counter({
    name: 'docbuild_failures_total',
    help: 'Writes of the store, and answers of the image source, that failed',
    labelNames: ['part'],
    registers,
  });
  for (const part of FAILING_PARTS) failures.inc({ part }, 0);
  const refusals = new Counter({
    name: 'docbuild_refusals_total',
    help: 'Requests that were refused or failed, by the code of the reason',
    labelNames: ['area', 'code'],
    registers,
  });
  const blocks = new Counter({
    name: 'docbuild_automatic_blocks_total',
    help: 'Addresses blocked since they kept calling beyond their limit',
    registers,
  });
  const notifications = new Counter({
    name: 'docbuild_notifications_total',
    help: 'Attempts to notify of failing and mended versions',
    labelNames: ['outcome'],
    registers,
  });
  for (const outcome of ATTEMPT_OUTCOMES) notifications.inc({ outcome }, 0);
  const purges = new Counter({
    name: 'docbuild_cdn_purges_total',
    help: 'Requests that tell a CDN what to forget',
    labelNames: ['outcome'],
    registers,
  });
  for (const outcome of ATTEMPT_OUTCOMES) purges.inc({ outcome }, 0);
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
  return {
    countRequest({ method, status, path, ms, failure }) {
      const area = labelOf(path);
      requests.count({ method, status, area, ms });
      if (failure !== undefined) refusals.inc({ area, code: failure });
    },
    countFailure: (part) => failures.inc({ part }),
    countBlock: () => blocks.inc(),
    countNotification: (outcome) => notifications.inc({ outcome }),
    countPurge: (outcome) => purges.inc({ outcome }),
    countBuild(build) {
      builds.inc({ status: build.status });
      if (build.startedAt !== '' && build.finishedAt !== '') {
        buildSeconds.observe((Date.parse(build.finishedAt) - Date.parse(build.startedAt)) / 1000);
      }
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

/** First parts of paths, and second ones below `/docbuild/`, that are counted on their own. */
const FIRST_PARTS = new Set(['docs', 'openservice', 'api', 't', 'control', 'healthz', 'livez', 'readyz', 'metrics']);
const DOCBUILD_PARTS = new Set(['desc', 'badge', 'build', 'builds', 'webhook', 'github', 'assets', 'projects']);

/** Returns the value of the label `area`: one of a few words whatever the path, because every value is kept forever. */
function labelOf(path: string): string {
  const first = path.slice(1, endOfSegment(path, 1));
  if (first !== 'docbuild') return FIRST_PARTS.has(first) ? first : 'site';
  const start = 'docbuild'.length + 2;
  const second = path.slice(start, endOfSegment(path, start));
  return DOCBUILD_PARTS.has(second) ? second : first;
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
