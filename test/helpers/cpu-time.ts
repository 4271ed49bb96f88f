/**
 * Returns the milliseconds of CPU time this process has used. Bounds on it hold on a busy machine, too, where wall time
 * says more about the others.
 */
export function cpuTimeMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** CPU time in ms of `work` on an idle machine of the kind that the budgets are for. */
const WORK_MS = 150;

/** Returns how many times the CPU time of an idle machine this one takes, whose cores and caches others may use: 1 or more. */
export function measureSlowness(): number {
  const start = cpuTimeMs();
  work();
  return Math.max(1, (cpuTimeMs() - start) / WORK_MS);
}

/** Makes and reads small objects and strings, as readers of texts do. */
function work(): void {
  const words = new Map<string, readonly string[]>();
  for (let n = 0; n < 40_000; n++) words.set(`${n % 20_000} word ${n % 7}`, `a b ${n} c`.split(' '));
  JSON.parse(JSON.stringify([...words]));
}
