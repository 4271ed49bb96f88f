/** A webhook call as it came in, so that the operator can see why nothing was built, and run it again. */
export interface Delivery {
  readonly project: string;
  /** The sender's id (`X-GitHub-Delivery`, `X-Gitee-Delivery` …), else one made here. */
  readonly id: string;
  /** `unknown`: refused, since no header names a service. */
  readonly service: 'github' | 'gitee' | 'unknown';
  readonly event: string;
  /** ISO 8601, UTC. */
  readonly receivedAt: string;
  /** HTTP status of the answer. */
  readonly status: number;
  /** What was done, or why nothing was. */
  readonly answer: string;
  /** Id of the build it led to; '' = none. */
  readonly build: string;
  /** What it asks for once read; undefined for calls that ask for nothing. */
  readonly action: DeliveryAction | undefined;
}

/** What a webhook asks for. */
export type DeliveryAction =
  | { readonly kind: 'build'; readonly ref: string; readonly commit: string }
  | { readonly kind: 'remove'; readonly ref: string };
