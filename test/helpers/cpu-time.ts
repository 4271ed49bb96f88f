/**
 * Returns the milliseconds of CPU time this process has used. Bounds on it hold on a busy machine, too, where wall time
 * says more about the others.
 */
export function cpuTimeMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
