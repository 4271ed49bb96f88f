import type { Metric, Registry } from 'prom-client';

/** Counts answered requests: in plain numbers, as looking up a metric by its labels costs more than many an answer. */
export interface RequestCounts {
  count(request: {
    readonly method: string;
    readonly status: number;
    readonly area: string;
    readonly ms: number;
  }): void;
}

interface Counted {
  readonly labels: Readonly<Record<string, string | number>>;
  value: number;
}

interface Timed {
  /** Requests by the first bucket they fit into; the last one has no end. */
  readonly buckets: number[];
  sum: number;
  count: number;
}

const SECONDS = [0.001, 0.005, 0.02, 0.1, 0.5, 2, 10];
const METHODS = new Set(['GET', 'HEAD', 'POST', 'OPTIONS']);

/** Creates the counts, which are printed with a registry. Areas are few; methods and statuses are kept few here. */
export function createRequestCounts(registry: Registry): RequestCounts {
  const requests = new Map<string, Counted>();
  const seconds = new Map<string, Timed>();
  register(registry, 'docbuild_http_requests_total', 'Answered requests', 'counter', () => [...requests.values()]);
  register(registry, 'docbuild_http_request_seconds', 'Time to answer', 'histogram', () =>
    [...seconds].flatMap(([area, timed]) => describeTimes('docbuild_http_request_seconds', area, timed)),
  );
  return {
    count({ method: asked, status, area, ms }) {
      const method = METHODS.has(asked) ? asked : 'other';
      const key = `${method} ${status} ${area}`;
      let counted = requests.get(key);
      if (!counted) {
        counted = { labels: { method, status, area }, value: 0 };
        requests.set(key, counted);
      }
      counted.value++;
      let timed = seconds.get(area);
      if (!timed) {
        timed = { buckets: new Array<number>(SECONDS.length + 1).fill(0), sum: 0, count: 0 };
        seconds.set(area, timed);
      }
      let bucket = 0;
      while (bucket < SECONDS.length && ms > SECONDS[bucket]! * 1000) bucket++;
      timed.buckets[bucket]!++;
      timed.sum += ms / 1000;
      timed.count++;
    },
  };
}

function describeTimes(name: string, area: string, { buckets, sum, count }: Timed) {
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

/** Adds a metric whose values are asked for when they are printed. */
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
