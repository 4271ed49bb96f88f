/** Subjects of a diagnosis, in the order in which they are told. */
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

/** Result of a look at one subject. */
export interface Finding {
  readonly check: (typeof CHECKS)[number];
  /** `error`: something does not work; `warning`: it works, and may not for long, or not as meant. */
  readonly status: 'ok' | 'warning' | 'error';
  readonly message: string;
  /** Advice. */
  readonly advice?: string;
}
