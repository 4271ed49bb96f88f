/** What is looked at, in the order in which it is told. */
export const CHECKS = [
  'configuration',
  'server',
  'ports',
  'storage',
  'disk',
  'clock',
  'proxies',
  'upstreams',
  'repositories',
] as const;

/** What a look at one thing found. */
export interface Finding {
  readonly check: (typeof CHECKS)[number];
  /** `error`: something does not work; `warning`: it works, and may not for long, or not as meant. */
  readonly status: 'ok' | 'warning' | 'error';
  readonly message: string;
  /** What to do. */
  readonly advice?: string;
}
