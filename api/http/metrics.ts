import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Build } from '../../data/records/build.ts';
import type { TracedRequest } from '../middleware/trace-requests.ts';
import { createRequestCounts } from '../request-counts.ts';

/** Numbers for Prometheus. */
export interface Metrics {
  countRequest(request: TracedRequest): void;
  countBuild(build: Build): void;
  /** Gives all numbers in Prometheus' text format. */
  print(): Promise<string>;
  readonly contentType: string;
}

/** Creates the numbers; `queue` is asked when they are printed. */
export function createMetrics(queue: () => { readonly waiting: number; readonly running: number }): Metrics {
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
  for (const state of ['waiting', 'running'] as const) {
    new Gauge({
      name: `docbuild_builds_${state}`,
      help: `Builds that are ${state}`,
      registers,
      collect() {
        this.set(queue()[state]);
      },
    });
  }
  return {
    countRequest: ({ method, status, path, ms }) => requests.count({ method, status, area: areaOf(path), ms }),
    countBuild(build) {
      builds.inc({ status: build.status });
      if (build.startedAt !== '' && build.finishedAt !== '') {
        buildSeconds.observe((Date.parse(build.finishedAt) - Date.parse(build.startedAt)) / 1000);
      }
    },
    print: () => registry.metrics(),
    contentType: registry.contentType,
  };
}

/** Few words, whatever is asked for: every label is kept for ever. */
function areaOf(path: string): string {
  const [, first = '', second = ''] = path.split('/');
  if (first === 'docbuild')
    return /^(?:desc|badge|build|builds|webhook|github|assets|projects)$/.test(second) ? second : 'docbuild';
  return /^(?:docs|openservice|api|t|control|healthz|metrics)$/.test(first) ? first : 'site';
}
